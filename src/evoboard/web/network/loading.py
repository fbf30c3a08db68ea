"""The dialog in which a visitor loads a network of any game."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from evoboard.core.errors import EvoboardError
from evoboard.web import theme
from evoboard.web.site import Site
from evoboard.web.thinking import off_loop
from evoboard.web.uploads import LARGEST, keep_player


def ask_network(client: Any, site: Site, here: str, on_player: Callable[[str], Any]) -> None:
    """Open the dialog, the game `here` chosen; `on_player` gets the text of the file's player.

    A bare network or genome does not say which game it plays, so the visitor does.
    """
    with client, ui.dialog() as dialog, ui.element("div").classes("card stack"):
        theme.heading("Load a file")
        size = LARGEST // 1_000_000
        ui.label(f"A player, a network or a genome as JSON, {size} MB at most.").classes("dim")
        game = ui.select(site.games, value=here, label="Game")

        async def take(event: events.UploadEventArguments) -> None:
            dialog.close()
            content, name = await event.file.read(), event.file.name
            try:
                text = await off_loop(_keep, content, name, str(game.value), site)
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


def _keep(content: bytes, name: str, game: str, site: Site) -> str:
    return keep_player(content, name, site.load_game(_own_game(content) or game))


def _own_game(content: bytes) -> str:
    """Return the game that a player's file names, empty where it names none."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    says = isinstance(data, dict) and "format" in data and "game" in data
    return str(data["game"]) if says else ""
