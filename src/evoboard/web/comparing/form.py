"""The form of a tournament: game, players, games per pair, openings, seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.core.settings import read
from evoboard.games.base import Game
from evoboard.web import theme
from evoboard.web.comparing.picker import Picker
from evoboard.web.comparing.tournaments import TournamentPlan
from evoboard.web.game_options import GameOptions
from evoboard.web.opponents import require_offered
from evoboard.web.site import Site
from evoboard.web.threads import off_loop


class TournamentForm:
    """Asks for a tournament; `on_start` gets its plan."""

    def __init__(self, site: Site, on_start: Callable[[TournamentPlan], Any]) -> None:
        self.site, self.on_start = site, on_start

    def build(self) -> None:
        """Build the elements."""
        with theme.card():
            theme.heading("New tournament", 1)
            self.name = ui.select(self.site.games, label="Game", on_change=self._game_chosen)
            self.options = GameOptions(self.site, self._option_changed)
            self.picker = Picker(self._count_games)
            self.picker.build()
            with ui.element("div").classes("fields three"):
                self.games = ui.number("Games", value=20, min=2, step=2, format="%d")
                self.plies = ui.number("Opening", min=0, max=100, format="%d", suffix="plies")
                self.seed = ui.number("Seed", value=1, min=0, format="%d")
            self.games.on_value_change(self._count_games)
            self.summary = ui.label().classes("dim small")
            self.told = theme.Message("small said train-told")
            theme.button("Play the tournament", self._start, main=True)

    async def prepare(self, game: Game, players: list[str]) -> None:
        """Offer a game's options and players."""
        self.options.show(game)
        self.name.set_value(self.options.name)
        self.plies.set_value(game.opening_plies)
        await self.picker.begin(game, players)

    async def repeat(self, plan: TournamentPlan) -> None:
        """Fill the form with a tournament that was played."""
        await self.prepare(plan.game, list(plan.players))
        self.games.set_value(plan.games)
        self.seed.set_value(plan.seed)
        if plan.opening_plies is not None:
            self.plies.set_value(plan.opening_plies)

    async def _game_chosen(self, event: Any) -> None:
        if event.value and event.value != self.options.name:
            await self.prepare(await off_loop(self.site.load_game, str(event.value)), [])
            self.told.say("")

    async def _option_changed(self) -> None:
        try:
            await off_loop(self.options.game)
            self.told.say("")
        except EvoboardError as error:
            self.told.say(str(error))

    def _plan(self) -> TournamentPlan:
        players = tuple(require_offered(text) for text in self.picker.chosen)
        game, plies = self.options.game(), self.plies.value
        numbers = {
            "games": self.games.value,
            "seed": self.seed.value,
            "opening_plies": None if plies == game.opening_plies else plies,
        }
        given = {name: number for name, number in numbers.items() if number is not None}
        return read(TournamentPlan, {"game": game, "players": players, **given})

    def _count_games(self) -> None:
        count, each = len(self.picker.chosen), int(self.games.value or 0)
        pairs = count * (count - 1) // 2
        noun = "pair" if pairs == 1 else "pairs"
        self.summary.set_text(
            f"{pairs} {noun}, {each} games each: {pairs * each:,} in all. "
            "Every opening is played twice with sides swapped."
        )

    async def _start(self) -> None:
        try:
            plan = await off_loop(self._plan)
            await theme.done(self.on_start(plan))
            self.told.say("")
        except EvoboardError as error:
            self.told.say(str(error))
