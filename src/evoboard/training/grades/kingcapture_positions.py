"""The positions of king-capture chess's grade: what each kind asks for, and where they come from.

A side's king is *at stake* where the other side could take it, were it that side's turn.

    SK  the mover's king is at stake, the other's is not, and some move, not every, saves it
    MK  the other side's king is at stake: the mover can take it
    SP  no king is at stake; nothing can be won by exchanges, but something lost; a move saves some
    MP  no king is at stake; a capture wins by exchanges, and nothing could be lost by passing

What exchanges win and lose is `kingcapture_exchange`'s business. In SP and MP no pawn can move to
the last rank, which may be better than any capture. So in every position one thing is asked, and
the best move by exchanges scores in full.

The positions lie in `kingcapture.txt`, so that a grade means the same in every version. They come
from games between random movers and players that count pieces, of several depths, with slips:

    python -m evoboard.training.grades.kingcapture_positions
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.games.kingcapture import QUIET, TURN
from evoboard.players.base import Player, make_player
from evoboard.training.grades.kingcapture_exchange import (
    ATTACKED,
    KING_VALUE,
    LOSS,
    MOVES,
    PROMOTES,
    Judgement,
    judge_positions,
)

KINDS = ("SK", "MK", "SP", "MP")
FILE = Path(__file__).parent / "kingcapture.txt"
COMMAND = "python -m evoboard.training.grades.kingcapture_positions"
EACH = 300  # positions of each kind, half of them with either side to move

SEED = 1
# White's and Black's depth, 0 for a random mover; game i is played by source i % 10.
SOURCES = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (2, 3), (3, 3))
GAMES = 60  # of each source
OPENING, LONGEST, SLIPS = 3, 50, 0.15


class TestSet(NamedTuple):
    """The positions of all kinds, kind after kind.

    `kinds` are indices into KINDS; `worth` is what each move earns, 0 to 1, and `weights` how much
    each position counts within its kind: 1, or the value that can be saved or won.
    """

    states: Array  # (n, STATE_SIZE) int64
    kinds: Array  # (n,) int64
    moves: Array  # (n, MAX_MOVES) int32, -1 where there are no more
    worth: Array  # (n, MAX_MOVES) float64
    weights: Array  # (n,) float64


def load_positions(game: Game) -> TestSet:
    """Return the shipped positions with the worth of their moves."""
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    kinds = np.array([KINDS.index(line[:2]) for line in lines], np.int64)
    states = np.stack([game.parse_state(line[3:]) for line in lines])
    return weigh(states, kinds, judge_positions(game, states))


def weigh(states: Array, kinds: Array, found: Judgement) -> TestSet:
    """Return what every move of positions of given kinds is worth."""
    legal = np.arange(found.moves.shape[1]) < found.facts[:, MOVES, None]
    best = np.where(legal, found.net, -KING_VALUE).max(1)
    loss = found.facts[:, LOSS]
    won = np.clip(found.net, 0, None)  # by captures: in MP nothing else wins anything
    saved = np.clip(found.net + loss[:, None], 0, None)
    exposed = found.won - found.net >= KING_VALUE
    earned = np.select(
        [kinds[:, None] == kind for kind in range(4)],
        [~exposed, found.won >= KING_VALUE, saved, won],
    )
    most = np.select([kinds == 2, kinds == 3], [best + loss, best], 1).astype(np.float64)
    worth = np.where(legal, earned / np.maximum(most, 1)[:, None], 0.0)
    return TestSet(states, kinds, np.where(legal, found.moves, -1), worth, most)


def kinds_of(found: Judgement) -> Array:
    """Return the kind of every judged position, -1 for none."""
    legal = np.arange(found.moves.shape[1]) < found.facts[:, MOVES, None]
    mate = (legal & (found.won >= KING_VALUE)).any(1)
    attacked = found.facts[:, ATTACKED] == 1
    exposed = legal & (found.won - found.net >= KING_VALUE)
    saves = (legal & ~exposed).any(1) & exposed.any(1)
    best = np.where(legal & (found.won > 0), found.net, 0).max(1)
    least = np.where(legal, found.net, -KING_VALUE).max(1)
    loss = found.facts[:, LOSS]
    calm = ~attacked & (found.facts[:, PROMOTES] == 0)
    return np.select(
        [  # the first that holds
            ~mate & attacked & saves,
            mate,
            calm & (best <= 0) & (loss > 0) & (loss + least > 0),
            calm & (best > 0) & (loss == 0),
        ],
        [0, 1, 2, 3],
        -1,
    )


def make_positions(game: Game) -> list[str]:
    """Return the lines of the file: kind and position."""
    depths = sorted({depth for source in SOURCES for depth in source})
    texts = ["random" if depth == 0 else f"material:depth={depth}" for depth in depths]
    players = dict(zip(depths, (make_player(text, game) for text in texts), strict=True))
    pairs = [(players[white], players[black]) for white, black in SOURCES]
    games = [_play(game, pairs[i % len(SOURCES)], i) for i in range(GAMES * len(SOURCES))]
    states = np.concatenate(games)
    states[:, QUIET] = 0
    owner = np.repeat(np.arange(len(games)), [len(played) for played in games])
    kinds, sides = kinds_of(judge_positions(game, states)), states[:, TURN]
    lines = []
    for kind, name in enumerate(KINDS):
        for side in range(2):
            found = np.flatnonzero((kinds == kind) & (sides == side))
            chosen = _one_per_game(states, found, owner, stream(SEED, "kingcapture grade", name))
            lines += [f"{name} {game.state_text(state)}" for state in chosen[: EACH // 2]]
    return lines


def _play(game: Game, pair: tuple[Player, Player], number: int) -> Array:
    """Return the positions of one game with random first plies and random slips."""
    chance = stream(SEED, "kingcapture grade", number)
    state, states = game.initial(), []
    for ply in range(LONGEST):
        moves = game.legal_moves(state)
        if not moves:
            break
        states.append(state)
        if ply < OPENING or chance.random() < SLIPS:
            move = moves[int(chance.integers(len(moves)))]
        else:
            luck = address(SEED, "kingcapture grade", number, ply)
            move = pair[game.side(state)].think(History.of(game, state), luck).move
        state = game.apply(state, move)
    return np.stack(states)


def _one_per_game(
    states: Array, found: Array, owner: Array, chance: np.random.Generator
) -> list[Array]:
    """Return different positions, a random one of each game; sources take turns, as games do."""
    chosen: dict[bytes, Array] = {}
    for number in np.unique(owner[found]):
        state = states[chance.choice(found[owner[found] == number])]
        chosen.setdefault(state.tobytes(), state)
    return list(chosen.values())


def main() -> None:
    """Write the file again."""
    head = "# The positions of king-capture chess's grade; made by\n"
    lines = make_positions(load_game("kingcapture"))
    FILE.write_text("\n".join([head + f"# {COMMAND}", *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
