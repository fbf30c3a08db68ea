"""What the commands do, as functions for scripts and notebooks: `import evoboard as eb`.

A game is given as text or as a `Game`; a player as text (`evoboard players` lists them), as a
function that makes one for a game, or as a player object. Anything wrong raises an EvoboardError
that says what would be right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, reduce, wraps
from html import escape
from inspect import Parameter, Signature, signature
from operator import or_
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import ConfigDict, Field, InstanceOf, PlainValidator, create_model

from evoboard.arena import match as matches
from evoboard.arena.contest import Maker, Terms, is_player, play_contest, player_of, thought_of
from evoboard.arena.sprt import Sprt
from evoboard.arena.standings import MatchResult, Standings
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError as EvoboardError
from evoboard.core.errors import OptionError, quoted, unknown
from evoboard.core.options import require_taking, with_options
from evoboard.core.settings import Settings, SettingsError, read
from evoboard.experiments.catalog import load
from evoboard.games.base import DrawRules, Game
from evoboard.games.base import load_game as _load_game
from evoboard.games.history import History, reason_text
from evoboard.interop.importing import import_player as _import_player
from evoboard.pictures.board import draw_board as _draw_board
from evoboard.pictures.curves import draw_curves as _draw_curves
from evoboard.pictures.network import draw_network as _draw_network
from evoboard.pictures.svg import Picture
from evoboard.players.base import Player, SearchPlayer, dismiss, require_player
from evoboard.players.base import make_player as _make_player
from evoboard.players.network import find_network
from evoboard.runs.folder import RunInfo, describe_run
from evoboard.runs.lineage import read_lineage
from evoboard.runs.rate import Rated, rate_lineage
from evoboard.runs.runner import resume_run, start_run, stem_of
from evoboard.runs.study_numbers import Gathered, gather
from evoboard.runs.study_training import train_study
from evoboard.runs.sweep import sweep
from evoboard.search.base import Thought
from evoboard.search.limits import Limits
from evoboard.store.reader import open_run as read_run
from evoboard.store.records import GenerationRow, Measurement
from evoboard.store.run_file import find_run
from evoboard.training.grades.base import GradeResult, grade_for

Position = History | matches.Match | Array | str | None
Whole = Annotated[int, Field(ge=0, lt=1 << 63)]
Function = TypeVar("Function", bound=Callable[..., Any])


class _Arguments(Settings):
    """A function's arguments, as settings."""

    model_config = ConfigDict(arbitrary_types_allowed=True)


def _checked(function: Function) -> Function:
    """Return a function that refuses arguments of the wrong type, in the words of settings."""
    shape, name = signature(function), function.__qualname__.removesuffix(".__init__")

    @cache  # at the first call: importing is not slowed down
    def model() -> type[_Arguments]:
        hints, fields = get_type_hints(function, include_extras=True), dict[str, Any]()
        for key, parameter in shape.parameters.items():
            hint = _read_as(hints.get(key, Any))
            if parameter.kind is Parameter.VAR_POSITIONAL:
                hint = tuple.__class_getitem__((hint, ...))
            fields[key] = (Any if parameter.kind is Parameter.VAR_KEYWORD else hint, ...)
        return create_model(name, __base__=_Arguments, **fields)

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            bound = shape.bind(*given, **named)
        except TypeError as error:
            raise OptionError(f"{name}: {error}; it is {name}{_without_types(shape)}.") from None
        bound.apply_defaults()
        try:
            found = read(model(), bound.arguments)
        except SettingsError as error:
            first, *rest = error.problem.place  # the rest may name a branch of a union
            place = ".".join(str(p) for p in (first, *rest) if p is first or isinstance(p, int))
            raise OptionError(f"{name}: {error.problem.called(place)}") from None
        bound.arguments.update((key, getattr(found, key)) for key in bound.arguments)
        return function(*bound.args, **bound.kwargs)

    return cast(Function, call)


def _without_types(shape: Signature) -> Signature:
    """Return a signature as it is called."""
    own = [p.replace(annotation=p.empty) for p in shape.parameters.values() if p.name != "self"]
    return Signature(own)


def _read_as(hint: Any) -> Any:
    """Return what pydantic is to read an argument as."""
    own = {
        str | Game: Annotated[Any, PlainValidator(_game)],
        str | Run: Annotated[Any, PlainValidator(_name)],
        Maker: Any,  # these depend on the game
        Position: Any,
    }
    if hint in own:
        return own[hint]
    if get_origin(hint) is Sequence:
        of = _read_as(get_args(hint)[0])
        return tuple.__class_getitem__((of, ...))  # arrays and ranges, too, but no text
    if get_origin(hint) in (Union, UnionType):
        return reduce(or_, map(_read_as, get_args(hint)))
    ours = isinstance(hint, type) and hint.__module__.startswith("evoboard.")
    return InstanceOf[hint] if ours else hint  # type: ignore[misc]


