"""The reports on papers: what came out again, and the reports themselves."""

from __future__ import annotations

from fastapi import HTTPException
from fastapi.responses import HTMLResponse
from nicegui import app, ui

from evoboard.core.wording import counted
from evoboard.papers.base import papers
from evoboard.papers.bench import reports_folder
from evoboard.papers.report_file import ReportInfo, list_reports
from evoboard.web import theme
from evoboard.web.site import Site
from evoboard.web.threads import off_loop

TITLE, PATH, ICON, ORDER = "Papers", "/papers", "article", 70
REPORT = f"{PATH}/report"


@app.get(REPORT + "/{name}")
def report(name: str) -> HTMLResponse:
    """Send a report; only those that are listed can be named."""
    for each in list_reports(reports_folder()):
        if each.name == name:
            return HTMLResponse(each.page.read_text(encoding="utf-8"))
    raise HTTPException(404, "there is no such report")


async def build(site: Site) -> None:
    """Build the page: the papers, and what there is of each."""
    found = await off_loop(lambda: list_reports(reports_folder()))
    known = await off_loop(papers)
    with ui.element("div").classes("stack"):
        for paper in known:
            own = [each for each in found if each.paper == paper.letter]
            with theme.card(f"{paper.letter}. {paper.title}"):
                ui.label(f"{paper.author}, {paper.year}. {paper.kind}.").classes("dim small")
                for each in own:
                    _line(each)
                if not own:
                    told = f"No report yet; evoboard paper {paper.letter} makes one in minutes."
                    ui.label(told).classes("dim small")
        others = {paper.letter for paper in known}
        rest = [each for each in found if each.paper not in others]
        if rest:
            with theme.card("Papers of your own"):
                for each in rest:
                    _line(each, each.title)


def _line(each: ReportInfo, title: str = "") -> None:
    counts = [f"{number} {verdict}" for verdict, number in sorted(each.verdicts.items())]
    told = f"{counted(sum(each.verdicts.values()), 'claim')}: {', '.join(reversed(counts))}"
    with ui.element("div").classes("line"):
        ui.link(f"{title} {each.scale} report".strip().capitalize(), f"{REPORT}/{each.name}")
        ui.label(told).classes("small")
        ui.label(each.made[:16].replace("T", " ")).classes("dim small number")
