"""The dialog in which a visitor hands over a file: a player, a network or genome, or a game.

A file that is refused leaves the dialog open, with the reason in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import events, ui

from evoboard.arena.game_files import OWN
from evoboard.arena.notation.base import FoundGame, notations
from evoboard.core.errors import EvoboardError, quoted
from evoboard.core.wording import counted, listed
from evoboard.games.base import Game
from evoboard.web import theme
from evoboard.web.session import GameSession
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.uploads import (
    LARGEST,
    LARGEST_GAME,
    keep_player,
    open_found,
    own_game,
    read_file,
)
from evoboard.web.values import written_score

ui.add_css((Path(__file__).parent / "file_dialog.css").read_text(encoding="utf-8"), shared=True)

ZONE = """
<div class="drop-line">
  <span>{{ props.isUploading ? "Reading the file …" : "Drop a file here or" }}</span>
  <button type="button" @click="props.pickFiles($event)">Choose a file</button>
  <q-uploader-add-trigger></q-uploader-add-trigger>
</div>"""
# Of each refused file: which check it failed, its name and its size.
REFUSED = """
(all) => emit(all.map(({ failedPropValidation, file: { name, size } }) =>
  [failedPropValidation, name, size]))"""


@dataclass(frozen=True)
class Wanted:
    """What a file may be: words for it, how its name may end, how many bytes it may have."""

    title: str
    told: str
    suffixes: tuple[str, ...]
    largest: int

    def refusal(self, failed: str, name: str, size: int) -> str:
        """Return why a file is not even read."""
        if failed == "max-file-size":
            return f"{quoted(name)} has {size:,} bytes; at most {self.largest:,} are read."
        if failed == "accept":
            return f"{quoted(name)} is not a {listed(self.suffixes, 'or')} file."
        return f"{quoted(name)} cannot be taken; choose one file at a time."


GENOMES = (".json", ".genome", ".txt")
PLAYER = Wanted("Load a file", "A player, a network or a genome", GENOMES, LARGEST)
GAME = Wanted(
    "Open a game file",
    "One game or several, in evoboard's own format, PGN or PDN",
    (OWN, *(notation.suffix for notation in notations())),
    LARGEST_GAME,
)
MOST_LISTED = 300  # games of a file to choose from


def ask_file(client: Any, game: Game, on_player: Callable[[str], Any]) -> None:
    """Ask for a player of a game; `on_player` gets the text of the player in the file."""
    with client:
        _Dialog(PLAYER, on_player).open(lambda content, name: keep_player(content, name, game))


def ask_network(client: Any, site: Site, here: str, on_player: Callable[[str], Any]) -> None:
    """Ask for a player of any game, the game `here` chosen.

    A bare network or genome does not say which game it plays, so the visitor does.
    """
    with client:
        dialog = _Dialog(PLAYER, on_player)
        with dialog.further:
            field = ui.select(site.games, value=here, label="Game, if the file names none")

        def read(content: bytes, name: str) -> str:
            game = site.load_game(own_game(content) or str(field.value))
            return keep_player(content, name, game)

        dialog.open(read)


def ask_game_file(client: Any, site: Site, on_session: Callable[[GameSession], Any]) -> None:
    """Ask for a game; `on_session` gets one with the file's game, or the chosen one of many."""

    def read(content: bytes, name: str) -> GameSession | _Several:
        found = read_file(content, name)
        if len(found) > 1:
            return _Several(found, name)
        return open_found(found[0], name, site.sessions)

    async def show(session: GameSession) -> None:
        if session.tree.tags.get("dropped"):
            ui.notify(f"Not kept: {session.tree.tags['dropped']}", timeout=5000)
        await theme.done(on_session(session))

    def take(made: GameSession | _Several) -> Any:
        return made.ask(client, site, show) if isinstance(made, _Several) else show(made)

    with client:
        _Dialog(GAME, take).open(read)


@dataclass(frozen=True)
class _Several:
    """The games of a file, one of which is to be chosen."""

    found: list[FoundGame]
    file: str

    def ask(self, client: Any, site: Site, on_session: Callable[[GameSession], Any]) -> None:
        """Let the visitor choose; a game that cannot be played leaves the list open."""
        with client, theme.dialog("Choose a game") as dialog:
            more = len(self.found) > MOST_LISTED
            rest = f", the first {MOST_LISTED} of which are listed" if more else ""
            ui.label(f"The file has {counted(len(self.found), 'game')}{rest}.").classes("dim")
            refused = theme.Message("drop-refused")

            async def choose(game: FoundGame) -> None:
                try:
                    session = await off_loop(open_found, game, self.file, site.sessions)
                except EvoboardError as error:
                    return refused.say(str(error))
                with client:
                    dialog.close()
                    await theme.done(on_session(session))
                return None

            theme.choice_list(
                (
                    " – ".join(name or "?" for name in game.players),
                    _game_label(game),
                    partial(choose, game),
                )
                for game in self.found[:MOST_LISTED]
            )
            theme.dialog_buttons(dialog)
        dialog.on("hide", dialog.delete)
        dialog.open()


def _game_label(game: FoundGame) -> str:
    """Return what tells a game from the others of its file."""
    told = (f"{game.number}", written_score(game.result), game.date, game.event)
    return " · ".join(part for part in told if part)


class _Dialog:
    """Built where it is made; `on_found` gets what `read` makes of a file's content and name."""

    def __init__(self, wanted: Wanted, on_found: Callable[[Any], Any]) -> None:
        self.wanted, self.on_found = wanted, on_found
        self.client = ui.context.client
        with theme.dialog(wanted.title) as self.dialog:
            limit = f"{wanted.largest // 1_000_000} MB at most"
            ui.label(f"{wanted.told}: {listed(wanted.suffixes, 'or')}, {limit}.").classes("dim")
            self.further = ui.element("div")
            self._build_zone()
            self.refused = theme.Message("drop-refused")
            theme.dialog_buttons(self.dialog)
        self.dialog.on("hide", self.dialog.delete)

    def _build_zone(self) -> None:
        largest = self.wanted.largest
        self.zone = ui.upload(max_file_size=largest, auto_upload=True, on_upload=self._take)
        accepted = ",".join(self.wanted.suffixes)
        self.zone.props(f'accept="{accepted}" flat').classes("drop-zone")
        self.zone.add_slot("header", ZONE)
        self.zone.on("rejected", self._rejected, js_handler=REFUSED)
        self.zone.on("failed", lambda: self._refuse("The file could not be sent; try again."), [])

    def open(self, read: Callable[[bytes, str], Any]) -> None:
        """Show it."""
        self.read = read
        self.dialog.open()

    async def _take(self, event: events.UploadEventArguments) -> None:
        content, name = await event.file.read(), event.file.name
        try:
            found = await off_loop(self.read, content, name)
        except EvoboardError as error:
            return self._refuse(str(error))
        with self.client:
            self.dialog.close()
            await theme.done(self.on_found(found))
        return None

    def _rejected(self, event: events.GenericEventArguments) -> None:
        failed, name, size = event.args[0]
        self._refuse(self.wanted.refusal(str(failed), str(name), int(size)))

    def _refuse(self, reason: str) -> None:
        """Say why a file is refused; another one may be handed over."""
        self.refused.say(reason)
        self.zone.reset()