load_game = _checked(_load_game)
import_player = _checked(_import_player)
draw_curves = _checked(_draw_curves)


@_checked
def make_player(text: str, game: str | Game) -> Player:
    """Return the player that `text` names, for a game."""
    return _make_player(text, _game(game))


class Match(matches.Match):
    """A game in progress: a history to which only legal moves are added, and its end."""

    @_checked
    def __init__(
        self, game: str | Game, *, start: Position = None, draws: DrawRules | None = None
    ) -> None:
        loaded = _game(game)
        super().__init__(loaded, start=_history(loaded, start).state, draws=draws)

    @_checked
    def play(self, move: int) -> None:
        """Make a legal move; anything else is an IllegalMove and changes nothing."""
        super().play(move)


@_checked
def match(
    first: Maker,
    second: Maker,
    game: str | Game,
    games: int = 100,
    *,
    seed: int = 1,
    opening_plies: int | None = None,
    draws: DrawRules | None = None,
    threads: Whole = 0,
    sprt: tuple[float, float] | None = None,
) -> MatchResult:
    """Play two players against each other: pairs of games from random openings, sides swapped.

    `sprt`: two differences in Elo, such as (0, 10); at most `games` are played, and no more once
    it is decided which of the two is right.
    """
    terms, test = Terms(seed, opening_plies, draws, threads), None if sprt is None else Sprt(*sprt)
    loaded = _game(game)
    players = [_maker(player, loaded) for player in (first, second)]
    contest = play_contest(loaded, players, games, terms, sprt=test)
    return MatchResult(contest, test)


@_checked
def tournament(
    players: Sequence[Maker],
    game: str | Game,
    games: int = 20,
    *,
    gauntlet: bool = False,
    seed: int = 1,
    opening_plies: int | None = None,
    draws: DrawRules | None = None,
    threads: Whole = 0,
) -> Standings:
    """Play this many games between each pair (in a gauntlet, between the first and each other).

    The first player's rating is 0.
    """
    loaded, terms = _game(game), Terms(seed, opening_plies, draws, threads)
    makers = [_maker(player, loaded) for player in players]
    return Standings(play_contest(loaded, makers, games, terms, gauntlet=gauntlet))


@_checked
def analyse(
    player: Maker,
    game: str | Game,
    position: Position = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    chance: Whole = 1,
) -> Thought:
    """Return what a player thinks of a position: its move, value, expected line.

    `position`: a text, a state or a game so far; None for the start position. It thinks no deeper,
    of no more positions and no longer than is said here or in its own text.
    """
    loaded = _game(game)
    history = _history(loaded, position)
    code, legal = history.verdict()
    if not legal:
        why = reason_text(loaded, history.state, code)
        raise OptionError(f"the game is over in this position: {why}.")
    limits = Limits(depth, nodes, seconds)
    with _borrowed(player, loaded) as thinker:
        return thought_of(thinker, history, chance, limits)


@_checked
def value(player: Maker, game: str | Game, position: Position = None) -> float:
    """Return a network's value of a position, without any search, for the side to move."""
    loaded = _game(game)
    with _borrowed(player, loaded) as judge:
        if not isinstance(judge, SearchPlayer):
            raise OptionError(
                f"the player {judge.name} has no evaluation of its own; use analyse instead."
            )
        return judge.value(_history(loaded, position).state)


@_checked
def grade(player: Maker, game: str | Game) -> GradeResult:
    """Return a player's objective grade, for games that have one (kingcapture, nim)."""
    loaded = _game(game)
    judge = grade_for(loaded)
    with _borrowed(player, loaded) as graded:
        return judge.of_player(graded)


@_checked
def draw_board(
    game: str | Game, position: Position = None, *, move: int | None = None, flipped: bool = False
) -> Picture:
    """Return a picture of a position that a notebook shows inline; `move` is drawn as an arrow."""
    loaded = _game(game)
    state = _history(loaded, position).state
    if move is not None and move not in loaded.legal_moves(state):
        raise matches.illegal_move(loaded, state, move)
    return _draw_board(loaded, state, move=move, flipped=flipped)


@_checked
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

    @_checked
    def champion(self, generation: int) -> str:
        """Return the player that was champion of a generation."""
        return f"run:{self.name}@gen={generation}"

    def rows(self) -> list[GenerationRow]:
        """Return all generations: champion, origin, and numbers by name."""
        with read_run(self.name) as reader:
            return reader.rows()

    @_checked
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


