"""The dialog that starts a game: which one, against whom, how strong, which side, from where."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args, get_origin

from nicegui import ui

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game
from evoboard.games.options import declared_options, split_options
from evoboard.players.base import make_player, split_player
from evoboard.web import theme
from evoboard.web.opponents import (
    Offer,
    at_generation,
    offers,
    require_offered,
    short_name,
    with_limit,
)
from evoboard.web.position_dialog import PositionDialog
from evoboard.web.site import Site
from evoboard.web.threads import off_loop

LIMITS = {
    "own": "as usual",
    "depth": "plies ahead",
    "rounds": "random games",
    "seconds": "seconds a move",
}
USUAL = {"own": 0.0, "depth": 2.0, "rounds": 1000.0, "seconds": 1.0}
RANDOM_SIDE = 2


@dataclass(frozen=True)
class Choice:
    """What was chosen: game, opponent's text, the person's side, the start (None: the usual)."""

    game: Game
    opponent: str
    side: int
    start: Array | None


def generation_field() -> ui.number:
    """Return the field for the generation of a run's player."""
    made = ui.number("Generation (empty: the run's best)", min=0, format="%d")
    return made.classes("full-width").props("clearable")


def chosen_generation(field: ui.number) -> int | None:
    """Return the generation that is asked for, None for the best."""
    return None if field.value is None or not field.visible else max(0, int(field.value))


class Setting(NamedTuple):
    """A player taken apart: the offer it comes from, how it is limited, of which generation."""

    offer: Offer
    limit: str = "own"
    amount: float | None = None
    generation: int | None = None


def setting_of(text: str, found: Sequence[Offer], game: Game) -> Setting:
    """Return the offer that a player's text comes from and what is set about it.

    Where there is none, an offer of its own; where none of the offer's limits is set, the text
    itself is what the offer is about.
    """
    before = Setting(Offer(text, short_name(text), "As before."))
    kind, options = split_player(text)
    given = [name for name in ("depth", "rounds", "seconds") if name in options]
    offer = next((o for o in found if _bare(o.text, game) == _bare(text, game)), None)
    if offer is not None and offer.text == text and not offer.limits:
        return Setting(offer)
    if offer is None or len(given) > 1:
        return before
    run = re.fullmatch(r"[^@]*@gen=(\d+)", options.get("", ""))
    generation = int(run[1]) if kind == "run" and run else None
    if not given:
        if offer.limits and "own" not in offer.limits:
            offer = replace(offer, text=text, limits=("own", *offer.limits))
        return Setting(offer, generation=generation)
    if given[0] not in offer.limits:
        return before
    try:
        return Setting(offer, given[0], float(options[given[0]]), generation)
    except ValueError:
        return before


def _bare(text: str, game: Game) -> tuple[str, dict[str, str]]:
    """Return kind and options of a player without what the dialog asks for beside it."""
    kind, options = split_player(with_limit(text, "own", 0))
    if "seconds" in split_player(text)[1] and options.get("search") == "pvs":
        del options["search"]
    if kind == "run" and "#" not in options.get("", ""):
        options[""] = options.get("", "").partition("@gen=")[0]
    if kind == "champion":
        options.setdefault("", game.name)
    return kind, options


