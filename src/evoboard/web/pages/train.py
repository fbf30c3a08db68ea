"""Start experiments, watch them live, stop them and go on; several runs side by side."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.core.wording import listed
from evoboard.web import theme
from evoboard.web.processes import announce_at_the_end
from evoboard.web.site import Site, address
from evoboard.web.threads import off_loop
from evoboard.web.training.charts.parts import COLOURS
from evoboard.web.training.dashboard import STYLE, Dashboard
from evoboard.web.training.form import ExperimentForm
from evoboard.web.training.groups import GroupSeries, grouped, studies
from evoboard.web.training.listing import ListedRun, Listing, by_age
from evoboard.web.training.runs_list import RunsList
from evoboard.web.training.series import RunSeries
from evoboard.web.training.trainers import NewRun, trainers

TITLE, PATH, ICON, ORDER = "Train", "/train", "model_training", 50

EVERY = 1.0  # seconds between two looks at the runs
MOST_WATCHED = 6
NARROW = 820  # pixels, as in training.css
GOES_ON = "Training continues: {}. `evoboard stop RUN` ends a run."

listing = Listing(trainers)


async def build(site: Site) -> None:
    """Build the page.

    /train?runs=NAME,NAME shows runs, with &group=1 as groups, /train?study=NAME those of a study,
    /train?new=EXPERIMENT the form, /train the latest run.
    """
    ui.add_css(STYLE)
    page = TrainPage(site)
    page.build()
    await page.open(site.query())
    ui.timer(EVERY, page.look)


class TrainPage(theme.PagePart):
    """The page's elements and what they do."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site
        self.listed: list[ListedRun] = []
        self.watched: list[RunSeries] = []
        self.studies: dict[str, list[str]] = {}
        self.lines: list[RunSeries] = []  # what charts have lines for: runs, or groups of them
        self._shown: tuple[list[str], bool, str] = ([], False, "")
        self.colours: dict[str, int] = {}
        self.form_open = False
        self.in_groups, self.study = False, ""
        # Runs are read in a thread; one at a time reads, and then draws.
        self._turn = asyncio.Lock()
        self._told = ""

    def build(self) -> None:
        """Build the elements."""
        with ui.element("div").classes("side"):
            with ui.element("div").classes("stack"):
                self.runs = RunsList(
                    self.choose, self.ask, self.forget, self.choose_study, self.regroup
                )
                self.runs.build()
            with ui.element("div").classes("stack"):
                self.form = ExperimentForm(self.site, self.start)
                self.form.build()
                self.board = Dashboard(self.site, self.act)
                self.board.build()

    async def open(self, query: dict[str, str]) -> None:
        """Show what the address asks for."""
        await off_loop(self._list)
        known = [run.name for run in self.listed]
        wanted = [name for name in query.get("runs", "").split(",") if name in known]
        if "study" in query:
            await self.choose_study(query["study"])
        elif "new" in query or not known:
            await self.ask(query.get("new", ""))
        else:
            self.in_groups = query.get("group") == "1"
            await self.choose(wanted or known[:1])

    async def ask(self, experiment: str = "") -> None:
        """Show the form."""
        self._show(form=True)
        with self.complaining():
            await self.form.begin_with(*filter(None, [experiment]))
        theme.replace_address(address(PATH, new=self.form.stem))
        self._scroll_to(self.form.card)
        self.runs.show(self.listed, [], self.colours)

    async def choose(self, names: list[str], study: str = "") -> None:
        """Look at runs; those of a study are grouped by its settings, many others, too."""
        if not names:
            return await self.ask()
        self.study = study
        # So many lines cannot be told apart.
        self.in_groups = len(names) > 1 and (
            self.in_groups or bool(study) or len(names) > MOST_WATCHED
        )
        async with self._turn:
            await self._watch(names)
        group = "1" if self.in_groups else ""
        where = {"study": study} if study else {"runs": ",".join(names), "group": group}
        theme.replace_address(address(PATH, **where))

    async def choose_study(self, study: str) -> None:
        """Look at the runs of a study, those of each setting as a group."""
        names = (await off_loop(studies)).get(study, [])
        if not names:
            self.complain(f"No run of a study named {study[:80]} has begun.")
        await self.choose(names or [run.name for run in self.listed[:1]], study if names else "")

    async def regroup(self, on: bool) -> None:
        """Look at the same runs as groups, or one by one as far as they can be told apart."""
        self.in_groups = on
        names = [run.name for run in self.watched]
        if not on and len(names) > MOST_WATCHED:
            self.complain(f"Only {MOST_WATCHED} runs can be seen one by one; these are the first.")
        await self.choose(names if on else names[:MOST_WATCHED], self.study if on else "")

    async def _watch(self, names: list[str]) -> None:
        known = {run.name: run for run in self.watched}
        if (names, self.in_groups, self.study) != self._shown:
            self._shown = (names, self.in_groups, self.study)
            self._tell_apart(names)
            self.watched = [known.get(name) or RunSeries(name) for name in names]
            for run in self.watched:
                run.colour = self.colours.get(run.name, 0)
            await off_loop(self._read_on)
            await off_loop(self._arrange)
            self.board.begin(self.lines)
        self._show(form=False)
        self.board.refresh()
        self._refresh()

    async def start(self, wanted: NewRun) -> None:
        """Start a run and look at it."""
        try:
            await off_loop(trainers.start, wanted)
        except (EvoboardError, OSError) as error:
            return self.complain(str(error))
        announce_at_the_end(trainers, GOES_ON)
        await off_loop(self._list)
        await self.choose([wanted.name])

    async def act(self, what: str, name: str) -> None:
        """Stop a run, go on with it, give it as many generations again, or fill the form with its
        settings."""
        try:
            if what == "again":
                self._show(form=True)
                await self.form.begin_with_run(name)
                self.runs.show(self.listed, [], self.colours)
                return self._scroll_to(self.form.card)
            acts = {"stop": trainers.stop, "resume": trainers.resume, "more": trainers.lengthen}
            await off_loop(acts[what], name)
        except (EvoboardError, OSError) as error:
            self.complain(str(error))
        announce_at_the_end(trainers, GOES_ON)
        await self.look()

    async def forget(self, name: str) -> None:
        """Take a run that could not be started off the list."""
        trainers.forget(name)
        await off_loop(self._list)
        left = [run.name for run in self.watched if run.name != name]
        if self.form_open or len(left) == len(self.watched):
            self._refresh()
        else:
            await self.choose(left or [run.name for run in self.listed[:1]])

    async def look(self) -> None:
        """Read what is new about all runs, and show it."""
        if self._turn.locked():
            return
        async with self._turn:
            try:
                await off_loop(self._list)
            except EvoboardError as error:  # once, not every second
                if str(error) != self._told:
                    self._told = str(error)
                    self.complain(error)
                return
            self._told = ""
            if await off_loop(self._read_on) and not self.form_open:
                self.board.refresh()
            self._refresh()
        await self._leave_those_gone()

    async def _leave_those_gone(self) -> None:
        """Leave runs that are shown but have been removed."""
        there = [run.name for run in self.listed]
        left = [run.name for run in self.watched if run.name in there]
        gone = [run.name for run in self.watched if run.name not in there]
        if gone and not self.form_open:
            self.complain(f"{listed(gone)} {'is' if len(gone) == 1 else 'are'} no longer there.")
            await self.choose(left or there[:1])

    def _arrange(self) -> None:
        """Make groups of the runs that are looked at, where groups are wanted."""
        groups = grouped(self.watched, self.study) if self.in_groups else []
        for group in groups:
            group.colour %= COLOURS
        self.lines = list(groups) or self.watched

    def _list(self) -> None:
        """List the runs; each has a colour by its age, the same in the list and in all charts."""
        self.listed = listing.read()
        self.studies = studies()
        for name in by_age([run.name for run in self.listed if run.name not in self.colours]):
            self.colours[name] = len(self.colours) % COLOURS

    def _tell_apart(self, names: list[str]) -> None:
        """Give runs that are seen together different colours; those chosen earlier keep theirs."""
        taken: set[int] = set()
        for name in names:
            if self.colours.get(name) in taken:
                free = (i for i in range(COLOURS) if i not in taken)
                self.colours[name] = next(free, len(taken) % COLOURS)
            taken.add(self.colours.setdefault(name, 0))

    def _read_on(self) -> bool:
        """Read the new rows of the runs that are looked at; tell whether there are any."""
        changed = False
        counts = {run.name: run.info.generation for run in self.listed if not run.can_stop}
        many = len(self.watched) > MOST_WATCHED
        for run in list(self.watched):
            if many and run.count and counts.get(run.name) == run.count:
                continue  # of many, only those are read that may have something new
            with suppress(EvoboardError):  # not there yet, or damaged: the list says so
                changed |= run.read_on()
        for line in self.lines if changed else ():
            if isinstance(line, GroupSeries):
                line.gather()
        return changed

    def _refresh(self) -> None:
        chosen = [] if self.form_open else [run.name for run in self.watched]
        self.runs.show(self.listed, chosen, self.colours)
        self.runs.show_studies(self.studies)
        self.runs.show_grouping(len(chosen), self.in_groups)
        if not self.form_open:
            self.board.show_status(self.listed)

    def _show(self, *, form: bool) -> None:
        self.form_open = form
        self.form.card.set_visibility(form)
        self.board.box.set_visibility(not form)

    def _scroll_to(self, element: ui.element) -> None:
        """Bring an element into sight on a narrow screen, where it is below the list."""
        there = f"getHtmlElement({element.id})"
        ui.run_javascript(f"if (innerWidth <= {NARROW}) {there}.scrollIntoView()")
