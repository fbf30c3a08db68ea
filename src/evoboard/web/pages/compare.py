"""A tournament among any players: cross-table, ratings with intervals, every game to be seen."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from nicegui import app, ui

from evoboard.arena.contest import Contest
from evoboard.arena.game_text import game_spec
from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options, with_options
from evoboard.core.wording import duration
from evoboard.players.champion import FOLDER
from evoboard.web import theme
from evoboard.web.comparing import saved
from evoboard.web.comparing.form import TournamentForm
from evoboard.web.comparing.pair_games import PairGames
from evoboard.web.comparing.standings import StandingsTable
from evoboard.web.comparing.tournaments import Tournament, TournamentPlan, tournaments
from evoboard.web.opponents import require_offered, short_name
from evoboard.web.site import Site, address
from evoboard.web.threads import off_loop
from evoboard.web.training.dashboard import STYLE
from evoboard.web.values import game_title

TITLE, PATH, ICON, ORDER = "Compare", "/compare", "leaderboard", 60

FIRST_GAME = "kingcapture"
EVERY = 0.5  # seconds between two looks at a tournament


async def build(site: Site) -> None:
    """Build the page.

    /compare?c=NAME shows a tournament, /compare?game=SPEC&players=TEXT;TEXT prepares one.
    """
    ui.add_css(STYLE)
    page = ComparePage(site)
    page.build()
    await page.open(site.query())
    ui.timer(EVERY, page.look)


class ComparePage:
    """The page's elements and what they do."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.tournament: Tournament | None = None
        self.shown: Any = None  # which state of the tournament is on the screen, or is about to be
        self.playing = False  # whether it was still played when it was last shown
        self.pair: tuple[int, int] | None = None

    def build(self) -> None:
        """Build the elements."""
        with ui.element("div").classes("side"):
            with ui.element("div").classes("stack"):
                self.form = TournamentForm(self.site, self.start)
                self.form.build()
            with ui.element("div").classes("stack"):
                self._build_result()
                self.games = PairGames()
                with theme.card("Earlier tournaments") as self.earlier:
                    self.earlier_rows = ui.element("div").classes("stack small")

    def _build_result(self) -> None:
        with theme.card() as self.result:
            with ui.element("div").classes("line"):
                theme.heading("Tournament", 1)
                self.badge = ui.label().classes("badge number").props('role="status"')
                ui.element("span").classes("grow")
                self.cancel = theme.button("Cancel", self._cancel, icon="stop")
            self.bar = theme.ProgressBar()
            self.trouble = theme.Message("small said train-told")
            with ui.element("div").classes("line"):
                self.how = ui.label().classes("how small dim")
                self.anchor = ui.select({}, label="Elo 0 is", on_change=self.look)
                self.anchor.classes("anchor")
            self.standings = StandingsTable(self._pair_chosen)
            self.command = ui.label().classes("small dim said number command")
        with theme.card() as self.none:
            ui.label(
                "Choose players for a round robin. Ratings, the cross-table and every game appear "
                "here while they play."
            ).classes("dim")

    async def open(self, query: dict[str, str]) -> None:
        """Show what the address asks for."""
        told = ""
        if query.get("c"):
            try:
                found = await self._find(query["c"])
                await self.form.repeat(found.plan)
                return await self._show(found)
            except EvoboardError as error:
                told = str(error)
        first = self.site.first_game or FIRST_GAME
        try:
            game = await off_loop(self.site.load_game, query.get("game") or first)
            players = [require_offered(t) for t in query.get("players", "").split(";") if t]
        except EvoboardError as error:
            told, players = str(error), []
            game = await off_loop(self.site.load_game, first)
        await self.form.prepare(game, players)
        await self._show(None)
        self.form.told.say(told)

    async def start(self, plan: TournamentPlan) -> None:
        """Begin a tournament and show it."""
        tournament = tournaments.start(plan, saved.save)
        _cancel_at_the_end()
        await self._show(tournament)
        # On a narrow screen it is below the form.
        ui.run_javascript(f"getHtmlElement({self.result.id}).scrollIntoView({{block: 'nearest'}})")

    async def look(self) -> None:
        """Show what is new in the tournament."""
        tournament = self.tournament
        if tournament is None:
            return
        state, games = tournament.state, tournament.games()
        shown = (tournament.name, state, len(games), self.anchor.value, self.pair, tournament.told)
        if shown == self.shown:
            return
        self.shown = shown
        names = [short_name(text) for text in tournament.plan.players]
        contest = await off_loop(Contest.of, names, games)
        if self.shown != shown:  # another page looked later, and shows more
            return
        total = tournament.plan.total
        left = tournament.seconds_left(len(games))
        rest = "" if left is None else f" · about {duration(left)} left"
        self.badge.set_text(f"{state} · {len(games):,} of {total:,} games{rest}")
        self.bar.show(len(games) / total, seen=state == "playing")
        self.cancel.set_visibility(state == "playing")
        self.trouble.say(tournament.told)
        self.standings.show(contest, int(self.anchor.value or 0), self.pair)
        if self.pair:
            self.games.show(tournament, names, self.pair)
        has_ended, self.playing = self.playing and state != "playing", state == "playing"
        if has_ended:
            await self._list_earlier()

    async def _find(self, name: str) -> Tournament:
        known = tournaments.find(name)
        return known or tournaments.add(await off_loop(saved.load, name, self.site.load_game))

    async def _show(self, tournament: Tournament | None) -> None:
        """Show a tournament, or none."""
        self.tournament, self.pair, self.shown = tournament, None, None
        self.result.set_visibility(tournament is not None)
        self.none.set_visibility(tournament is None)
        self.games.hide()
        if tournament is not None:
            plan = tournament.plan
            names = dict(enumerate(map(short_name, plan.players)))
            self.anchor.set_options(names, value=usual_anchor(plan))
            self.how.set_text(_how(plan))
            self.command.set_text(command(plan))
            theme.replace_address(address(PATH, c=tournament.name))
            await self.look()
        await self._list_earlier()

    def _cancel(self) -> None:
        if self.tournament:
            self.tournament.cancel()

    async def _pair_chosen(self, one: int, other: int) -> None:
        self.pair = (one, other)
        await self.look()

    async def _list_earlier(self) -> None:
        """List the tournaments on disk."""
        now = self.tournament.name if self.tournament else ""
        found = await off_loop(saved.described)
        found.pop(now, None)
        self.earlier.set_visibility(bool(found))
        self.earlier_rows.clear()
        with self.earlier_rows:
            for name, words in found.items():
                link = ui.element("a")
                link.props["href"] = address(PATH, c=name)
                with link:
                    ui.label(words)


