"""The laws of a game's rules: start, moves, ends, encoder; compiled and uncompiled."""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.games.adjudication import LONGEST
from evoboard.games.base import Game
from evoboard.games.contract import RULES, nobody_is_stuck
from evoboard.games.laws.lawful_games import lawful_games, run_apart
from evoboard.games.laws.rule_guard import Trouble, run_guarded, seen_in
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN

INT32 = 2**31
# Values that no game writes by accident: cells that keep them were not written.
FILLS = (77, -5)
AGAIN = 8  # how often to repeat a start: numbers from elsewhere may be the same by chance


class RuleLaws:
    """Each public method is the trial of one law; it raises Trouble where the law is broken."""

    def __init__(self, game: Game, seed: int, positions: int, games: int, must_end: bool) -> None:
        self.game, self.seed = game, seed
        self.wanted, self.count, self.must_end = positions, games, must_end
        bindings = game.bindings
        names = [*RULES, *(n for n in ("stuck", "encode") if n in bindings)]
        self.plain = {name: game.link(bindings[name], "python") for name in names}
        self.sample: list[Array] = []
        self.played = self.longest = 0

    def start(self) -> None:
        """Test `initial`."""
        first, other = (self.blank(fill) for fill in FILLS)
        again = [self.blank(FILLS[0]) for _ in range(AGAIN)]
        for state in (first, *again, other):
            self.call("initial", state, self.seed)
        if any(not np.array_equal(first, state) for state in again):
            raise Trouble("initial gives two start states for one seed; draw chance from `seed`.")
        self.complete("initial", first, other, "set every cell")
        self.turn(first, "initial")

    def moves(self) -> None:
        """Play random games, testing every move of every position met, and keep the positions."""
        rng = stream(self.seed, "check", self.game.name)
        moved = False
        while len(self.sample) < self.wanted:
            if len(self.sample) > 10 and not moved:
                raise Trouble("the game is over before its first move; see initial and outcome.")
            state, seed = self.blank(0), int(rng.integers(1, 2**31))
            if self.game.start_state is None:
                self.call("initial", state, seed)
            else:
                state[:] = self.game.start_state
            for _ in range(self.game.draws.plies or self.wanted):
                self.sample.append(state)
                after = self.after_all(state)
                if not after or len(self.sample) >= self.wanted:
                    break
                state, moved = after[int(rng.integers(len(after)))], True

    def compiled(self) -> None:
        """Compare the compiled rules with the uncompiled ones."""
        fast = {name: self.game.link(self.game.bindings[name], "checked") for name in self.plain}
        begun, plain = self.blank(0), self.blank(0)
        fast["initial"](begun, self.seed)
        self.call("initial", plain, self.seed)
        self.same(plain, "initial", begun.tolist(), plain.tolist())
        for state in self.sample:
            # Uncompiled first: there, what does not end can be stopped.
            result = self.call("outcome", state)
            self.same(state, "outcome", fast["outcome"](state), result)
            if result != ONGOING:
                continue
            out, plain_out = np.zeros(self.game.max_moves, np.int32), self.room()
            count = fast["legal_moves"](state, out)
            self.same(state, "legal_moves", count, self.call("legal_moves", state, plain_out))
            self.same(state, "legal_moves", out[:count].tolist(), plain_out[:count].tolist())
            for move in out[:count].tolist():
                after = self.blank(FILLS[0])
                fast["apply_move"](state, move, after)
                self.same(state, "apply_move", after.tolist(), self.after(state, move).tolist())
            if count == 0:
                before, result = state.copy(), self.call("stuck", state)
                self.unaltered("stuck", before, state)
                self.same(state, "stuck", fast["stuck"](state), result)

    def ends(self) -> None:
        """Test that a position without moves has an outcome."""
        for state in self.sample:
            if self.call("outcome", state) != ONGOING or self.after_all(state):
                continue
            if self.game.bindings["stuck"] is nobody_is_stuck:
                problem = "there is no legal move and no outcome; define stuck(state)"
                raise seen_in(self.game, state, problem)
            if self.call("stuck", state) not in (LOSS, DRAW, WIN):
                raise seen_in(self.game, state, "stuck returns none of LOSS, DRAW, WIN")

    def encoder(self) -> None:
        """Test the encoder in the game's own file, compiled and not."""
        inputs = self.game.bindings["INPUTS"]
        fast = self.game.link(self.game.bindings["encode"], "checked")
        for state in self.sample:
            first, other, quick = (np.full(inputs, fill, np.float32) for fill in (9e9, -9e9, 0))
            before = state.copy()
            self.call("encode", state, first)
            self.call("encode", state, other)
            self.unaltered("encode", before, state)
            fast(state, quick)
            if not np.array_equal(first, other, equal_nan=True):
                problem = f"encode leaves some of its INPUTS = {inputs} numbers unwritten"
                raise seen_in(self.game, state, problem)
            if not np.isfinite(first).all():
                raise seen_in(self.game, state, "encode writes a number that is not finite")
            if not np.allclose(first, quick, rtol=1e-5, atol=1e-6):
                self.same(state, "encode", quick.tolist(), first.tolist())

    def games(self) -> None:
        """Play whole random games, compiled, testing the laws of moves on the way."""
        game = self.game
        limits = np.array([game.draws.repetitions, game.draws.quiet, game.draws.plies or LONGEST])
        progress, keys = np.zeros(3, np.int64), np.zeros(int(limits[2]) + 1, np.int64)
        state, spare = self.blank(0), self.blank(0)
        moves, start = np.zeros(game.max_moves, np.int32), game.start_state
        kernel = game.link(lawful_games, "checked")
        begin = np.zeros(0, np.int64) if start is None else start
        seed = address(self.seed, "lawful")
        failed = run_apart(
            lambda: kernel(begin, seed, self.count, limits, progress, keys, state, spare, moves),
            progress,
        )
        if failed or progress[2]:
            at = state.copy()
            # The same position uncompiled names the rule and its line.
            if self.call("outcome", at) == ONGOING and not self.after_all(at):
                self.call("stuck", at)
            raise failed or seen_in(game, at, "a rule breaks a law when it runs compiled")
        self.played, self.longest = self.count, int(progress[1])
        if self.must_end and self.longest >= limits[2] == LONGEST:
            raise Trouble(
                f"a random game was still going after {LONGEST} plies; give the game a limit, "
                "for instance DRAWS = DrawRules(plies=200)."
            )

    def call(self, name: str, *arguments: object) -> int:
        """Run one rule uncompiled, watched for wrong indices and endless loops."""
        value = run_guarded(self.game, name, self.plain[name], *arguments)
        if name in ("initial", "apply_move", "encode"):
            return 0
        if not isinstance(value, int | np.integer):
            found = "nothing" if value is None else f"a {type(value).__name__}"
            raise Trouble(f"{name} returns {found}; it must return a whole number.")
        return int(value)

    def blank(self, fill: int) -> Array:
        return np.full(self.game.state_size, fill, np.int64)

    def room(self) -> Array:
        return np.full(self.game.max_moves, FILLS[1], np.int64)

    def after_all(self, state: Array) -> list[Array]:
        """Return the positions after each legal move, having tested the laws of moves."""
        before, result = state.copy(), self.call("outcome", state)
        self.unaltered("outcome", before, state)
        if result not in (LOSS, DRAW, WIN, ONGOING):
            problem = f"outcome returns {result}; use LOSS, DRAW, WIN or ONGOING"
            raise seen_in(self.game, state, problem)
        if result != ONGOING:
            return []
        moves, others = self.room(), self.room() + 1
        count = self.call("legal_moves", state, moves)
        self.call("legal_moves", state, others)
        if not 0 <= count <= self.game.max_moves:
            problem = f"legal_moves returns {count}, but MAX_MOVES is {self.game.max_moves}"
            raise seen_in(self.game, state, problem)
        self.unaltered("legal_moves", before, state)
        if not np.array_equal(moves[:count], others[:count]):
            problem = f"legal_moves returns {count}, but leaves some of these moves unwritten"
            raise seen_in(self.game, state, problem)
        legal = moves[:count].tolist()
        if len(set(legal)) < count:
            repeated = next(move for move in legal if legal.count(move) > 1)
            raise seen_in(self.game, state, f"legal_moves lists the move {repeated} twice")
        if any(not -INT32 <= move < INT32 for move in legal):
            problem = "legal_moves writes a move that does not fit 32 bits"
            raise seen_in(self.game, state, problem)
        return [self.after(state, move) for move in legal]

    def after(self, state: Array, move: int) -> Array:
        """Return the position after a move, having tested `apply_move`."""
        before, outs = state.copy(), [self.blank(fill) for fill in FILLS]
        for out in outs:
            self.call("apply_move", state, move, out)
        self.unaltered("apply_move", before, state, move)
        self.complete("apply_move", outs[0], outs[1], "copy the state to `out` first", state, move)
        self.turn(outs[0], "apply_move")
        if outs[0][self.game.turn] == state[self.game.turn]:
            problem = "apply_move does not pass the turn; sides alternate (a pass is a move, too)"
            raise seen_in(self.game, state, problem, move)
        quiet = self.game.quiet
        if quiet >= 0 and outs[0][quiet] not in (0, state[quiet] + 1):
            problem = f"apply_move sets QUIET to {outs[0][quiet]}; it grows by 1 or becomes 0"
            raise seen_in(self.game, state, problem, move)
        return outs[0]

    def unaltered(self, name: str, before: Array, state: Array, move: int | None = None) -> None:
        if not np.array_equal(before, state):
            cells = np.flatnonzero(before != state)[:5].tolist()
            problem = f"{name} alters its input in cells {cells}; write to `out` only"
            raise seen_in(self.game, before, problem, move)

    def complete(
        self,
        name: str,
        one: Array,
        other: Array,
        remedy: str,
        state: Array | None = None,
        move: int | None = None,
    ) -> None:
        if not np.array_equal(one, other):
            cells = np.flatnonzero(one != other)[:5].tolist()
            problem = f"{name} leaves the cells {cells} unwritten; {remedy}"
            raise Trouble(problem) if state is None else seen_in(self.game, state, problem, move)

    def turn(self, state: Array, name: str) -> None:
        if state[self.game.turn] not in (0, 1):
            raise Trouble(
                f"{name} puts {state[self.game.turn]} into cell TURN ({self.game.turn}); "
                "it holds the side to move, 0 or 1."
            )

    def same(self, state: Array, name: str, fast: object, plain: object) -> None:
        if fast != plain:
            problem = (
                f"{name} gives {fast} compiled but {plain} uncompiled; does it rely on numbers "
                "beyond 64 bits or on memory it has not written"
            )
            raise seen_in(self.game, state, problem)
