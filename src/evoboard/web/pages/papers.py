"""The reports on papers: make them, what came out again, and the reports themselves."""

from __future__ import annotations

import os

from fastapi import HTTPException
from fastapi.responses import HTMLResponse
from nicegui import app, ui

from evoboard.core.wording import counted, duration
from evoboard.papers.base import Paper, Scale, ScaleName, papers
from evoboard.papers.bench import Bench, report_folder, reports_folder
from evoboard.papers.report_file import ReportInfo, list_reports
from evoboard.web import theme
from evoboard.web.processes import announce_at_the_end
from evoboard.web.reporting import MOST_SEEDS, ReportJob, report_makers
from evoboard.web.site import Site, address
from evoboard.web.threads import off_loop
from evoboard.web.training.dashboard import STYLE
from evoboard.web.training.listing import PREPARING
from evoboard.web.training.run_header import link

TITLE, PATH, ICON, ORDER = "Papers", "/papers", "article", 70
REPORT = f"{PATH}/report"

EVERY = 1.0  # seconds between two looks at the reports
GOES_ON = "Reports are still being made: {}. The app can stop them later."
SCALES: dict[ScaleName, str] = {"quick": "Quick", "full": "Full length"}
SEEDS = (1, 2, 3, 5, 10, MOST_SEEDS)
BADGES = {
    "starting": "preparing",
    "making": "being made",
    "stopping": "stops after this step",
    "stopped": "stopped; nothing is lost",
    "failed": "failed",
}


@app.get(REPORT + "/{name}")
def report(name: str) -> HTMLResponse:
    """Send a report; only those that are listed can be named."""
    for each in list_reports(reports_folder()):
        if each.name == name:
            return HTMLResponse(each.page.read_text(encoding="utf-8"))
    raise HTTPException(404, "there is no such report")


async def build(site: Site) -> None:
    """Build the page: the papers, what there is of each, and what makes more."""
    ui.add_css(STYLE)
    page = PapersPage(await off_loop(papers))
    page.build()
    await page.look()
    ui.timer(EVERY, page.look)


class PapersPage(theme.PagePart):
    """The page's elements and what they do."""

    def __init__(self, known: list[Paper]) -> None:
        super().__init__()
        self.cards = [PaperCard(paper) for paper in known]
        self._shown: list[ReportInfo] | None = None

    def build(self) -> None:
        """Build the elements."""
        with ui.element("div").classes("stack"):
            with theme.card():
                ui.label(
                    "A report reruns a paper's experiments and sets its claims, tables and figures "
                    "beside ours. It continues when you close this page or the app."
                ).classes("dim small")
            for card in self.cards:
                card.build()
            with theme.card("Papers of your own") as self.own:
                self.rest = ui.element("div").classes("stack")

    async def look(self) -> None:
        """Show what is new."""
        found = await off_loop(list_reports, reports_folder())
        for card in self.cards:
            await card.look()
        if found == self._shown:
            return
        self._shown = found
        letters = {card.paper.letter for card in self.cards}
        for card in self.cards:
            _fill(card.reports, [each for each in found if each.paper == card.paper.letter])
        others = [each for each in found if each.paper not in letters]
        _fill(self.rest, others, titles=True)
        self.own.set_visibility(bool(others))


class PaperCard(theme.PagePart):
    """One paper: its reports, what is being made, and a form for another."""

    def __init__(self, paper: Paper) -> None:
        super().__init__()
        self.paper = paper

    def build(self) -> None:
        """Build the elements."""
        paper = self.paper
        with theme.card(f"{paper.letter}. {paper.title}") as card:
            card.mark(f"paper-{paper.letter}")
            ui.label(f"{paper.author}, {paper.year}. {paper.kind}.").classes("dim small")
            self.reports = ui.element("div").classes("stack")
            self.jobs = [JobLine(paper, scale) for scale in SCALES]
            with ui.element("div").classes("line"):
                self.scale = ui.toggle(SCALES, value="quick", on_change=self._scale_chosen)
                seeds = {
                    number: counted(number, "seed") for number in sorted({*SEEDS, *paper.seeds})
                }
                self.seeds = ui.select(seeds, value=paper.seeds[0], on_change=self._estimate)
                self.seeds.props["aria-label"] = "Seeds of every experiment"
                theme.button("Make a report", self._make, icon="play_arrow", main=True)
                self.time = ui.label().classes("dim small number")
        ui.timer(0.1, self._estimate, once=True)  # experiments are read for it: after the page

    async def look(self) -> None:
        """Show how far its reports are."""
        for job in self.jobs:
            job.show(await off_loop(report_makers.job, job.folder))

    async def _scale_chosen(self) -> None:
        self.seeds.set_value(self.paper.seeds[list(SCALES).index(self.scale.value)])
        await self._estimate()

    async def _estimate(self) -> None:
        """Say how long it will take."""
        scale = Scale(self.scale.value, self.seeds.value)
        bench = Bench(self.paper, scale, report_folder(self.paper, scale))
        seconds = await off_loop(lambda: bench.estimate)
        if scale == Scale(self.scale.value, self.seeds.value):  # nothing else is chosen meanwhile
            cores = os.cpu_count() or 1  # a report's process trains on all of them
            on = counted(cores, "free core")
            told = f"about {duration(seconds / cores)} of training on {on}, then measuring"
            self.time.set_text(told)

    async def _make(self) -> None:
        await _begin(self, self.paper, Scale(self.scale.value, self.seeds.value))
        await self.look()


