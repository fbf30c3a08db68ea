"""check_game: the laws every game obeys, tried on random play, with messages a newcomer can act on.

The rules run uncompiled first, where a wrong index or an endless loop can be caught and named by
its line; then compiled, position by position, which must give the same; then many whole games,
compiled with bounds checks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from evoboard.arena.playouts import LONGEST, random_games
from evoboard.arena.watch import Trouble, compiling, run_watched
from evoboard.core.errors import EvoboardError
from evoboard.core.rng import stream
from evoboard.games.base import RULES, Game
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN, Array
from evoboard.games.view import View

INT32 = 2**31


@dataclass(frozen=True)
class Law:
    """One law: its text, and the first violation found (empty where it holds)."""

    text: str
    problem: str


@dataclass(frozen=True)
class Report:
    """What check_game found out."""

    game: str
    laws: tuple[Law, ...]
    positions: int
    games: int
    longest: int

    @property
    def passed(self) -> bool:
        """Tell whether every law holds."""
        return not self.problems

    @property
    def problems(self) -> tuple[str, ...]:
        """The violations, in the order in which they should be mended."""
        return tuple(law.problem for law in self.laws if law.problem)


def check_game(game: Game, positions: int = 200, games: int = 500, seed: int = 1) -> Report:
    """Try every law on `positions` sampled positions and `games` whole games."""
    check = _Check(game, seed)
    laws: list[Law] = []
    for text, trial in check.laws(positions, games):
        problem = _problem(trial)
        laws.append(Law(text, problem))
        if problem:  # what follows would only repeat it in other words
            break
    return Report(game.name, tuple(laws), len(check.sample), check.games, check.longest)


def _problem(trial: Callable[[], None]) -> str:
    try:
        with compiling():
            trial()
    except (Trouble, EvoboardError) as error:
        return str(error)
    return ""


class _Check:
    """The trials, in the order in which a broken game is best mended."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed
        self.plain = {name: game.link(game.bindings[name], "python") for name in self._rule_names()}
        self.sample: list[Array] = []
        self.games = self.longest = 0

    def _rule_names(self) -> list[str]:
        optional = [name for name in ("stuck", "encode") if name in self.game.bindings]
        return [*RULES, *optional]

    def laws(self, positions: int, games: int) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield each law's text with its trial."""
        yield "the start state is complete and the same for the same seed", self.start
        yield (
            "moves are unique, within bounds and never alter their input",
            self.explorer(positions),
        )
        yield "every position has moves or an outcome", self.ends
        yield "position text reads back as the same position", self.state_texts
        yield "move text is unique and reads back as the same move", self.move_texts
        yield "the view stays on its board and shows every move", self.views
        if "encode" in self.plain:
            yield "the encoder fills exactly its declared inputs", self.encoder
        yield "compiled rules equal uncompiled ones", self.compiled
        yield "random games end, within all bounds", self.games_end(games)

    def call(self, name: str, *arguments: object) -> int:
        """Run one rule uncompiled, watched for wrong indices and endless loops."""
        return int(run_watched(name, self.plain[name], *arguments) or 0)

    def start(self) -> None:
        states = [np.full(self.game.state_size, fill, np.int64) for fill in (77, -5, 77)]
        for state in states:
            self.call("initial", state, self.seed)
        if not np.array_equal(states[0], states[1]):
            cells = np.flatnonzero(states[0] != states[1])[:5].tolist()
            raise Trouble(
                f"initial leaves the cells {cells} of the state unwritten; set every cell."
            )
        if not np.array_equal(states[0], states[2]):
            raise Trouble(
                "initial gives two start states for one seed; draw chance from `seed` only."
            )
        self.check_turn(states[0], "initial")

    def check_turn(self, state: Array, name: str) -> None:
        if state[self.game.turn] not in (0, 1):
            raise Trouble(
                f"{name} puts {state[self.game.turn]} into cell TURN ({self.game.turn}); "
                "it holds the side to move, 0 or 1."
            )

    def explorer(self, positions: int) -> Callable[[], None]:
        """Return the trial that plays random games, testing every move of every position met."""

        def explore() -> None:
            rng = stream(self.seed, "check", self.game.name)
            while len(self.sample) < positions:
                if len(self.sample) > 10 and self.longest == 0:
                    raise Trouble("the game is over before its first move; see initial, outcome")
                state = np.zeros(self.game.state_size, np.int64)
                self.call("initial", state, int(rng.integers(1, 2**31)))
                for _ in range(self.game.draws.plies or positions):
                    self.sample.append(state)
                    after = self.moves_of(state)
                    if not after or len(self.sample) >= positions:
                        break
                    state = after[int(rng.integers(len(after)))]
                    self.longest += 1

        return explore

    def moves_of(self, state: Array) -> list[Array]:
        """Return the positions after each legal move, having tested the laws of moves."""
        before, result = state.copy(), self.call("outcome", state)
        if result not in (LOSS, DRAW, WIN, ONGOING):
            raise self.trouble(state, f"outcome returns {result}; use LOSS, DRAW, WIN or ONGOING")
        if result != ONGOING:
            return []
        moves = np.full(self.game.max_moves, -7, np.int64)
        count = self.call("legal_moves", state, moves)
        if not 0 <= count <= self.game.max_moves:
            limit = f"MAX_MOVES is {self.game.max_moves}"
            raise self.trouble(state, f"legal_moves returns {count}, but {limit}")
        legal = moves[:count]
        if len(np.unique(legal)) < count:
            repeated = int(next(move for move in legal if (legal == move).sum() > 1))
            raise self.trouble(state, f"legal_moves lists the move {repeated} twice")
        if count and not (legal.min() >= -INT32 and legal.max() < INT32):
            raise self.trouble(state, "legal_moves writes a move that does not fit 32 bits")
        after = [self.after(state, int(move)) for move in legal]
        if not np.array_equal(before, state):
            raise self.trouble(before, "a rule alters the state it is given; write to `out` only")
        return after

    def after(self, state: Array, move: int) -> Array:
        before = state.copy()
        outs = [np.full(self.game.state_size, fill, np.int64) for fill in (77, -5)]
        for out in outs:
            self.call("apply_move", state, move, out)
        if not np.array_equal(before, state):
            cells = np.flatnonzero(before != state)[:5].tolist()
            problem = f"apply_move alters its input in cells {cells}; write to `out` only"
            raise self.trouble(before, problem, move)
        if not np.array_equal(outs[0], outs[1]):
            cells = np.flatnonzero(outs[0] != outs[1])[:5].tolist()
            problem = f"apply_move leaves cells {cells} of `out` unwritten; copy the state first"
            raise self.trouble(state, problem, move)
        self.check_turn(outs[0], "apply_move")
        if outs[0][self.game.turn] == state[self.game.turn]:
            problem = "apply_move does not pass the turn; sides alternate (add a move for passing)"
            raise self.trouble(state, problem, move)
        quiet = self.game.quiet
        if quiet >= 0 and outs[0][quiet] not in (0, state[quiet] + 1):
            problem = f"apply_move sets QUIET to {outs[0][quiet]}; it grows by 1 or becomes 0"
            raise self.trouble(state, problem, move)
        return outs[0]

    def ends(self) -> None:
        for state in self.sample:
            if self.call("outcome", state) == ONGOING and not self.moves_of(state):
                if "stuck" not in self.plain:
                    problem = "there is no legal move and no outcome; define stuck(state)"
                    raise self.trouble(state, problem)
                if self.call("stuck", state) not in (LOSS, DRAW, WIN):
                    raise self.trouble(state, "stuck returns none of LOSS, DRAW, WIN")
            if not self.game.legal_moves(state) and not self.words("reason", state):
                raise self.trouble(state, "reason returns no text for an ended game")

    def words(self, name: str, *arguments: object) -> object:
        """Run a function of the game's Python side, which may raise evoboard's errors only."""
        try:
            return getattr(self.game, name)(*arguments)
        except EvoboardError:
            raise
        except Exception as error:
            raise Trouble.of(name, error) from error

    def state_texts(self) -> None:
        for state in self.sample:
            text = self.words("state_text", state)
            again = self.game.parse_state(str(text))
            differ = [
                i for i in np.flatnonzero(again != state).tolist() if i not in self.game.counters
            ]
            if differ:
                problem = f"parse_state(state_text(state)) differs in cells {differ[:5]}"
                raise self.trouble(state, problem)

    def move_texts(self) -> None:
        for state in self.sample[:100]:
            seen: dict[str, int] = {}
            for move in self.game.legal_moves(state):
                text = str(self.words("move_text", state, move))
                if text in seen:
                    problem = f"move_text gives {text!r} for the moves {seen[text]} and {move}"
                    raise self.trouble(state, problem)
                seen[text] = move
                if (again := self.game.parse_move(state, text)) != move:
                    problem = f"parse_move reads {text!r} as {again}, but it is {move}"
                    raise self.trouble(state, problem)

    def views(self) -> None:
        for state in self.sample[:100]:
            view = self.words("view", state)
            if not isinstance(view, View):
                raise self.trouble(state, f"view returns a {type(view).__name__}; return a View")
            cells = view.board.width * view.board.height
            used = [p.cell for p in view.pieces] + [
                c for m in view.moves for c in m.cells + m.captures
            ]
            if wrong := [cell for cell in used if not 0 <= cell < cells]:
                raise self.trouble(
                    state, f"view names cell {wrong[0]}; the board has {cells} cells"
                )
            if len(view.board.names) != cells:
                raise self.trouble(state, f"view names {len(view.board.names)} of {cells} cells")
            if [look.move for look in view.moves] != self.game.legal_moves(state):
                raise self.trouble(state, "view does not show the legal moves in their order")
            json.dumps(view.as_data())

    def encoder(self) -> None:
        inputs = self.game.bindings["INPUTS"]
        for state in self.sample:
            outs = [np.full(inputs, fill, np.float32) for fill in (9e9, -9e9)]
            for out in outs:
                self.call("encode", state, out)
            if not np.array_equal(outs[0], outs[1]):
                raise self.trouble(state, f"encode leaves some of its {inputs} inputs unwritten")
            if not np.isfinite(outs[0]).all():
                raise self.trouble(state, "encode writes a number that is not finite")

    def compiled(self) -> None:
        fast = {name: self.game.link(self.game.bindings[name], "checked") for name in self.plain}
        for state in self.sample:
            out, plain_out = np.zeros(self.game.max_moves, np.int32), np.zeros(self.game.max_moves)
            result = fast["outcome"](state)
            count = fast["legal_moves"](state, out) if result == ONGOING else 0
            self.same(state, "outcome", result, self.call("outcome", state))
            if result == ONGOING:
                self.same(state, "legal_moves", count, self.call("legal_moves", state, plain_out))
                self.same(state, "legal_moves", out.tolist(), plain_out.astype(int).tolist())
            for move in out[:count].tolist():
                after = np.zeros(self.game.state_size, np.int64)
                fast["apply_move"](state, move, after)
                self.same(state, "apply_move", after.tolist(), self.after(state, move).tolist())

    def same(self, state: Array, name: str, fast: object, plain: object) -> None:
        if fast != plain:
            problem = f"{name} gives {fast} compiled but {plain} uncompiled; does it rely on"
            raise self.trouble(state, f"{problem} numbers beyond 64 bits or on unset memory?")

    def games_end(self, games: int) -> Callable[[], None]:
        """Return the trial of whole random games."""

        def play() -> None:
            played = random_games(self.game, games, self.seed, target="checked")
            self.games, self.longest = games, int(played.plies.max())
            if self.longest >= LONGEST:
                raise Trouble(
                    f"a random game was still going after {LONGEST} plies; give the game a limit, "
                    "for instance DRAWS = DrawRules(plies=200)."
                )

        return play

    def trouble(self, state: Array, problem: str, move: int | None = None) -> Trouble:
        """Return the error with the position (and move) at which it shows."""
        where = f" (move {move})" if move is not None else ""
        try:
            text = self.game.state_text(state)
        except Exception:
            text = str(state.tolist())
        return Trouble(f"{problem}.{where} Seen in position {text}")
