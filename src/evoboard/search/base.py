"""What every search promises, and how one is run from Python.

A search module defines

    class Settings(core.settings.Settings)   numbers and switches, each with a default
    class Work(NamedTuple)   preallocated arrays; begins with the fields of `Report`
    workspace(game, settings, scratch) -> Work
    best_move(network, state, settings, chance, work) -> int      the kernel

The kernel reads its settings as a tuple of numbers (`core/kernel_tuple.py`), with the same names.
`best_move` returns a legal move, or -1 if the game is over or there is none. It allocates nothing,
fills the report fields of `work`, and checks `work.stop[0]` often enough to end within
milliseconds of its becoming 1, with the best move so far. `chance` is a seed: the same arguments
give the same move.

Limits reach a kernel as settings: one that has `depth` or `nodes` among its settings keeps to
them, and the stop flag is for the clock. A search that can continue until it is stopped has
UNTIL_STOPPED, the settings that make it do so, with no limit among them. It may also have PLAYING,
further settings that it then uses unless a player's text says otherwise. A search that cannot may
name in DEEPENING the search that takes over where nodes or seconds are set; if something else may
cut it short, a stop or the caller's clock, it is asked for depth 1, 2 and so on up to its own
(`Searcher.think`). A limit that a search cannot keep to is refused (`refusals`). A search with the
setting `keep_table` keeps its table between moves only if nothing but a clock limits it, so that
other answers can be repeated. AT_ONCE = True: it answers without searching, so there is nothing to
limit.

A search with the setting `threads` has helping(game, settings, scratch, work, number) -> Work: the
workspace of a thread that helps the one with `work` (`think_together`).

A search with the setting `draws` applies the game's draw rules in its lines: its `Work` has a field
`past`, which is filled before the search starts (`search/past.py`).

A search may define move_lines(work, settings) -> dict, the lines that begin with the moves it has
values for, and table_use(work, settings) -> float, the share of its table that it has filled.

A search that keeps its report up to date while it runs must raise the depth last; one that does
not may define `glance(work, settings) -> Thought`, called from another thread once its depth is
above 0.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import time
import types
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.link import Target, prepare, slot
from evoboard.core.settings import read
from evoboard.games.adjudication import FORBIDDEN
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.games.rules import legal_moves
from evoboard.search.limits import NO_LIMITS, OPEN, Limits, Stop
from evoboard.search.past import past_taker, show_past
from evoboard.search.values import WON

PACKAGE = "evoboard.search"
LONGEST_LINE = 64
MOST_THREADS = 256
MOST = 2**62  # for a setting without another bound: kernels count in 64 bits
Count = Annotated[int, Field(ge=0, le=MOST)]
ABOUT_NODES = "positions after which to answer with the best so far; 0: no limit"


class Report(NamedTuple):
    """The fields every search's workspace begins with.

    `stop` (1,) int64, the cell of a `Stop`; `counts` (5,) int64: nodes, depth reached,
    length of the line, number of root moves, plies to the deepest position looked at (0 where that
    is not counted); `value` (1,) float32 for the side to move; `line` (LONGEST_LINE,) int32, the
    moves both sides are expected to make; `root_moves` (MAX_MOVES,) int32 and `root_values`
    (MAX_MOVES,) float32, where the search was asked for all of them.
    """

    stop: Array
    counts: Array
    value: Array
    line: Array
    root_moves: Array
    root_values: Array


NODES, DEPTH, LINE, ROOT, REACHED = range(5)


@slot
def best_move(network: Any, state: Array, settings: Any, chance: int, work: Any) -> int:
    """Return the chosen move of the linked search; see the module's contract."""


@slot
def own_best_move(network: Any, state: Array, settings: Any, chance: int, work: Any) -> int:
    """Do what the `best_move` of a user's file does, which may return any number."""


def legal_best_move(network: Any, state: Array, settings: Any, chance: int, work: Any) -> int:
    """Return the move of a user's search, FORBIDDEN if it is not legal: nothing else checks it."""
    move = own_best_move(network, state, settings, chance, work)
    if move < 0:
        return -1
    for i in range(legal_moves(state, work.root_moves)):
        if work.root_moves[i] == move:
            return move
    return FORBIDDEN


def choosing(module: types.ModuleType) -> dict[str, Any]:
    """Return what `best_move` is where moves are made as they are found; ours are legal."""
    if module.__name__.startswith(f"{PACKAGE}."):
        return {"best_move": module.best_move}
    return {"best_move": legal_best_move, "own_best_move": module.best_move}


