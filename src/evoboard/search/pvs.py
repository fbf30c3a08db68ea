"""Principal variation search: iterative deepening, a transposition table, and what goes with them.

A node's first move is searched with the full window, the others with a window that is just wide
enough to show whether they are better; one that is, is searched again. Values are floats within
±1, so "just wide enough" cannot be a difference of 1: see `above` in
`frames.py`. What a position is worth, and what is not seen, is said in `alphabeta.py`.

With `reductions` and `singular` off the value is exactly plain minimax's at the depth reached:
table entries then count only at the very depth that is asked for, and only outside the principal
variation, which is thus always given in full length. (With `draws` not quite: what the table says
of a position was found with another past.) A reduced search may miss what the full depth would have
shown, but a win that is reported is one, and none within the depth that takes up to `reduce_from` +
1 - `reductions` plies is missed: the root and nodes near the leaves are searched in full, and a
reply that refutes nothing is searched again.

What an experiment does without unless it says otherwise, and a player on the clock has (PLAYING):
`blame`, `exchanges`, `unsure`, `deeper`, `keep_table`, `null_move`, `growing`, `late_pruning`,
`futility`, `aspiration`, `check_extension` and `brisk`. They look deeper in the same time and may
be wrong in other ways than a shallower search is; a win that is reported is one with them, too.

Several `threads` search the same position with a table in common, each at its own pace: what one
has found saves the others work. Which of them finds it first is chance, so a move is not always the
same; a value that is exact with one thread is so with several.

The stack has a frame for every open node, and one for a node whose best move is being questioned:
its moves but that one are searched less deeply, and if all are clearly worse, the best move is
*singular* and is searched one ply deeper.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.settings import Settings as BaseSettings
from evoboard.games.base import Game
from evoboard.games.position import position_key
from evoboard.games.rules import ONGOING, copy_state
from evoboard.search.alphabeta import LENGTH
from evoboard.search.base import (
    ABOUT_NODES,
    DEPTH,
    LINE,
    LONGEST_LINE,
    MOST,
    MOST_THREADS,
    NODES,
    REACHED,
    ROOT,
    Count,
    lines_kept,
    new_lines,
    report,
)
from evoboard.search.frames import (
    CELLS,
    ENDED,
    FLOOR,
    HEAD,
    KEY,
    OPENED,
    PRINCIPAL,
    ROOM,
    SWINGS,
    TRUSTED,
    answer,
    ask,
    close,
    enter,
    open_node,
)
from evoboard.search.ordering import HISTORY
from evoboard.search.past import ABOUT_DRAWS, Past, empty_past
from evoboard.search.quiescence import ABOUT_BRISK, ALPHA, BEST, BETA, COUNT, TRIED
from evoboard.search.table import NOTHING, new_table, next_age, share_of
from evoboard.search.values import ABOUT_UNAIDED, BOUND, INFINITY, WON, evaluate, look, settled

DETERMINISTIC = True
move_lines = lines_kept

F = np.float32
DEEPEST = LONGEST_LINE // 2  # extensions may double the length of a line
# The settings of a search that only the clock ends.
UNTIL_STOPPED = {"depth": DEEPEST, "nodes": 0}
# Those that win games at equal time: see MEASUREMENTS.md.
PLAYING = {
    "table_bits": 18,
    "blame": True,
    "exchanges": True,
    "unsure": 4,
    "deeper": True,
    "keep_table": True,
    "null_move": True,
    "growing": True,
    "reduce_from": 3,
    "late": 3,
    "late_pruning": 12,
    "futility": 2.5,
    "aspiration": 2.0,
    "check_extension": True,
    "brisk": True,
}


Worth = Annotated[float, Field(ge=0, le=float(BOUND))]  # of a position, or times that


class Settings(BaseSettings):
    """How far to look, by which means, and what to report."""

    depth: int = Field(3, ge=1, le=DEEPEST, description="plies")
    quiescence: int = Field(
        0, ge=0, le=LONGEST_LINE, description="plies of forcing moves beyond the full depth"
    )
    table_bits: int = Field(
        16, ge=0, le=28, description="the transposition table has 2^table_bits entries; 0: no table"
    )
    deeper: bool = Field(
        False, description="also use table entries from deeper searches than asked for"
    )
    keep_table: bool = Field(
        False, description="keep the table between searches, so that answers depend on earlier ones"
    )
    brisk: bool = Field(False, description=ABOUT_BRISK)
    killers: bool = Field(
        True, description="try early the quiet moves that refuted other moves of the same ply"
    )
    history: bool = Field(
        True, description="try early the quiet moves that have refuted many lines anywhere"
    )
    blame: bool = Field(False, description="try late the moves that failed before the refuting one")
    exchanges: bool = Field(
        False, description="try losing captures after quiet moves, if the game can tell"
    )
    unsure: Count = Field(
        0,
        description="search one ply less where the table has no move, if at least this many "
        "plies remain; 0: never",
    )
    reductions: int = Field(
        1,
        ge=0,
        le=DEEPEST,
        description="how many plies less late quiet moves are searched, unless one looks good",
    )
    growing: bool = Field(
        False, description="reduce by more plies the deeper the search and the later the move"
    )
    reduce_from: int = Field(5, ge=3, le=MOST, description="fewest plies that must remain for that")
    late: int = Field(6, ge=1, le=MOST, description="moves searched in full before others are late")
    singular: bool = Field(
        True, description="search a move one ply deeper if all others are clearly worse"
    )
    singular_from: int = Field(
        6, ge=3, le=MOST, description="fewest plies that must remain for that"
    )
    margin: Worth = Field(0.1, description='what "clearly" means, in units of the evaluation')
    null_move: bool = Field(
        False,
        description="prune a line that is good enough even after passing, if the game allows it",
    )
    late_pruning: Count = Field(
        0, description="quiet moves tried in the last plies, plus n² at n plies; 0: all"
    )
    futility: Worth = Field(
        0,
        description="prune lines near the leaves whose evaluation is outside the window by more"
        " than this many times what searching usually changes; 0: never",
    )
    aspiration: Worth = Field(
        0,
        description="first search around the last value, give or take this many times that; 0: "
        "the full window",
    )
    check_extension: bool = Field(
        False, description="search one ply deeper after a move that gives check"
    )
    threads: int = Field(
        1,
        ge=1,
        le=MOST_THREADS,
        description="threads that search one position together; with more than 1 the same "
        "position may get a different answer, so experiments must use 1",
    )
    all_values: bool = Field(False, description="the exact value of every move, which takes longer")
    nodes: Count = Field(0, description=ABOUT_NODES)
    draws: bool = Field(False, description=ABOUT_DRAWS)
    unaided: bool = Field(False, description=ABOUT_UNAIDED)


class Work(NamedTuple):
    """The report fields, then one row for each frame: `levels` of them, more for quiescence."""

    stop: Array
    counts: Array
    value: Array
    line: Array
    root_moves: Array
    root_values: Array
    states: Array  # (frames + 1, STATE_SIZE) int64
    moves: Array  # (frames, MAX_MOVES) int32
    scores: Array  # (frames, MAX_MOVES) int32, for their order
    cursors: Array  # (frames, CELLS) int64
    bounds: Array  # (frames, ROOM) float32
    found: Array  # (MAX_MOVES,) float32: what this iteration has found of the root's moves
    found_lines: Array  # of `new_lines`: and behind them
    root_lines: Array  # the same of the last iteration that counts
    swings: Array  # (SWINGS, 2) float32, by plies searched: a mean distance, and of how many values
    lines: Array  # (levels, levels) int32: the best line from each frame
    killers: Array  # (levels, 2) int32, by ply
    history: Array  # (2 * HISTORY,) int32
    slots: Array  # of the table
    table_scores: Array
    age: Array  # (1,) int64: of the table's entries that count
    helper: Array  # (1,) int64: 0, or the number of a thread that helps another
    scratch: Array  # (scratch,) float32, for the evaluation
    past: Past


def workspace(game: Game, settings: Settings, scratch: int) -> Work:
    """Return the arrays one search of this game needs."""
    levels = 2 * settings.depth + 2
    frames = levels + settings.quiescence
    return Work(
        *report(game),
        np.zeros((frames + 1, game.state_size), np.int64),
        np.zeros((frames, game.max_moves), np.int32),
        np.zeros((frames, game.max_moves), np.int32),
        np.zeros((frames, CELLS), np.int64),
        np.zeros((frames, ROOM), F),
        np.zeros(game.max_moves, F),
        new_lines(game, settings),
        new_lines(game, settings),
        np.zeros((SWINGS, 2), F),
        np.zeros((levels, levels), np.int32),
        np.zeros((levels, 2), np.int32),
        np.zeros(2 * HISTORY, np.int32),
        *new_table(settings.table_bits),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(scratch, F),
        empty_past(),
    )


def helping(game: Game, settings: Settings, scratch: int, work: Work, number: int) -> Work:
    """Return the workspace of a thread that helps the one with `work`, whose table it shares."""
    small = settings.model_copy(update={"table_bits": 0})
    made = workspace(game, small, scratch)
    made.helper[0] = number
    return made._replace(slots=work.slots, table_scores=work.table_scores)


def table_use(work: Work, settings: Settings) -> float | None:
    """Return the share of the table that this search has filled; None without a table."""
    return share_of(work.slots, int(work.age[0])) if settings.table_bits else None


def best_move(network: Any, state: Array, settings: Settings, chance: int, work: Work) -> int:
    """Return the best move of the last iteration, or of an unfinished one that found a better."""
    counts = work.counts
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT], counts[REACHED] = 0, 0, 0, 0, 0
    result, count = look(state, work.moves[0])
    if result != ONGOING:
        work.value[0] = settled(result, 0)
        return -1
    _forget(state, settings, work)
    work.cursors[0, COUNT], work.cursors[0, HEAD] = count, 0
    work.cursors[0, KEY] = position_key(state)
    work.line[0] = work.moves[0, 0]
    for depth in range(1, settings.depth + 1):
        if _skips(work.helper[0], depth) and depth < settings.depth:
            continue
        finished = _deepen(network, settings, work, depth)
        _report(settings, work, finished)
        if not finished:
            break
        counts[DEPTH] = depth
        # What is decided within this depth looks the same from any other.
        if settings.all_values == 0 and abs(work.value[0]) >= WON - F(depth):
            break
        _put_first(work, work.line[0])
    if counts[LINE] == 0:
        # Stopped at once: the first move, and the position's value as it is.
        counts[LINE] = 1
        work.value[0] = evaluate(network, state, work.scratch)
    return work.line[0]


def _skips(helper: int, depth: int) -> bool:
    """Tell whether a thread leaves a depth to the others, so that it is ahead of them."""
    return helper > 0 and (depth + helper) // (1 + helper // 3) % 2 == 1


def _forget(state: Array, settings: Settings, work: Work) -> None:
    """Make the workspace as good as new, but for what is to be kept, with `state` as the root."""
    copy_state(state, work.states[0])
    for place in range(work.history.shape[0]):
        work.history[place] = work.history[place] // 2 if settings.keep_table else 0
    if settings.keep_table == 0:
        for plies in range(SWINGS):
            work.swings[plies, 0], work.swings[plies, 1] = F(0), F(0)
    for ply in range(work.killers.shape[0]):
        work.killers[ply, 0], work.killers[ply, 1] = NOTHING, NOTHING
    work.age[0] = next_age(work.slots, work.age[0])


def _deepen(network: Any, settings: Settings, work: Work, depth: int) -> bool:
    """Search the root `depth` plies deep, at first near the last value; tell whether finished."""
    value, width = work.value[0], F(settings.aspiration) * work.swings[1, 0]
    known = depth > 3 and abs(value) < BOUND and work.swings[1, 1] >= F(TRUSTED)
    if known and width > F(0) and settings.all_values == 0:
        low, high = value - width, value + width
        finished = _iterate(network, settings, work, depth, low, high)
        if not finished or low < work.bounds[0, BEST] < high:
            return finished
        if work.bounds[0, BEST] >= high:
            _put_first(work, work.lines[0, 0])
            high = INFINITY
        else:
            low = -INFINITY
        finished = _iterate(network, settings, work, depth, low, high)
        if not finished or low < work.bounds[0, BEST] < high:
            return finished
    return _iterate(network, settings, work, depth, -INFINITY, INFINITY)


def _iterate(network: Any, settings: Settings, work: Work, depth: int, alpha: F, beta: F) -> bool:
    """Search the root `depth` plies deep within a window; tell whether that was finished."""
    frame = 0
    enter(work, 0, depth, 0, alpha, beta)
    work.cursors[0, PRINCIPAL] = 1
    while True:
        cursors, bounds = work.cursors[frame], work.bounds[frame]
        if cursors[TRIED] == cursors[COUNT] or bounds[ALPHA] >= bounds[BETA]:
            close(settings, work, frame)
            if frame == 0:
                return True
            frame -= 1
        elif settings.nodes > 0 and work.counts[NODES] >= settings.nodes:
            return False
        else:
            asked = ask(network, settings, work, frame)
            if asked == ENDED:
                continue
            if asked == OPENED and open_node(network, settings, work, frame + 1):
                frame += 1
                continue
        if work.stop[0] != 0:
            return False
        answer(settings, work, frame)


def _report(settings: Settings, work: Work, finished: bool) -> None:
    """Copy what the iteration found out, if any of its moves was searched to the end.

    With `all_values` an unfinished one counts only if none was finished: values of two depths do
    not compare.
    """
    cursors, counts = work.cursors[0], work.counts
    if settings.all_values and not finished and counts[DEPTH] > 0:
        return
    if cursors[TRIED] == 0 or (not finished and work.bounds[0, BEST] <= work.bounds[0, FLOOR]):
        return
    work.value[0] = work.bounds[0, BEST]
    counts[LINE] = min(cursors[LENGTH], LONGEST_LINE)
    for i in range(counts[LINE]):
        work.line[i] = work.lines[0, i]
    if settings.all_values:
        counts[ROOT] = cursors[TRIED]
        for i in range(counts[ROOT]):
            work.root_moves[i], work.root_values[i] = work.moves[0, i], work.found[i]
            for j in range(1 + work.found_lines[i, 0]):
                work.root_lines[i, j] = work.found_lines[i, j]


def _put_first(work: Work, move: int) -> None:
    """Bring the root's best move to the front for the next iteration; keep the others' order."""
    moves, place = work.moves[0], 0
    while moves[place] != move:
        place += 1
    value = work.root_values[place]
    for i in range(place, 0, -1):
        moves[i], work.root_values[i] = moves[i - 1], work.root_values[i - 1]
        work.root_moves[i] = moves[i]
    moves[0], work.root_moves[0], work.root_values[0] = move, move, value
    work.cursors[0, HEAD] = work.cursors[0, COUNT]
