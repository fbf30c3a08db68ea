"""The fields of a game's options, as its rules declare them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.arena.game_text import game_spec
from evoboard.games.base import Game
from evoboard.games.options import split_options
from evoboard.web.site import Site
from evoboard.web.training.controls import Controls
from evoboard.web.training.schema import option_entries
from evoboard.web.training.sheet import option_text, to_data


class GameOptions:
    """A field for each option of a game; `on_change` hears that one has another value."""

    def __init__(self, site: Site, on_change: Callable[[], Any]) -> None:
        self.site = site
        self.sheet: dict[str, Any] = {}
        self.controls = Controls(lambda *_: on_change())
        self.box = ui.element("div").classes("fields")

    @property
    def name(self) -> str:
        """The game's name, or its file."""
        return str(self.sheet["game"]["name"]) if self.sheet else ""

    def show(self, game: Game) -> None:
        """Show the options of a game, as they are set there."""
        options = {key: option_text(value) for key, value in game.options.items()}
        self.sheet = {"game": {"name": split_options(game_spec(game))[0], "options": options}}
        self.controls.begin(self.sheet)
        self.box.clear()
        with self.box:
            for entry in option_entries(game):
                self.controls.build(entry)

    def game(self) -> Game:
        """Return the game with its options as they are now; OptionError: one is wrong."""
        plain = self.site.load_game(self.name)
        return self.site.load_game(to_data(self.sheet, plain)["game"]["name"])
