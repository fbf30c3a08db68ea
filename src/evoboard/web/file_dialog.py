"""The dialog in which a visitor loads a player, network or genome file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game
from evoboard.web import theme
from evoboard.web.thinking import off_loop
from evoboard.web.uploads import LARGEST, keep_player


def ask_file(client: Any, game: Game, on_player: Callable[[str], Any]) -> None:
    """Open the dialog; `on_player` gets the text of the player in the file."""
    with client, ui.dialog() as dialog, ui.element("div").classes("card stack"):
        theme.heading("Load a file")
        size = LARGEST // 1_000_000
        ui.label(f"A player, a network or a genome as JSON, {size} MB at most.").classes("dim")

        async def take(event: events.UploadEventArguments) -> None:
            dialog.close()
            try:
                content = await event.file.read()
                text = await off_loop(keep_player, content, event.file.name, game)
            except EvoboardError as error:
                with client:
                    theme.complain(error)
                return
            await theme.done(on_player(text))

        upload = ui.upload(max_file_size=LARGEST, max_files=1, auto_upload=True, on_upload=take)
        upload.on_rejected(lambda: theme.complain(f"A file may have {LARGEST:,} bytes."))
        upload.props('accept=".json" flat bordered').classes("full-width")
        with ui.element("div").classes("line"):
            ui.element("span").classes("grow")
            theme.button("Cancel", dialog.close)
    dialog.open()
