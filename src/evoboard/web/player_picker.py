"""Fields that choose a player: who, of which generation of a run, how long it thinks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from nicegui import ui

from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.players.levels import elo_of
from evoboard.web.opponents import (
    Offer,
    at_generation,
    require_offered,
    short_name,
    with_limit,
)

LIMITS = {
    "own": "as usual",
    "level": "level, 1 to 10",
    "depth": "plies ahead",
    "rounds": "random games",
    "seconds": "seconds a move",
}
USUAL = {"own": 0.0, "level": 3.0, "depth": 2.0, "rounds": 1000.0, "seconds": 1.0}


def generation_field() -> ui.number:
    """Return the field for the generation of a run's player."""
    made = ui.number("Generation (empty: the run's best)", min=0, format="%d")
    return made.classes("full-width").props("clearable")


def chosen_generation(field: ui.number) -> int | None:
    """Return the generation that is asked for, None for the best."""
    return None if field.value is None or not field.visible else max(0, int(field.value))


class PlayerPicker:
    """The fields of one player, among those offered."""

    def __init__(self, label: str) -> None:
        self.offers: dict[str, Offer] = {}
        self.player = ui.select({}, label=label, on_change=self._player_chosen)
        self.player.classes("full-width")
        self.about = ui.label().classes("dim small")
        self.generation = generation_field()
        with ui.element("div").classes("line tight") as self.strength:
            self.limit = ui.select({}, label="Thinks", on_change=self._limit_chosen).classes("grow")
            self.amount = ui.number(value=2, min=0.05, format="%g", on_change=self._show_elo)
            self.amount.style("width: 110px")
        self.elo = ui.label().classes("dim small")

    def offer(self, found: Sequence[Offer]) -> None:
        """Offer players; the chosen one stays chosen if it is among them, or else the first is."""
        self.offers = {offer.text: offer for offer in found}
        labels = {offer.text: offer.label for offer in found}
        if self.player.value in labels:
            self.player.set_options(labels)
        else:
            self.player.set_options(labels, value=found[0].text)

    def take(self, text: str, game: Game) -> None:
        """Choose a player by its text, each thing about it in its field."""
        listed = list(self.offers.values())
        known = picked(text, listed, game)
        if known.offer.limits:  # it is one of those offered, perhaps under another text
            bare = _bare(known.offer.text, game)
            listed = [known.offer if _bare(o.text, game) == bare else o for o in listed]
        if known.offer not in listed:
            listed.append(known.offer)
        self.offer(listed)
        self.player.set_value(known.offer.text)
        self._show(known.offer)
        if known.offer.limits:
            self.limit.set_value(known.limit)
            self.amount.set_value(known.amount)
        self.generation.set_value(known.generation)

    def text(self) -> str:
        """Return the text of the player that is chosen; OptionError if it may not be named."""
        text = str(self.player.value)
        offer = self.offers.get(text)
        text = at_generation(text, chosen_generation(self.generation))
        if offer and offer.limits and self.limit.value != "own" and self.amount.value:
            text = with_limit(text, str(self.limit.value), float(self.amount.value))
        return require_offered(text)

    def _player_chosen(self, event: Any) -> None:
        self._show(self.offers.get(event.value or ""))

    def _show(self, offer: Offer | None) -> None:
        limits = offer.limits if offer else ()
        self.about.set_text(offer.about if offer else "")
        self.generation.set_visibility(offer is not None and offer.text.startswith("run:"))
        self.strength.set_visibility(bool(limits))
        if limits:
            self.limit.set_options({name: LIMITS[name] for name in limits}, value=limits[0])
            self._show_amount(limits[0])

    def _limit_chosen(self, event: Any) -> None:
        self._show_amount(str(event.value))

    def _show_amount(self, limit: str) -> None:
        """Show the usual amount of a limit, or the one in the player's text."""
        own = split_options(str(self.player.value or ""))[1].get(limit, "")
        self.amount.set_visibility(limit != "own")
        usual = float(own) if own.replace(".", "", 1).isdigit() else USUAL.get(limit, 0.0)
        self.amount.set_value(usual or None)
        self._show_elo()

    def _show_elo(self) -> None:
        """Show how strong the chosen level is, if that is known."""
        level = self.amount.value if self.limit.value == "level" else None
        self.elo.set_text(level_words(str(self.player.value or ""), level))


def level_words(text: str, level: float | None) -> str:
    """Return how strong a champion is at a level: "about Elo 1,500"; "" if unknown."""
    kind, options = split_options(text)
    known = None if level is None or kind != "champion" else elo_of(options.get("", ""), level)
    return "" if known is None else f"about Elo {known:,} by Stockfish's scale"


class Picked(NamedTuple):
    """A player taken apart: the offer it comes from, how it is limited, of which generation."""

    offer: Offer
    limit: str = "own"
    amount: float | None = None
    generation: int | None = None


def picked(text: str, found: Sequence[Offer], game: Game) -> Picked:
    """Return the offer that a player's text comes from and what is set about it.

    If there is none, an offer of its own; if none of the offer's limits is set, the text itself
    becomes the offer.
    """
    before = Picked(Offer(text, short_name(text), "As before."))
    kind, options = split_options(text)
    given = [name for name in LIMITS if name in options]
    offer = next((o for o in found if _bare(o.text, game) == _bare(text, game)), None)
    if offer is not None and offer.text == text and not offer.limits:
        return Picked(offer)
    if offer is None or len(given) > 1:
        return before
    run = re.fullmatch(r"[^@]*@gen=(\d+)", options.get("", ""))
    generation = int(run[1]) if kind == "run" and run else None
    if not given:
        if offer.limits and "own" not in offer.limits:
            offer = replace(offer, text=text, limits=("own", *offer.limits))
        return Picked(offer, generation=generation)
    if given[0] not in offer.limits:
        return before
    try:
        return Picked(offer, given[0], float(options[given[0]]), generation)
    except ValueError:
        return before


def _bare(text: str, game: Game) -> tuple[str, dict[str, str]]:
    """Return kind and options of a player without what the dialog asks for beside it."""
    kind, options = split_options(with_limit(text, "own", 0))
    if "seconds" in split_options(text)[1] and options.get("search") == "pvs":
        del options["search"]
    if kind == "run" and "#" not in options.get("", ""):
        options[""] = options.get("", "").partition("@gen=")[0]
    if kind == "champion":
        options.setdefault("", game.name)
    return kind, options
