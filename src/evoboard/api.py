"""What the commands do, as functions for scripts and notebooks: `import evoboard as eb`.

A game is given as text or as a `Game`; a player as text (`evoboard players` lists them), as a
function that makes one for a game, or as a player object. Anything wrong raises an EvoboardError
that says what would be right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from evoboard.arena.contest import MakeFor, Maker, Terms, play_contest
from evoboard.arena.match import Match as Match
from evoboard.arena.sprt import Sprt
from evoboard.arena.standings import MatchResult, Standings
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError as EvoboardError
from evoboard.core.errors import OptionError, unknown
from evoboard.experiments.catalog import experiment_names as experiment_names
from evoboard.experiments.catalog import load, stem
from evoboard.games.base import DrawRules
from evoboard.games.base import Game as Game
from evoboard.games.base import load_game as load_game
from evoboard.games.history import History, reason_text
from evoboard.interop.importing import import_player as import_player
from evoboard.pictures.board import draw_board as _draw_board
from evoboard.pictures.curves import Curve as Curve
from evoboard.pictures.curves import draw_curves as draw_curves
from evoboard.pictures.network import draw_network as _draw_network
from evoboard.pictures.svg import Picture
from evoboard.players.base import Player, SearchPlayer, borrowed_player
from evoboard.players.base import make_player as make_player
from evoboard.players.network import find_network
from evoboard.runs.folder import RunInfo, describe_run
from evoboard.runs.lineage import read_lineage
from evoboard.runs.rate import Rated, rate_lineage
from evoboard.runs.runner import resume_run, start_run
from evoboard.runs.study_numbers import Gathered, gather
from evoboard.runs.study_training import train_study
from evoboard.runs.sweep import sweep
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS
from evoboard.search.limits import Limits as Limits
from evoboard.store.reader import open_run as read_run
from evoboard.store.records import GenerationRow, Measurement
from evoboard.store.run_file import find_run
from evoboard.training.grades.base import GradeResult, grade_for

Position = History | Match | Array | str | None


def match(
    first: Maker,
    second: Maker,
    game: str | Game,
    games: int = 100,
    *,
    seed: int = 1,
    opening_plies: int | None = None,
    draws: DrawRules | None = None,
    threads: int = 0,
    sprt: tuple[float, float] | None = None,
) -> MatchResult:
    """Play two players against each other: pairs of games from random openings, sides swapped.

    `sprt`: two differences in Elo, such as (0, 10); at most `games` are played, and no more once
    it is decided which of the two is right.
    """
    terms, test = Terms(seed, opening_plies, draws, threads), None if sprt is None else Sprt(*sprt)
    contest = play_contest(_game(game), [first, second], games, terms, sprt=test)
    return MatchResult(contest, test)


def tournament(
    players: Sequence[Maker],
    game: str | Game,
    games: int = 20,
    *,
    gauntlet: bool = False,
    seed: int = 1,
    opening_plies: int | None = None,
    draws: DrawRules | None = None,
    threads: int = 0,
) -> Standings:
    """Play this many games between each pair (in a gauntlet, between the first and each other).

    The first player's rating is 0.
    """
    terms = Terms(seed, opening_plies, draws, threads)
    return Standings(play_contest(_game(game), players, games, terms, gauntlet=gauntlet))


def analyse(
    player: str | Player,
    game: str | Game,
    position: Position = None,
    *,
    limits: Limits = NO_LIMITS,
    chance: int = 1,
) -> Thought:
    """Return what a player thinks of a position: its move, value, expected line.

    `position`: a text, a state or a game so far; None for the start position.
    """
    played = _game(game)
    history = _history(played, position)
    code, legal = history.verdict()
    if not legal:
        why = reason_text(played, history.state, code)
        raise OptionError(f"the game is over in this position: {why}.")
    if not isinstance(player, str):
        return player.think(history, chance, limits)
    with borrowed_player(player, played) as thinker:
        return thinker.think(history, chance, limits)


def value(player: str | SearchPlayer, game: str | Game, position: Position = None) -> float:
    """Return a network's value of a position, without any search, for the side to move."""
    played = _game(game)
    judge = make_player(player, played) if isinstance(player, str) else player
    if not isinstance(judge, SearchPlayer):
        raise OptionError(
            f"the player {player!r} has no evaluation of its own; use analyse instead."
        )
    return judge.value(_history(played, position).state)


def grade(player: str | MakeFor, game: str | Game) -> GradeResult:
    """Return a player's objective grade, for games that have one (kingcapture, nim)."""
    judge = grade_for(_game(game))
    return judge.of_player(player if callable(player) else lambda made: make_player(player, made))


