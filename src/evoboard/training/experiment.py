"""An experiment as validated data: names of parts and their settings, TOML in and out.

    title, paper, departures      what it is, where it comes from, where it differs from it
    generations                   when it ends, if nothing in [stop] ends it before
    [game]      name, draws…      the game with its options, as in `nim:heaps=8`
    [player]    encoder           what networks see
    [search]    name, settings…   how players choose moves; [[search.later]] changes them
    [strategy]  name, settings…   how genomes are bred
    [fitness]                     who meets whom, and what results are worth
    [champion] [measure] [record] [stop]

Every key is checked, every part is found and its settings are read when the experiment is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from evoboard.arena.scoring import Scoring
from evoboard.core import catalog
from evoboard.core.errors import SENSELESS, EvoboardError, NotFound, OptionError, PartError
from evoboard.core.settings import (
    HERE,
    PartChoice,
    Settings,
    SettingsError,
    Share,
    plain,
    read,
    shown,
    without_none,
    wrong_at,
)
from evoboard.evolution.base import find_strategy
from evoboard.games.base import DrawRules, load_game
from evoboard.search.base import find_search
from evoboard.training.changes import TOO_MUCH, apply_changes, copied, require_shallow
from evoboard.training.files import with_whole_paths
from evoboard.training.fitness_functions.base import find_fitness_function
from evoboard.training.parts import (
    ONE_THREAD,
    found,
    require_encoder,
    require_players,
    require_search,
    require_strategy,
)

MOST = 1_000_000_000  # generations that anything can wait for
Generations = Annotated[int, Field(ge=0, le=MOST)]


def _even(number: int) -> int:
    if number % 2:
        raise wrong_at((), f"{HERE} must be even: every opening is played with both colours.")
    return number


EvenGames = Annotated[int, Field(ge=2, le=100_000), AfterValidator(_even)]


class GameChoice(Settings):
    """The game and the match rules; a limit left out is the game's own."""

    name: str = Field(description="a game with its options, such as nim:heaps=8 or FILE.py")
    repetitions: int | None = Field(
        None, ge=0, le=1000, description="a draw when a position occurs this often; 0: off"
    )
    quiet: int | None = Field(
        None, ge=0, le=100_000, description="a draw after this many plies without progress"
    )
    plies: int | None = Field(
        None, ge=0, le=100_000, description="a draw when the game is this long; 0: off"
    )

    def draws(self, own: DrawRules) -> DrawRules:
        """Return the match rules, the game's own where nothing else is given."""
        return own.changed(repetitions=self.repetitions, quiet=self.quiet, plies=self.plies)


class PlayerChoice(Settings):
    """What networks see of a position, and which one the run begins with."""

    encoder: str = Field("", description="an encoder; by default the first that fits the game")
    start: str = Field(
        "", description="a player to begin with, such as run:NAME@best; by default random numbers"
    )


class Later(Settings):
    """Search settings that hold from a generation on."""

    model_config = ConfigDict(frozen=True, extra="allow")
    generation: int = Field(ge=1, le=MOST, description="the first generation with these settings")


class SearchChoice(PartChoice):
    """The search by name, with its settings beside the name."""

    name: str = Field("alphabeta", description="a search, such as alphabeta, mcts or FILE.py")
    later: tuple[Later, ...] = Field((), description="other settings from some generation on")

    def at(self, generation: int) -> dict[str, Any]:
        """Return the settings that hold in a generation."""
        settings = dict(self.model_extra or {})
        for stage in sorted(self.later, key=lambda stage: stage.generation):
            if stage.generation <= generation:
                settings |= stage.model_extra or {}
        return settings

    def next_change(self, generation: int) -> int | None:
        """Return the first generation from this one on where the search changes, if any."""
        coming = (stage.generation for stage in self.later if stage.generation >= generation)
        return min(coming, default=None)

    @classmethod
    def model_of(cls, name: str) -> type[Settings]:
        """Return the settings of a search."""
        module = find_search(name)
        require_search(name, module)
        model: type[Settings] = module.Settings
        return model

    @model_validator(mode="after")
    def _check(self) -> SearchChoice:
        model = self.model_of(self.name)
        _require_one_thread((), self.model_extra or {})
        for i, stage in enumerate(self.later):
            _require_one_thread(("later", i), stage.model_extra or {})
            for given in (stage.model_extra or {}, self.at(stage.generation)):
                try:
                    read(model, given)
                except SettingsError as error:
                    place, text = error.problem
                    raise wrong_at(("later", i, *place), text) from None
        return self


def _require_one_thread(place: tuple[str | int, ...], settings: Mapping[str, Any]) -> None:
    """Raise for a search that would make another run of the same seed."""
    if settings.get("threads", 1) != 1:
        raise wrong_at((*place, "threads"), f"{HERE} must be 1: {ONE_THREAD}")


