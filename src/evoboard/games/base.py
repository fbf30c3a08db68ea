"""Game: a game file ready to use, with its options applied and its kernels compiled."""

from __future__ import annotations

import copy
import re
import types
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import (
    EvoboardError,
    IllegalMove,
    MalformedMove,
    MalformedState,
    NotationError,
    OptionError,
    PartError,
    quoted,
)
from evoboard.core.link import Target, link
from evoboard.core.options import split_options
from evoboard.games.contract import (
    DEFAULTS,
    OPTIONAL,
    RULES,
    DrawRules,
    apply_options,
    bounded,
    check_form,
    compile_rules,
    rebound,
)
from evoboard.games.editing import Editor
from evoboard.games.rules import ONGOING
from evoboard.games.view import Board, MoveLook, Piece, View

__all__ = ["DrawRules", "Game", "game_names", "load_game"]

PACKAGE = "evoboard.games"
MOST_LINKED = 64  # kernels of a game that are kept linked


def load_game(text: str, /, **options: Any) -> Game:
    """Return the game that `text` names: "nim", "nim:heaps=3/5/7", "FILE.py", with its options."""
    name, written = split_options(text)
    module = catalog.find("game", PACKAGE, name, "VERSION")
    return Game(module, {**written, **options})


def game_names() -> list[str]:
    """Return the names of the built-in games."""
    return catalog.names(PACKAGE, "VERSION")


