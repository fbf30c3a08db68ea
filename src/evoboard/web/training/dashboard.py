"""The runs that are shown: what they are, what can be done with them, and their charts.

The charts are files of `charts/`: the first says whether the runs get stronger.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nicegui import ui

from evoboard.web import theme
from evoboard.web.site import Site, address
from evoboard.web.training.charts.base import Chart, Drawn, find_charts
from evoboard.web.training.charts.parts import Options
from evoboard.web.training.groups import GroupSeries
from evoboard.web.training.listing import ListedRun
from evoboard.web.training.run_header import Act, GroupHeader, RunHeader, link
from evoboard.web.training.series import RunSeries

MOST_NOTES = 12
GROUPED = (
    "Lines are means over the runs of a group, up to the last generation that all of them have; "
    "bands are the means' 95% intervals."
)
STYLE = (Path(__file__).parent / "training.css").read_text(encoding="utf-8")


class Dashboard:
    """One or several runs; `on_act` gets what a person wants done."""

    def __init__(self, site: Site, on_act: Act) -> None:
        self.site, self.on_act = site, on_act
        self.runs: list[RunSeries] = []

    def build(self) -> None:
        """Build the empty frame."""
        self.box = ui.element("div").classes("stack")

    def begin(self, runs: list[RunSeries]) -> None:
        """Show other runs."""
        self.runs = runs
        self.headers: dict[str, RunHeader] = {}
        self.groups: list[GroupHeader] = []
        self.charts: list[_Panels] = []
        self.box.clear()
        charts = find_charts(self.site.parts)
        with self.box:
            self._build_headers()
            with ui.element("div").classes("charts"):
                self.charts = [_Panels(chart) for chart in charts if not chart.folded]
            with ui.expansion("More numbers", on_value_change=self._show_folded) as self.more:
                self.more.classes("card train-section train-more")
                with ui.element("div").classes("charts"):
                    self.folded = [_Panels(chart) for chart in charts if chart.folded]
            with theme.card("Notes") as self.notes:
                self.note_rows = ui.element("div").classes("stack small")

    def _build_headers(self) -> None:
        several = len(self.runs) > 1
        with theme.card():
            for run in self.runs:
                if isinstance(run, GroupSeries):
                    self.groups.append(GroupHeader(run))
                else:
                    self.headers[run.name] = RunHeader(run, not several, self.on_act)
            if self.groups:
                ui.label(GROUPED).classes("dim small")
            if several:
                self.compare = link("Let their champions compete", "/compare", "leaderboard")

    def show_status(self, listed: Sequence[ListedRun]) -> None:
        """Show how far the runs are."""
        for run in listed:
            if run.name in self.headers:
                self.headers[run.name].show(run)
        for group in self.groups:
            group.show(listed)
        if len(self.runs) > 1:
            games = {run.info.game for run in listed if run.name in self.headers}
            players = ";".join(f"run:{run.name}" for run in self.runs)
            same = len(games) == 1 and not self.groups
            self.compare.set_visibility(same)
            if same:
                self.compare.props["href"] = address("/compare", game=games.pop(), players=players)

    def refresh(self) -> None:
        """Draw what has been read."""
        self.known = any(run.count for run in self.runs)
        for chart in self.charts:
            chart.show(self.runs if self.known else [])
        self.more.set_visibility(self.known)
        self._show_folded()
        self._refresh_notes()

    def _show_folded(self) -> None:
        """Draw what the visitor has asked to see."""
        for chart in self.folded if self.more.value else ():
            chart.show(self.runs if self.known else [])

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


class _Panels:
    """The panels of one chart, as many as it draws."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.panels: list[_Panel] = []
        self.box = ui.element("div").classes("among")

    def show(self, runs: Sequence[RunSeries]) -> None:
        """Draw the chart of some runs, or nothing where there are none."""
        drawn = self.chart.drawn(runs) if runs else []
        with self.box:
            self.panels += [_Panel(each) for each in drawn[len(self.panels) :]]
        for place, panel in enumerate(self.panels):
            panel.show(drawn[place] if place < len(drawn) else None)


class _Panel:
    """A chart with its title and a sentence about it; hidden while there is nothing to draw."""

    def __init__(self, drawn: Drawn) -> None:
        with theme.card() as self.card:
            if drawn.question:
                self.card.classes("lead")
                theme.heading(drawn.question)
            self.answer = ui.label().classes("verdict")
            with ui.element("div").classes("about"):
                with ui.element("h3" if drawn.question else "h2"):
                    self.title = ui.label()
                self.caption = ui.label().classes("dim small")
            self.chart = ChartElement()

    def show(self, drawn: Drawn | None) -> None:
        """Draw a chart, or nothing."""
        self.card.set_visibility(drawn is not None)
        if drawn is not None:
            self.title.set_text(drawn.title)
            self.caption.set_text(drawn.caption)
            self.answer.set_text(drawn.answer)
            self.answer.set_visibility(bool(drawn.answer))
            self.chart.show(drawn.options, drawn.label)


class ChartElement(ui.echart, component="chart.js"):
    """Draws options of ECharts, which may name the page's colours: see chart.js."""

    def __init__(self) -> None:
        super().__init__({})
        self.classes("chart")

    def show(self, options: Options, label: str) -> None:
        """Show a chart; the label is read aloud."""
        self.props["aria-label"] = label
        self.props["options"] = options
        self.update()