class Positions(NamedTuple):
    """Positions of several games, a row for each, which have all come to the same ply."""

    states: Array  # (games, STATE_SIZE) int64
    keys: Array  # (games, more than plies) int64: of each game's positions
    movers: Array  # (games,) int64: the number of the player to move, -1 where a game is over
    chances: Array  # (games,) int64
    moves: Array  # (games,) int32: the answers


def find_moves(
    network: Any, player: int, games: Positions, ply: int, limits: Array, settings: Any, work: Any
) -> int:
    """Write a player's move wherever it is to move; return the last of them, -1 without any."""
    move = -1
    for i in range(games.movers.shape[0]):
        if games.movers[i] == player:
            state = games.states[i]
            show_past(work, settings, state, games.keys[i], ply, limits)
            move = best_move(network, state, settings, games.chances[i], work)
            games.moves[i] = move
    return move


def report(game: Game) -> Report:
    """Return empty report fields for a workspace."""
    return Report(
        np.zeros(1, np.int64),
        np.zeros(5, np.int64),
        np.zeros(1, np.float32),
        np.zeros(LONGEST_LINE, np.int32),
        np.zeros(game.max_moves, np.int32),
        np.zeros(game.max_moves, np.float32),
    )


@dataclass(frozen=True)
class Thought:
    """What a search came up with: the move, and what it thinks of the position.

    `scale`: values, except for certain wins and losses, lie within ± this; None: no such bound.
    `move_lines`: what is expected to follow the moves that have values, with those moves, where
    that is known. `deepest`: plies to the deepest position looked at, 0 where it is not counted.
    `table_use`: the share of the search's table that it has filled; None: it has none.
    """

    move: int
    value: float
    line: tuple[int, ...]
    nodes: int
    depth: int
    seconds: float
    move_values: Mapping[int, float]
    scale: float | None = None
    move_lines: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    deepest: int = 0
    table_use: float | None = None


def reach(work: Any, ply: int) -> None:
    """Note that a position so many plies from the root has been looked at."""
    work.counts[REACHED] = max(work.counts[REACHED], ply)


def new_lines(game: Game, settings: Any) -> Array:
    """Return room for the lines behind all root moves, if these are asked for; see `keep_line`."""
    shape = (game.max_moves, LONGEST_LINE + 1) if settings.all_values else (1, 1)
    return np.zeros(shape, np.int32)


def keep_line(row: Array, move: int, work: Any, length: int) -> None:
    """Write a root move and the line behind it, the best from level 1, after their number."""
    row[0], row[1] = min(length + 1, LONGEST_LINE), move
    for i in range(row[0] - 1):
        row[2 + i] = work.lines[1, i]


def lines_kept(work: Any, settings: Any) -> dict[int, tuple[int, ...]]:
    """Return the lines that `keep_line` has written, by their first moves."""
    if not settings.all_values or work.counts[DEPTH] < 2:
        return {}
    rows = work.root_lines[: work.counts[ROOT]].tolist()
    return {row[1]: tuple(row[1 : 1 + row[0]]) for row in rows if row[0]}


def find_search(name: str) -> types.ModuleType:
    """Return the search module of that name."""
    return catalog.find("search", PACKAGE, name, "Settings")


def search_names() -> list[str]:
    """Return the names of all searches."""
    return catalog.names(PACKAGE, "Settings")


def read_settings(module: types.ModuleType, given: Mapping[str, Any]) -> Any:
    """Return the module's Settings with the given values, which may be texts."""
    return read(module.Settings, dict(given), module.__name__.rpartition(".")[2], texts=True)


def refusals(module: types.ModuleType, limits: Limits) -> list[str]:
    """Return why a search, or the one that takes over from it, cannot keep to some limits."""
    if getattr(module, "AT_ONCE", False):
        return []
    able = find_search(module.DEEPENING) if hasattr(module, "DEEPENING") else module
    name, found = able.__name__.rpartition(".")[2], []
    # An open depth is as far as it likes.
    wanted = {"depth": (limits.depth or OPEN) < OPEN, "nodes": limits.nodes is not None}
    for limit, them in (("depth", "it"), ("nodes", "them")):
        if wanted[limit] and limit not in able.Settings.model_fields:
            found.append(f"{name} has no setting {limit}; it cannot limit {them}.")
    if limits.seconds is not None and not hasattr(able, "UNTIL_STOPPED"):
        found.append(f"{name} has neither UNTIL_STOPPED nor DEEPENING; it cannot limit seconds.")
    return found


