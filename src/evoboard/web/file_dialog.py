"""The dialog in which a visitor hands over a file: a player, a network or genome, or a game.

A file that is refused leaves the dialog open, with the reason in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import events, ui

from evoboard.core.errors import EvoboardError, quoted
from evoboard.games.base import Game
from evoboard.web import theme
from evoboard.web.site import Site
from evoboard.web.table import Table
from evoboard.web.threads import off_loop
from evoboard.web.uploads import LARGEST, LARGEST_GAME, keep_player, own_game, read_game

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
    """What a file may be: words for it, how its name ends, how many bytes it may have."""

    title: str
    told: str
    suffix: str
    largest: int

    def refusal(self, failed: str, name: str, size: int) -> str:
        """Return why a file is not even read."""
        if failed == "max-file-size":
            return f"{quoted(name)} has {size:,} bytes; at most {self.largest:,} are read."
        if failed == "accept":
            return f"{quoted(name)} is no {self.suffix} file."
        return f"{quoted(name)} cannot be taken; choose one file at a time."


PLAYER = Wanted("Load a file", "A player, a network or a genome", ".json", LARGEST)
GAME = Wanted("Open a game file", "A game, as “Download the game” writes it", ".txt", LARGEST_GAME)


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


def ask_game_file(client: Any, site: Site, on_table: Callable[[Table], Any]) -> None:
    """Ask for a game; `on_table` gets a table with the file's game."""
    with client:
        _Dialog(GAME, on_table).open(lambda content, name: read_game(content, name, site.tables))


class _Dialog:
    """Built where it is made; `on_found` gets what `read` makes of a file's content and name."""

    def __init__(self, wanted: Wanted, on_found: Callable[[Any], Any]) -> None:
        self.wanted, self.on_found = wanted, on_found
        self.client = ui.context.client
        with ui.dialog() as self.dialog, ui.element("div").classes("card stack"):
            theme.heading(wanted.title)
            limit = f"{wanted.largest // 1_000_000} MB at most"
            ui.label(f"{wanted.told}: {wanted.suffix}, {limit}.").classes("dim")
            self.further = ui.element("div")
            self._build_zone()
            self.refused = ui.label().classes("drop-refused").props('role="alert"')
            self.refused.set_visibility(False)
            with ui.element("div").classes("line"):
                ui.element("span").classes("grow")
                theme.button("Cancel", self.dialog.close)
        self.dialog.on("hide", self.dialog.delete)

    def _build_zone(self) -> None:
        largest = self.wanted.largest
        self.zone = ui.upload(max_file_size=largest, auto_upload=True, on_upload=self._take)
        self.zone.props(f'accept="{self.wanted.suffix}" flat').classes("drop-zone")
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
        self.refused.set_text(reason)
        self.refused.set_visibility(True)
        self.zone.reset()
