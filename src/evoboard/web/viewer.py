"""A game on a page: board, evaluation bar, who plays, the moves, stepping through them.

Any page can have one: build its parts where they belong, then `open` a table.

    viewer = Viewer()
    with ui.element("div").classes("game"):
        viewer.build_board()                      # strips, bar and board
        with ui.element("div").classes("stack"):
            with theme.card():
                viewer.build_moves()              # list of moves and step buttons
            viewer.build_graph()                  # optional: evaluation over the game
    viewer.open(table)

Arrow keys step, f flips. Without `on_move` the board is for looking only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from evoboard.games.view import View
from evoboard.search.base import Thought
from evoboard.web import theme
from evoboard.web.board.board import Board, Graph, MoveList, Value
from evoboard.web.lines import Branch, Line, begins
from evoboard.web.strip import Strip, is_dark, side_colour
from evoboard.web.table import Dropped, Table
from evoboard.web.values import result_share, score_text, seen_by_first, share, value_text

STEPS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End")
UNDO_SECONDS = 12.0  # how long a removed line can be brought back


def bottom_side(view: View) -> int:
    """Return the side whose pieces stand lower on the board as it is drawn unturned."""
    rows: list[list[int]] = [[], []]
    for piece in view.pieces:
        if piece.side >= 0:
            rows[piece.side].append(piece.cell // view.board.width)
    means = [sum(found) / len(found) if found else 0.0 for found in rows]
    return 1 if all(rows) and means[1] < means[0] else 0


class Viewer:
    """Shows a table, at any ply of its game."""

    def __init__(
        self,
        *,
        on_move: Callable[[int], Any] | None = None,
        on_hover: Callable[[int | None], Any] | None = None,
        on_ply: Callable[[], Any] | None = None,
        on_key: Callable[[str], Any] | None = None,
        keys: Sequence[str] = (),
        play_anywhere: bool = False,
        shows_lines: bool = False,
    ) -> None:
        self.on_move, self.on_hover, self.on_ply, self.on_key = on_move, on_hover, on_ply, on_key
        self.shows_lines = shows_lines
        self.keys, self.play_anywhere = tuple(keys), play_anywhere
        self.table: Table | None = None
        self.ply = 0
        self.flipped = False
        self.shows_values = True
        self.arrows: list[tuple[Sequence[int], str]] = []
        self.board: Board | None = None
        self._moves: MoveList | None = None
        self._graph: Graph | None = None
        self._bottom, self._room = 0, [0]
        self._branches: list[Branch] = []
        # What was removed last: where, which lines, and the line and ply one was at, if on them.
        self._undo: tuple[Table, Dropped, tuple[Line, int] | None] | None = None
        self._undo_until = 0.0
        ui.timer(1.0, self._tick)

    # --- building ---------------------------------------------------------------------------

    def build_board(self, *, steps: bool = False) -> None:
        """Build the board with its bar and the strips of both sides.

        With `steps`, narrow screens have the step buttons right below it, not below the moves.
        """
        with ui.element("div").classes("board-side"):
            self._strips = [Strip()]
            with ui.element("div").classes("board-row"):
                with ui.element("div").classes("bar").props('role="img"') as self._bar:
                    self._fill = ui.element("div").classes("bar-fill")
                    self._bar_text = ui.label().classes("bar-text")
                self.board = Board(
                    on_move=self.on_move,
                    on_hover=self.on_hover,
                    on_key=self._pressed,
                    keys=(*STEPS, "f", *self.keys),
                )
            self._strips.append(Strip())
            if steps:
                self._build_steps("steps below")

    def build_moves(self) -> None:
        """Build the list of moves and the buttons that step through it."""
        self._moves = MoveList(
            self._main_chosen, self._line_chosen, self._line_dropped, self._line_leads
        )
        self._removed = ui.element("div").classes("line tight removed").props('role="status"')
        with self._removed:
            ui.label("Line removed").classes("small grow")
            theme.button("Undo", self._undo_drop)
        self._removed.set_visibility(False)
        self._build_steps("steps")

    def _build_steps(self, style: str) -> None:
        with ui.element("div").classes(style):
            for icon, label, key in (
                ("first_page", "First position (up)", "Home"),
                ("chevron_left", "Back (left)", "ArrowLeft"),
                ("chevron_right", "Forward (right)", "ArrowRight"),
                ("last_page", "Last position (down)", "End"),
            ):
                theme.icon_button(icon, label, lambda key=key: self.step(key))

    def build_graph(self) -> None:
        """Build the graph of the evaluation over the game."""
        self._graph = Graph(self.go_to)

    # --- showing ----------------------------------------------------------------------------

    @property
    def live(self) -> bool:
        """Tell whether the position shown is the game's last one."""
        return self.table is not None and self.ply == self.table.ply

    @property
    def lower(self) -> int:
        """The side at the bottom of the board as it is seen."""
        return 1 - self._bottom if self.flipped else self._bottom

    def open(self, table: Table, ply: int | None = None, *, turn: bool = True) -> None:
        """Show another table; with `turn`, the person's side is at the bottom.

        A copy is seen as what it was copied from.
        """
        if self._undo:
            self._hide_undo()
        self.table = table
        start = table.view(0)
        self._bottom = bottom_side(start)
        counts = {piece.cell: piece.count for piece in start.pieces}
        self._room = [counts.get(cell, 0) for cell in range(start.board.width)]
        if turn or "below" in table.extra:
            self.flipped = self._bottom != table.below
        self.ply = table.ply if ply is None else ply
        self.arrows = []
        colours = [side_colour(name, side) for side, name in enumerate(table.game.sides)]
        for part in (self._bar, self._graph):
            if part is not None:
                part.style(f"--bar-0: {colours[0]}; --bar-1: {colours[1]}")
        self.refresh()

    def follow(self) -> None:
        """Show the table's last position, as after a move."""
        if self.table:
            self.ply, self.arrows = self.table.ply, []
            self.refresh()

    def refresh(self, *, anew: bool = False) -> None:
        """Show everything again."""
        self.refresh_board(anew=anew)
        self.refresh_moves()
        self.refresh_opinion()

    def refresh_board(self, *, anew: bool = False) -> None:
        """Show the position, with what is known about its moves."""
        table = self.table
        if table is None or self.board is None:
            return
        view, state = table.view(self.ply), table.match.states[self.ply]
        playable = self.on_move is not None and (
            self.play_anywhere or (self.live and table.persons_turn)
        )
        # Where any position may be played on from, a game that was given up is no exception.
        over = table.match.over if self.play_anywhere else table.over
        thought = table.thoughts.get(self.ply) if self.shows_values else None
        known = thought.move_values if thought else {}
        # Compared by what the mover thinks of them, told as side 0 sees them, like everything else.
        values: list[Value] = [
            [known[look.move], value_text(seen_by_first(known[look.move], view.side))]
            if look.move in known
            else None
            for look in view.moves
        ]
        self.board.show(
            view,
            playable=playable and bool(view.moves) and not (self.live and over),
            last=table.look(self.ply),
            values=values,
            label_of=lambda move: table.game.move_label(state, move),
            arrows=self.arrows,
            room=self._room,
            flipped=self.flipped,
            label=f"{table.game.name} board, {table.game.sides[view.side]} to move",
            anew=anew,
        )
        self._refresh_strips()

    def refresh_moves(self) -> None:
        """Show the list of moves."""
        table = self.table
        if table is None or self._moves is None:
            return None
        first = table.game.side(table.match.states[0])
        if not self.shows_lines:
            notes = [self._note(table, ply) for ply in range(1, table.ply + 1)]
            return self._moves.show(
                table.labels(), self.ply, first=first, notes=notes, result=table.verdict()
            )
        self._branches = table.branches()
        main, *others = self._branches
        return self._moves.show(
            main.labels,
            self.ply,
            first=first,
            notes=["" if v is None else value_text(v) for v in table.values_on(main.line)],
            result=table.main.verdict if table.main else table.verdict(),
            lines=[(branch.parent, branch.ply, branch.labels) for branch in others],
            shown=table.branch_shown(),
        )

    def refresh_opinion(self) -> None:
        """Show bar and graph."""
        table = self.table
        if table is None:
            return
        asked = self._latest_known(table) if self.shows_values else None
        fill = 0.5 if asked is None else self._share(table, asked) or 0.0
        at_bottom = self.lower == 0
        theme.set_class(self._bar, "flipped", not at_bottom)
        theme.set_class(self._bar, "off", not self.shows_values)
        self._fill.style(f"height: {100 * fill:.1f}%")
        text = "" if asked is None else self._text(table, asked)
        self._bar_text.set_text(text)
        # In the larger part: the other one may be too small for it.
        larger = 0 if fill >= 0.5 else 1
        theme.set_class(self._bar_text, "upper", larger != self.lower)
        colour = side_colour(table.game.sides[larger], larger)
        theme.set_class(self._bar_text, "pale", is_dark(colour))
        self._bar.props["aria-label"] = f"Evaluation for {table.game.sides[0]}: {text or 'unknown'}"
        if self._graph:
            points = [self._share(table, ply) for ply in range(table.ply + 1)]
            self._graph.show(
                points,
                self.ply,
                "Evaluation over the game",
                texts=[self._told(table, ply) for ply in range(table.ply + 1)],
                first=table.game.side(table.match.states[0]),
                result=table.verdict(),
                turned=not at_bottom,
            )

    def _told(self, table: Table, ply: int) -> str:
        """Return the move that led to a ply, and what is thought of the position or ended it."""
        label = table.labels()[ply - 1] if ply else ""
        return f"{label} {self._text(table, ply)}".strip()

    def _text(self, table: Table, ply: int) -> str:
        """Return the result where the game has ended, as `_share` does; else what is thought."""
        if ply == table.ply and table.over:
            return score_text(table.result)
        value = self._value(table, ply)
        return "" if value is None else value_text(value)

    def _latest_known(self, table: Table) -> int | None:
        """Return the ply whose value the bar shows: while somebody thinks, an earlier one."""
        before = range(self.ply, max(-1, self.ply - 3), -1)
        return next((ply for ply in before if self._share(table, ply) is not None), None)

    def _tick(self) -> None:
        """Count the seconds while somebody thinks, and those a removed line can be had again."""
        if self._undo and time.monotonic() > self._undo_until:
            self._hide_undo()
        if self.table and self.table.thinks:
            self._refresh_strips()

    def _refresh_strips(self) -> None:
        table = self.table
        assert table is not None
        for strip, side in zip(self._strips, (1 - self.lower, self.lower), strict=True):
            strip.show(table, side, self.ply)

    def _note(self, table: Table, ply: int) -> str:
        value = self._value(table, ply) if self.shows_values and self._graph else None
        return "" if value is None else value_text(value)

    def _value(self, table: Table, ply: int) -> float | None:
        """Return what is thought of a position, for side 0."""
        thought: Thought | None = table.thoughts.get(ply)
        if thought is None:
            return None
        return seen_by_first(thought.value, table.game.side(table.match.states[ply]))

    def _share(self, table: Table, ply: int) -> float | None:
        if ply == table.ply and table.over:
            return result_share(table.result)
        value = self._value(table, ply)
        return None if value is None else share(value, table.thoughts[ply].scale)

    # --- stepping ---------------------------------------------------------------------------

    def go_to(self, ply: int) -> None:
        """Show the position after so many plies."""
        if self.table is None:
            return
        self.ply = max(0, min(ply, self.table.ply))
        self.arrows = []
        self.refresh()
        if self.on_ply:
            self.on_ply()

    def _main_chosen(self, ply: int) -> None:
        if self.table and self.shows_lines:
            self.table.take_up(self.table.main_line)
        self.go_to(ply)

    def _line_chosen(self, number: int, ply: int) -> None:
        """Take up another line, and show the position after so many plies of it."""
        branch = self._known(number)
        if self.table and branch:
            self.table.take_up(branch.line)
            self.go_to(ply)

    def _line_dropped(self, number: int) -> None:
        """Forget a line; who was on it is where it began."""
        branch, ply = self._known(number), self.ply
        if self.table and branch:
            left = tuple(self.table.match.moves)
            on_it = begins(left, branch.line[: branch.ply + 1])
            dropped = self.table.drop_line(branch)
            self._undo = self.table, dropped, (left, ply) if on_it else None
            self.go_to(min(ply, branch.ply) if on_it else ply)
            self._removed.set_visibility(True)
            self._undo_until = time.monotonic() + UNDO_SECONDS

    def _undo_drop(self) -> None:
        """Have the line again that was removed last, and be on it if one was."""
        undo, ply = self._undo, self.ply
        self._hide_undo()
        if undo and undo[0] is self.table:
            table, dropped, place = undo
            table.bring_back(dropped)
            if place:
                table.take_up(place[0])
            self.go_to(place[1] if place else ply)

    def _hide_undo(self) -> None:
        self._undo = None
        self._removed.set_visibility(False)

    def _line_leads(self, number: int) -> None:
        """Make a line the main one; the position shown stays where it is on it."""
        branch, ply = self._known(number), self.ply
        if self.table and branch:
            on_it = begins(branch.line, tuple(self.table.match.moves[:ply]))
            self.table.make_main(branch)
            self.go_to(ply if on_it else branch.ply + 1)

    def _known(self, number: int) -> Branch | None:
        """Return a line by its number; None where another tab has changed the lines meanwhile."""
        branch = self._branches[number]
        return branch if self.table and branch in self.table.branches() else None

    def step(self, key: str) -> None:
        """Go where a key or button leads."""
        last = self.table.ply if self.table else 0
        targets = {"ArrowLeft": self.ply - 1, "ArrowRight": self.ply + 1, "Home": 0, "ArrowUp": 0}
        self.go_to(targets.get(key, last))

    def flip(self) -> None:
        """Turn the board round."""
        self.flipped = not self.flipped
        self.refresh()

    def _pressed(self, key: str) -> Any:
        if key in STEPS:
            return self.step(key)
        if key == "f":
            return self.flip()
        return self.on_key(key) if self.on_key else None