class Searcher:
    """One search bound to a game and an evaluator, with its own workspace.

    Not for use by two threads at once, except for `glance`.
    """

    def __init__(
        self, game: Game, module: types.ModuleType, settings: Any, evaluator: Mapping[str, Any]
    ) -> None:
        self.game, self.module, self.settings = game, module, settings
        self._numbers = kernel_tuple(settings)
        chooses = {"best_move": module.best_move, "show_past": past_taker(module)}
        self._parts = {**evaluator, **chooses}
        self.kernel = self.link(find_moves)
        self.scratch = int(evaluator.get("SCRATCH", 1))
        self.work = self.workspace()
        self._helpers = [
            module.helping(game, settings, self.scratch, self.work, number)
            for number in range(1, getattr(settings, "threads", 1))
        ]
        self.ready = False  # once it is compiled
        self._running = False
        self._known: Thought | None = None  # the answer of a less deep search

    def think(
        self,
        network: Any,
        history: History,
        chance: int = 1,
        limits: Limits = NO_LIMITS,
        stop: Stop | None = None,
    ) -> Thought:
        """Return the search's answer within its settings and these limits."""
        settings, rules, works = self.within(limits), history.limits, [self.work, *self._helpers]
        hurried = limits.seconds is not None or not (stop is None or stop.final)
        asked = Positions(
            history.state[None],
            history.keys[None],
            np.zeros(1, np.int64),
            np.array([chance], np.int64),
            np.zeros(1, np.int32),
        )
        self.prepare(network, asked, rules, settings)

        def search(settings: Any) -> Thought:
            for work in works:
                work.counts[:] = 0  # so that a glance sees nothing of the last search
            found = think_together(
                lambda settings, work: self.kernel(
                    network, 0, asked, history.ply, rules, settings, work
                ),
                settings,
                works,
                flag,
            )
            # A thread that has seen a win answers, otherwise the deepest; of equals the first.
            ranks = [(_wins(work), int(work.counts[DEPTH])) for work in works]
            best = ranks.index(max(ranks))
            return self._thought(works[best], found[best], time.perf_counter() - began)

        with (stop or Stop()).within(limits.seconds) as flag:
            self._known, self._running, began = None, True, time.perf_counter()
            try:
                for step in self._steps(settings, hurried):
                    known: Thought | None = self._known
                    thought = search(step)
                    if known is not None:
                        cut = flag.is_set and thought.depth < step.depth
                        spent, nodes = thought.seconds, known.nodes + thought.nodes
                        thought = replace(known if cut else thought, nodes=nodes, seconds=spent)
                    self._known = thought
                    if flag.is_set:
                        break
            finally:
                self._running = False
        return thought

    def _steps(self, settings: Any, hurried: bool) -> list[Any]:
        """Return the settings to search with, one after the other; the last answer counts.

        A search that cannot deepen has nothing to say before it ends. If it may be cut short,
        shallower ones come before it; then the last one that was finished has an answer.
        """
        steps = [settings]
        if hurried and hasattr(self.module, "DEEPENING") and hasattr(settings, "depth"):
            steps[:0] = [settings._replace(depth=depth) for depth in range(1, settings.depth)]
        return steps

    def link(self, function: Callable[..., Any], target: Target = "cpu") -> Any:
        """Return a kernel linked to the game, the search and its evaluator."""
        return self.game.link(function, target, **self._parts)

    def workspace(self) -> Any:
        """Return the arrays that one more thread needs."""
        return self.module.workspace(self.game, self.settings, self.scratch)

    def prepare(self, network: Any, games: Positions, rules: Array, settings: Any) -> None:
        """Compile the search if needed, before the clock starts."""
        if not self.ready:
            prepare(self.kernel, network, 0, games, 0, rules, settings, self.work)
            self.ready = True

    def within(self, limits: Limits) -> Any:
        """Return the settings as kernels read them, with the tighter of both limits."""
        return _tightened(self._numbers, limits)

    def finder(self, network: Any, limits: Limits, steady: bool) -> Finder | None:
        """Return the search in a form that finds moves in many games at once.

        None if an answer may depend on more than the game and chance. `steady`: not even on
        chance.
        """
        settings = self.within(limits)
        remembers = bool(getattr(settings, "keep_table", False))
        if self._helpers or limits.seconds is not None or remembers:
            return None
        return Finder(self, network, settings, steady)

    def glance(self) -> Thought | None:
        """Return what a running search has found so far, None before there is anything.

        To be called from another thread than the one that thinks.
        """
        if not self._running or self._known is not None:
            return self._known if self._running else None
        if self.work.counts[DEPTH] == 0:
            return None
        if hasattr(self.module, "glance"):
            found: Thought = self.module.glance(self.work, self.settings)
            return found
        work = self.work
        first, second = (self._thought(work, int(work.line[0]), 0.0) for _ in range(2))
        # The report may be written while it is read; then the next glance will do.
        told = [(t.depth, t.line, t.value, t.move_values, t.move_lines) for t in (first, second)]
        return second if told[0] == told[1] else None

    def _thought(self, work: Any, move: int, seconds: float) -> Thought:
        _, depth, length, roots, _ = (int(count) for count in work.counts)
        works = (self.work, *self._helpers)
        nodes = sum(int(each.counts[NODES]) for each in works)
        lines, use = (getattr(self.module, name, None) for name in ("move_lines", "table_use"))
        # Adding 0 turns the -0 of a negated draw into 0.
        values = (work.root_values[:roots].astype(np.float64) + 0.0).tolist()
        return Thought(
            move,
            float(work.value[0]) + 0.0,
            tuple(int(m) for m in work.line[:length]),
            nodes,
            depth,
            seconds,
            dict(zip(work.root_moves[:roots].tolist(), values, strict=True)),
            move_lines=lines(work, self.settings) if lines and roots else {},
            deepest=max(int(each.counts[REACHED]) for each in works),
            table_use=use(work, self.settings) if use else None,
        )


