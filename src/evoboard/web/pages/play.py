"""Play a game against any player."""

from __future__ import annotations

import time
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.wording import counted
from evoboard.web import theme
from evoboard.web.driver import SessionDriver
from evoboard.web.game_page import GamePage, Opinion, adviser_name, session_asked_for
from evoboard.web.new_game import Choice, NewGameDialog
from evoboard.web.opponents import FIRST_GAME, offered, require_offered
from evoboard.web.position_dialog import PositionDialog
from evoboard.web.session import PERSON, GameSession, Seats
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.viewer import Viewer

TITLE, PATH, ICON, ORDER = "Play", "/play", "sports_esports", 10

PATIENCE = 6.0  # seconds in which resigning can be confirmed
DOUBLE_CLICK = 0.5  # seconds in which it cannot yet
KEYS = {"h": "hint", "t": "take back", "n": "new game"}


async def build(site: Site) -> None:
    """Build the page with the session its address names, or a new one.

    /play?t=NAME shows a session; /play?game=chess&opponent=material:depth=2&side=1&start=FEN&seed=7
    sets up a new one.
    """
    page = PlayPage(site)
    page.build()
    # Who plays is made when it is their turn: where that fails, the game stays.
    session, told = await off_loop(session_asked_for, site, site.query(), _set_up)
    await page.show_session(session)
    if told:
        page.complain(told)


def _set_up(site: Site, query: dict[str, str]) -> GameSession:
    game = site.load_game(query.get("game") or site.first_game or FIRST_GAME)
    opponent = query.get("opponent") or next(offered(game)).text
    side, seed = query.get("side", "0"), query.get("seed", "0")
    if side not in ("0", "1") or not (seed.isdecimal() and len(seed) < 10):
        raise OptionError("side must be 0 or 1, and seed a whole number of up to 9 digits.")
    start = game.parse_state(query["start"]) if query.get("start") else None
    seats = seats_of(require_offered(opponent), int(side))
    return site.sessions.new(game, seats, start=start, seed=int(seed))


def seats_of(opponent: str, side: int) -> Seats:
    """Return who sits where when the person plays `side`."""
    return (PERSON, opponent) if side == 0 else (opponent, PERSON)


