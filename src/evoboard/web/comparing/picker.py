"""Choosing the players of a tournament: any that are offered, at any generation and limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game
from evoboard.players.base import split_player
from evoboard.web import theme
from evoboard.web.file_dialog import ask_file
from evoboard.web.new_game import LIMITS, USUAL, chosen_generation, generation_field
from evoboard.web.opponents import (
    Offer,
    at_generation,
    offers,
    require_offered,
    short_name,
    with_limit,
)
from evoboard.web.threads import off_loop

FIRST = 3  # players that are chosen where nobody has chosen any


class Picker(theme.PagePart):
    """The chosen players of a game, and the controls that add to them."""

    def __init__(self, on_change: Callable[[], Any]) -> None:
        self.on_change = on_change
        super().__init__()
        self.game: Game | None = None
        self.offers: dict[str, Offer] = {}
        self.chosen: list[str] = []

    def build(self) -> None:
        """Build the elements."""
        theme.heading("Players")
        self.list = ui.element("div").classes("picked")
        self.player = ui.select({}, label="Add a player", on_change=self._player_chosen)
        self.player.classes("full-width")
        self.about = ui.label().classes("dim small")
        self.generation = generation_field()
        with ui.element("div").classes("line tight") as self.strength:
            self.limit = ui.select({}, label="Thinks", on_change=self._limit_chosen).classes("grow")
            self.amount = ui.number(value=2, min=0.05, format="%g").style("width: 92px")
        with ui.element("div").classes("line"):
            theme.button("Add", self._add, icon="add").classes("grow")
            theme.icon_button("upload_file", "Add a player or genome file", self._ask_file)

    async def begin(self, game: Game, players: list[str]) -> None:
        """Offer the players of a game; `players` are chosen already, else the first offered."""
        found = await off_loop(offers, game)
        self.game = game
        self.offers = {offer.text: offer for offer in found}
        shown = {o.text: o.label for o in found}
        self.player.set_options(shown, value=found[0].text)
        self.about.set_text(found[0].about)
        others = [offer.text for offer in found if offer.text not in players]
        wanted = [*players, *_varied(others)] if len(players) < 2 else players
        self.chosen = wanted[: max(FIRST, len(players))]
        self._show()
        self._suggest()

    def _suggest(self) -> None:
        """Offer a player that is not chosen yet."""
        left = [text for text in self.offers if text not in self.chosen]
        if self.player.value in self.chosen and left:
            self.player.set_value(left[0])

    def _show(self) -> None:
        self.list.clear()
        with self.list:
            for text in self.chosen:
                with ui.element("div").classes("line tight"):
                    ui.label(self.label(text)).classes("grow said").props["title"] = text
                    remove = theme.icon_button("close", f"Remove {self.label(text)}", None)
                    remove.on("click", lambda text=text: self._remove(text))
        self.on_change()

    def label(self, text: str) -> str:
        """Return a player's name for people."""
        return short_name(text)

    def _player_chosen(self, event: Any) -> None:
        offer = self.offers.get(event.value or "")
        self.about.set_text(offer.about if offer else "")
        limits = offer.limits if offer else ()
        self.generation.set_visibility(str(event.value).startswith("run:"))
        self.strength.set_visibility(bool(limits))
        if limits:
            self.limit.set_options({name: LIMITS[name] for name in limits}, value=limits[0])
            self._show_amount(limits[0])

    def _limit_chosen(self, event: Any) -> None:
        self._show_amount(str(event.value))

    def _show_amount(self, limit: str) -> None:
        """Show the usual amount of a limit; where the player names one, that."""
        own = split_player(str(self.player.value or ""))[1].get(limit, "")
        self.amount.set_visibility(limit != "own")
        usual = float(own) if own.replace(".", "", 1).isdigit() else USUAL.get(limit, 0.0)
        self.amount.set_value(usual or None)

    def _add(self) -> None:
        text = str(self.player.value)
        offer = self.offers.get(text)
        try:
            text = at_generation(text, chosen_generation(self.generation))
            if offer and offer.limits and self.limit.value != "own" and self.amount.value:
                text = with_limit(text, str(self.limit.value), float(self.amount.value))
            self._choose(require_offered(text))
        except EvoboardError as error:
            self.complain(error)

    def _choose(self, text: str) -> None:
        if text in self.chosen:
            return self.complain(f"{self.label(text)} is chosen already.")
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
        kind = split_player(text)[0]
        (rest if kind in kinds else first).append(text)
        kinds.add(kind)
    return [*first, *rest]
