"""The runs that are looked at: what they are, what can be done with them, and their charts.

The first chart answers whether they get stronger; what evolution does follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from evoboard.web import theme
from evoboard.web.site import Site, address
from evoboard.web.training import curves
from evoboard.web.training.chart import Chart
from evoboard.web.training.chart_parts import Drawn
from evoboard.web.training.head import Act, Head, link
from evoboard.web.training.listing import Listed
from evoboard.web.training.strength import MOST_CHARTS, strength_charts, verdict
from evoboard.web.training.watched import Watched

MOST_NOTES = 12
EACH = (curves.species, curves.lengths)
QUESTION = "Is it getting stronger?"


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
        self.heads: dict[str, Head] = {}
        self.panels: list[tuple[_Panel, Callable[[], Drawn | None]]] = []
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
            for run in self.runs:
                self.heads[run.name] = Head(run, not several, self.on_act)
            if several:
                self.compare = link("Let their champions compete", "/compare", "leaderboard")

    def _build_charts(self) -> None:
        question = QUESTION if len(self.runs) == 1 else "Are they getting stronger?"
        for place in range(MOST_CHARTS):
            self._add(partial(self._strength, place), question if place == 0 else "")
        self._add(lambda: curves.fitness(self.runs))
        for draw in EACH:
            for run in self.runs:
                self._add(partial(self._of_one, draw, run))
        for overlay in (curves.links, curves.nodes, curves.speed):
            self._add(partial(overlay, self.runs))

    def _add(self, draw: Callable[[], Drawn | None], question: str = "") -> None:
        self.panels.append((_Panel(question), draw))

    def _strength(self, place: int) -> Drawn | None:
        found = self.strengths
        return found[place] if place < len(found) else None

    def _of_one(self, draw: Callable[[Watched], Drawn | None], run: Watched) -> Drawn | None:
        drawn = draw(run)
        if drawn and len(self.runs) > 1:
            return drawn._replace(title=f"{drawn.title} · {run.name}")
        return drawn

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
        known = any(run.count for run in self.runs)
        self.strengths = strength_charts(self.runs) if known else []
        for panel, draw in self.panels:
            panel.show(draw() if known else None)
        lead = self.panels[0][0]
        lead.answer(verdict(self.runs[0]) if len(self.runs) == 1 and known else "")
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
    """A chart with its title and a sentence about it; seen while there is something to draw.

    One with a question is the widest, and has room for an answer.
    """

    def __init__(self, question: str) -> None:
        with theme.card() as self.card:
            if question:
                self.card.classes("lead")
                theme.heading(question)
            self.told = ui.label().classes("verdict")
            self.told.set_visibility(False)
            with ui.element("div").classes("about"):
                with ui.element("h3" if question else "h2"):
                    self.title = ui.label()
                self.caption = ui.label().classes("dim small")
            self.chart = Chart()

    def show(self, drawn: Drawn | None) -> None:
        """Draw a chart, or nothing."""
        self.card.set_visibility(drawn is not None)
        if drawn is not None:
            self.title.set_text(drawn.title)
            self.caption.set_text(drawn.caption)
            self.chart.show(drawn.options, drawn.label)

    def answer(self, text: str) -> None:
        """Answer the question in a sentence."""
        self.told.set_text(text)
        self.told.set_visibility(bool(text))
