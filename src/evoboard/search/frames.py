"""The open nodes of a principal variation search, and what is asked about their moves.

A node has a *frame*: a row in each of the arrays of `pvs.Work`. A frame may ask the next one what
passing is worth, and whether its first move is without alternative. Then it asks what each move is
worth, if need be several times: less deeply, whether it is better than what is known already,
whether it is that at full depth, and at last what exactly it is worth.

How far an evaluation can be trusted is measured, not set, for nobody knows the units of a network:
`work.swings` has, by plies searched, how far values were from the evaluation of the same position,
on average.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evoboard.core.link import with_constants
from evoboard.games.position import position_key
from evoboard.games.rules import (
    ONGOING,
    QUIET,
    apply_move,
    copy_state,
    forcing,
    in_check,
    legal_moves,
    pass_turn,
    stuck,
)
from evoboard.search.alphabeta import LENGTH, take, try_leaves
from evoboard.search.base import NODES, keep_line, reach
from evoboard.search.ordering import (
    FAME,
    FORCING,
    bring_forward,
    fame_of,
    pick_by_fame,
    remember,
    weigh,
)
from evoboard.search.past import line_result, note_position
from evoboard.search.quiescence import ALPHA, BEST, BETA, COUNT, TRIED, quiet_value
from evoboard.search.table import (
    ANY,
    EXACT,
    LOWER,
    NOTHING,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    find,
    seen_from_node,
    seen_from_root,
    store,
)
from evoboard.search.values import BOUND, INFINITY, WON, end_value, evaluate

if TYPE_CHECKING:
    from evoboard.search.pvs import Settings, Work

F = np.float32

# Cells of a frame's row in `cursors`, after COUNT, TRIED and LENGTH.
HEAD = 3  # moves at the front that need no ordering
REMAINING = 4  # plies to search
PLY = 5  # plies from the root
STAGE = 6  # what is being asked about the current move
EXTENDED = 7  # plies that the first move is searched deeper
LEFT_OUT = 8  # the move in question on a frame that questions it, else NOTHING
PRINCIPAL = 9  # 1: the node is part of the principal variation, as far as known
CHOSEN = 10  # the best move so far
KEY = 11  # of the position
CHECKED = 12  # 1: the side to move is in check
CHILD_CHECKED = 13  # 1: the current move gives check
CELLS = 14
# Cells of a frame's row in `bounds`, after ALPHA, BETA and BEST.
FLOOR = 3  # the first alpha
DOUBT = 4  # the first move is singular where all others are worth less; INFINITY: do not ask
STATIC = 5  # the evaluation, INFINITY where it does not count
ROOM = 6  # cells of such a row

# A move's stages; it may pass over some.
FRESH, PASSING, PASSED, QUESTIONED, ANSWERED, REDUCED, NARROW, WIDE = range(8)
# What `ask` says: the answer is there, the next frame has to be opened, no move is worth asking.
KNOWN, OPENED, ENDED = range(3)

SHALLOW = 4  # plies within which the evaluation may decide
SWINGS = SHALLOW + 1
TRUSTED = 16  # values after which their mean distance from the evaluation counts
_MEMORY = F(512)  # values over which that mean is taken

# By plies that remain and place of a move: how much less deeply to search, where that grows.
GROWTH = np.array(
    [
        int(0.75 + np.log(plies) * np.log(place) / 2.25) if plies * place else 0
        for plies in range(64)
        for place in range(64)
    ],
    np.int8,
).reshape(64, 64)

_PART, _LEAST = F(2.0**-22), F(1e-30)


def enter(work: Work, frame: int, remaining: int, ply: int, alpha: F, beta: F) -> None:
    """Set a frame's task: a node to search within (alpha, beta)."""
    cursors, bounds = work.cursors[frame], work.bounds[frame]
    cursors[TRIED], cursors[LENGTH], cursors[STAGE], cursors[EXTENDED] = 0, 0, FRESH, 0
    cursors[REMAINING], cursors[PLY], cursors[LEFT_OUT] = remaining, ply, NOTHING
    cursors[PRINCIPAL], cursors[CHECKED] = 0, 0
    # No node is worth more than a win by its next move.
    most = WON - F(ply + 1)
    bounds[ALPHA], bounds[BETA] = alpha, most if alpha < most < beta else beta
    bounds[BEST], bounds[FLOOR], bounds[DOUBT] = -INFINITY, alpha, INFINITY
    bounds[STATIC] = INFINITY


