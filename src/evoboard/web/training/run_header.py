"""The header of a run: its name, status and figures, and what can be done with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nicegui import ui

from evoboard.core.wording import counted
from evoboard.runs.study import possible_studies
from evoboard.web import theme
from evoboard.web.opponents import within
from evoboard.web.site import address
from evoboard.web.training.charts.strength import grade_words, rating_words, telling_anchors
from evoboard.web.training.groups import GroupSeries
from evoboard.web.training.listing import ListedRun
from evoboard.web.training.series import RunSeries
from evoboard.web.values import percent, short

Act = Callable[[str, str], Any]  # what to do (stop, resume, more, again), and with which run

MOST_FIGURES = 2  # of one of several runs


class Tile(NamedTuple):
    """A number worth showing by itself, and what it is out of or how sure it is."""

    value: str
    detail: str = ""


class RunHeader:
    """A run's line, or everything about it if it is the `single` one shown."""

    def __init__(self, run: RunSeries, single: bool, on_act: Act) -> None:
        self.run, self.single, self.on_act = run, single, on_act
        self.tiles: dict[str, tuple[ui.label, ui.label]] = {}
        self._linked = ""
        # A run of a study stays as long as the others.
        self.alone = single and not possible_studies(run.name)
        with ui.element("div").classes("stack" if single else "run-line"):
            with ui.element("div").classes("line" if single else "line grow"):
                self.status, self.figures = _build_name(run, "h1" if single else "b")
                if single:
                    ui.element("span").classes("grow")
                    self._build_control()
            if single:
                self.title = ui.label().classes("dim small")
            self.bar = theme.ProgressBar()
            self.told = theme.Message("small said", "note")
            if single:
                self.grid = ui.element("div").classes("tiles")
                self.whose = ui.label().classes("dim small")
                self.links = ui.element("div").classes("line")
            else:
                self._build_control()

    def _build_control(self) -> None:
        name = self.run.name
        with ui.element("div").classes("line tight"):
            self.stop = theme.button("Stop", lambda: self.on_act("stop", name), icon="stop")
            self.resume = theme.button(
                "Resume", lambda: self.on_act("resume", name), icon="play_arrow", main=True
            )
            self.more = theme.button("", lambda: self.on_act("more", name), icon="play_arrow")

    def show(self, run: ListedRun) -> None:
        """Show status and figures."""
        self.status.set_text(run.words())
        self.stop.set_visibility(run.can_stop)
        self.resume.set_visibility(run.can_resume)
        complete = run.status == "finished" and run.info.can_lengthen
        self.more.set_visibility(self.alone and complete)
        self.more.set_text(f"Continue to {2 * run.info.length:,} generations")
        self._show_progress(run)
        found = figures(self.run)
        rest = self.run.time_left(run.info.generations) if run.status == "running" else ""
        if not self.single:
            told = [f"{name}: {figure.value}" for name, figure in found.items()][:MOST_FIGURES]
            self.figures.set_text(" · ".join(filter(None, [rest, *told])))
            return
        self.figures.set_text(rest)
        self.title.set_text(" · ".join(filter(None, (run.info.title, f"seed {run.info.seed}"))))
        self._show_tiles(found)
        self.whose.set_text(whose_figures(self.run, run.info.best_generation))
        self._show_links(run)

    def _show_progress(self, run: ListedRun) -> None:
        """Show how far it is, or that it is working while that is not known."""
        starts, ended = run.status == "starting", run.status in ("finished", "damaged", "failed")
        self.bar.show(run.share, seen=not ended and (self.single or starts), known=not starts)
        told = run.why()
        complete = run.status == "finished" and not run.ended_early
        self.told.say("" if complete else told)
        bad = run.status in ("failed", "damaged", "interrupted")
        self.told.style(f"color: var({'--warn' if bad else '--dim'})")

    def _show_tiles(self, found: dict[str, Tile]) -> None:
        if list(self.tiles) != list(found):
            self.grid.clear()
            self.tiles = {}
            with self.grid:
                for name in found:
                    with ui.element("div").classes("tile"):
                        value = ui.label().classes("value cut")
                        detail = ui.label().classes("detail number")
                        ui.label(name).classes("dim small")
                        self.tiles[name] = value, detail
        for name, figure in found.items():
            for label, text in zip(self.tiles[name], figure, strict=True):
                label.set_text(text)

    def _show_links(self, run: ListedRun) -> None:
        """Offer what to do next, once the run has a champion."""
        game = run.info.game if run.info.generation else ""
        if game == self._linked:
            return
        self._linked = game
        self.links.clear()
        name, player = run.name, f"run:{run.name}"
        with self.links:
            to_play = address("/play", game=game, opponent=player)
            link("Play its champion", to_play, "sports_esports")
            link("Replay its games", address("/replay", run=name), "movie")
            link("Look inside", address("/network", run=name), "hub")
            link("Compare", address("/compare", game=game, players=player), "leaderboard")
            theme.button("New run like it", lambda: self.on_act("again", name), icon="content_copy")


