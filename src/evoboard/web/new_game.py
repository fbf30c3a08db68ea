"""The dialog that starts a game: which one, against whom, how strong, which side, from where."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.players.base import make_player
from evoboard.web import theme
from evoboard.web.game_options import GameOptions
from evoboard.web.opponents import offers
from evoboard.web.player_picker import PlayerPicker
from evoboard.web.position_dialog import PositionDialog
from evoboard.web.site import Site
from evoboard.web.threads import off_loop

RANDOM_SIDE = 2


@dataclass(frozen=True)
class Choice:
    """What was chosen: game, opponent's text, the person's side, the start (None: the usual)."""

    game: Game
    opponent: str
    side: int
    start: Array | None


class NewGameDialog(theme.LateDialog):
    """Asks for a new game; `on_start` gets the choice."""

    def __init__(self, site: Site, on_start: Callable[[Choice], Any]) -> None:
        super().__init__()
        self.site, self.on_start = site, on_start
        self.start: Array | None = None
        self.game: Game | None = None
        self.position = PositionDialog(self._placed)

    def build(self) -> None:
        """Build the elements."""
        with theme.dialog("New game") as self.dialog:
            self.name = ui.select(self.site.games, label="Game", on_change=self._game_chosen)
            self.about_game = ui.label().classes("dim small")
            self.options = GameOptions(self.site, self._options_changed)
            self.opponent = PlayerPicker("Opponent")
            with ui.element("div").classes("line"):
                ui.label("You play").classes("dim")
                self.side = ui.toggle({0: "", 1: "", RANDOM_SIDE: "Either"}, value=0)
            with ui.element("div").classes("line"):
                self.start_text = ui.label("Usual start").classes("dim small grow cut")
                theme.button("Set up a position …", self._set_up, icon="edit")
            self.told = theme.Message().style("color: var(--warn)")
            theme.dialog_buttons(self.dialog, "Play", self._finish).mark("start")

    async def open(self, spec: str, opponent: str, side: int, start: Array | None = None) -> None:
        """Open the dialog with what was played last."""
        self.build_once()
        self.told.say("")
        await self._load(spec)
        self.name.set_value(split_options(spec)[0])
        assert self.game is not None
        self.opponent.take(opponent, self.game)
        self.side.set_value(side)
        if start is not None:
            self._placed(start)
        self.dialog.open()

    async def _game_chosen(self, event: Any) -> None:
        if event.value and (self.game is None or event.value != split_options(self.spec)[0]):
            await self._load(event.value)

    async def _load(self, spec: str) -> None:
        """Show a game's options and opponents."""
        game = await off_loop(self.site.load_game, spec)
        found = await off_loop(offers, game)
        self.game, self.spec, self.start = game, spec, None
        self.start_text.set_text("Usual start")
        self.about_game.set_text(f"{game.title}.")
        self.opponent.player.set_value(None)
        self.opponent.offer(found)
        self.side.set_options({0: game.sides[0], 1: game.sides[1], RANDOM_SIDE: "Either"}, value=0)
        self.options.show(game)

    async def _options_changed(self) -> None:
        """Offer the players that can play the game by these rules."""
        try:
            found = await off_loop(lambda: offers(self.options.game()))
        except EvoboardError as error:
            return self.told.say(str(error))
        self.told.say("")
        return self.opponent.offer(found)

    async def _set_up(self) -> None:
        try:
            game = await off_loop(self.options.game)
        except EvoboardError as error:
            return self.told.say(str(error))
        return self.position.open(game, game.initial() if self.start is None else self.start)

    def _placed(self, state: Array) -> None:
        self.start = state
        if self.game:
            self.start_text.set_text(f"From {self.game.state_text(state)}")

    async def _finish(self) -> None:
        try:
            game, text = await off_loop(self.options.game), self.opponent.text()
            await off_loop(make_player, text, game)
            start = self.start
            if start is not None:
                start = game.parse_state(self.game.state_text(start)) if self.game else None
        except EvoboardError as error:
            return self.told.say(str(error))
        side = self.side.value
        if side == RANDOM_SIDE:
            side = secrets.randbelow(2)
        self.dialog.close()
        return await theme.done(self.on_start(Choice(game, text, int(side or 0), start)))