def ask(network: Any, settings: Settings, work: Work, frame: int) -> int:
    """Ask the next frame about the current move; tell whether it has to be opened to find out.

    Where it is KNOWN, the answer is there already, as its BEST.
    """
    cursors, bounds, child = work.cursors[frame], work.bounds[frame], frame + 1
    if cursors[STAGE] == FRESH and cursors[TRIED] == 0:
        cursors[STAGE] = PASSED
        if settings.null_move and _pass(work, frame):
            cursors[STAGE] = PASSING
            return OPENED
    if cursors[STAGE] == PASSED and bounds[DOUBT] < INFINITY:
        cursors[STAGE] = QUESTIONED
        _question(work, frame)
        return OPENED
    remaining, ply = cursors[REMAINING] - 1, cursors[PLY] + 1
    if cursors[TRIED] == 0:
        remaining += cursors[EXTENDED]
    if cursors[STAGE] <= ANSWERED:
        _pick(settings, work, frame, cursors[TRIED])
        if _is_hopeless(settings, work, frame):
            cursors[TRIED] = cursors[COUNT]
            return ENDED
        result = _make(settings, work, frame, remaining == 0)
        if result != ONGOING:
            cursors[STAGE], work.cursors[child, LENGTH] = WIDE, 0
            work.bounds[child, BEST] = end_value(
                network, settings, result, work.states[child], ply, work.scratch
            )
            return KNOWN
        cursors[CHILD_CHECKED] = 0
        if settings.check_extension or looks_first(settings):
            cursors[CHILD_CHECKED] = int(in_check(work.states[child]))
        cursors[STAGE] = _first_stage(settings, work, frame)
    if settings.check_extension and cursors[CHILD_CHECKED] and has_room(work, child, remaining):
        remaining += 1
    alpha, beta = bounds[ALPHA], bounds[BETA]
    if cursors[STAGE] == REDUCED:
        remaining = max(1, remaining - _reduction(settings, work, frame))
    if cursors[STAGE] != WIDE:
        beta = min(beta, above(alpha))
    enter(work, child, remaining, ply, -beta, -alpha)
    work.cursors[child, PRINCIPAL] = int(cursors[PRINCIPAL] == 1 and cursors[STAGE] == WIDE)
    work.cursors[child, CHECKED] = cursors[CHILD_CHECKED]
    return OPENED


def looks_first(settings: Settings) -> bool:
    """Tell whether positions are evaluated before they are searched."""
    return settings.null_move > 0 or settings.late_pruning > 0 or settings.futility > 0


def has_room(work: Work, frame: int, remaining: int) -> bool:
    """Tell whether a node may be searched one ply deeper: there are so many frames, no more."""
    return work.lines.shape[0] - frame - remaining >= 2


def _pick(settings: Settings, work: Work, frame: int, place: int) -> None:
    """Bring the move to be tried next to its place."""
    state, moves, cursors = work.states[frame], work.moves[frame], work.cursors[frame]
    head = cursors[HEAD]
    if place >= head:
        scores, count = work.scores[frame], cursors[COUNT]
        pick_by_fame(settings, state, moves, scores, work.history, head, place, count)


_try_leaves = with_constants(try_leaves, pick_next=_pick)