@dataclass(frozen=True)
class Finder:
    """A player's search in many games at once."""

    searcher: Searcher
    network: Any
    settings: Any
    steady: bool

    def find(self, player: int, games: Positions, ply: int, rules: Array, stop: Stop) -> None:
        """Write the moves of a player wherever it is to move; `rules`: the draw rules."""
        kernel, work = self.searcher.kernel, self.searcher.work
        stopped = work._replace(stop=stop.cell)
        kernel(self.network, player, games, ply, rules, self.settings, stopped)


def _wins(work: Any) -> bool:
    """Tell whether a search has seen a win, so that it need look no further.

    A loss is different: a search that was stopped may have seen it for its first move only.
    """
    return bool(work.value[0] >= WON - work.counts[DEPTH])


def _tightened(settings: Any, limits: Limits) -> Any:
    """Return a search's settings with the tighter of both depths and numbers of nodes."""
    changes = {}
    for name in ("depth", "nodes"):
        limit, own = getattr(limits, name), getattr(settings, name, None)
        if limit is not None and own is not None:
            changes[name] = min(own or limit, limit)  # 0: the search is not limited
    if getattr(settings, "keep_table", 0) and (limits.nodes or (limits.depth or OPEN) < OPEN):
        changes["keep_table"] = 0
    return settings._replace(**changes) if changes else settings


def think_together(
    kernel: Callable[[Any, Any], Any], settings: Any, works: Sequence[Any], flag: Stop
) -> list[int]:
    """Run a kernel of settings and a workspace for every workspace at once; return their moves.

    The threads share what they find. Limits hold for all of them together: nodes are shared out;
    the first thread with an answer, or a stop, ends the search for all. A thread that has used up
    its share has no answer yet.
    """
    if len(works) == 1:
        return [int(kernel(settings, works[0]._replace(stop=flag.cell)))]
    if settings.nodes > 0:
        settings = settings._replace(nodes=max(1, settings.nodes // len(works)))
    for work in works:
        work.age[0] = works[0].age[0]  # all have the same next one
    over = Stop()

    def search(work: Any) -> int:
        spent = False
        try:
            move = int(kernel(settings, work._replace(stop=over.cell)))
            spent = 0 < settings.nodes <= work.counts[NODES]
            return move
        finally:
            if not spent:
                over.set()

    with ThreadPoolExecutor(len(works)) as pool, flag.calling(over.set):
        try:
            return list(pool.map(search, works))
        finally:
            over.set()  # an interruption ends them all
