"""The list of runs at the side: one is looked at by a click, several by their boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from evoboard.web import theme
from evoboard.web.training.listing import Listed


class RunsList:
    """Shows runs; `on_choose` gets the names of those that are to be looked at."""

    def __init__(self, on_choose: Callable[[list[str]], Any], on_new: Callable[[], Any]) -> None:
        self.on_choose, self.on_new = on_choose, on_new
        self.rows: dict[str, _Row] = {}
        self.chosen: list[str] = []

    def build(self) -> None:
        """Build the empty list."""
        with theme.card():
            with ui.element("div").classes("line"):
                theme.heading("Runs").classes("grow")
                theme.button("New run", self.on_new, icon="add", main=True)
            self.none = ui.label("There are none yet.").classes("dim small")
            self.box = ui.element("div").classes("train-runs").props('role="list"')

    def show(self, runs: Sequence[Listed], chosen: list[str]) -> None:
        """Show the runs; rows are built anew only where others are listed."""
        self.chosen = chosen
        self.none.set_visibility(not runs)
        self.box.set_visibility(bool(runs))
        if list(self.rows) != [run.name for run in runs]:
            self.box.clear()
            with self.box:
                self.rows = {run.name: _Row(self, run.name) for run in runs}
        for run in runs:
            self.rows[run.name].show(run, run.name in chosen, len(chosen) > 1)

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
            self.ticked = ui.checkbox().props("dense size=sm")
            self.ticked.props["aria-label"] = f"Look at {name} beside others"
            self.ticked.on("click", self._ticked, js_handler="(e) => emit()")
            with ui.element("button").props("type=button").on("click", self._picked):
                with ui.element("div").classes("line tight"):
                    self.dot = ui.element("span").classes("dot")
                    ui.label(name).classes("name cut")
                self.words = ui.label().classes("dim small cut number")
                self.title = ui.label().classes("dim small cut")
                with ui.element("div").classes("thin") as self.bar:
                    self.done = ui.element("div")

    def show(self, run: Listed, on: bool, several: bool) -> None:
        """Show how far the run is."""
        theme.set_class(self.box, "on", on)
        if self.ticked.value != on:
            self.ticked.set_value(on)
        self.dot.classes(replace=f"dot {run.status}")
        self.words.set_text(run.words())
        self.title.set_text(run.told if run.status in ("damaged", "failed") else run.info.title)
        share = run.info.generation / max(1, run.info.generations)
        self.bar.set_visibility(run.status in ("running", "stopping", "stopped", "interrupted"))
        self.done.style(f"width: {100 * min(1.0, share):.1f}%")

    async def _picked(self) -> None:
        await self.runs.pick(self.name)

    async def _ticked(self) -> None:
        await self.runs.tick(self.name, self.name not in self.runs.chosen)
