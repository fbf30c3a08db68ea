"""Choosing the players of a tournament: any that are offered, at any generation and limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.web import theme
from evoboard.web.file_dialog import ask_file
from evoboard.web.opponents import offers, short_name
from evoboard.web.player_picker import PlayerPicker
from evoboard.web.threads import off_loop

FIRST = 3  # players chosen by default


class Picker(theme.PagePart):
    """The chosen players of a game, and the controls that add to them."""

    def __init__(self, on_change: Callable[[], Any]) -> None:
        self.on_change = on_change
        super().__init__()
        self.game: Game | None = None
        self.chosen: list[str] = []

    def build(self) -> None:
        """Build the elements."""
        theme.heading("Players")
        self.list = ui.element("div").classes("picked")
        self.candidate = PlayerPicker("Add a player")
        with ui.element("div").classes("line"):
            theme.button("Add", self._add, icon="add").classes("grow")
            theme.icon_button("upload_file", "Add a player or genome file", self._ask_file)

    async def begin(self, game: Game, players: list[str]) -> None:
        """Offer the players of a game, with `players` chosen, or the first ones offered."""
        found = await off_loop(offers, game)
        self.game = game
        self.candidate.offer(found)
        others = [offer.text for offer in found if offer.text not in players]
        wanted = [*players, *_varied(others)] if len(players) < 2 else players
        self.chosen = wanted[: max(FIRST, len(players))]
        self._show()
        self._suggest()

    def _suggest(self) -> None:
        """Offer a player that is not chosen yet."""
        player = self.candidate.player
        left = [text for text in self.candidate.offers if text not in self.chosen]
        if player.value in self.chosen and left:
            player.set_value(left[0])

    def _show(self) -> None:
        self.list.clear()
        with self.list:
            for text in self.chosen:
                with ui.element("div").classes("line tight"):
                    ui.label(short_name(text)).classes("grow said").props["title"] = text
                    remove = theme.icon_button("close", f"Remove {short_name(text)}", None)
                    remove.on("click", lambda text=text: self._remove(text))
        self.on_change()

    def _add(self) -> None:
        with self.complaining():
            self._choose(self.candidate.text())

    def _choose(self, text: str) -> None:
        if text in self.chosen:
            return self.complain(f"{short_name(text)} is already chosen.")
        self.chosen.append(text)
        self._show()
        return self._suggest()

    def _remove(self, text: str) -> None:
        self.chosen = [each for each in self.chosen if each != text]
        self._show()

    def _ask_file(self) -> None:
        if self.game:
            ask_file(self.client, self.game, self._loaded)

    def _loaded(self, text: str) -> None:
        with self.client:
            self._choose(text)


def _varied(texts: list[str]) -> list[str]:
    """Return players of different kinds first."""
    kinds: set[str] = set()
    first: list[str] = []
    rest: list[str] = []
    for text in texts:
        kind = split_options(text)[0]
        (rest if kind in kinds else first).append(text)
        kinds.add(kind)
    return [*first, *rest]