class Game:
    """A game with its options: rules to link, and positions and moves as values and as text.

    Accepts every option that the game's `Options` declare, and `start`, the text of another start
    position. States are int64 arrays; no method changes the state it is given.
    """

    def __init__(self, module: types.ModuleType, options: Mapping[str, Any] | None = None) -> None:
        if not isinstance(module, types.ModuleType):
            raise OptionError(f"{quoted(module)} is not a game's file; load_game makes a Game.")
        self.name = module.__name__.rsplit(".", 1)[-1]
        self.file = str(module.__file__)
        given = dict(options or {})
        start = given.pop("start", None)
        chosen, constants = apply_options(module, self.name, given)
        self.options_model = type(chosen)
        self.options = {name: getattr(chosen, name) for name in type(chosen).model_fields}
        self._rules = rebound(module, constants, {})
        self.built_in = module.__name__.startswith(PACKAGE)
        self._lawful = self.built_in  # or it is on trial
        self.source = b"" if self.built_in else catalog.file_digest(self.file)
        self._on_trial = False
        self._linked: dict[tuple[Any, ...], Any] = {}
        where = self.name if self.built_in else self.file
        check_form(self._rules, where)
        self._compiled = compile_rules(self._rules, where, trusted=self.built_in)
        self._words = rebound(module, constants, self._compiled)
        self.version: int = self._rules.get("VERSION", 1)
        self.title: str = self._rules.get("TITLE", self.name)
        self.sides: tuple[str, str] = self._rules.get("SIDES", ("First", "Second"))
        self.draws: DrawRules = self._rules.get("DRAWS", DrawRules())
        # How positions are set up by hand; without it, they can only be typed.
        self.editor: Editor | None = self._rules.get("EDITOR")
        # How many random plies make two games differ without deciding them.
        self.opening_plies: int = self._rules.get("OPENING_PLIES", 4)
        self.state_size: int = self._rules["STATE_SIZE"]
        self.max_moves: int = self._rules["MAX_MOVES"]
        self.turn: int = self._rules["TURN"]
        self.quiet: int = self._rules.get("QUIET", -1)
        # Cells that say how a position was reached, not what it is.
        self.counters: tuple[int, ...] = self._rules.get(
            "COUNTERS", (self.quiet,) if self.quiet >= 0 else ()
        )
        # No other cell ever exceeds ± this; 0 if nothing is promised, as for bitboards.
        self.largest_cell: int = self._rules.get("LARGEST_CELL", 0)
        if not isinstance(start, str | None):
            raise OptionError(f"start is {quoted(start)}; it must be the text of a position.")
        self.start_state = None if start is None else self.parse_state(start)
        if self.start_state is not None:
            self.options["start"] = self.state_text(self.start_state)

    @property
    def changed_options(self) -> dict[str, Any]:
        """The options that are not at their defaults."""
        usual = {name: field.default for name, field in self.options_model.model_fields.items()}
        return {key: value for key, value in self.options.items() if value != usual.get(key)}

    @cached_property
    def bindings(self) -> dict[str, Any]:
        """Return the game's rules and constants by the names generic kernels use."""
        identity = np.full(self.state_size, -1, np.int64)
        identity[list(self.counters)] = 0
        rules = {name: self._rules[name] for name in (*RULES, *OPTIONAL) if name in self._rules}
        if not self.built_in and not self._on_trial:
            rules = bounded(rules)
        rules = {**DEFAULTS, **rules}
        sizes = {"STATE_SIZE": self.state_size, "MAX_MOVES": self.max_moves, "TURN": self.turn}
        if "INPUTS" in self._rules:  # a user's game may bring its own network inputs
            sizes["INPUTS"] = self._rules["INPUTS"]
        return {**rules, **sizes, "QUIET": self.quiet, "IDENTITY": identity}

    def link(self, kernel: Callable[..., Any], target: Target = "cpu", **more: Any) -> Any:
        """Return a generic kernel linked to this game's rules, and to whatever `more` provides."""
        if target in ("cpu", "cuda"):
            self.require_lawful()
        # Linking takes longer than many kernels run. The contents of `more` are identified by id,
        # so they are kept alive while that counts.
        parts = ((k, v if isinstance(v, int) else id(v)) for k, v in more.items())
        key = (kernel, target, *parts)
        found = self._linked.get(key)
        if found is None:
            found = link(kernel, {**self.bindings, **more}, target), more
            if len(self._linked) >= MOST_LINKED:
                self._linked.clear()
            self._linked[key] = found
        return found[0]

    def on_trial(self) -> Game:
        """Return the game as it is while its laws are tested: nothing is taken for granted."""
        game = copy.copy(self)
        game._lawful = game._on_trial = True
        game._linked = {}
        game.__dict__.pop("bindings", None)
        return game

    def require_lawful(self) -> None:
        """Raise PartError if a user's game breaks a law of games.

        Everything that runs its rules calls this first: a wrong rule, once compiled, can crash the
        whole process without a message, or never end.
        """
        if not self._lawful:
            from evoboard.games.laws.trial import require_lawful

            require_lawful(self)
            self._lawful = True

    def initial(self, seed: int = 1) -> Array:
        """Return the start state; `seed` (from 1) matters only to games with random starts."""
        return self.usual_start(seed) if self.start_state is None else self.start_state.copy()

    def usual_start(self, seed: int = 1) -> Array:
        """Return the state in which the rules begin, whatever start has been chosen."""
        self.require_lawful()
        state = np.zeros(self.state_size, np.int64)
        self._compiled["initial"](state, seed)
        return state

    def legal_moves(self, state: Array) -> list[int]:
        """Return the legal moves, none if the game has ended."""
        self.require_lawful()
        if self._compiled["outcome"](state) != ONGOING:
            return []
        out = np.zeros(self.max_moves, np.int32)
        moves: list[int] = out[: self._compiled["legal_moves"](state, out)].tolist()
        return moves

    def apply(self, state: Array, move: int) -> Array:
        """Return the state after a legal move."""
        self.require_lawful()
        out = np.zeros(self.state_size, np.int64)
        self._compiled["apply_move"](state, move, out)
        return out

    def outcome(self, state: Array) -> int:
        """Return LOSS, DRAW or WIN for the side to move, or ONGOING; being stuck counts."""
        self.require_lawful()
        decided = int(self._compiled["outcome"](state))
        if decided != ONGOING or self.legal_moves(state):
            return decided
        if "stuck" not in self._compiled:
            raise PartError(
                f"{self.name}: the position {self.state_text(state)} has no legal move and no "
                "outcome; define stuck(state), which returns LOSS, DRAW or WIN for such a position."
            )
        return int(self._compiled["stuck"](state))

    def side(self, state: Array) -> int:
        """Return the side to move, 0 or 1."""
        return int(state[self.turn])

    def reason(self, state: Array) -> str:
        """Return why a finished game ended, in a few words."""
        if "reason" in self._words:
            return str(self._words["reason"](state))
        decided = self._compiled["outcome"](state) != ONGOING
        return "decided on the board" if decided else "no legal move"

    def written(self, name: str) -> Callable[..., Any] | None:
        """Return a function of the game file's Python side, None if it does not define it."""
        found: Callable[..., Any] | None = self._words.get(name)
        return found

    def state_text(self, state: Array) -> str:
        """Return the position as text."""
        if "state_text" in self._words:
            return str(self._words["state_text"](state))
        return ",".join(str(int(cell)) for cell in state)

    def parse_state(self, text: str) -> Array:
        """Return the position that `text` describes."""
        out = np.zeros(self.state_size, np.int64)
        try:
            if "parse_state" in self._words:
                self._words["parse_state"](text, out)
            else:
                _parse_cells(text, out)
        except NotationError as error:
            raise type(error)(f"{self.name} position {quoted(text)}: {error}") from None
        except EvoboardError:
            raise
        except ValueError as error:  # what a user's game raises to say what is wrong
            raise MalformedState(f"{self.name} position {quoted(text)}: {error}") from error
        except Exception as error:
            reading = f"{type(error).__name__}: {error}"
            raise MalformedState(
                f"{self.name} position {quoted(text)} cannot be read ({reading})."
            ) from error
        return out

    def move_text(self, state: Array, move: int) -> str:
        """Return a legal move as text, different from every other legal move's."""
        if "move_text" in self._words:
            return str(self._words["move_text"](state, move))
        return str(move)

    def move_label(self, state: Array, move: int) -> str:
        """Return a legal move as players of this game write it (SAN in chess)."""
        if "move_label" in self._words:
            return str(self._words["move_label"](state, move))
        return self.move_text(state, move)

    def parse_move(self, state: Array, text: str) -> int:
        """Return the legal move that `text` names."""
        if "parse_move" in self._words:
            return int(self._words["parse_move"](state, text))
        moves = self.legal_moves(state)
        labels = {self.move_label(state, move): move for move in moves}
        legal = {self.move_text(state, move): move for move in moves}
        if text.strip() in labels and text.strip() not in legal:
            return labels[text.strip()]
        if text.strip() in legal:
            return legal[text.strip()]
        if not legal:
            raise IllegalMove(
                f"{quoted(text)} cannot be played: the game has ended in {self.state_text(state)}."
            )
        some = ", ".join(list(legal)[:6]) + (", …" if len(legal) > 6 else "")
        known = {self._shape(move) for move in legal}
        kind = IllegalMove if self._shape(text.strip()) in known else MalformedMove
        raise kind(
            f"{quoted(text)} is not a legal move in {self.state_text(state)}; legal: {some}."
        )

    def view(self, state: Array) -> View:
        """Return the position as a board to draw, with the look of every legal move."""
        moves = self.legal_moves(state)
        if "view" in self._words:
            view: View = self._words["view"](state, moves)
            return view
        return self._plain_view(state, moves)

    def _plain_view(self, state: Array, moves: list[int]) -> View:
        """Return the cells in a row, for a game without a view of its own."""
        board = Board("square", self.state_size, 1, tuple(map(str, range(self.state_size))))
        pieces = tuple(
            Piece(i, str(int(c)), -1) for i, c in enumerate(state) if c and i != self.turn
        )
        looks = tuple(MoveLook(move, self.move_text(state, move), ()) for move in moves)
        return View(board, pieces, looks, self.side(state), self.sides)

    @staticmethod
    def _shape(text: str) -> str:
        """Return the text with all digits and letters alike, to tell illegal from malformed."""
        return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", text))


def _parse_cells(text: str, out: Array) -> None:
    cells = [int(cell) for cell in text.split(",")]
    if len(cells) != len(out):
        raise MalformedState(f"it has {len(cells)} numbers; it needs {len(out)}.")
    out[:] = cells
