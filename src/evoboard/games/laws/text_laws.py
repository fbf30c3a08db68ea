"""The laws of a game's Python side: reasons, texts of positions and moves, views."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from typing import Any, get_args

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game
from evoboard.games.laws.rule_guard import Trouble, run_guarded, seen_in
from evoboard.games.view import Board, Shape, View

# Texts and views of this many positions; they are slow compared with rules.
MOST = 100


# What the fields of a view's parts may hold, by how they are declared.
FORMS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "int": ("a whole number", lambda value: type(value) is int),
    "str": ("a text", lambda value: isinstance(value, str)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "tuple[int, ...]": (
        "a tuple of whole numbers",
        lambda value: isinstance(value, tuple | list) and all(type(cell) is int for cell in value),
    ),
    "tuple[str, ...]": (
        "a tuple of texts",
        lambda value: (
            isinstance(value, tuple | list) and all(isinstance(name, str) for name in value)
        ),
    ),
}


def wrong_field(part: Any) -> str:
    """Return what is wrong with a part of a view, "" if nothing is."""
    for field in fields(part):
        wanted, fits = FORMS.get(str(field.type), ("", None))
        value = getattr(part, field.name)
        if fits and not fits(value):
            kind = type(part)
            return (
                f"the {field.name} of a {kind.__name__} is {value!r}; it must be {wanted}: "
                f"{kind.__name__}{short_signature(kind)}"
            )
    return ""


def short_signature(kind: type) -> str:
    """Return how a part of a view is made, without types: (cell, symbol, side, count=1, …)."""
    found = signature(kind).parameters.values()
    return f"({', '.join(str(p.replace(annotation=p.empty)) for p in found)})"


class TextLaws:
    """Each public method is the trial of one law; it raises Trouble where the law is broken."""

    def __init__(self, game: Game, sample: list[Array]) -> None:
        self.game, self.sample = game, sample

    def reasons(self) -> None:
        """Test that ended games say why."""
        for state in self.sample:
            if not self.game.legal_moves(state):
                self.text("reason", state)

    def states(self) -> None:
        """Test that positions survive being written and read."""
        for state in self.sample:
            text = self.text("state_text", state)
            try:
                again = np.asarray(self.run("parse_state", text))
            except EvoboardError as error:
                raise Trouble(f"parse_state cannot read what state_text wrote: {error}") from error
            differ = [int(cell) for cell in np.flatnonzero(again != state)]
            if differ := [cell for cell in differ if cell not in self.game.counters]:
                problem = f"parse_state(state_text(state)) differs in cells {differ[:5]}"
                raise seen_in(self.game, state, problem)

    def moves(self) -> None:
        """Test that moves survive being written and read."""
        for state in self.sample[:MOST]:
            texts = {m: self.text("move_text", state, m) for m in self.game.legal_moves(state)}
            for move, text in texts.items():
                alike = [other for other, written in texts.items() if written == text]
                if len(alike) > 1:
                    problem = f"move_text gives {text!r} for the moves {alike[0]} and {alike[1]}"
                    raise seen_in(self.game, state, problem)
                again = self.run("parse_move", state, text)
                if again != move:
                    problem = f"parse_move reads {text!r} as {again}, but it is {move}"
                    raise seen_in(self.game, state, problem)

    def views(self) -> None:
        """Test that a view names cells of its board only, shows every move, and is plain data."""
        for state in self.sample[:MOST]:
            view = self.run("view", state)
            if not isinstance(view, View):
                found = type(view).__name__
                raise seen_in(self.game, state, f"view returns a {found}; return a View")
            try:
                json.dumps(view.as_data())
            except TypeError as error:
                problem = f"view holds what is not a plain number or text ({error}); use int(…)"
                raise seen_in(self.game, state, problem) from error
            self.on_board(state, view)
            if [look.move for look in view.moves] != self.game.legal_moves(state):
                problem = "view does not show the moves it is given, in their order"
                raise seen_in(self.game, state, problem)

    def on_board(self, state: Array, view: View) -> None:
        if not isinstance(view.board, Board) or view.board.shape not in get_args(Shape):
            found = getattr(view.board, "shape", view.board)
            shapes = ", ".join(get_args(Shape))
            problem = f"view's board is {found!r}; it must be a Board of shape {shapes}"
            raise seen_in(self.game, state, problem)
        for part in (view.board, *view.pieces, *view.moves):
            if problem := wrong_field(part):
                raise seen_in(self.game, state, f"view: {problem}")
        if view.side not in (0, 1) or any(p.side not in (-1, 0, 1) for p in view.pieces):
            sides = [view.side, *(piece.side for piece in view.pieces)]
            wrong_side = next(side for side in sides if side not in (-1, 0, 1))
            problem = f"view names the side {wrong_side}; sides are 0 and 1 (and -1, nobody's)"
            raise seen_in(self.game, state, problem)
        cells = view.board.width * view.board.height
        used = [piece.cell for piece in view.pieces] + list(view.marks)
        for look in view.moves:
            used += [*look.cells, *look.captures, *look.also]
        if wrong := [c for c in used if not isinstance(c, int) or not 0 <= c < cells]:
            problem = f"view names cell {wrong[0]!r}; the board has {cells} cells, from 0"
            raise seen_in(self.game, state, problem)
        if len(view.board.names) != cells:
            problem = f"view's board has {len(view.board.names)} names for {cells} cells"
            raise seen_in(self.game, state, problem)

    def text(self, name: str, state: Array, *more: object) -> str:
        """Return what a function of the game writes, if it is a text."""
        function = self.game.written(name)
        if function is None:
            return str(getattr(self.game, name)(state, *more))
        value = self.run_function(name, function, state, *more)
        if not isinstance(value, str) or not value:
            raise seen_in(self.game, state, f"{name} returns {value!r}; it must return a text")
        return value

    def run(self, name: str, *arguments: object) -> object:
        """Run a method of the game; evoboard's own errors pass, others are named by their line."""
        return self.run_function(name, getattr(self.game, name), *arguments)

    def run_function(self, name: str, function: object, *arguments: object) -> object:
        assert callable(function)
        try:
            return run_guarded(self.game, name, function, *arguments)
        except (EvoboardError, Trouble):
            raise
        except Exception as error:
            raise Trouble.of(name, error, self.game.file) from error
