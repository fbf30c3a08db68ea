"""What the pages with a game have in common: its session and driver, files, positions as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from evoboard.arena.notation.base import Notation, notation_of
from evoboard.core.errors import EvoboardError, OptionError, quoted
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import counted
from evoboard.search.base import Thought
from evoboard.web import theme
from evoboard.web.async_player import adviser_of
from evoboard.web.driver import SessionDriver
from evoboard.web.folders import game_path
from evoboard.web.opponents import short_name
from evoboard.web.position_dialog import PositionDialog
from evoboard.web.saved_games import saved_games
from evoboard.web.session import Change, GameSession
from evoboard.web.site import Site, address
from evoboard.web.threads import off_loop
from evoboard.web.values import (
    expected,
    line_text,
    seconds_text,
    seen_by_first,
    value_text,
    value_words,
)
from evoboard.web.viewer import Viewer

SHOWN_GAMES = 60
NOTATION = "NOTATION"  # in a menu's text: the name of the game's notation
FIRST_TIME = (
    "The first answer may take a few seconds while the search is compiled for this machine."
)


class GamePage(theme.PagePart):
    """A page that shows one session at a time; subclasses say what may be done with it.

    `driver` moves for the session's players; whatever changes the position is its `change`.
    """

    path = "/"

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site
        self.session: GameSession | None = None
        self.driver: SessionDriver | None = None
        self.attends = False
        self.notation: Notation | None = None
        self.notation_items: list[tuple[ui.element, ui.label, str]] = []
        self.viewer: Viewer
        self.position: PositionDialog
        self.client.on_connect(self._attend)
        self.client.on_delete(self._gone)

    async def show_session(self, session: GameSession, *, turn: bool = True) -> None:
        """Make `session` the page's, and its name the page's address."""
        self._gone()
        self.session, self.driver = session, self.site.sessions.driver_of(session)
        session.listeners.append(self._heard)
        self.offer_notation(session)
        self.viewer.open(session, turn=turn)
        theme.replace_address(address(self.path, t=session.name))
        self.prepare(self.driver)
        self.refresh()
        self._attend()

    def _attend(self) -> None:
        """Have the session's players think, once a browser is really connected."""
        if self.driver and not self.attends and self.client.has_socket_connection:
            self.attends = True
            self.driver.attend()

    def prepare(self, driver: SessionDriver) -> None:
        """Make the driver ready for this page."""

    def change(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Do something that changes the position; None if there is no game."""
        return self.driver.change(act, *arguments) if self.driver else None

    def refresh(self) -> None:
        """Show whatever the page has beside the viewer."""

    def _gone(self) -> None:
        """Leave the session; players that are thinking are stopped, but not waited for."""
        if self.driver is not None:
            leaving, self.session, self.driver = self.driver, None, None
            leaving.session.listeners.remove(self._heard)
            leaving.advise(self, True)  # a page that has left does not count any more
            if self.attends:
                self.attends = False
                background_tasks.create(leaving.leave(), name="leave a session")

    def _heard(self, change: Change) -> None:
        if change == "position":
            self.viewer.follow()
        elif change == "thinking":
            self.viewer.refresh_board()
        else:
            self.viewer.refresh()
        self.refresh()

    def build_banner(self) -> ui.element:
        """Build what tells how the game has ended, or what is wrong; return it to be added to."""
        with ui.element("div").classes("banner").props('role="status"') as self.banner:
            self.verdict = ui.label().style("font-weight: 600")
        return self.banner

    def show_banner(self, session: GameSession, told: str) -> None:
        """Show the banner, while there is something to tell."""
        self.verdict.set_text(told)
        self.banner.set_visibility(bool(told))
        theme.set_class(self.banner, "bad", bool(session.trouble or session.unsaved))

    # --- the position and the game as text --------------------------------------------------

    def build_menu(self, *further: tuple[str, str, Callable[[], Any]]) -> None:
        """Build the menu of things to do with the game: (text, icon, act)."""
        entries = (
            ("Copy the position", "content_copy", self.copy_position),
            ("Copy as text", "description", self.copy_game),
            ("Download as text", "download", self.download),
            (f"Copy as {NOTATION}", "description", self.copy_notation),
            (f"Download as {NOTATION}", "download", self.download_notation),
            ("Save as …", "save", self.ask_name),
            ("Open a game …", "folder_open", self.ask_game),
            *further,
        )
        menu_button = theme.icon_button("more_horiz", "More", None)
        with menu_button, ui.menu():
            for text, icon, act in entries:
                with ui.menu_item(on_click=act).classes("line") as item:
                    ui.icon(icon).classes("dim")
                    label = ui.label(text)
                if NOTATION in text:
                    self.notation_items.append((item, label, text))

    def offer_notation(self, session: GameSession) -> None:
        """Offer the usual notation of the session's game, if there is one."""
        self.notation = notation_of(session.game)
        for item, label, text in self.notation_items:
            item.set_visibility(self.notation is not None)
            if self.notation:
                label.set_text(text.replace(NOTATION, self.notation.name))

    def ask_position(self) -> None:
        """Let the visitor set up another position, beginning with the one shown."""
        if self.session:
            self.position.open(self.session.game, self.session.line[self.viewer.ply].state)

    def open_analysis(self, adviser: str = "") -> None:
        """Open a copy of the game on the page where both sides can be moved."""
        if self.session:
            copy = self.site.sessions.copy(self.session)
            copy.tree.tags["below"] = str(self.viewer.lower)
            copy.adviser = adviser or copy.adviser
            copy.save()
            ui.navigate.to(address("/analysis", t=copy.name))

    def copy_position(self) -> None:
        """Put the shown position's text on the clipboard."""
        if self.session:
            state = self.session.line[self.viewer.ply].state
            _copy(self.session.game.state_text(state))

    def copy_game(self) -> None:
        """Put the game's text on the clipboard."""
        if self.session:
            _copy(self.session.text())

    def download(self) -> None:
        """Hand the game to the browser as a file."""
        if self.session:
            ui.download(self.session.text().encode(), f"{self.session.name}.txt", "text/plain")

    async def copy_notation(self) -> None:
        """Put the game, in its notation, on the clipboard."""
        if self.session and self.notation:
            text = await in_notation(self.notation, self.session)
            with self.client:
                _copy(text)

    async def download_notation(self) -> None:
        """Hand the game, in its notation, to the browser as a file."""
        if self.session and self.notation:
            name = f"{self.session.name}{self.notation.suffix}"
            text = await in_notation(self.notation, self.session)
            with self.client:
                ui.download(text.encode(), name, "text/plain")

    def ask_name(self) -> None:
        """Ask for a name and save the game under it."""
        with self.client, theme.dialog("Save the game") as dialog:
            name = ui.input("Name", value=self.session.name if self.session else "").props(
                "autofocus"
            )

            async def save() -> None:
                assert self.session is not None
                wanted = str(name.value).strip()
                try:
                    await off_loop(_save_as, self.session.name, wanted, self.session.text())
                except (EvoboardError, OSError) as error:
                    return theme.complain(str(error))
                dialog.close()
                ui.notify(f"Saved as {wanted}", timeout=2500)

            theme.dialog_buttons(dialog, "Save", save)
        dialog.open()

    async def ask_game(self) -> None:
        """Let the visitor choose one of the saved games."""
        found = await off_loop(saved_games, SHOWN_GAMES)
        with self.client, theme.dialog("Open a game") as dialog:
            if not found:
                ui.label("None yet. A game is saved automatically from its first move on.")
            theme.choice_list(
                (game.title, game.details, partial(ui.navigate.to, address(self.path, t=game.name)))
                for game in found
            )
            theme.dialog_buttons(dialog, close="Close")
        dialog.open()


class Opinion:
    """What a player thinks of the position: value, expected line, effort."""

    def __init__(self) -> None:
        with theme.card() as self.card:
            self.card.classes("opinion")
            with ui.element("div").classes("line"):
                self.value = ui.label().classes("value")
                self.who = ui.label().classes("dim small cut grow")
            self.line = ui.label().classes("small said")
            self.effort = ui.label().classes("dim small number")

    def show(self, session: GameSession, ply: int, who: str, thought: Thought | None) -> None:
        """Show a thought about a position of a session."""
        self.card.set_visibility(not (session.over and ply == session.ply))
        if thought is None:
            self.value.set_text("–")
            self.who.set_text(f"{who} is being asked" if ply == session.ply else who)
            self.line.set_text("")
            first = ply == session.ply and not any(node.thought for node in session.line)
            self.effort.set_text(FIRST_TIME if first else "")
            return
        state = session.line[ply].state
        value = seen_by_first(thought.value, session.game.side(state))
        self.value.set_text(value_text(value, thought.scale))
        self.who.set_text(f"{value_words(value, session.game.sides, thought.scale)}, says {who}")
        expects = expected(value, session.game.sides, thought.scale)
        line = line_text(session.game, state, thought.line)
        told = ", by ".join(part for part in (expects, line) if part)
        self.line.set_text(told and f"expects {told}")
        depth = f" · depth {thought.depth}" if thought.depth else ""
        effort = f"{seconds_text(thought.seconds)} · {counted(thought.nodes, 'position')}{depth}"
        self.effort.set_text(effort)


def session_asked_for(
    site: Site, query: dict[str, str], set_up: Callable[[Site, dict[str, str]], GameSession]
) -> tuple[GameSession, str]:
    """Return the session that an address asks for, and what is wrong with the address.

    If it names no game, or one that does not exist, `set_up` makes one.
    """
    name = query.get("t", "")
    try:
        found = site.sessions.find(name) if name else None
        missing = f"There is no game named {quoted(name)} here; this is a new one."
        return found or set_up(site, query), missing if name and not found else ""
    except EvoboardError as error:
        return set_up(site, {}), str(error)


def adviser_name(session: GameSession) -> str:
    """Return who is asked about the positions of a session."""
    return short_name(adviser_of(session.asked, session.game))


async def in_notation(notation: Notation, session: GameSession) -> str:
    """Return a game in its notation; of a copy, because play may go on while a thread writes."""
    return await off_loop(notation.write, session.described().copy())


def _save_as(known: str, name: str, text: str) -> None:
    """Save the game `known` under a name; another game's file is never overwritten."""
    path = game_path(name)
    if name != known and path.exists():
        raise OptionError(f"there is already a game named {name}; choose another name.")
    write_whole(path, text)


def _copy(text: str) -> None:
    ui.run_javascript(f"evoboard.copy({json.dumps(text)})")
    ui.notify("Copied", timeout=1200)
