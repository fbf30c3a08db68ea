"""The dialog in which a visitor opens a game file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from evoboard.core.errors import EvoboardError, NotationError, quoted
from evoboard.web import theme
from evoboard.web.site import Site
from evoboard.web.tables import Table
from evoboard.web.thinking import off_loop

LARGEST = 1_000_000  # bytes


def ask_game_file(client: Any, site: Site, on_table: Callable[[Table], Any]) -> None:
    """Open the dialog; `on_table` gets a table with the file's game."""
    with client, ui.dialog() as dialog, ui.element("div").classes("card stack"):
        theme.heading("Open a game file")
        ui.label("A game as text, as “Download the game” writes it.").classes("dim")

        async def take(event: events.UploadEventArguments) -> None:
            dialog.close()
            content, name = await event.file.read(), event.file.name
            with client:
                try:
                    table = await off_loop(read_game, content, name, site)
                except EvoboardError as error:
                    return theme.complain(error)
                return await theme.done(on_table(table))

        upload = ui.upload(max_file_size=LARGEST, max_files=1, auto_upload=True, on_upload=take)
        upload.on_rejected(lambda: theme.complain(f"A file may have {LARGEST:,} bytes."))
        upload.props('accept=".txt,text/plain" flat bordered').classes("full-width")
        with ui.element("div").classes("line"):
            ui.element("span").classes("grow")
            theme.button("Cancel", dialog.close)
    dialog.open()


def read_game(content: bytes, name: str, site: Site) -> Table:
    """Return a table with the game that a file holds; NotationError names the file."""
    try:
        return site.tables.from_text(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotationError(f"{quoted(name)} is no text in UTF-8.") from None
    except EvoboardError as error:
        raise NotationError(f"{quoted(name)}: {error}") from error