class StrategyChoice(PartChoice):
    """The strategy by name, with its settings beside the name."""

    name: str = Field("neat", description="a strategy, such as neat, layered or FILE.py")

    @classmethod
    def model_of(cls, name: str) -> type[Settings]:
        """Return the settings of a strategy."""
        module = find_strategy(name)
        require_strategy(name, module)
        model: type[Settings] = module.Settings
        return model

    @model_validator(mode="before")
    @classmethod
    def _from_older(cls, data: Any) -> Any:
        """Read what an older version has written, where the strategy knows how."""
        if not isinstance(data, dict):
            return data
        # What is wrong with it is reported when it is read.
        with suppress(EvoboardError, *SENSELESS):
            module = find_strategy(data.get("name", "neat"))
            return getattr(module, "from_older", dict)(data)
        return data


OpponentKind = Literal["previous_best", "previous_champions", "hall_of_fame", "league", "players"]


class Against(Settings):
    """Opponents from outside the population, met by every individual with both colours."""

    kind: OpponentKind = Field(
        description="previous_best (the best of the generation before; random ones at first), "
        "previous_champions (the latest), hall_of_fame (any earlier champions), "
        "league (champions that are beaten about half the time), players (fixed "
        "ones)"
    )
    count: int = Field(5, ge=1, le=1000, description="how many; all of them for players")
    players: tuple[str, ...] = Field((), description="for kind players: their texts")
    generation: Generations = Field(0, description="the first generation that meets them")

    @model_validator(mode="after")
    def _check(self) -> Against:
        if (self.kind == "players") != bool(self.players):
            raise ValueError("the kind players needs players, and no other kind has them")
        found(("players",), lambda: require_players(self.players))
        return self


ScheduleKind = Literal[
    "double_round_robin", "single_round_robin", "circular", "random_opponents", "none"
]


class FitnessChoice(Settings):
    """Who meets whom, from which positions, and what the results are worth."""

    schedule: ScheduleKind = Field(
        "double_round_robin",
        description="who meets whom within the population; none: only `against`",
    )
    opponents: int = Field(
        5,
        ge=1,
        le=100_000,
        description="random: opponents of each as first player; circular: distances around the "
        "circle, two opponents per distance",
    )
    openings: int = Field(
        0,
        ge=0,
        le=1000,
        description="openings per pair, each with both colours; 0: one game per pairing, from "
        "the start position",
    )
    opening_plies: int | None = Field(
        None, ge=0, le=100, description="random plies of an opening; by default the game's own"
    )
    shorter_openings: bool = Field(
        False, description="openings of any length up to `opening_plies`, all equally likely"
    )
    even_openings: bool = Field(
        False,
        description="games start from any position that random plies can reach, all equally likely",
    )
    exploring: Share = Field(
        0.9,
        description="with even_openings: the share of games in which a random move is played first",
    )
    pool: int = Field(
        0,
        ge=0,
        le=10000,
        description="how many openings a generation draws to choose from; 0: shared by all",
    )
    colours: Literal["both", "random"] = Field(
        "both",
        description="games against opponents from outside: one with each colour, or one with a "
        "random colour",
    )
    scoring: str = Field("1/0.5/0", description="points for win/draw/loss")
    total: Literal["sum", "mean"] = Field("sum", description="fitness: points, or points per game")
    function: str = Field(
        "",
        description="a function of game records: aggressive, defensive, finish, lead, or "
        "FILE.py:name",
    )
    against: tuple[Against, ...] = Field((), description="opponents from outside the population")
    reuse: bool = Field(
        False, description="do not replay games between unchanged deterministic players"
    )

    @property
    def players_alone(self) -> bool:
        """Tell whether nobody but fixed players decides fitness."""
        return self.schedule == "none" and all(a.kind == "players" for a in self.against)

    @model_validator(mode="after")
    def _check(self) -> FitnessChoice:
        found(("scoring",), lambda: Scoring.parse(self.scoring))
        if self.function:
            found(("function",), lambda: find_fitness_function(self.function))
        if self.schedule == "none" and not self.against:
            raise ValueError(
                "no games would be played: the schedule is none and `against` is empty; set one "
                "of them"
            )
        if self.schedule == "none" and all(choice.generation for choice in self.against):
            raise ValueError(
                "the first generation would play no games: the schedule is none, and all of "
                "`against` come later; let some of them have generation 0"
            )
        return self


class ChampionChoice(Settings):
    """How a generation's champion and the run's best player are chosen."""

    candidates: int = Field(
        1,
        ge=1,
        le=100,
        description="how many of the fittest play for the title; 1: the fittest gets it",
    )
    openings: int = Field(
        10, ge=1, le=10000, description="fresh openings for the title games, with both colours"
    )
    finalists: int = Field(
        8,
        ge=1,
        le=200,
        description="how many champions meet at the end of a run, or its fixed players where these "
        "alone decide fitness, to find its best player",
    )
    final_openings: int = Field(
        25, ge=1, le=10000, description="openings per pair in the final, with both colours"
    )


