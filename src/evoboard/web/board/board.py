"""The board, the list of moves and the evaluation graph as elements of a page.

Read only: `Board().show(view)`. To let a person move, hand `show` the view with its moves and
`playable=True`; `on_move` gets the index of the chosen move in `view.moves`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from nicegui import ui

from evoboard.games.view import MoveLook, Piece, View

STYLE = (Path(__file__).parent / "board.css").read_text(encoding="utf-8")

EMPTY = {
    "board": {"shape": "square", "width": 1, "height": 1, "names": [""], "dark": []},
    **{key: [] for key in ("pieces", "moves", "marks", "values", "labels", "arrows")},
    "sides": ["", ""],
    "side": 0,
    "revision": 0,
    "mode": "look",
}

Value = Sequence[float | str] | None  # a number to compare by, and its text
OtherLine = tuple[int, int, Sequence[str]]  # see MoveList.show


class Board(
    ui.element,
    component="board.js",
    dependencies=[
        "geometry.js",
        "pieces.js",
        "scenery.js",
        "choices.js",
        "heaps.js",
        "men.js",
        "marks.js",
        "tips.js",
        "pointer.js",
        "typing.js",
    ],
):
    """Draws views; see board.js for what a person can do with it."""

    def __init__(
        self,
        *,
        on_move: Callable[[int], Any] | None = None,
        on_edit: Callable[[dict[str, int]], Any] | None = None,
        on_key: Callable[[str], Any] | None = None,
        keys: Iterable[str] = (),
    ) -> None:
        super().__init__()
        self._revision = self._position = 0
        self._shown: object = None
        self._moves: tuple[MoveLook, ...] = ()
        self._labels: list[str] = []
        self.props["keys"] = list(keys)
        self.props["data"] = json.dumps(EMPTY)
        if on_move:
            self.on("move", lambda event: self._moved(event.args, on_move))
        if on_edit:
            self.on("edit", lambda event: on_edit(_cells(event.args)))
        if on_key:
            self.on("key", lambda event: on_key(str(event.args)))

    def show(
        self,
        view: View,
        *,
        playable: bool = False,
        last: MoveLook | None = None,
        values: Sequence[Value] = (),
        label_of: Callable[[int], str] | None = None,
        arrows: Sequence[tuple[Sequence[int], str]] = (),
        room: Sequence[int] = (),
        flipped: bool = False,
        mode: Literal["play", "look", "edit"] = "play",
        label: str = "board",
        anew: bool = False,
    ) -> None:
        """Show a position.

        `last`: the move that led here. `values`: one [number, text] per move of the view, for
        hovering, where `label_of` says how people write a move. `arrows`: (cells, kind) with kind
        "hint" or "line". `room`: the most each heap will hold. `label`: what screen readers say.
        `anew`: drop what a person has begun to enter even if the position is still the same.
        """
        self._revision += 1
        shown = (view, playable, last, flipped, mode)
        if anew or shown != self._shown:
            self._position += 1
            self._labels = []
        self._shown = shown
        data = view.as_data()
        self._moves = view.moves if playable else ()
        data["moves"] = data["moves"] if playable else []
        # Labels are shown beside values only and take a while to find: find them late, and once.
        if label_of and not self._labels and any(values):
            self._labels = [label_of(look.move) for look in self._moves]
        everything = {
            **data,
            "last": _last(last, view),
            "values": list(values) if playable else [],
            "labels": self._labels,
            "arrows": [{"cells": list(cells), "kind": kind} for cells, kind in arrows],
            "room": list(room),
            "flipped": flipped,
            "mode": mode,
            "label": label,
            "position": self._position,
            "revision": self._revision,
        }
        # As one text: neither side then wraps every number of it in something that observes it.
        self.props["data"] = json.dumps(everything)

    def _moved(self, args: Any, act: Callable[[int], Any]) -> Any:
        """Hand a chosen move on, unless it was chosen in a position that is gone."""
        index, position = args if isinstance(args, list) and len(args) == 2 else (None, None)
        if position == self._position and isinstance(index, int) and 0 <= index < len(self._moves):
            return act(index)
        return None


def room_of(start: View) -> list[int]:
    """Return the most that each heap will hold, by a game's first position."""
    counts = {piece.cell: piece.count for piece in start.pieces}
    return [counts.get(cell, 0) for cell in range(start.board.width)]


def _last(look: MoveLook | None, view: View) -> dict[str, Any] | None:
    """Return the last move for drawing; amounts move only where pieces are counted."""
    if look is None:
        return None
    counted = view.board.shape != "square"
    data = {"cells": list(look.cells), "captures": list(look.captures), "side": 1 - view.side}
    return {**data, "amount": look.amount if counted else 0}


def chosen(number: Any, count: int, act: Callable[[int], Any]) -> Any:
    """Hand on which of `count` things a browser says was chosen; it may say anything."""
    return act(number) if isinstance(number, int) and 0 <= number < count else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _cells(value: Any) -> dict[str, int]:
    found = value if isinstance(value, dict) else {}
    return {str(key): cell for key, cell in found.items() if isinstance(cell, int)}