@_checked
def train(
    experiment: str,
    *changes: str,
    seed: int = 1,
    run: str | None = None,
    threads: Whole = 0,
    backend: str = "cpu",
) -> Run:
    """Train an experiment (a name, FILE.toml or GAME.py) to its end.

    Changes are texts such as "generations=50". Ctrl-C saves the run; `resume` continues it.
    """
    chosen = load(experiment, changes)
    named = stem_of(experiment)
    return Run(start_run(run, chosen, seed, threads, backend=backend, stem=named).name)


@_checked
def resume(
    run: str | Run, *, generations: int | None = None, threads: int = 0, backend: str = "cpu"
) -> Run:
    """Continue a run as if it had never stopped; with `generations`, also a complete one."""
    return Run(resume_run(_name(run), threads, generations=generations, backend=backend).name)


@_checked
def study(
    experiments: Sequence[str],
    *changes: str,
    seeds: Sequence[int] = (1, 2, 3, 4, 5),
    name: str = "",
    games: int | None = None,
    seconds: float | None = None,
    threads: Whole = 0,
    backend: str = "cpu",
) -> Gathered:
    """Train experiments × changes such as "strategy.population=20,40" × seeds, or continue that.

    Returns the numbers of all complete runs, for comparison. `games` or `seconds` end every run.
    """
    found = sweep(experiments, changes, seeds, name, games, seconds)
    train_study(found, threads, backend=backend)
    return gather(found)


@_checked
def open_run(name: str) -> Run:
    """Return a run by its name."""
    return Run(name)


@_checked
def rate(
    run: str | Run,
    anchors: Sequence[str] = (),
    games: int = 40,
    *,
    every: Whole = 0,
    seed: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Rated:
    """Return Elo by generation: a run's champions against fixed players and each other."""
    if progress:
        require_taking(progress, "what, done, total")
    return rate_lineage(read_lineage(_name(run), every), anchors, games, seed, progress=progress)


def _name(run: Any) -> str:
    if not isinstance(run, str | Run):
        raise OptionError(f"a run is given by its name or as a Run; this is {quoted(run)}.")
    return run if isinstance(run, str) else run.name


def _game(game: Any) -> Game:
    if not isinstance(game, str | Game):
        raise OptionError(
            f"a game is given as text, such as 'nim', or as a Game; this is {quoted(game)}."
        )
    return _load_game(game) if isinstance(game, str) else game


def _maker(player: Any, game: Game) -> Maker:
    """Return a player as contests take it, one that is made checked when it is made."""
    if isinstance(player, str):
        return player
    if hasattr(player, "think") and not isinstance(player, type):
        return _sound(player, game)
    if not callable(player):
        raise OptionError(
            "a player is given as text, such as 'random', as an object with name, deterministic "
            f"and think, or as a function that makes one for a game; this is {quoted(player)}."
        )
    require_taking(player, "game")
    return lambda game: _sound(player(game), game)


def _sound(player: Any, game: Game) -> Player:
    """Return a player object that can play a game; OptionError if it cannot."""
    require_player(player)
    own = getattr(player, "game", None)
    if isinstance(own, Game):
        _require_same(game, own, f"the player {player.name}")
    return cast(Player, player)


def _require_same(game: Game, other: Game, whose: str) -> None:
    """Raise OptionError if a player or a position is of another game, or of a variation."""
    wanted, found = (
        with_options(g.name, {k: v for k, v in g.changed_options.items() if k != "start"})
        for g in (game, other)
    )
    if (wanted, game.source) != (found, other.source):
        raise OptionError(f"{whose} belongs to another game: {found}, not {wanted}.")


@contextmanager
def _borrowed(player: Any, game: Game) -> Iterator[Player]:
    """Give a player, and release it afterwards if it was made for this."""
    maker = _maker(player, game)
    thinker = player_of(maker, game)
    try:
        yield thinker
    finally:
        if not is_player(maker):
            dismiss(thinker)


def _history(game: Game, position: Any) -> History:
    if position is None:
        return History(game)
    found = position.history if isinstance(position, matches.Match) else position
    if isinstance(found, History):
        _require_same(game, found.game, "the position")
        return found
    return History.of(
        game, game.parse_state(found) if isinstance(found, str) else _state(game, found)
    )


def _state(game: Game, cells: Any) -> Array:
    """Return an array as a state of a game; OptionError if it is none.

    Kernels trust what they are given: from any other array they would read past its end.
    """
    with suppress(Exception):  # a game's functions meet what they are not written for
        given = np.asarray(cells)
        if given.shape == (game.state_size,) and given.dtype.kind in "iu":
            state = given.astype(np.int64)
            again = game.parse_state(game.state_text(state))
            again[list(game.counters)] = state[list(game.counters)]
            if state[game.turn] in (0, 1) and np.array_equal(again, state):
                return state
    raise OptionError(
        f"a state of {game.name} is an array of {game.state_size} whole numbers, such as "
        f"load_game('{game.name}').initial() returns; this is {quoted(cells)}."
    )
