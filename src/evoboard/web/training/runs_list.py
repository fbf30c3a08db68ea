"""The list of runs at the side: a click shows one, the boxes show several.

The bar at a run's name has the run's colour in every chart; its icon and words tell its status.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from evoboard.core.wording import counted
from evoboard.web import theme
from evoboard.web.training.listing import ListedRun

ICONS = {
    "running": "play_arrow",
    "starting": "hourglass_top",
    "stopping": "pending",
    "finished": "check",
    "stopped": "pause",
}
TROUBLE = "error_outline"
MOST = 50  # rows, until all are asked for


class RunsList:
    """Shows runs; `on_choose` gets the names of those to show.

    `on_forget` gets the name of one that could not be started and is to leave the list.
    """

    def __init__(
        self,
        on_choose: Callable[[list[str]], Any],
        on_new: Callable[[], Any],
        on_forget: Callable[[str], Any],
        on_study: Callable[[str], Any],
        on_group: Callable[[bool], Any],
    ) -> None:
        self.on_choose, self.on_new, self.on_forget = on_choose, on_new, on_forget
        self.on_study, self.on_group = on_study, on_group
        self.rows: dict[str, _Row] = {}
        self.chosen: list[str] = []
        self.most = MOST
        self.grouped = False
        self._studies: dict[str, Sequence[str]] = {}

    def build(self) -> None:
        """Build the empty list."""
        with theme.card():
            with ui.element("div").classes("line"):
                theme.heading("Runs").classes("grow")
                theme.button("New run", self.on_new, icon="add", main=True)
            self.none = ui.label("There are none yet.").classes("dim small")
            self.hint = ui.label("Tick several to see them side by side.").classes("dim small")
            words = "Group by experiment: means and bands"
            self.group = ui.checkbox(words, on_change=lambda event: self._grouped(event.value))
            self.studies = ui.element("div").classes("stack")
            self.box = ui.element("div").classes("train-runs").props('role="list"')
            self.more = theme.button("", self._show_all)

    def show(
        self, runs: Sequence[ListedRun], chosen: list[str], colours: Mapping[str, int]
    ) -> None:
        """Show the runs; rows are rebuilt only if others are listed."""
        self.shown = (runs, chosen, colours)
        self.chosen = chosen
        total = len(runs)
        self.more.set_visibility(total > self.most)
        self.more.set_text(f"Show all {total:,} runs")
        # Of many only the first, and those that are shown.
        runs = [run for i, run in enumerate(runs) if i < self.most or run.name in chosen]
        self.none.set_visibility(not runs)
        self.hint.set_visibility(len(runs) > 1)
        self.box.set_visibility(bool(runs))
        if list(self.rows) != [run.name for run in runs]:
            self.box.clear()
            with self.box:
                self.rows = {run.name: _Row(self, run.name) for run in runs}
        for run in runs:
            self.rows[run.name].show(run, run.name in chosen, colours[run.name])

    def show_studies(self, found: Mapping[str, Sequence[str]]) -> None:
        """Offer the studies, each with its runs as groups."""
        if found == self._studies:
            return
        self._studies = dict(found)
        self.studies.clear()
        with self.studies:
            for name, runs in found.items():
                told = f"Study {name} · {counted(len(runs), 'run')}"
                theme.button(told, lambda name=name: self.on_study(name), icon="stacked_line_chart")

    def show_grouping(self, chosen: int, on: bool) -> None:
        """Offer to group the runs that are looked at, where there are several."""
        self.group.set_visibility(chosen > 1)
        self.grouped = on
        if self.group.value != on:
            self.group.set_value(on)

    async def _grouped(self, on: bool) -> None:
        if on != self.grouped:  # otherwise it was not a click
            self.grouped = on
            await theme.done(self.on_group(on))

    def _show_all(self) -> None:
        self.most = 10**6
        self.show(*self.shown)

    async def pick(self, name: str) -> None:
        """Look at one run."""
        await theme.done(self.on_choose([name]))

    async def tick(self, name: str, on: bool) -> None:
        """Look at one run more, or less."""
        rest = [each for each in self.chosen if each != name]
        await theme.done(self.on_choose([*rest, name] if on else rest))


class _Row:
    """One run of the list."""

    def __init__(self, runs: RunsList, name: str) -> None:
        self.runs, self.name = runs, name
        with ui.element("div").classes("train-run").props('role="listitem"') as self.box:
            self.ticked = ui.checkbox()
            self.ticked.props["aria-label"] = f"Look at {name} beside others"
            self.ticked.on("click", self._ticked, js_handler="(e) => emit()")
            with ui.element("button").props("type=button").on("click", self._picked):
                with ui.element("div").classes("line tight"):
                    self.chip = ui.element("span").classes("chip")
                    ui.label(name).classes("name cut")
                with ui.element("div").classes("line tight"):
                    self.icon = ui.icon("check").props('aria-hidden="true"')
                    self.words = ui.label().classes("dim small cut number")
                self.title = ui.label().classes("dim small cut")
                self.bar = theme.ProgressBar()
            self.forget = theme.icon_button("close", f"Forget {name}", self._forgotten)

    def show(self, run: ListedRun, on: bool, colour: int) -> None:
        """Show how far the run is."""
        theme.set_class(self.box, "on", on)
        if self.ticked.value != on:
            self.ticked.set_value(on)
        self.chip.style(f"background: var(--s{colour})")
        self.icon.set_name(ICONS.get(run.status, TROUBLE))
        self.icon.classes(replace=f"status {run.status}")
        self.words.set_text(run.words())
        told = run.status in ("damaged", "failed", "interrupted") or run.ended_early
        self.title.set_text(run.why() if told else run.info.title)
        self.title.props["title"] = self.title.text
        ended = run.status in ("finished", "damaged", "failed")
        self.bar.show(run.share, seen=not ended, known=run.status != "starting")
        self.forget.set_visibility(run.status == "failed")

    async def _forgotten(self) -> None:
        await theme.done(self.runs.on_forget(self.name))

    async def _picked(self) -> None:
        await self.runs.pick(self.name)

    async def _ticked(self) -> None:
        await self.runs.tick(self.name, self.name not in self.runs.chosen)
