"""The runs that are looked at: what they are, what can be done with them, and their charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from evoboard.web import theme
from evoboard.web.site import Site, address
from evoboard.web.training import curves
from evoboard.web.training.chart import Chart
from evoboard.web.training.listing import Listed
from evoboard.web.training.watched import Watched

MOST_NOTES = 12
OVERLAID = {
    "Fitness": curves.fitness,
    "Elo against fixed players": curves.ratings,
    "Complexity": curves.complexity,
    "Games per second": curves.speed,
    "Grade of the champion": curves.grade,
    "Points against earlier champions": curves.earlier,
}
EACH = {"Species": curves.species, "Lengths of games in plies": curves.lengths}

Act = Callable[[str, str], Any]  # what to do (stop, resume, again), and with which run


class Dashboard:
    """One or several runs; `on_act` gets what a person wants done."""

    def __init__(self, site: Site, on_act: Act) -> None:
        self.site, self.on_act = site, on_act
        self.runs: list[Watched] = []

    def build(self) -> None:
        """Build the empty frame."""
        self.box = ui.element("div").classes("stack")

    def begin(self, runs: list[Watched]) -> None:
        """Look at other runs."""
        self.runs = runs
        self.heads: dict[str, _Head] = {}
        self.charts: list[_Panel] = []
        self.box.clear()
        with self.box:
            self._build_heads()
            with ui.element("div").classes("charts"):
                self._build_charts()
            with theme.card("Notes") as self.notes:
                self.note_rows = ui.element("div").classes("stack small")

    def _build_heads(self) -> None:
        several = len(self.runs) > 1
        with theme.card():
            for index, run in enumerate(self.runs):
                colour = curves.run_colour(index).replace("$", "--") if several else ""
                self.heads[run.name] = _Head(self, run, colour)
            if several:
                self.compare = _link("Let their champions compete", "/compare", "leaderboard")

    def _build_charts(self) -> None:
        first, *others = OVERLAID.items()
        self._add_overlaid(*first)
        self._add_overlaid(*others[0])
        for title, draw in EACH.items():
            for run in self.runs:
                shown = f"{title} · {run.name}" if len(self.runs) > 1 else title
                self._add(shown, partial(draw, run))
        for title, overlay in others[1:]:
            self._add_overlaid(title, overlay)

    def _add_overlaid(self, title: str, draw: Any) -> None:
        self._add(title, lambda: draw(self.runs))

    def _add(self, title: str, draw: Callable[[], curves.Drawn | None]) -> None:
        self.charts.append(_Panel(title, draw))

    def show_status(self, listed: Sequence[Listed]) -> None:
        """Show how far the runs are."""
        for run in listed:
            if run.name in self.heads:
                self.heads[run.name].show(run)
        if len(self.runs) > 1:
            games = {run.info.game for run in listed if run.name in self.heads}
            players = ";".join(f"run:{run.name}" for run in self.runs)
            same = len(games) == 1
            self.compare.set_visibility(same)
            if same:
                self.compare.props["href"] = address("/compare", game=games.pop(), players=players)

    def refresh(self) -> None:
        """Draw what has been read."""
        for panel in self.charts:
            panel.refresh(any(run.count for run in self.runs))
        self._refresh_notes()

    def _refresh_notes(self) -> None:
        found = [(g, alarm, run.name) for run in self.runs for g, alarm in run.alarms]
        self.notes.set_visibility(bool(found))
        self.note_rows.clear()
        with self.note_rows:
            for generation, alarm, name in sorted(found, key=lambda each: -each[0])[:MOST_NOTES]:
                with ui.element("div").classes("note"):
                    lead = f"{name}, " if len(self.runs) > 1 else ""
                    ui.label(f"{lead}generation {generation}").classes("number")
                    ui.label(alarm.text[:1].upper() + alarm.text[1:]).classes("said")


class _Panel:
    """A chart with its title; it is seen while there is something to draw."""

    def __init__(self, title: str, draw: Callable[[], curves.Drawn | None]) -> None:
        self.draw = draw
        with theme.card() as self.card:
            with ui.element("div").classes("line"):
                theme.heading(title)
                self.caption = ui.label().classes("dim small")
            self.chart = Chart()

    def refresh(self, known: bool) -> None:
        """Draw what is known."""
        drawn = self.draw() if known else None
        self.card.set_visibility(drawn is not None)
        if drawn is not None:
            self.caption.set_text(drawn.caption)
            self.chart.show(drawn.options, drawn.label)


class _Head:
    """A run's name, status and figures, and what can be done with it."""

    def __init__(self, board: Dashboard, run: Watched, colour: str) -> None:
        self.board, self.run, self.single = board, run, not colour
        self.tiles: dict[str, ui.label] = {}
        with ui.element("div").classes("stack" if self.single else "run-line"):
            with ui.element("div").classes("line" if self.single else "line grow"):
                if colour:
                    ui.element("span").classes("chip").style(f"background: var({colour})")
                title = ui.element("h1" if self.single else "b").classes("cut")
                with title:
                    ui.label(run.name)
                self.status = ui.label().classes("badge number")
                self.figures = ui.label().classes("dim small number")
                if self.single:
                    ui.element("span").classes("grow")
                    self._build_control()
            if self.single:
                self.title = ui.label().classes("dim small")
                with ui.element("div").classes("thin") as self.bar:
                    self.done = ui.element("div")
                self.told = ui.label().classes("small said")
                self.grid = ui.element("div").classes("tiles")
                self.links = ui.element("div").classes("line")
            else:
                self._build_control()
        self._linked = ""

    def _build_control(self) -> None:
        name = self.run.name
        with ui.element("div").classes("line tight"):
            self.stop = theme.button("Stop", lambda: self.board.on_act("stop", name), icon="stop")
            self.resume = theme.button(
                "Resume", lambda: self.board.on_act("resume", name), icon="play_arrow", main=True
            )

    def show(self, run: Listed) -> None:
        """Show status and figures."""
        self.status.set_text(run.words())
        self.stop.set_visibility(run.can_stop)
        self.resume.set_visibility(run.can_resume)
        figures = _figures(self.run)
        left = self.run.seconds_left(run.info.generations) if run.status == "running" else None
        if self.single:
            self.figures.set_text("" if left is None else f"about {clock(left)} left")
        else:
            told = [f"{name} {value}" for name, value in figures.items()][:3]
            self.figures.set_text(" · ".join(told))
            return
        self.title.set_text(" · ".join(filter(None, (run.info.title, f"seed {run.info.seed}"))))
        share = run.info.generation / max(1, run.info.generations)
        self.done.style(f"width: {100 * min(1.0, share):.1f}%")
        self.bar.set_visibility(run.status not in ("finished", "damaged", "failed"))
        self._tell(run)
        self._show_tiles(figures)
        self._show_links(run)

    def _tell(self, run: Listed) -> None:
        told = run.told
        if run.status == "starting":
            told = "The trainer is starting; kernels that nobody has used yet are compiled first."
        self.told.set_text("" if told == run.status else told[:1].upper() + told[1:])
        self.told.set_visibility(bool(self.told.text) and run.status != "running")
        bad = run.status in ("failed", "damaged", "interrupted")
        self.told.style(f"color: var({'--warn' if bad else '--dim'})")

    def _show_tiles(self, figures: dict[str, str]) -> None:
        if list(self.tiles) != list(figures):
            self.grid.clear()
            self.tiles = {}
            with self.grid:
                for name in figures:
                    with ui.element("div").classes("tile"):
                        self.tiles[name] = ui.label().classes("value cut")
                        ui.label(name).classes("dim small cut")
        for name, value in figures.items():
            self.tiles[name].set_text(value)

    def _show_links(self, run: Listed) -> None:
        """Offer what to do next; a run without a champion has none of it."""
        game = run.info.game if run.info.generation else ""
        if game == self._linked:
            return
        self._linked = game
        self.links.clear()
        name, player = run.name, f"run:{run.name}"
        with self.links:
            _link(
                "Play its champion", address("/play", game=game, opponent=player), "sports_esports"
            )
            _link("Replay its games", address("/replay", run=name), "movie")
            _link("Look inside", address("/network", run=name), "hub")
            _link("Compare", address("/compare", game=game, players=player), "leaderboard")
            theme.button(
                "New run like it", lambda: self.board.on_act("again", name), icon="content_copy"
            )


def _link(text: str, target: str, icon: str) -> ui.element:
    made = ui.element("a").classes("plain")
    made.props["href"] = target
    with made:
        ui.icon(icon).props('aria-hidden="true"')
        ui.label(text)
    return made


def _figures(run: Watched) -> dict[str, str]:
    """Return the numbers worth a tile, by their names."""
    if not run.count:
        return {}
    found = {"Best fitness": _short(run.latest("best"))}
    for anchor, ratings in run.ratings.items():
        found[f"Elo, {anchor}"] = f"{ratings[-1].elo:+.0f}".replace("-", "−")
    for name, key in (("Grade", "grade"), ("Species", "species"), ("Links", "links_mean")):
        if not math.isnan(run.latest(key)):
            found[name] = _short(run.latest(key))
    found["Games / s"] = _short(run.speeds()[-1])
    return found


def _short(value: float) -> str:
    if math.isnan(value):
        return "–"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")


def clock(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