class PlayPage(GamePage):
    """The page's elements and what they do."""

    path = PATH

    def build(self) -> None:
        """Build the elements."""
        self.hinted: tuple[Any, str] = (None, "")  # at which state of which session, and what
        self.viewer = Viewer(
            on_move=self._moved, on_key=self._pressed, on_ply=self.refresh, keys=tuple(KEYS)
        )
        with ui.element("div").classes("game"):
            self.viewer.build_board(steps=True)
            with ui.element("div").classes("stack panel"):
                self._build_tools()
                self._build_banner()
                self.opinion = Opinion()
                with theme.card() as moves:
                    moves.classes("grow-moves")
                    self.viewer.build_moves()
                self._build_note()
        self._ask_again(False)
        self.new_game = NewGameDialog(self.site, self._started)
        self.position = PositionDialog(self._placed)

    def _build_tools(self) -> None:
        with theme.card():
            with ui.element("div").classes("line tight"):
                self.title = ui.label().classes("who cut grow").style("font-weight: 600")
                self.shows = ui.switch("Evaluation", value=True, on_change=self._values_switched)
                self.build_menu(
                    ("Set up or paste a position …", "edit", self.ask_position),
                    ("Analyse this game", "query_stats", self._analyse),
                )
            with ui.element("div").classes("tools"):
                self.back = theme.button("Take back", self._take_back, icon="undo")
                self.hint = theme.button("Hint", self._hint, icon="lightbulb")
                self.flip = theme.button("Flip", self.viewer.flip, icon="swap_vert")
                self.resign = theme.button("Resign", self._resign, icon="flag")
                self.hurry = theme.button("Move now", self._hurry, icon="bolt")
                theme.button("New game", self._ask_new, icon="add", main=True)

    def _build_banner(self) -> None:
        """Build what tells how the game has ended, and what to do then."""
        with self.build_banner():
            self.verdict.style("font-size: 16px")
            self.remark = ui.label().classes("small")
            with ui.element("div").classes("tools") as self.after:
                theme.button("Rematch", self._rematch, icon="replay")
                theme.button("Swap sides", lambda: self._rematch(swap=True), icon="swap_horiz")
                theme.button("Analyse", self._analyse, icon="query_stats")

    def _build_note(self) -> None:
        """Build what tells a hint or that the position is an earlier one.

        It comes and goes, so its place is kept, and nothing that is pressed stands below it.
        """
        with ui.element("div").classes("card line tight small note") as self.note:
            self.noted = ui.label().classes("grow said").props('role="status"')
            self.present = theme.button("Back to the game", lambda: self.viewer.step("End"))

    def prepare(self, driver: SessionDriver) -> None:
        """Have the driver say what the opponent thinks, if that is wanted."""
        driver.advise(self, bool(self.shows.value))

    def refresh(self) -> None:
        """Show banner, buttons and what the opponent thinks."""
        session = self.session
        if session is None:
            return
        self.title.set_text(session.title)
        self.title.props["title"] = session.game.title
        told = session.trouble or session.verdict()
        self.show_banner(session, told or session.unsaved)
        remarks = (
            "" if session.trouble else self._remark(session),
            session.unsaved if told else "",
        )
        self.remark.set_text(" ".join(filter(None, remarks)))
        self.after.set_visibility(session.over)
        self._refresh_note(session)
        if session.over or not session.persons_turn:
            self._ask_again(False)
        self.back.set_enabled(session.ply > 0 or session.over)
        self.hint.set_enabled(session.persons_turn and self.viewer.live)
        self.resign.set_visibility(not session.thinking)
        self.resign.set_enabled(not session.over)
        self.hurry.set_visibility(session.thinking is not None)
        thought = session.line[self.viewer.ply].thought
        self.opinion.show(session, self.viewer.ply, adviser_name(session), thought)
        if not self.shows.value:
            self.opinion.card.set_visibility(False)

    def _refresh_note(self, session: GameSession) -> None:
        live = self.viewer.live
        if not live or self.hinted[0] != (session.name, session.version):
            self.hinted = (None, "")
        told = self.hinted[1] if live else "This is an earlier position."
        self.noted.set_text(told)
        theme.set_class(self.note, "idle", not told)
        self.present.set_visibility(not live)

    def _remark(self, session: GameSession) -> str:
        if not session.over:
            return ""
        won = session.result * (1 - 2 * session.person)
        told = {1: "You won", 0: "A draw", -1: "You lost"}[won]
        return f"{told} after {counted((session.ply + 1) // 2, 'move')}."

    # --- what a person does -----------------------------------------------------------------

    def _moved(self, index: int) -> None:
        session = self.session
        if session is None or not session.persons_turn or not self.viewer.live:
            return
        try:
            self.change(
                session.tree.play, session.tree.view(session.tree.current).moves[index].move
            )
        except EvoboardError as error:
            self.viewer.refresh(anew=True)
            self.complain(error)

    def _pressed(self, key: str) -> Any:
        act = {"h": self._hint, "t": self._take_back, "n": self._ask_new}[key]
        return act()

    def _take_back(self) -> None:
        if self.session:
            self.change(self.session.take_back_turn)

    async def _hint(self) -> None:
        """Show the move that the adviser would make."""
        session, driver = self.session, self.driver
        if not session or not driver or not session.persons_turn or not self.viewer.live:
            return None
        self.hint.props("loading")
        version = session.version
        try:
            thought = await driver.hint()
        except EvoboardError as error:
            return self.complain(error)
        finally:
            self.hint.props(remove="loading")
        if thought is None or session.version != version or session is not self.session:
            return None
        node = session.tree.current
        looks = {look.move: look for look in session.tree.view(node).moves}
        if thought.move in looks:
            look = looks[thought.move]
            self.viewer.arrows = [(look.cells, "hint")] if look.cells else []
            self.viewer.refresh_board()
            label = session.game.move_label(node.state, thought.move)
            self.hinted = ((session.name, version), f"{label}, says {adviser_name(session)}")
            self.refresh()

    def _resign(self) -> None:
        """Resign at the second press: the first one may have been a slip, even a double click."""
        sure = self.sure
        if sure and time.monotonic() - self.asked < DOUBLE_CLICK:
            return
        self._ask_again(not sure)
        if self.session and sure:
            self.change(self.session.resign, self.session.person)

    def _ask_again(self, sure: bool) -> None:
        self.sure, self.asked = sure, time.monotonic()
        if sure:
            with self.client:
                ui.timer(PATIENCE, lambda: self._ask_again(False), once=True)
        self.resign.set_text("Really resign" if sure else "Resign")
        theme.set_class(self.resign, "danger", sure)

    async def _rematch(self, swap: bool = False) -> None:
        """Play the same game again, from the same start."""
        old = self.session
        if old:
            seats = (old.seats[1], old.seats[0]) if swap else old.seats
            await self.show_session(
                self.site.sessions.new(old.game, seats, start=old.line[0].state)
            )

    def _hurry(self) -> None:
        if self.driver:
            self.driver.hurry()

    def _values_switched(self) -> None:
        self.viewer.shows_values = bool(self.shows.value)
        if self.driver:
            self.driver.advise(self, bool(self.shows.value))
            self.driver.wake()
            self.viewer.refresh()
            self.refresh()

    async def _ask_new(self) -> None:
        session = self.session
        if session:
            await self.new_game.open(
                session.spec, session.seats[1 - session.person], session.person
            )

    async def _started(self, choice: Choice) -> None:
        seats = seats_of(choice.opponent, choice.side)
        await self.show_session(self.site.sessions.new(choice.game, seats, start=choice.start))

    async def _placed(self, state: Any) -> None:
        old = self.session
        if old:
            await self.show_session(self.site.sessions.new(old.game, old.seats, start=state))

    def _analyse(self) -> None:
        if self.session:
            self.open_analysis(self.session.seats[1 - self.session.person])