class MoveList(ui.element, component="moves.js"):
    """The moves of a game; `on_select` gets the number of plies to show.

    It can list other lines, too, each by its number, from 1 on: `on_line` gets the one that was
    chosen and the ply to show, `on_drop` one that is not wanted any more, `on_lead` one that is to
    be the main line.
    """

    def __init__(
        self,
        on_select: Callable[[int], Any],
        on_line: Callable[[int, int], Any] | None = None,
        on_drop: Callable[[int], Any] | None = None,
        on_lead: Callable[[int], Any] | None = None,
    ) -> None:
        super().__init__()
        self._plies = 0
        self._lines: list[OtherLine] = []
        self.show([], 0)
        self.on("select", lambda event: chosen(event.args, self._plies + 1, on_select))
        if on_line:
            self.on("line", lambda event: self._chosen(event.args, on_line))
        for name, act in (("drop", on_drop), ("lead", on_lead)):
            if act:
                self.on(name, lambda event, act=act: self._numbered(event.args, act))

    def show(
        self,
        labels: Sequence[str],
        at: int,
        *,
        first: int = 0,
        notes: Sequence[str] = (),
        result: str = "",
        lines: Sequence[OtherLine] = (),
        shown: int = 0,
    ) -> None:
        """Show the moves, the one that led to the position `at` of the line `shown` marked.

        `lines`: the number of the line that each other one leaves (0: the main one), after how many
        plies, and its moves from there.
        """
        self._plies, self._lines = len(labels), list(lines)
        self.props["lines"] = [[parent, ply, list(moves)] for parent, ply, moves in lines]
        padded = [*notes, *[""] * (len(labels) - len(notes))]
        self.props["items"] = [list(pair) for pair in zip(labels, padded, strict=False)]
        self.props.update(first=first, at=at, result=result, on=shown)
        self.update()

    def _chosen(self, args: Any, act: Callable[[int, int], Any]) -> Any:
        number, ply = args if isinstance(args, list) and len(args) == 2 else (-1, None)
        if not self._has(number) or not isinstance(ply, int):
            return None
        _, begins, moves = self._lines[number - 1]
        return act(number, ply) if begins < ply <= begins + len(moves) else None

    def _numbered(self, number: Any, act: Callable[[int], Any]) -> Any:
        return act(number) if self._has(number) else None

    def _has(self, number: Any) -> bool:
        return isinstance(number, int) and 0 < number <= len(self._lines)


class EvaluationGraph(ui.element, component="graph.js"):
    """An evaluation over a game; `on_select` gets the number of plies to show."""

    def __init__(self, on_select: Callable[[int], Any]) -> None:
        super().__init__()
        self._points = 0
        self.show([], 0)
        self.on("select", lambda event: chosen(event.args, self._points, on_select))

    def show(
        self,
        points: Sequence[float | None],
        at: int,
        label: str = "Evaluation",
        *,
        texts: Sequence[str] = (),
        first: int = 0,
        result: str = "",
        turned: bool = False,
    ) -> None:
        """Show one share (0 to 1, for side 0) per position; None where it is not known.

        `texts`: what pointing at each position tells. `first`: the side of the first move.
        `result`: how the game has ended. `turned`: side 0 is above, as on a board turned round.
        """
        self._points = len(points)
        self.props.update(points=list(points), texts=list(texts), at=at, first=first)
        self.props.update(label=label, result=result, turned=turned)
        self.update()


class Palette(ui.element, component="palette.js", dependencies=["pieces.js"]):
    """Pieces to choose from; `on_pick` gets the index of the chosen one."""

    def __init__(self, on_pick: Callable[[int], Any]) -> None:
        super().__init__()
        self.props.update(items=[], sides=["", ""], counted=False, at=0)
        self.on("pick", lambda event: on_pick(int(event.args)))

    def show(
        self, pieces: Sequence[Piece], sides: Sequence[str], at: int, *, counted: bool = False
    ) -> None:
        """Show the pieces, the one `at` marked."""
        items = [asdict(piece) for piece in pieces]
        self.props.update(items=items, sides=list(sides), counted=counted, at=at)
        self.update()


class Ranks(ui.element, component="ranks.js"):
    """Moves with their values; `on_pick` and `on_hover` get a move's index in the view."""

    def __init__(
        self, on_pick: Callable[[int], Any], on_hover: Callable[[int | None], Any]
    ) -> None:
        super().__init__()
        self.show([])
        self.on("pick", lambda event: on_pick(int(event.args)))
        self.on("hover", lambda event: on_hover(_whole(event.args)), throttle=0.03)

    def show(self, items: Sequence[tuple[str, str, int]], more: int = 0) -> None:
        """Show (text, value, index) of each move."""
        self.props.update(items=[list(item) for item in items], more=more)
        self.update()