class GroupHeader:
    """The line of a group of runs: how many are complete, and what they are worth on average."""

    def __init__(self, group: GroupSeries) -> None:
        self.group = group
        with ui.element("div").classes("run-line"), ui.element("div").classes("line grow"):
            self.status, self.figures = _build_name(group, "b")

    def show(self, listed: Sequence[ListedRun]) -> None:
        """Show how far its runs are."""
        names = {run.name for run in self.group.members}
        members = [run for run in listed if run.name in names]
        done = sum(run.status == "finished" for run in members)
        total = counted(len(members), "run")
        self.status.set_text(total if done == len(members) else f"{done} of {total} finished")
        told = [f"{name}: {figure.value}" for name, figure in figures(self.group).items()]
        self.figures.set_text(" · ".join(told[:MOST_FIGURES]))


def _build_name(run: RunSeries, element: str) -> tuple[ui.label, ui.label]:
    """Build colour and name of a run or group; return the labels of its status and figures."""
    ui.element("span").classes("chip").style(f"background: var(--s{run.colour})")
    with ui.element(element).classes("cut"):
        ui.label(run.name)
    status = ui.label().classes("badge number").props('role="status"')
    return status, ui.label().classes("dim small number")


def link(text: str, target: str, icon: str) -> ui.element:
    """Return a link that looks like a button."""
    made = ui.element("a").classes("plain")
    made.props["href"] = target
    with made:
        ui.icon(icon).props('aria-hidden="true"')
        ui.label(text)
    return made


def whose_figures(run: RunSeries, best: int | None) -> str:
    """Return whose Elo, points and grade the tiles show: rarely those of the run's best player."""
    measured = [rating.generation for rows in run.ratings.values() for rating in rows]
    if not measured:
        return ""
    told = f"Elo, points and grade: the champion of generation {max(measured)}, the last measured."
    if best is None:
        return told
    if best == max(measured):
        return f"{told} It also won the final and is the run's best player."
    return (
        f"{told} The run's best player, which won the final and which you play against, is the "
        f"champion of generation {best}; its Elo is a different one."
    )


def figures(run: RunSeries) -> dict[str, Tile]:
    """Return the numbers worth a tile by their names, those about strength first."""
    if not run.count:
        return {}
    found = {}
    for anchor in telling_anchors([run]):
        found[f"Elo against {within(anchor)}"] = Tile(*rating_words(run.ratings[anchor][-1]))
    if run.earlier:
        last = run.earlier[-1]
        ends = f"{percent(last.low)} … {percent(last.high)}"
        found["Points against earlier champions"] = Tile(percent(last.value), ends)
    if not math.isnan(run.latest("grade")):
        found["Grade"] = Tile(short(run.latest("grade")), grade_words(run))
    found["Best fitness"] = Tile(short(run.latest("best")), f"mean {short(run.latest('mean'))}")
    if not math.isnan(run.latest("species")):
        found["Species"] = Tile(short(run.latest("species")))
    if not math.isnan(run.latest("links_mean")):
        hidden = run.latest("nodes_mean")
        nodes = _one_digit(hidden)
        more = f"{nodes} hidden node{'' if nodes == '1' else 's'}" if hidden > 0 else ""
        found["Links per network"] = Tile(_one_digit(run.latest("links_mean")), more)
    found["Games / s"] = Tile(short(run.speeds()[-1]))
    return found


def _one_digit(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
