"""A game on a page: board, evaluation bar, who plays, the moves, stepping through them.

Any page can have one: build its parts where they belong, then `open` a session.

    viewer = Viewer()
    with ui.element("div").classes("game"):
        viewer.build_board()                      # strips, bar and board
        with ui.element("div").classes("stack"):
            with theme.card():
                viewer.build_moves()              # list of moves and step buttons
            viewer.build_graph()                  # optional: evaluation over the game
    viewer.open(session)

Arrow keys step, f flips. Without `on_move` the board is for looking only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from evoboard.arena.game_tree import Branch, Node
from evoboard.arena.notation.movetext import MARKS
from evoboard.games.view import View
from evoboard.web import theme
from evoboard.web.board.board import Board, EvaluationGraph, MoveList, Value, room_of
from evoboard.web.session import GameSession
from evoboard.web.strip import EvaluationBar, Strip, side_colour
from evoboard.web.values import result_share, score_text, seen_by_first, share, value_text

STEPS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End")
SIGNS = {mark: sign for sign, mark in MARKS.items()}
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
    """Shows a session, at any ply of its game."""

    def __init__(
        self,
        *,
        on_move: Callable[[int], Any] | None = None,
        on_ply: Callable[[], Any] | None = None,
        on_key: Callable[[str], Any] | None = None,
        keys: Sequence[str] = (),
        play_anywhere: bool = False,
        change: Callable[..., Any] | None = None,
    ) -> None:
        self.on_move, self.on_ply, self.on_key = on_move, on_ply, on_key
        self.change = change
        self.keys, self.play_anywhere = tuple(keys), play_anywhere
        self.session: GameSession | None = None
        self.ply = 0
        self.flipped = False
        self.shows_values = True
        self.arrows: list[tuple[Sequence[int], str]] = []
        self.board: Board | None = None
        self._moves: MoveList | None = None
        self._graph: EvaluationGraph | None = None
        self._bottom, self._room = 0, [0]
        self._branches: list[Branch] = []
        # What was removed last, its place, and the position and ply one was at, if on it.
        self._undo: tuple[GameSession, Node, int, tuple[Node, int] | None] | None = None
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
                self._bar = EvaluationBar()
                self.board = Board(
                    on_move=self.on_move,
                    on_key=self._pressed,
                    keys=(*STEPS, "f", *self.keys),
                )
            self._strips.append(Strip())
            if steps:
                self.build_steps("steps below")

    def build_moves(self, *, steps: bool = True) -> None:
        """Build the list of moves and, with `steps`, the buttons that step through it."""
        self._moves = MoveList(
            self._main_chosen, self._line_chosen, self._line_dropped, self._line_leads
        )
        self._comment = theme.Message("small said", "note")
        self._removed = ui.element("div").classes("line tight removed").props('role="status"')
        with self._removed:
            ui.label("Line removed").classes("small grow")
            theme.button("Undo", self._undo_drop)
        self._removed.set_visibility(False)
        if steps:
            self.build_steps("steps")

    def build_steps(self, style: str, middle: Callable[[], Any] = lambda: None) -> ui.element:
        """Build the buttons that step through the game, with what `middle` builds among them."""
        with ui.element("div").classes(style) as made:
            for icon, label, key in (
                ("first_page", "First position (up)", "Home"),
                ("chevron_left", "Back (left)", "ArrowLeft"),
                ("chevron_right", "Forward (right)", "ArrowRight"),
                ("last_page", "Last position (down)", "End"),
            ):
                if key == "ArrowRight":
                    middle()
                theme.icon_button(icon, label, partial(self.step, key))
        return made

    def build_graph(self) -> None:
        """Build the graph of the evaluation over the game."""
        self._graph = EvaluationGraph(self.go_to)

    # --- showing ----------------------------------------------------------------------------

    @property
    def live(self) -> bool:
        """Tell whether the position shown is the game's last one."""
        return self.session is not None and self.ply == self.session.ply

    @property
    def lower(self) -> int:
        """The side at the bottom of the board as it is seen."""
        return 1 - self._bottom if self.flipped else self._bottom

    def open(self, session: GameSession, ply: int | None = None, *, turn: bool = True) -> None:
        """Show another session; with `turn`, the person's side is at the bottom.

        A copy is seen as what it was copied from.
        """
        if self._undo:
            self._hide_undo()
        self.session = session
        # As the game begins, not as this session does: in an endgame they may have changed places.
        self._bottom = bottom_side(session.game.view(session.game.usual_start()))
        self._room = room_of(session.tree.view(session.tree.root))
        if turn or "below" in session.tree.tags:
            self.flipped = self._bottom != session.below
        self.ply = session.ply if ply is None else ply
        self.arrows = []
        colours = [side_colour(name, side) for side, name in enumerate(session.game.sides)]
        for part in (self._bar.box, self._graph):
            if part is not None:
                part.style(f"--bar-0: {colours[0]}; --bar-1: {colours[1]}")
        self.refresh()

    def follow(self) -> None:
        """Show the session's last position, as after a move."""
        if self.session:
            self.ply, self.arrows = self.session.ply, []
            self.refresh()

    def refresh(self, *, anew: bool = False) -> None:
        """Show everything again."""
        self.refresh_board(anew=anew)
        self.refresh_moves()
        self.refresh_opinion()

    def refresh_board(self, *, anew: bool = False) -> None:
        """Show the position, with what is known about its moves."""
        session = self.session
        if session is None or self.board is None:
            return
        tree, node = session.tree, session.line[self.ply]
        view = tree.view(node)
        playable = self.on_move is not None and (
            self.play_anywhere or (self.live and session.persons_turn)
        )
        # Where any position may be played on from, a game that was given up is no exception.
        over = session.over and not (self.play_anywhere and tree.legal(node))
        thought = node.thought if self.shows_values else None
        known, scale = (thought.move_values, thought.scale) if thought else ({}, None)
        # Compared by what the mover thinks of them, told as side 0 sees them, like everything else.
        values: list[Value] = [
            [known[look.move], value_text(seen_by_first(known[look.move], view.side), scale)]
            if look.move in known
            else None
            for look in view.moves
        ]
        self.board.show(
            view,
            playable=playable and bool(view.moves) and not (self.live and over),
            last=session.look(self.ply),
            values=values,
            label_of=lambda move: session.game.move_label(node.state, move),
            arrows=self.arrows,
            room=self._room,
            flipped=self.flipped,
            label=f"{session.game.name} board, {session.game.sides[view.side]} to move",
            anew=anew,
        )
        self._refresh_strips()

    def refresh_moves(self) -> None:
        """Show the list of moves."""
        session = self.session
        if session is None or self._moves is None:
            return
        tree, first = session.tree, session.tree.side(session.tree.root)
        branches = tree.branches() if self.change else [Branch(session.line[1:], -1)]
        (main, _), *others = self._branches = branches
        end = tree.end if self.change else tree.current
        self._comment.say(session.line[self.ply].comment)
        self._moves.show(
            [self._label(session, node) for node in main],
            self.ply,
            first=first,
            notes=[self._note(session, node) for node in main],
            result=session.verdict(end),
            lines=[(b.parent, b.ply, [self._label(session, n) for n in b.nodes]) for b in others],
            shown=next((i for i, b in enumerate(branches) if tree.current in b.nodes), 0),
        )

    def refresh_opinion(self) -> None:
        """Show bar and graph."""
        session = self.session
        if session is None:
            return
        asked = self._latest_known(session) if self.shows_values else None
        fill = 0.5 if asked is None else self._share(session, asked) or 0.0
        text = "" if asked is None else self._text(session, asked)
        self._bar.show(session.game.sides, fill, text, self.lower, on=self.shows_values)
        if self._graph:
            points = [self._share(session, ply) for ply in range(session.ply + 1)]
            self._graph.show(
                points,
                self.ply,
                "Evaluation over the game",
                texts=[self._point_text(session, ply) for ply in range(session.ply + 1)],
                first=session.tree.side(session.tree.root),
                result=session.verdict(),
                turned=self.lower != 0,
            )

    def _point_text(self, session: GameSession, ply: int) -> str:
        """Return the move that led to a ply, and what is thought of the position or ended it."""
        label = session.tree.label(session.line[ply])
        return f"{label} {self._text(session, ply)}".strip()

    def _text(self, session: GameSession, ply: int) -> str:
        """Return the result where the game has ended, as `_share` does; else what is thought."""
        if ply == session.ply and session.over:
            return score_text(session.result)
        return value_note(session, session.line[ply])

    def _latest_known(self, session: GameSession) -> int | None:
        """Return the ply whose value the bar shows: while a player is thinking, an earlier one."""
        before = range(self.ply, max(-1, self.ply - 3), -1)
        return next((ply for ply in before if self._share(session, ply) is not None), None)

    def _tick(self) -> None:
        """Count the seconds of thinking, and those for which a removed line can be restored."""
        if self._undo and time.monotonic() > self._undo_until:
            self._hide_undo()
        if self.session and self.session.thinking:
            self._refresh_strips()

    def _refresh_strips(self) -> None:
        session = self.session
        assert session is not None
        for strip, side in zip(self._strips, (1 - self.lower, self.lower), strict=True):
            strip.show(session, side, self.ply)

    def _label(self, session: GameSession, node: Node) -> str:
        """Return a move with what a file says of it: e4!?"""
        return session.tree.label(node) + "".join(SIGNS.get(mark, "") for mark in node.marks)

    def _note(self, session: GameSession, node: Node) -> str:
        return value_note(session, node) if self.shows_values and self._graph else ""

    def _share(self, session: GameSession, ply: int) -> float | None:
        if ply == session.ply and session.over:
            return result_share(session.result)
        node = session.line[ply]
        value = session.value(node)
        return None if value is None or node.thought is None else share(value, node.thought.scale)

    # --- stepping ---------------------------------------------------------------------------

    def go_to(self, ply: int) -> None:
        """Show the position after that many plies."""
        if self.session is None:
            return
        self.ply = max(0, min(ply, self.session.ply))
        self.arrows = []
        self.refresh()
        if self.on_ply:
            self.on_ply()

    def _take_up(self, node: Node) -> None:
        """Look at the line of a position."""
        tree = self.session.tree if self.session else None
        if tree and self.change and tree.line_end(node) is not tree.current:
            self.change(tree.take_up, node)

    def _main_chosen(self, ply: int) -> None:
        if self.session:
            self._take_up(self.session.tree.end)
        self.go_to(ply)

    def _line_chosen(self, number: int, ply: int) -> None:
        """Take up another line, and show the position after that many plies of it."""
        node = self._known(number)
        if node:
            self._take_up(node)
            self.go_to(ply)

    def _line_dropped(self, number: int) -> None:
        """Forget a line; where it was shown, the position it left is."""
        node, session, ply = self._known(number), self.session, self.ply
        if session and node and node.parent and self.change:
            left = session.tree.current
            on_it = node in session.line
            at = (self.change if on_it else session.note)(session.tree.drop, node)
            self._undo = session, node, at, (left, ply) if on_it else None
            self.go_to(min(ply, node.ply - 1) if on_it else ply)
            self._removed.set_visibility(True)
            self._undo_until = time.monotonic() + UNDO_SECONDS

    def _undo_drop(self) -> None:
        """Bring back the line that was removed last, and show it if it was shown."""
        undo, here = self._undo, self.ply
        self._hide_undo()
        if undo and undo[0] is self.session:
            session, node, at, place = undo
            session.note(session.tree.bring_back, node, at)
            if place and session.tree.holds(place[0]):
                self._take_up(place[0])
                here = place[1]
            self.go_to(here)

    def _hide_undo(self) -> None:
        self._undo = None
        self._removed.set_visibility(False)

    def _line_leads(self, number: int) -> None:
        """Make a line the main one; the position shown stays where it is on it."""
        node, session, ply = self._known(number), self.session, self.ply
        if session and node and self.change:
            shown = session.line[ply]
            self.change(session.tree.make_main, node)
            on_it = ply < len(session.line) and session.line[ply] is shown
            self.go_to(ply if on_it else node.ply)

    def _known(self, number: int) -> Node | None:
        """Return where a line begins; None if another tab has changed the lines meanwhile."""
        node = self._branches[number].nodes[0]
        return node if self.session and self.session.tree.holds(node) else None

    def step(self, key: str) -> None:
        """Go where a key or button leads."""
        last = self.session.ply if self.session else 0
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


def value_note(session: GameSession, node: Node) -> str:
    """Return what is thought of a position, for side 0, in a few characters; "" for nothing."""
    value = session.value(node)
    return "" if value is None or node.thought is None else value_text(value, node.thought.scale)