class MeasureChoice(Settings):
    """What is measured about champions, outside evolution."""

    every: Generations = Field(10, description="generations between measurements; 0: none")
    anchors: tuple[str, ...] = Field(
        ("random",),
        description="fixed players to rate against; plain material searches as the run does",
    )
    games: EvenGames = Field(40, description="games against each anchor; an even number")
    previous: int = Field(5, ge=0, le=100, description="previous champions to meet (paper E: 5)")
    spread: int = Field(8, ge=0, le=100, description="evenly spread earlier champions to meet")
    champion_games: EvenGames = Field(6, description="games against each of these; an even number")
    own_starts: bool = Field(
        False,
        description="separate openings for every champion met; off: all share them",
    )
    learning: bool = Field(False, description="meet the previous champions in every generation")
    learning_from: int = Field(
        1, ge=1, le=MOST, description="the first generation with a learning value (paper E: 2)"
    )
    grade: bool = Field(False, description="compute the game's grade, if it has one")

    @model_validator(mode="after")
    def _check(self) -> MeasureChoice:
        found(("anchors",), lambda: require_players(self.anchors))
        return self


class RecordChoice(Settings):
    """What is kept of a run besides each generation's numbers and champion."""

    games_every: Generations = Field(
        50, description="keep the games of every k-th generation; 0: no"
    )
    genomes_every: Generations = Field(
        50, description="keep all genomes of every k-th generation; 0: no"
    )
    champion_games: bool = Field(True, description="keep the champions' measured games")
    checkpoint_every: int = Field(1, ge=1, le=MOST, description="generations between checkpoints")


class StopChoice(Settings):
    """What ends a run before its last generation."""

    fitness: float | None = Field(None, description="the best fitness reaches this")
    grade: float | None = Field(None, description="the champion's grade reaches this")
    stagnation: int | None = Field(
        None, ge=1, le=MOST, description="this many generations brought no better fitness"
    )
    gain: int | None = Field(
        None,
        ge=1,
        le=MOST,
        description="after this many generations the champion is not significantly better",
    )
    gain_games: EvenGames = Field(200, description="games to test whether it is; an even number")
    games: int | None = Field(
        None,
        ge=1,
        le=10**15,
        description="this many games have been played, not counting measurements",
    )
    seconds: float | None = Field(
        None,
        gt=0,
        le=1e9,
        description="seconds of training have passed; a seed then no longer repeats a run exactly",
    )


class Experiment(Settings):
    """Everything that decides a run but its seed."""

    title: str = Field("", description="a one-line description")
    paper: str = Field("", description="where it comes from, such as A, session 1")
    departures: tuple[str, ...] = Field((), description="where it differs from its paper, and why")
    generations: int = Field(100, ge=1, le=100_000_000, description="how many generations")
    game: GameChoice
    player: PlayerChoice = Field(default_factory=PlayerChoice)
    search: SearchChoice = Field(default_factory=SearchChoice)
    strategy: StrategyChoice = Field(default_factory=StrategyChoice)
    fitness: FitnessChoice = Field(default_factory=FitnessChoice)
    champion: ChampionChoice = Field(default_factory=ChampionChoice)
    measure: MeasureChoice = Field(default_factory=MeasureChoice)
    record: RecordChoice = Field(default_factory=RecordChoice)
    stop: StopChoice = Field(default_factory=StopChoice)

    @model_validator(mode="after")
    def _check(self) -> Experiment:
        game = found(("game", "name"), lambda: load_game(self.game.name))
        if self.player.encoder:
            found(("player", "encoder"), lambda: require_encoder(self.player.encoder, game))
        self._require_opponents(getattr(self.strategy.settings, "population", None))
        return self

    def _require_opponents(self, population: object) -> None:
        """Raise where the schedule asks for more opponents than there are in the population."""
        if not isinstance(population, int):  # a strategy of the user's own
            return
        most = {"circular": population // 2, "random_opponents": population - 1}
        if self.fitness.opponents > (limit := most.get(self.fitness.schedule, MOST)):
            told = f"{HERE} must be 1 to {limit:,} with a population of {population:,}"
            raise wrong_at(("fitness", "opponents"), f"{told}: nobody meets another twice.")


def read_experiment(data: Mapping[str, Any], changes: Sequence[str] = ()) -> Experiment:
    """Return the experiment in plain data, with changes such as strategy.population=50."""
    changed = copied(data)
    apply_changes(changed, changes)
    for name in _OF_A_RUN:
        if name in changed:
            raise OptionError(
                f"{name} belongs to a run, not to an experiment; "
                f"say evoboard train … --{name} {shown(changed[name])} instead."
            )
    return read(Experiment, changed)


_OF_A_RUN = ("seed", "run", "threads")  # options of `evoboard train`


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file."""
    if not catalog.is_file(path):
        told = f"there is no file {catalog.shown(path)}"
        raise NotFound(f"{told}; name an experiment or a FILE.toml.")
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        require_shallow(tables)
        return tables
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PartError(f"{path} cannot be read as TOML: {error}.") from error
    except (ValueError, RecursionError) as error:
        raise PartError(f"{path} cannot be read as TOML: {TOO_MUCH}.") from error


def resolved(experiment: Experiment) -> dict[str, Any]:
    """Return the experiment with every default written out, as plain data without nulls."""
    return without_none(with_whole_paths(dict(plain(experiment))))