def draw_board(
    game: str | Game, position: Position = None, *, move: int | None = None, flipped: bool = False
) -> Picture:
    """Return a picture of a position that a notebook shows inline; `move` is drawn as an arrow."""
    played = _game(game)
    return _draw_board(played, _history(played, position).state, move=move, flipped=flipped)


def draw_network(player: str, game: str | Game) -> Picture:
    """Return a picture of a player's network, with inputs that are squares laid out as a board."""
    subject = find_network(player, _game(game))
    return _draw_network(subject.network, subject.game, subject.encoder, subject.outputs)


class Run:
    """A training run on disk, finished or not; `best` and `champion` are players, as texts."""

    def __init__(self, name: str) -> None:
        self.folder: Path = find_run(name)
        self.name = self.folder.name

    @property
    def info(self) -> RunInfo:
        """The run as a whole: status, game, generations, Elo."""
        return describe_run(self.name)

    @property
    def best(self) -> str:
        """Its best player, to use with `match`, `analyse` and so on."""
        return f"run:{self.name}@best"

    def champion(self, generation: int) -> str:
        """Return the player that was champion of a generation."""
        return f"run:{self.name}@gen={generation}"

    def rows(self) -> list[GenerationRow]:
        """Return all generations: champion, origin, and numbers by name."""
        with read_run(self.name) as reader:
            return reader.rows()

    def numbers(self, name: str) -> dict[int, float]:
        """Return one number, such as best, mean or species, by generation where it is known."""
        rows = self.rows()
        known = sorted({key for row in rows for key in row.numbers})
        if rows and name not in known:
            raise OptionError(unknown("number", name, known))
        return {row.generation: row.numbers[name] for row in rows if name in row.numbers}

    def measurements(self) -> dict[int, tuple[Measurement, ...]]:
        """Return the champions' measurements by generation."""
        with read_run(self.name) as reader:
            return {number: tuple(found) for number, found in reader.measurements().items()}

    def __repr__(self) -> str:
        info = self.info
        return f"<run {self.name}: {info.game}, {info.generation} generations, {info.status}>"

    def _repr_html_(self) -> str:
        return f"<code>{escape(repr(self))}</code>"


def train(
    experiment: str,
    *changes: str,
    seed: int = 1,
    run: str | None = None,
    threads: int = 0,
    backend: str = "cpu",
) -> Run:
    """Train an experiment (a name, FILE.toml or GAME.py) to its end.

    Changes are texts such as "generations=50". Ctrl-C saves the run; `resume` continues it.
    """
    chosen = load(experiment, changes)
    named = stem(experiment)
    return Run(start_run(run, chosen, seed, threads, backend=backend, stem=named).name)


def resume(
    run: str | Run, *, generations: int | None = None, threads: int = 0, backend: str = "cpu"
) -> Run:
    """Continue a run as if it had never stopped; with `generations`, also a complete one."""
    return Run(resume_run(_name(run), threads, generations=generations, backend=backend).name)


def study(
    experiments: Sequence[str],
    *changes: str,
    seeds: Sequence[int] = (1, 2, 3, 4, 5),
    name: str = "",
    games: int | None = None,
    seconds: float | None = None,
    threads: int = 0,
    backend: str = "cpu",
) -> Gathered:
    """Train experiments × changes such as "strategy.population=20,40" × seeds, or continue that.

    Returns the numbers of all complete runs, for comparison. `games` or `seconds` end every run.
    """
    found = sweep(experiments, changes, seeds, name, games, seconds)
    train_study(found, threads, backend=backend)
    return gather(found)


def open_run(name: str) -> Run:
    """Return a run by its name."""
    return Run(name)


def rate(
    run: str | Run,
    anchors: Sequence[str] = (),
    games: int = 40,
    *,
    every: int = 0,
    seed: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Rated:
    """Return Elo by generation: a run's champions against fixed players and each other."""
    return rate_lineage(read_lineage(_name(run), every), anchors, games, seed, progress=progress)


def _name(run: str | Run) -> str:
    return run if isinstance(run, str) else run.name


def _game(game: str | Game) -> Game:
    return load_game(game) if isinstance(game, str) else game


def _history(game: Game, position: Any) -> History:
    if position is None:
        return History(game)
    found = position.history if isinstance(position, Match) else position
    given = found.state if isinstance(found, History) else found
    state = game.parse_state(given) if isinstance(given, str) else np.asarray(given)
    # Kernels trust what they are given: another game's state would be read past its end.
    if state.shape != (game.state_size,):
        raise OptionError(
            f"a state of {game.name} is an array of {game.state_size} numbers; this one has the "
            f"shape {state.shape}."
        )
    return found if isinstance(found, History) else History.of(game, state)