class NewGameDialog:
    """Asks for a new game; `on_start` gets the choice."""

    def __init__(self, site: Site, on_start: Callable[[Choice], Any]) -> None:
        self.site, self.on_start = site, on_start
        self.offers: dict[str, Offer] = {}
        self.start: Array | None = None
        self.game: Game | None = None
        self.options: dict[str, Any] = {}
        with ui.dialog() as self.dialog, ui.element("div").classes("card stack"):
            theme.heading("New game")
            self.name = ui.select(site.games, label="Game", on_change=self._game_chosen)
            self.about_game = ui.label().classes("dim small")
            self.rules = ui.element("div").classes("line")
            self.opponent = ui.select({}, label="Opponent", on_change=self._opponent_chosen)
            self.about_opponent = ui.label().classes("dim small")
            self.generation = generation_field()
            with ui.element("div").classes("line") as self.strength:
                self.limit = ui.select({}, label="Thinks", on_change=self._limit_chosen).classes(
                    "grow"
                )
                self.amount = ui.number(value=2, min=0.05, format="%g").style("width: 110px")
            with ui.element("div").classes("line"):
                ui.label("You play").classes("dim")
                self.side = ui.toggle({0: "", 1: "", RANDOM_SIDE: "Either"}, value=0)
            with ui.element("div").classes("line"):
                self.start_text = ui.label("From the usual start").classes("dim small grow cut")
                theme.button("Set up a position …", self._set_up, icon="edit")
            self.told = ui.label().classes("small said").style("color: var(--warn)")
            with ui.element("div").classes("line"):
                ui.element("span").classes("grow")
                theme.button("Cancel", self.dialog.close)
                theme.button("Play", self._finish, main=True).mark("start")
        self.position = PositionDialog(self._placed)

    async def open(self, spec: str, opponent: str, side: int, start: Array | None = None) -> None:
        """Open the dialog with what was played last."""
        self.told.set_text("")
        await self._load(spec)
        self.name.set_value(split_options(spec)[0])
        self._take(opponent)
        self.side.set_value(side)
        if start is not None:
            self._placed(start)
        self.dialog.open()

    def _take(self, opponent: str) -> None:
        """Choose the opponent as it was, each thing about it in its field."""
        assert self.game is not None
        found = list(self.offers.values())
        known = setting_of(opponent, found, self.game)
        listed = found
        if known.offer.limits:  # it is one of those offered, perhaps under another text
            bare = _bare(known.offer.text, self.game)
            listed = [known.offer if _bare(o.text, self.game) == bare else o for o in found]
        if known.offer not in listed:
            listed.append(known.offer)
        self.offers = {offer.text: offer for offer in listed}
        self._list_offers()
        self.opponent.set_value(known.offer.text)
        self._show_offer(known.offer)
        if known.offer.limits:
            self.limit.set_value(known.limit)
            self.amount.set_value(known.amount)
        self.generation.set_value(known.generation)

    async def _game_chosen(self, event: Any) -> None:
        if event.value and (self.game is None or event.value != split_options(self.spec)[0]):
            await self._load(event.value)

    async def _load(self, spec: str) -> None:
        """Show a game's options and opponents."""
        game = await off_loop(self.site.load_game, spec)
        found = await off_loop(offers, game)
        self.game, self.spec, self.start = game, spec, None
        self.start_text.set_text("From the usual start")
        self.about_game.set_text(f"{game.title}.")
        self.offers = {offer.text: offer for offer in found}
        self._list_offers()
        self.opponent.set_value(found[0].text)
        self.side.set_options({0: game.sides[0], 1: game.sides[1], RANDOM_SIDE: "Either"}, value=0)
        self._show_rules(game)

    async def _rules_changed(self) -> None:
        """Offer the players that can play the game by these rules."""
        try:
            found = await off_loop(lambda: offers(self._chosen_game()))
        except EvoboardError as error:
            self.told.set_text(str(error))
            return
        self.told.set_text("")
        self.offers = {offer.text: offer for offer in found}
        chosen = self.opponent.value
        self._list_offers()
        if chosen not in self.offers:
            self.opponent.set_value(found[0].text)

    def _list_offers(self) -> None:
        self.opponent.set_options({o.text: o.label for o in self.offers.values()})

    def _show_rules(self, game: Game) -> None:
        """Build a control for each of the game's options."""
        self.rules.clear()
        self.options = {}
        configure: Any = game.written("configure")
        with self.rules:
            for name, (kind, _) in declared_options(configure).items():
                value, label = game.options[name], name.replace("_", " ")
                if get_origin(kind) is Literal:
                    control: Any = ui.select(list(get_args(kind)), label=label, value=value)
                elif kind is bool:
                    control = ui.switch(label, value=value)
                elif kind is int:
                    control = ui.number(label, value=value, format="%d").style("width: 130px")
                else:
                    text = "/".join(map(str, value)) if isinstance(value, tuple) else str(value)
                    control = ui.input(label, value=text).style("width: 150px")
                control.on("change", self._rules_changed)
                if not isinstance(control, ui.input | ui.number):  # these change letter by letter
                    control.on_value_change(self._rules_changed)
                self.options[name] = control
        self.rules.set_visibility(bool(self.options))

    def _opponent_chosen(self, event: Any) -> None:
        self._show_offer(self.offers.get(event.value or ""))

    def _show_offer(self, offer: Offer | None) -> None:
        limits = offer.limits if offer else ()
        self.about_opponent.set_text(offer.about if offer else "")
        self.generation.set_visibility(offer is not None and offer.text.startswith("run:"))
        self.strength.set_visibility(bool(limits))
        if limits:
            self.limit.set_options({name: LIMITS[name] for name in limits}, value=limits[0])
            self.amount.set_value(USUAL[limits[0]] or None)

    def _limit_chosen(self, event: Any) -> None:
        self.amount.set_visibility(event.value != "own")
        self.amount.set_value(USUAL.get(event.value, 0.0) or None)

    async def _set_up(self) -> None:
        try:
            game = await off_loop(self._chosen_game)
        except EvoboardError as error:
            self.told.set_text(str(error))
            return
        self.position.open(game, game.initial() if self.start is None else self.start)

    def _placed(self, state: Array) -> None:
        self.start = state
        if self.game:
            self.start_text.set_text(f"From {self.game.state_text(state)}")

    def _chosen_game(self) -> Game:
        """Return the game with its options as they are set."""
        parts = []
        for name, control in self.options.items():
            value = control.value
            if isinstance(value, float):  # what a number field returns
                value = f"{value:g}"
            parts.append(f"{name}={str(value).lower() if isinstance(value, bool) else value}")
        name = str(self.name.value)
        return self.site.load_game(f"{name}:{','.join(parts)}" if parts else name)

    async def _finish(self) -> None:
        try:
            game = await off_loop(self._chosen_game)
            text = str(self.opponent.value)
            offer = self.offers[text]
            text = at_generation(text, chosen_generation(self.generation))
            if offer.limits and self.limit.value != "own" and self.amount.value:
                text = with_limit(text, str(self.limit.value), float(self.amount.value))
            await off_loop(make_player, require_offered(text), game)
            start = self.start
            if start is not None:
                start = game.parse_state(self.game.state_text(start)) if self.game else None
        except EvoboardError as error:
            self.told.set_text(str(error))
            return
        side = self.side.value
        if side == RANDOM_SIDE:
            side = secrets.randbelow(2)
        self.dialog.close()
        await theme.done(self.on_start(Choice(game, text, int(side or 0), start)))
