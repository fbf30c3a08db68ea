"""The part of a page in which somebody is chosen to evaluate every position of a game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.players.base import split_player
from evoboard.web.network.source import KINDS
from evoboard.web.opponents import short_name
from evoboard.web.replay.judges import (
    FIRST,
    MOVER,
    SECOND,
    judge_game,
    make_judge,
    offered_judges,
    player_judges,
)
from evoboard.web.replay.recorded import Recorded
from evoboard.web.site import Site
from evoboard.web.tables import Table
from evoboard.web.thinking import explained, off_loop
from evoboard.web.values import seen_by_first, value_text
from evoboard.web.viewer import Viewer

OTHER = "other"  # the choice of a judge that is typed
RESULTS = {1: "1–0", 0: "½–½", -1: "0–1"}


class JudgePanel:
    """Value and judge under the graph of a viewer; `complain` shows what went wrong."""

    def __init__(self, site: Site, viewer: Viewer, complain: Callable[[Any], None]) -> None:
        self.site, self.viewer, self.complain = site, viewer, complain
        self.table: Table | None = None
        self.recorded: Recorded | None = None
        self.offered: dict[str, dict[str, str]] = {}  # judges by game, asked for once
        self.judging: asyncio.Task[None] | None = None
        self.setting = False

    def build(self) -> None:
        """Build the elements."""

        def chosen(event: Any) -> Any:
            return None if self.setting else self._chosen(event)

        with ui.element("div").classes("line"):
            self.value = ui.label().classes("number").style("font-weight: 600; min-width: 84px")
            self.judge = ui.select({}, label="Evaluation by", on_change=chosen)
            self.judge.classes("grow").style("min-width: 180px")
            self.typed = ui.input("Player or genome id").style("width: 190px")
            self.typed.props["hint"] = "run:NAME@gen=40#3"
            self.typed.on("keydown.enter", self._typed)
            self.typed.set_visibility(False)

    async def show(self, table: Table, recorded: Recorded | None) -> None:
        """Offer the judges of a game, and ask the one chosen before, else its own player."""
        self.stop()
        self.table, self.recorded = table, recorded
        self.tell()
        if table.spec not in self.offered:
            self.offered[table.spec] = await off_loop(offered_judges, table.game, self.site)
        own = await off_loop(player_judges, table, recorded, self.site)
        if table is not self.table:
            return
        found = {**own, **self.offered[table.spec]}
        chosen = self.judge.value
        if chosen not in found or chosen in (FIRST, SECOND, MOVER):
            chosen = next(iter(found), None)
        self._set({**found, OTHER: "Another …"}, chosen or OTHER)
        if chosen:
            await self._ask(str(chosen))

    def tell(self) -> None:
        """Show what is thought of the position shown."""
        table = self.table
        if table is None:
            return
        ply = self.viewer.ply
        thought = table.thoughts.get(ply)
        told = "asking …" if self.judging and not self.judging.done() else "–"
        if thought is not None:
            value = seen_by_first(thought.value, table.game.side(table.match.states[ply]))
            told = f"{value_text(value)} {table.game.sides[0]}"
        elif table.over and ply == table.ply:
            told = RESULTS[table.result]
        self.value.set_text(told)

    def stop(self) -> None:
        """Want no opinion any more."""
        if self.judging:
            self.judging.cancel()
        self.judging = None

    def network_text(self) -> str:
        """Return the text of the judge, where it is a network with one; else ""."""
        key = str(self.judge.value or "")
        if self.recorded and key in (FIRST, SECOND, MOVER):
            table = self.recorded.table
            mover = table.game.side(table.match.states[self.viewer.ply])
            return table.seats[{FIRST: 0, SECOND: 1, MOVER: mover}[key]]
        return key if split_player(key)[0] in KINDS else ""

    def _set(self, options: dict[str, str], value: str) -> None:
        self.setting = True
        self.judge.set_options(options, value=value)
        self.typed.set_visibility(value == OTHER)
        self.setting = False

    async def _chosen(self, event: Any) -> None:
        self.typed.set_visibility(event.value == OTHER)
        if event.value and event.value != OTHER:
            await self._ask(str(event.value))

    async def _typed(self) -> None:
        text = str(self.typed.value or "").strip()
        if text and await self._ask(text):
            label = f"Genome {text}" if text.isdigit() else short_name(text)
            self._set({text: label, **dict(self.judge.options)}, text)

    async def _ask(self, key: str) -> bool:
        """Have every position judged; False where the judge cannot be found."""
        table = self.table
        if table is None:
            return False
        try:
            judge = await off_loop(make_judge, key, table.game, self.recorded, self.site)
        except EvoboardError as error:
            self.complain(error)
            return False
        if table is not self.table:
            return False
        self.stop()
        table.thoughts.clear()
        self.judging = asyncio.create_task(judge_game(table, judge, lambda: self._heard(table)))
        self.judging.add_done_callback(self._done)
        self.tell()
        return True

    def _heard(self, table: Table) -> None:
        if table is self.table:
            self.viewer.refresh_opinion()
            self.viewer.refresh_moves()
            self.tell()

    def _done(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        self.tell()
        error = task.exception()
        if isinstance(error, Exception):
            self.complain(explained(error))
