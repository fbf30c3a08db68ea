"""The dialog in which a position is set up or pasted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game
from evoboard.games.editing import Answers, Detail, answered, carried, pieces_of, placed
from evoboard.games.view import Piece, View
from evoboard.web import theme
from evoboard.web.board.board import Board, Palette

LONGEST = 2_000


class PositionDialog(theme.LateDialog):
    """Edits a position of a game; `on_done` gets the state that the game has accepted."""

    def __init__(self, on_done: Callable[[Array], Any]) -> None:
        super().__init__()
        self.on_done = on_done
        self.game: Game | None = None
        self.pieces: dict[int, Piece] = {}
        self.side, self.hand = 0, 0
        self.answers: Answers = {}
        self.asked: tuple[Detail, ...] = ()
        self.state: Array | None = None

    def build(self) -> None:
        """Build the elements."""
        with theme.dialog("Set up a position") as self.dialog:
            with ui.element("div").style("width: min(100%, 420px); align-self: center"):
                self.board = Board(on_edit=self._edited)
            self.palette = Palette(self._picked)
            with ui.element("div").classes("line") as self.tools:
                self.turn = ui.toggle({0: "", 1: ""}, value=0, on_change=self._turned)
                ui.label("to move").classes("dim")
                ui.element("span").classes("grow")
                with ui.element("div").classes("line tight"):
                    theme.button("Empty", self._empty)
                    theme.button("Start", self._start)
            self.details = ui.element("div").classes("line details")
            self.text = ui.textarea("Position as text", on_change=self._typed)
            self.text.props(f"autogrow debounce=150 maxlength={LONGEST} input-class=small")
            self.told = ui.label().classes("small said").props('role="status"')
            self.done = theme.dialog_buttons(self.dialog, "Use this position", self._finish)

    def open(self, game: Game, state: Array) -> None:
        """Open the dialog with a position."""
        self.build_once()
        self.game, self.hand = game, 0
        self.editor = game.editor
        self.turn.set_options({0: game.sides[0], 1: game.sides[1]}, value=game.side(state))
        for part in (self.palette, self.tools):
            part.set_visibility(self.editor is not None)
        self._take(state)
        self.dialog.open()

    def _take(self, state: Array) -> None:
        """Show a state that the game has accepted."""
        assert self.game is not None
        self._look_at(state)
        self.text.set_value(self.game.state_text(state))
        self._judge()

    def _look_at(self, state: Array) -> None:
        """Take pieces, turn and details from a state."""
        assert self.game is not None
        self.pieces, self.side = pieces_of(self.game, state), self.game.side(state)
        if self.editor:
            said = self.editor.answers(self.game.state_text(state))
            asked = self.editor.details(self.pieces, self.side)
            self.answers = {d.key: said.get(d.key, False) for d in asked}
        self.turn.set_value(self.side)

    def _judge(self) -> None:
        """Ask the game about the text, and show what it says."""
        game = self.game
        assert game is not None
        self.state, told, good = None, "", True
        try:
            self.state = game.parse_state(str(self.text.value or "")[:LONGEST])
            if not game.legal_moves(self.state):
                told = f"The game is over in this position: {game.reason(self.state)}."
        except EvoboardError as error:
            # What the game says comes after the text, which is in the field above already.
            sentence = str(error).split("': ", 1)[-1].split('": ', 1)[-1]
            told, good = f"Impossible: {sentence}", False
        self.told.set_text(told)
        self.told.style(f"color: {'var(--dim)' if good else 'var(--warn)'}")
        self.done.set_enabled(good)
        self._draw()

    def _draw(self) -> None:
        game = self.game
        assert game is not None
        start = game.view(game.initial())
        pieces = tuple(self.pieces.values())
        view = View(start.board, pieces, (), self.side, game.sides)
        self.board.show(view, mode="edit" if self.editor else "look", label="position editor")
        if self.editor:
            counted = self.editor.counted and start.board.shape != "heaps"
            self.palette.show(self.editor.palette, game.sides, self.hand, counted=counted)
            self._ask_details(self.editor.details(self.pieces, self.side))

    def _write(self) -> None:
        """Write the pieces as text."""
        self.text.set_value(self._written())
        self._judge()

    def _written(self) -> str:
        assert self.game is not None
        assert self.editor is not None
        return self.editor.text(self.game, self.pieces, self.side, self.answers)

    def _ask_details(self, details: tuple[Detail, ...]) -> None:
        """Show what the pieces leave open, each as a box to tick."""
        now = {detail.key: self.answers.get(detail.key, detail.usual) for detail in details}
        if details != self.asked:
            self.asked = details
            self.details.clear()
            with self.details:
                self.boxes = {
                    detail.key: ui.checkbox(
                        detail.label,
                        value=now[detail.key],
                        on_change=lambda event, detail=detail: self._answered(detail, event.value),
                    ).props("dense")
                    for detail in details
                }
        for key, on in now.items():
            self.boxes[key].set_value(on)
        self.details.set_visibility(bool(details))

    def _answered(self, detail: Detail, on: bool) -> None:
        if on != self.answers.get(detail.key, detail.usual):
            self.answers = answered(self.answers, detail, self.asked, on)
            self._write()

    def _edited(self, cells: dict[str, int]) -> None:
        if self.editor is None:
            return
        if {"piece", "cell"} <= cells.keys():
            self._dropped(cells["cell"], cells["piece"])
        elif "cell" in cells:
            piece = self.editor.palette[self.hand]
            self.pieces = placed(self.editor, self.pieces, cells["cell"], piece)
        elif "from" in cells:
            self.pieces = carried(self.pieces, cells["from"], cells.get("to", -1))
        self._write()

    def _dropped(self, cell: int, index: int) -> None:
        """Put a piece that was dragged from the palette onto a cell."""
        if self.editor is None or not 0 <= index < len(self.editor.palette):
            return
        piece, here = self.editor.palette[index], self.pieces.get(cell)
        same = here is not None and (here.symbol, here.side) == (piece.symbol, piece.side)
        if self.editor.counted or not same:  # it takes nothing away, as a second click does
            self.pieces = placed(self.editor, self.pieces, cell, piece)

    def _picked(self, index: int) -> None:
        if self.editor and 0 <= index < len(self.editor.palette):
            self.hand = index
            self._draw()

    def _turned(self, event: Any) -> None:
        if event.value is None or event.value == self.side or self.game is None:
            return
        self.side = int(event.value)
        if self.editor:
            self._write()

    def _typed(self) -> None:
        """Read a text that was typed or pasted."""
        if self.game is None:
            return None
        text = str(self.text.value or "")
        if self.editor and text == self._written():
            return self._judge()
        try:
            state = self.game.parse_state(text[:LONGEST])
        except EvoboardError:
            return self._judge()
        self._look_at(state)
        return self._judge()

    def _empty(self) -> None:
        self.pieces, self.answers = {}, {}
        if self.editor:
            self._write()

    def _start(self) -> None:
        if self.game:
            self._take(self.game.initial())

    async def _finish(self) -> None:
        if self.state is not None:
            self.dialog.close()
            await theme.done(self.on_done(self.state))
