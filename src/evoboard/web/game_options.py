"""The fields of a game's options, as its rules declare them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.arena.game_text import game_spec
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.web.site import Site
from evoboard.web.training.controls import Controls
from evoboard.web.training.form_values import experiment_data
from evoboard.web.training.schema import option_entries


class GameOptions:
    """A field for each option of a game; `on_change` is called when one has changed."""

    def __init__(self, site: Site, on_change: Callable[[], Any]) -> None:
        self.site = site
        self.values: dict[str, Any] = {}
        self.controls = Controls(lambda *_: on_change())
        self.box = ui.element("div").classes("fields")

    @property
    def name(self) -> str:
        """The game's name, or its file."""
        return str(self.values["game"]["name"]) if self.values else ""

    def show(self, game: Game) -> None:
        """Show the options of a game, as they are set there."""
        name = split_options(game_spec(game))[0]
        self.values = {"game": {"name": name, "options": dict(game.options)}}
        self.controls.begin(self.values)
        self.box.clear()
        with self.box:
            for entry in option_entries(game):
                self.controls.build(entry)

    def game(self) -> Game:
        """Return the game with its options as they are now; OptionError if one is wrong."""
        plain = self.site.load_game(self.name)
        return self.site.load_game(experiment_data(self.values, plain)["game"]["name"])