class JobLine(theme.PagePart):
    """A report of one scale while it is made, or what became of it; unseen where there is none."""

    def __init__(self, paper: Paper, scale: ScaleName) -> None:
        super().__init__()
        self.paper, self.scale = paper, scale
        self.folder = report_folder(paper, Scale(scale))
        self._shown: ReportJob | None = None
        with ui.element("div").classes("stack") as self.box:
            with ui.element("div").classes("line"):
                ui.label(f"{SCALES[scale]} report").classes("small")
                self.badge = ui.label().classes("badge number").props('role="status"')
                self.left = ui.label().classes("dim small number")
                ui.element("span").classes("grow")
                self.runs = ui.element("span")
                self.stop = theme.button("Stop", self._stop, icon="stop")
                self.resume = theme.button("Continue", self._go_on, icon="play_arrow")
            self.bar = theme.ProgressBar()
            self.told = theme.Message("small said dim", "note")
        self.box.set_visibility(False)

    def show(self, job: ReportJob) -> None:
        """Show how far it is."""
        if job == self._shown:
            return
        before, self._shown = self._shown, job
        self.box.set_visibility(bool(job.status))
        if not job.status:
            return
        far, status = job.progress, job.status
        busy = status in ("starting", "making", "stopping")
        self.badge.set_text(BADGES[status])
        left = far.left if far and status == "making" else None
        self.left.set_text("" if left is None else f"about {duration(left)} left of training")
        share = far.share if far else None
        known = share is not None and status != "starting"
        self.bar.show(share or 0.0, seen=busy or bool(share), known=known or not busy)
        self.told.say(_words(job))
        self.stop.set_visibility(status in ("starting", "making"))
        self.resume.set_visibility(status in ("stopped", "failed"))
        study = far.study if far else ""
        if study and (not before or not before.progress or before.progress.study != study):
            self.runs.clear()
            with self.runs:
                link("Its runs", address("/train", study=study), "model_training")

    async def _stop(self) -> None:
        with self.complaining():
            await off_loop(report_makers.stop, self.folder)
        self.show(await off_loop(report_makers.job, self.folder))

    async def _go_on(self) -> None:
        far = self._shown.progress if self._shown else None
        await _begin(self, self.paper, Scale(self.scale, far.seeds if far else 0))
        self.show(await off_loop(report_makers.job, self.folder))


async def _begin(part: theme.PagePart, paper: Paper, scale: Scale) -> None:
    """Begin a report, or say why not."""
    with part.complaining():
        await off_loop(report_makers.start, paper, scale)
        announce_at_the_end(report_makers, GOES_ON)


def _words(job: ReportJob) -> str:
    """Return a sentence about what is going on."""
    if job.status == "starting":
        return f"{PREPARING} · {job.seconds or 0:.0f} s so far"
    told = job.told if job.status == "failed" else job.progress.words if job.progress else ""
    return told[:1].upper() + told[1:]


def _fill(box: ui.element, reports: list[ReportInfo], *, titles: bool = False) -> None:
    box.clear()
    box.set_visibility(bool(reports))
    with box:
        for each in reports:
            _line(each, each.title if titles else "")


def _line(each: ReportInfo, title: str = "") -> None:
    counts = [f"{number} {verdict}" for verdict, number in sorted(each.verdicts.items())]
    told = f"{counted(sum(each.verdicts.values()), 'claim')}: {', '.join(reversed(counts))}"
    with ui.element("div").classes("line"):
        ui.link(f"{title} {each.scale} report".strip().capitalize(), f"{REPORT}/{each.name}")
        ui.label(told).classes("small")
        ui.label(each.made[:16].replace("T", " ")).classes("dim small number")
