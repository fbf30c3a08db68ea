"""The part of a page where a judge is chosen to evaluate every position of a game."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.players.network import NETWORKS
from evoboard.search.base import Thought
from evoboard.web import theme
from evoboard.web.async_player import log_failure
from evoboard.web.opponents import short_name
from evoboard.web.replay.judges import (
    FIRST,
    MOVER,
    SECOND,
    has_network,
    judge_game,
    make_judge,
    offered_judges,
    player_judges,
)
from evoboard.web.replay.recorded import Recorded
from evoboard.web.session import GameSession
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.values import score_text, seen_by_first, value_text
from evoboard.web.viewer import Viewer

OTHER = "other"  # the choice of a judge that is typed


class JudgePanel(theme.SilentUpdate):
    """Who judges, how, and what they say about the position a viewer shows."""

    def __init__(self, site: Site, viewer: Viewer) -> None:
        super().__init__()
        self.site, self.viewer = site, viewer
        self.session: GameSession | None = None
        self.recorded: Recorded | None = None
        self.offered: dict[str, dict[str, str]] = {}  # judges by game, asked for once
        self.judging: asyncio.Task[None] | None = None

    def build(self) -> None:
        """Build the elements."""
        with ui.element("div").classes("rp-said"):
            self.value = ui.label().classes("value")
            self.whose = ui.label()
            self.how = ui.label().classes("dim small number how")
        with ui.element("div").classes("line tight"):
            self.judge = ui.select({}, label="Evaluation by", on_change=self.by_visitor(self._new))
            self.judge.classes("grow").style("min-width: 0")
            self.searches = ui.switch("Search", value=True, on_change=self._switched)
            self.searches.props["title"] = "Judge with its search, or by its network alone"
        self.typed = ui.input("Player or genome id").props("maxlength=200")
        self.typed.props["hint"] = "run:NAME@gen=40#3, press Enter"
        self.typed.on("keydown.enter", self._typed)
        self.typed.set_visibility(False)

    async def show(self, session: GameSession, recorded: Recorded | None) -> None:
        """Offer the judges of a game, and ask the one chosen before, else its own player."""
        self.stop()
        self.session, self.recorded = session, recorded
        self.tell()
        if session.spec not in self.offered:
            self.offered[session.spec] = await off_loop(offered_judges, session.game, self.site)
        own = await off_loop(player_judges, session, recorded, self.site)
        if session is not self.session:
            return
        found = {**own, **self.offered[session.spec]}
        chosen = self.judge.value
        if chosen not in found or chosen in (FIRST, SECOND, MOVER):
            chosen = next(iter(found), None)
        self._offer({**found, OTHER: "Another …"}, chosen or OTHER)
        if chosen:
            await self._ask(str(chosen))

    def tell(self) -> None:
        """Show what is thought of the position shown, and how that was found."""
        session = self.session
        if session is None:
            return
        ply = self.viewer.ply
        thought = session.line[ply].thought
        value, whose, how = "–", "", "asked …" if self.judging and not self.judging.done() else ""
        if thought is not None:
            seen = seen_by_first(thought.value, session.game.side(session.line[ply].state))
            value, whose = value_text(seen, thought.scale), f"for {session.game.sides[0]}"
            how = _how(thought)
        elif session.over and ply == session.ply:
            value, how = score_text(session.result), session.verdict()
        self.value.set_text(value)
        self.whose.set_text(whose)
        self.how.set_text(how)

    def stop(self) -> None:
        """Stop judging."""
        if self.judging:
            self.judging.cancel()
        self.judging = None

    def network_text(self) -> str:
        """Return the text of the judge, where it is a network with one; else ""."""
        key = str(self.judge.value or "")
        if self.recorded and key in (FIRST, SECOND, MOVER):
            session = self.recorded.session
            mover = session.game.side(session.line[self.viewer.ply].state)
            key = session.seats[{FIRST: 0, SECOND: 1, MOVER: mover}[key]]
        return key if split_options(key)[0] in NETWORKS else ""

    def _offer(self, options: dict[str, str], value: str) -> None:
        self.set(lambda: self.judge.set_options(options, value=value))
        self._show_fields(value)

    def _show_fields(self, judge: str) -> None:
        self.typed.set_visibility(judge == OTHER)
        self.searches.set_visibility(has_network(judge))

    async def _new(self, event: Any) -> None:
        self._show_fields(str(event.value))
        if event.value and event.value != OTHER:
            await self._ask(str(event.value))

    async def _switched(self) -> None:
        if self.judge.value and self.judge.value != OTHER:
            await self._ask(str(self.judge.value))

    async def _typed(self) -> None:
        text = str(self.typed.value or "").strip()
        if text and await self._ask(text):
            label = f"Genome {text}" if text.isdecimal() else short_name(text)
            self._offer({text: label, **dict(self.judge.options)}, text)

    async def _ask(self, key: str) -> bool:
        """Have every position judged; False if there is no such judge."""
        session = self.session
        if session is None:
            return False
        searches = bool(self.searches.value)
        self.stop()
        try:
            judge = await off_loop(
                lambda: make_judge(key, session.game, self.recorded, self.site, searches=searches)
            )
        except EvoboardError as error:
            self.complain(error)
            return False
        if session is not self.session:
            return False
        self.stop()
        for node in session.line:
            node.thought = None
        self.judging = asyncio.create_task(judge_game(session, judge, lambda: self._heard(session)))
        self.judging.add_done_callback(self._done)
        self._heard(session)
        return True

    def _heard(self, session: GameSession) -> None:
        if session is self.session:
            self.viewer.refresh_opinion()
            self.viewer.refresh_moves()
            self.tell()

    def _done(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        self.tell()
        error = task.exception()
        if isinstance(error, Exception):
            self.complain(log_failure(error))


def _how(thought: Thought) -> str:
    """Return how a value was found: by a search, or by the evaluation alone."""
    if thought.nodes <= 1:
        return "without search"
    plies = f"{thought.depth} {'ply' if thought.depth == 1 else 'plies'} deep, "
    return f"{plies if thought.depth else ''}{thought.nodes:,} positions"