def _is_hopeless(settings: Settings, work: Work, frame: int) -> bool:
    """Tell whether neither the move picked nor any behind it is worth a look near the leaves.

    Those behind a quiet move are quiet, too. One move has to be known that does not lose, so that
    no loss is claimed which an unseen move would have averted.
    """
    cursors, bounds = work.cursors[frame], work.bounds[frame]
    place, remaining = cursors[TRIED], cursors[REMAINING]
    if place == 0 or place < cursors[HEAD] or remaining > SHALLOW or cursors[PRINCIPAL]:
        return False
    if bounds[BEST] < -BOUND or bounds[STATIC] == INFINITY or bounds[ALPHA] < -BOUND:
        return False
    if work.scores[frame, place] >= FORCING:
        return False
    if settings.late_pruning > 0 and place >= settings.late_pruning + remaining * remaining:
        return True
    return bounds[STATIC] + margin(settings, work, remaining) <= bounds[ALPHA]


def margin(settings: Settings, work: Work, remaining: int) -> F:
    """Return how much more than its evaluation a position may be worth, looked at so deeply."""
    if settings.futility <= 0 or work.swings[remaining, 1] < F(TRUSTED):
        return INFINITY
    return F(settings.futility) * work.swings[remaining, 0]


def _pass(work: Work, frame: int) -> bool:
    """Ask the next frame what passing is worth, if that may refute the line; tell whether."""
    cursors, bounds, child = work.cursors[frame], work.bounds[frame], frame + 1
    remaining, beta = cursors[REMAINING], bounds[BETA]
    if frame == 0 or cursors[PRINCIPAL] or cursors[LEFT_OUT] != NOTHING or remaining < 2:
        return False
    if bounds[STATIC] == INFINITY or bounds[STATIC] < beta or abs(beta) > BOUND:
        return False
    if work.cursors[frame - 1, STAGE] == PASSING or not pass_turn(
        work.states[frame], work.states[child]
    ):
        return False
    ply = cursors[PLY] + 1
    if QUIET >= 0:  # nothing from before can come back
        work.states[child, QUIET] = 0
    note_position(work.states[child], work.past, ply)
    work.counts[NODES] += 1
    enter(work, child, max(0, remaining - 3 - remaining // 4), ply, -beta, -below(beta))
    return True


def _reduction(settings: Settings, work: Work, frame: int) -> int:
    """Return how many plies less the current move is searched at first."""
    cursors = work.cursors[frame]
    if not settings.growing:
        return settings.reductions
    place = cursors[TRIED]
    more = GROWTH[min(cursors[REMAINING], 63), min(place, 63)] - cursors[PRINCIPAL]
    if settings.blame and place >= cursors[HEAD]:
        more -= fame_of(work.scores[frame, place]) // (FAME // 2)
    return settings.reductions - 1 + max(1, more)


def _make(settings: Settings, work: Work, frame: int, ends: bool) -> int:
    """Make the frame's current move on the next frame; return the result there."""
    state, moves, cursors = work.states[frame], work.moves[frame], work.cursors[frame]
    apply_move(state, moves[cursors[TRIED]], work.states[frame + 1])
    work.counts[NODES] += 1
    state, ply = work.states[frame + 1], cursors[PLY] + 1
    reach(work, ply)
    return line_result(settings, state, work.past, ply, ends, work.moves[frame + 1])


def _first_stage(settings: Settings, work: Work, frame: int) -> int:
    """Return how to search the move just made: in full, for being better, or less deeply first."""
    cursors = work.cursors[frame]
    place = cursors[TRIED]
    if place == 0 or (frame == 0 and settings.all_values):
        return WIDE
    late = place >= settings.late and frame > 0 and cursors[REMAINING] >= settings.reduce_from
    if settings.reductions > 0 and late and not (cursors[CHECKED] or cursors[CHILD_CHECKED]):
        if place < cursors[HEAD]:
            quiet = forcing(work.states[frame], work.moves[frame, place]) == 0
        else:
            quiet = work.scores[frame, place] < FORCING
        if quiet:
            return REDUCED
    return NARROW if cursors[PRINCIPAL] else WIDE


def _question(work: Work, frame: int) -> None:
    """Ask the next frame what the position is worth without its first move."""
    cursors, doubt = work.cursors[frame], work.bounds[frame, DOUBT]
    copy_state(work.states[frame], work.states[frame + 1])
    remaining = cursors[REMAINING] // 2
    enter(work, frame + 1, remaining, cursors[PLY], below(doubt), doubt)
    work.cursors[frame + 1, LEFT_OUT] = work.moves[frame, 0]
    work.cursors[frame + 1, CHECKED] = cursors[CHECKED]


def open_node(network: Any, settings: Settings, work: Work, frame: int) -> bool:
    """Prepare an ongoing node; tell whether to go on from it, else its value is BEST already."""
    state, cursors, bounds = work.states[frame], work.cursors[frame], work.bounds[frame]
    if cursors[REMAINING] == 0:
        ply, alpha, beta = cursors[PLY], bounds[ALPHA], bounds[BETA]
        bounds[BEST] = quiet_value(network, settings, work, frame, ply, alpha, beta)
        return False
    hint = NOTHING
    if settings.table_bits > 0 and cursors[LEFT_OUT] == NOTHING:
        cursors[KEY] = position_key(state)
        age = ANY if settings.keep_table else work.age[0]
        entry, score = find(work.slots, work.table_scores, cursors[KEY], age)
        if entry != 0:
            if _is_known(settings, work, frame, entry, score):
                return False
            hint = entry_move(entry)
        if settings.unsure > 0 and hint == NOTHING and cursors[REMAINING] >= settings.unsure:
            cursors[REMAINING] -= 1  # with a move to begin with it would be searched in less time
    if looks_first(settings) and not cursors[CHECKED]:
        bounds[STATIC] = evaluate(network, state, work.scratch)
        if _is_plain(settings, work, frame):
            return False
    count = legal_moves(state, work.moves[frame])
    if count == 0:
        bounds[BEST] = end_value(network, settings, stuck(state), state, cursors[PLY], work.scratch)
        return False
    line_up(settings, work, frame, hint, count)
    if cursors[REMAINING] == 1 and settings.quiescence == 0:
        cursors[CHOSEN] = _try_leaves(network, settings, work, frame, cursors[PLY])
        close(settings, work, frame)
        return False
    return True


def _is_known(settings: Settings, work: Work, frame: int, entry: np.int64, score: F) -> bool:
    """Tell whether the table's entry answers what is asked; note whether its move is in doubt."""
    cursors, bounds = work.cursors[frame], work.bounds[frame]
    score = seen_from_root(score, cursors[PLY])
    depth, bound = entry_depth(entry), entry_bound(entry)
    remaining = cursors[REMAINING]
    # The principal variation is searched to its end, or its line would be cut short.
    if cursors[PRINCIPAL] == 0 and (depth == remaining or (settings.deeper and depth > remaining)):
        low, high = bound != UPPER, bound != LOWER
        if (low and (high or score >= bounds[BETA])) or (high and score <= bounds[ALPHA]):
            bounds[BEST] = score
            return True
    good = bound != UPPER and depth >= remaining - 3 and -BOUND < score < BOUND
    room = has_room(work, frame, remaining)
    if settings.singular and good and room and remaining >= settings.singular_from:
        bounds[DOUBT] = score - F(settings.margin)
    return False


def _is_plain(settings: Settings, work: Work, frame: int) -> bool:
    """Tell whether the evaluation alone says enough: so high that no search would bring it down.

    Only where passing may count: then one need not do anything that makes matters worse.
    """
    cursors, bounds = work.cursors[frame], work.bounds[frame]
    remaining = cursors[REMAINING]
    if remaining > SHALLOW or cursors[PRINCIPAL] or cursors[LEFT_OUT] != NOTHING:
        return False
    low = bounds[STATIC] - margin(settings, work, remaining)
    if low < bounds[BETA] or bounds[BETA] < -BOUND:
        return False
    if pass_turn(work.states[frame], work.states[frame + 1]) == 0:
        return False
    bounds[BEST] = low
    return True


def line_up(settings: Settings, work: Work, frame: int, hint: int, count: int) -> None:
    """Bring the moves to the front that need no ordering; take out the one in question."""
    moves, cursors = work.moves[frame], work.cursors[frame]
    if cursors[LEFT_OUT] != NOTHING:
        bring_forward(moves, cursors[LEFT_OUT], 0, count)
        count -= 1
        moves[0] = moves[count]
    head = 0
    if hint != NOTHING:
        head = bring_forward(moves, hint, 0, count)
    if settings.killers:
        for i in range(2):
            killer = work.killers[cursors[PLY], i]
            if killer != NOTHING:
                head = bring_forward(moves, killer, head, count)
    cursors[COUNT], cursors[HEAD] = count, head


def answer(settings: Settings, work: Work, frame: int) -> None:
    """Take the next frame's BEST as the answer, and decide what to ask next."""
    cursors, bounds, stage = work.cursors[frame], work.bounds[frame], work.cursors[frame, STAGE]
    value = work.bounds[frame + 1, BEST]
    if stage == PASSING:
        cursors[STAGE] = PASSED
        if -value >= bounds[BETA]:
            # A win that takes two moves in a row is none yet.
            bounds[BEST] = -value if -value < BOUND else bounds[BETA]
            cursors[CHOSEN], cursors[TRIED] = NOTHING, cursors[COUNT]
        return
    if stage == QUESTIONED:
        cursors[EXTENDED], cursors[STAGE] = int(value < bounds[DOUBT]), ANSWERED
        return
    value = -value
    better = value > bounds[ALPHA]
    if stage == REDUCED and better:
        cursors[STAGE] = NARROW if cursors[PRINCIPAL] else WIDE
    elif stage == NARROW and better and value < bounds[BETA]:
        cursors[STAGE] = WIDE
    else:
        move = work.moves[frame, cursors[TRIED]]
        cursors[STAGE] = FRESH
        if frame == 0:
            work.found[cursors[TRIED]] = value
            if settings.all_values:
                row = work.found_lines[cursors[TRIED]]
                keep_line(row, move, work, work.cursors[1, LENGTH])
        if take(settings, work, frame, value):
            cursors[CHOSEN] = move


def close(settings: Settings, work: Work, frame: int) -> None:
    """Remember what a finished node has taught."""
    cursors, bounds, state = work.cursors[frame], work.bounds[frame], work.states[frame]
    best, move = bounds[BEST], cursors[CHOSEN]
    refuted = best >= bounds[BETA]
    _learn(work, frame)
    if refuted and move != NOTHING and forcing(state, move) == 0:
        weight = settings.history * cursors[REMAINING] * cursors[REMAINING]
        if settings.blame:
            weight = min(16 * weight, FAME // 8)
            for i in range(cursors[TRIED]):
                other = work.moves[frame, i]
                if other != move and forcing(state, other) == 0:
                    weigh(state, other, -weight, work.history)
            weigh(state, move, weight, work.history)
            weight = 0
        remember(state, move, weight, work.killers[cursors[PLY]], work.history)
    if settings.table_bits > 0 and cursors[LEFT_OUT] == NOTHING:
        bound = LOWER if refuted else EXACT if best > bounds[FLOOR] else UPPER
        score, depth = seen_from_node(best, cursors[PLY]), cursors[REMAINING]
        store(work.slots, work.table_scores, cursors[KEY], work.age[0], depth, bound, move, score)


def _learn(work: Work, frame: int) -> None:
    """Note how far a value is from the evaluation, where it is known to be at least so far."""
    bounds, remaining = work.bounds[frame], work.cursors[frame, REMAINING]
    best, static = bounds[BEST], bounds[STATIC]
    if static == INFINITY or remaining > SHALLOW or abs(best) > BOUND:
        return
    if (best >= bounds[BETA] and best < static) or (best <= bounds[FLOOR] and best > static):
        return
    swing = work.swings[remaining]
    swing[1] = min(swing[1] + F(1), _MEMORY)
    swing[0] += (abs(best - static) - swing[0]) / swing[1]


def below(value: F) -> np.float32:
    """Return a number below `value`, by as little as a comparison needs."""
    return -above(-value)


def above(value: F) -> np.float32:
    """Return a number above `value`, by as little as a comparison needs.

    It need not be the very next one. A search within (value, above(value)) that returns something
    in between has found an exact value, like any other search.
    """
    return value + (abs(value) * _PART + _LEAST)