@cache
def _cancel_at_the_end() -> None:
    """When the server ends, so do its tournaments; what they have played is kept."""
    app.on_shutdown(tournaments.cancel_all)


def usual_anchor(plan: TournamentPlan) -> int:
    """Return the default for Elo 0: a player that never changes, otherwise the first."""
    kinds = [text.partition(":")[0] for text in plan.players]
    fixed = [kinds.index(kind) for kind in ("random", "material") if kind in kinds]
    return fixed[0] if fixed else 0


def _how(plan: TournamentPlan) -> str:
    plies = plan.game.opening_plies if plan.opening_plies is None else plan.opening_plies
    start = f"openings of {plies} random plies" if plies else "the game's start"
    return f"{game_title(plan.game)}, {plan.games} games a pair from {start}, seed {plan.seed}"


def command(plan: TournamentPlan) -> str:
    """Return the command that plays the same tournament."""
    players = map(_for_readers, plan.players)
    game = game_spec(plan.game)
    name = split_options(game)[0]
    if not plan.game.built_in:
        game = _from_here(Path(name)) + game[len(name) :]
    words = ["evoboard", "tournament", *players, "--game", game]
    words += ["--games", str(plan.games), "--seed", str(plan.seed)]
    if plan.opening_plies is not None:
        words += ["--openings", str(plan.opening_plies)]
    return shlex.join(words)


def _for_readers(text: str) -> str:
    """Return a player's text as a terminal beside the server takes it: no folders of the server's.

    A champion that ships has a text of its own; a loaded file is named from the working folder.
    """
    kind, options = split_options(text)
    if kind != "file" or "" not in options:
        return text
    path = Path(options.pop("")).resolve()
    if path.is_relative_to(FOLDER.resolve()):
        return with_options("champion", {"": path.stem, **options})
    return with_options(kind, {"": _from_here(path), **options})


def _from_here(path: Path) -> str:
    """Return the way to a file from the working folder."""
    with suppress(ValueError):  # on another drive
        path = Path(os.path.relpath(path))
    return str(path)
