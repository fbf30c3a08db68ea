"""python tests/tactics/make.py [GAME …]: make the sets of won positions anew.

Positions come from random games with a taste for forcing moves; the plain solver proves in how many
plies they are won, and by which moves. A position whose win is hard to miss, with more than a third
of its moves winning, is left out. The same seed gives the same files.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from evoboard.core.rng import stream  # noqa: E402
from evoboard.games.base import load_game  # noqa: E402
from evoboard.games.perft import perft  # noqa: E402
from naive_search import Plain  # noqa: E402

# Per game: how many positions are wanted of which length, and how many lines of three plies a
# position may have, which bounds the solver's time.
WANTED = {
    "chess": ({1: 30, 3: 60, 5: 60}, 150_000),
    "kingcapture": ({1: 30, 3: 60, 5: 60}, 20_000),
    "draughts": ({3: 30, 5: 60, 7: 60}, 20_000),
    "hexwar": ({1: 30, 3: 60, 5: 60}, 40_000),
}
FORCING = 0.4  # how often a forcing move is preferred


class Maker:
    """Collects the positions of one game."""

    def __init__(self, name):
        self.game = load_game(name)
        self.plain = Plain(self.game, np.array([0]))
        self.force = self.game.link(self.game.bindings["forcing"])
        self.perft = self.game.link(perft)
        self.wanted, self.most = WANTED[name]
        self.found = {plies: [] for plies in self.wanted}
        self.seen = set()

    def run(self, seed):
        """Return the cases, shortest wins first."""
        rng = stream(seed, "tactics", self.game.name)
        while any(len(self.found[plies]) < count for plies, count in self.wanted.items()):
            states = self.random_game(rng)
            # Of one game at most one position of each length, the earliest.
            taken = set()
            for state in states[-2 * max(self.wanted) :]:
                plies = self.examine(state)
                if plies and plies not in taken and len(self.found[plies]) < self.wanted[plies]:
                    self.keep(state, plies, taken)
        return [case for plies in sorted(self.found) for case in self.found[plies]]

    def random_game(self, rng):
        state, states = self.game.initial(), []
        while moves := self.game.legal_moves(state):
            loud = [move for move in moves if self.force(state, move) > 0]
            if loud and rng.random() < FORCING:
                moves = loud
            states.append(state)
            state = self.game.apply(state, int(rng.choice(moves)))
            if len(states) > 300:
                break
        return states

    def examine(self, state):
        """Return the length of the shortest win where it is one of the wanted, else 0."""
        for plies in range(1, max(self.wanted) + 1, 2):
            if self.lines(state) <= self.most and self.plain.wins_within(state, plies):
                return plies if plies in self.wanted else 0
        return 0

    def lines(self, state):
        states = np.zeros((3, self.game.state_size), np.int64)
        states[0] = state
        moves, cursors = np.zeros((3, self.game.max_moves), np.int32), np.zeros((3, 2), np.int64)
        return self.perft(states, moves, cursors, 3)

    def keep(self, state, plies, taken):
        legal = self.game.legal_moves(state)
        moves = self.plain.winning_moves(state, plies)
        text = self.game.state_text(state)
        if 3 * len(moves) > len(legal) or text in self.seen:
            return
        if self.game.name == "draughts" and not any(self.offers(state, m) for m in moves):
            return
        self.seen.add(text)
        taken.add(plies)
        names = [self.game.move_text(state, move) for move in moves]
        self.found[plies].append({"state": text, "plies": plies, "moves": names})

    def offers(self, state, move):
        """Tell whether a quiet move lets the other side jump, as a shot does."""
        child = self.game.apply(state, move)
        replies = self.game.legal_moves(child)
        return self.force(state, move) < 2 and bool(replies) and self.force(child, replies[0]) >= 2


def main():
    """Write the file of every game named, or of all."""
    for name in sys.argv[1:] or WANTED:
        began = time.time()
        cases = Maker(name).run(seed=1)
        rows = ",\n".join(json.dumps(case) for case in cases)
        (HERE / f"{name}.json").write_text(f"[\n{rows}\n]\n", encoding="utf-8")
        print(f"{name}: {len(cases)} positions in {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
