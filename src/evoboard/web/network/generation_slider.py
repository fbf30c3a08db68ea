"""How a run's champions grew: a slider over its generations, and their sizes as lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from nicegui import ui

from evoboard.core.options import split_options
from evoboard.players.network import PlayerNetwork
from evoboard.store.reader import open_run
from evoboard.web import theme
from evoboard.web.network.element import Growth
from evoboard.web.threads import off_loop

MOST_POINTS = 400  # of a line
SECONDS = 0.6  # of a generation while the growth is played


class Grown(NamedTuple):
    """A run's champions in numbers: (generation, links) and (generation, hidden nodes)."""

    links: list[tuple[int, float]]
    nodes: list[tuple[int, float]]
    last: int


def grown(run: str) -> Grown:
    """Return how a run's champions grew; cached until there are more generations."""
    with open_run(run) as reader:
        made, count = reader.facts().get("made"), reader.count()
    return _grown(run, str(made), count)


@lru_cache(32)
def _grown(run: str, _made: str, count: int) -> Grown:
    """Return how the champions of that many generations grew, thinned out where they are many."""
    with open_run(run) as reader:
        rows = reader.rows(0, count - 1)
    step = max(1, len(rows) // MOST_POINTS)
    some = [row for row in rows if row.generation % step == 0 or row is rows[-1]]

    def series(name: str) -> list[tuple[int, float]]:
        return [(row.generation, row.numbers[name]) for row in some if name in row.numbers]

    last = rows[-1].generation if rows else 0
    return Grown(series("champion_links"), series("champion_nodes"), last)


class GenerationSlider:
    """The slider; `on_generation` gets the generation to show."""

    def __init__(self, on_generation: Callable[[int], Any]) -> None:
        self.on_generation = on_generation
        self.last = 0
        self.generation: int | None = None  # the one shown

    def build(self) -> None:
        """Build the elements."""
        with ui.element("div").classes("stack").style("gap: 4px") as self.box:
            with ui.element("div").classes("line tight"):
                self.text = ui.label().classes("grow number")
                labels = ("Show how it grew", "Pause")
                self.play = theme.PlayButton(SECONDS, self._begin, self._next, labels)
            self.slider = ui.slider(min=0, max=1, step=1, value=0, on_change=self._slid)
            self.slider.props('aria-label="Generation"')
            self.growth = Growth(self._go)

    async def show(self, shown: PlayerNetwork) -> None:
        """Show the generation of a network, if it is a run's."""
        kind, options = split_options(shown.text)
        self.box.set_visibility(kind == "run")
        self.generation = shown.generation if kind == "run" else None
        if self.generation is None:
            return self.play.stop()
        run, _, place = options[""].partition("@")
        found = await off_loop(grown, run)
        series = [("links", found.links), ("hidden nodes", found.nodes)]
        grew = any(len({number for _, number in line}) > 1 for _, line in series)
        self.growth.show([one for one in series if one[1]], found.last)
        self.growth.set_visibility(grew)
        self.growth.point_at(self.generation)
        who = f"#{place.partition('#')[2]}" if "#" in place else "Champion"
        self.text.set_text(f"{who} of generation {self.generation} of {found.last}")
        self.last = found.last
        self.slider.props["max"] = max(1, found.last)
        self.slider.set_value(self.generation)
        return None

    def _slid(self, event: Any) -> Any:
        return None if event.value is None else self._go(int(event.value))

    def _go(self, generation: int) -> Any:
        """Ask for a generation, unless it is the one shown."""
        known = self.generation in (None, generation) or generation > self.last
        return None if known else self.on_generation(generation)

    def _begin(self) -> None:
        """Show one generation after the other, from the first if the last one is shown."""
        if self.generation == self.last:
            self.slider.set_value(0)

    def _next(self) -> None:
        if self.generation is None or self.generation >= self.last:
            self.play.stop()
        else:
            self.slider.set_value(self.generation + 1)
