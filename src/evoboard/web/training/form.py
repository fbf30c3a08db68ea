"""The form in which an experiment is filled in: what matters comes first, the rest is folded away.

A section's controls are made when it is opened, or when a search finds one of them. Each problem is
shown beside its control.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.core.settings import Problem
from evoboard.core.toml import toml_text
from evoboard.experiments.catalog import experiment_names, heading, load, stem, tables
from evoboard.games.base import Game
from evoboard.runs.folder import new_name, require_free
from evoboard.store.reader import open_run
from evoboard.store.run_file import run_folder
from evoboard.training.experiment import Experiment, read_experiment
from evoboard.web import theme
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.training.controls import Controls
from evoboard.web.training.form_values import (
    experiment_data,
    find_problem,
    form_values,
    with_game,
    with_part,
)
from evoboard.web.training.schema import FIRST, FormEntry, FormSection, sections_of
from evoboard.web.training.trainers import NewRun

FIRST_CHOICE = "kingcapture-quick"
MOST_SEED, MOST_THREADS = 10**18, 1024
MOST_FOUND = 40  # settings that are shown of those that are sought


class ExperimentForm:
    """Fills in an experiment; `on_start` gets it when it is right."""

    def __init__(self, site: Site, on_start: Callable[[NewRun], Any]) -> None:
        self.site, self.on_start = site, on_start
        self.client = ui.context.client
        self.values: dict[str, Any] = {}
        self.game: Game | None = None
        self.stem = self._proposed = ""
        self._source: str | None = None
        self.controls = Controls(self._changed)
        self._open: set[Any] = set()
        self._checks = 0

    def build(self) -> None:
        """Build the frame; `begin_with` fills it."""
        with theme.card() as self.card:
            self.card.classes("train-form")
            theme.heading("New run", 1)
            self.source = ui.select({}, label="Experiment", with_input=True)
            self.source.on_value_change(self._source_chosen)
            self.about = ui.label().classes("said small dim train-about")
            with ui.element("div").classes("fields"):
                self.name = _field("Name of the run", "name")
                self.seed = _field("Seed", "numeric")
                self.seed.props["hint"] = "The same seed gives the same run"
                self.first = ui.element("div").classes("among")
            self._build_all_settings()
            with ui.element("div").classes("train-start"):
                self.told = theme.Message("said small train-told")
                with ui.element("div").classes("line"):
                    theme.button("Download as TOML", self._download, icon="download")
                    ui.element("span").classes("grow")
                    self.start = theme.button(
                        "Start training", self._start, icon="play_arrow", main=True
                    )
            for field in (self.name, self.seed, self.threads):
                field.on_value_change(lambda event: setattr(event.sender, "error", None))

    def _build_all_settings(self) -> None:
        caption = "Strategy, search, fitness, opponents, measurements …"
        self.all = ui.expansion("All settings", caption=caption).classes("train-section train-all")
        with self.all:
            with ui.element("div").classes("fields"):
                self.sought = ui.input("Find a setting", on_change=self._lay_out_rest)
                self.sought.props("clearable hide-bottom-space autocomplete=off debounce=250")
                self.threads = _field("Threads", "numeric")
                self.threads.props["hint"] = "0 uses every core"
            self.rest = ui.element("div").classes("train-sections")

    async def begin_with(self, name: str = "") -> None:
        """Fill the form with an experiment that comes with evoboard, or with what fits a game.

        A game that the app was started with is what its user wants to train.
        """
        titles, own = await self._sources(), self.site.own_games
        name = next((file for file in own if name in ("", stem(file))), name)
        if name not in titles:
            name = FIRST_CHOICE
        experiment = await off_loop(load, name)
        await self._fill(experiment, stem(name))
        self._show_source(titles, name)
        self.about.set_text(await off_loop(_about, name))

    async def _sources(self) -> dict[str, str]:
        """Return what the form can be filled with: the user's games, then experiments."""
        own = {file: f"{stem(file)} · settings chosen for it" for file in self.site.own_games}
        return own | await off_loop(_titles)

    def _show_source(self, titles: dict[str, str], name: str | None) -> None:
        self._source = name
        self.source.set_options(titles, value=name)

    async def begin_with_run(self, run: str) -> None:
        """Fill the form with the settings of a run."""
        experiment, seed = await off_loop(_experiment_of, run)
        await self._fill(experiment, run)
        self._show_source(await self._sources(), None)
        self.about.set_text(f"The settings of the run {run}.")
        self.seed.set_value(str(seed + 1))

    async def _name_after(self, stem: str) -> None:
        """Propose a name for the run."""
        self.stem, self._proposed = stem, await off_loop(new_name, stem)
        self.name.set_value(self._proposed)

    async def _fill(self, experiment: Experiment, stem: str) -> None:
        self.values = await off_loop(form_values, experiment, self.site.load_game)
        await self._name_after(stem)
        self.seed.set_value("1")
        self.threads.set_value("0")
        self._open.clear()
        self.all.close()
        self.sought.set_value("")
        await self._lay_out()

    async def _source_chosen(self, event: Any) -> None:
        if event.value and event.value != self._source:
            try:
                await self.begin_with(str(event.value))
            except EvoboardError as error:
                self.told.say(str(error))

    # --- the controls -----------------------------------------------------------------------

    async def _lay_out(self) -> None:
        """Build the controls for the parts that its values name."""
        self.game = await off_loop(self.site.load_game, self.values["game"]["name"])
        found = await off_loop(sections_of, self.values, self.game, list(self.site.games))
        self.controls.begin(self.values)
        self.sections = found
        entries = {entry.place: entry for section in found for entry in section.all_entries()}
        self.first.clear()
        with self.first:
            for place in FIRST:
                if place in entries:
                    self.controls.build(entries[place])
        self._lay_out_rest()
        self.told.say("")

    def _lay_out_rest(self) -> None:
        """Build the folded sections, or only the settings that are sought."""
        text = str(self.sought.value or "").strip()
        self.controls.forget(FIRST)
        self.bodies: dict[Any, tuple[FormSection, ui.expansion]] = {}
        self.rest.clear()
        with self.rest:
            if text:
                return self._show_found(text)
            for section in self.sections:
                self._add_section(section)
        return None

    def _show_found(self, text: str) -> None:
        found = [each for section in self.sections for each in section.found(text)]
        entries = [(path, entry) for path, entry in found if entry.place not in FIRST]
        if not entries:
            ui.label("No setting matches these words.").classes("dim small train-none")
        with ui.element("div").classes("fields train-found"):
            for path, entry in entries[:MOST_FOUND]:
                with ui.element("div").classes("wide" if entry.kind == "tables" else ""):
                    ui.label(path).classes("dim small cut")
                    self.controls.build(entry)

    def _add_section(self, section: FormSection) -> None:
        if not _shown_entries(section) and not section.sections:
            return
        panel = ui.expansion(section.title, caption=section.about)
        panel.props("dense expand-separator").classes("train-section")
        self.bodies[section.place] = section, panel
        panel.on_value_change(lambda event: self._opened(section.place, bool(event.value)))
        if section.place in self._open:
            panel.open()

    def _opened(self, place: Any, is_open: bool) -> None:
        """Make a section's controls when it is first opened."""
        section, panel = self.bodies[place]
        (self._open.add if is_open else self._open.discard)(place)
        if not is_open or any(panel.default_slot.children):
            return
        with panel:
            with ui.element("div").classes("fields"):
                for entry in _shown_entries(section):
                    self.controls.build(entry)
            with ui.element("div").classes("train-inner"):
                for inner in section.sections:
                    self._add_section(inner)

    async def _changed(self, entry: FormEntry, value: Any) -> None:
        """Take a new value; another part brings other settings with it."""
        try:
            if entry.place == ("game", "name"):
                game = await off_loop(self.site.load_game, str(value))
                self.values = with_game(self.values, game, str(value))
                if self.name.value == self._proposed:  # else the visitor has chosen it
                    await self._name_after(game.name)
            elif entry.is_part:
                self.values = with_part(self.values, str(entry.place[0]), str(value))
            if entry.is_part:
                await self._lay_out()
        except EvoboardError as error:
            return self.told.say(str(error))
        await self.check()

    async def check(self) -> Problem | None:
        """Say beside its control what is wrong, if anything is."""
        self._checks += 1
        mine = self._checks
        problem = await off_loop(find_problem, self.values, self.site.load_game)
        if mine == self._checks:
            self.controls.clear_errors()
            self.told.say("")
            if problem:
                self._complain(problem)
        return problem

    def _complain(self, problem: Problem) -> None:
        """Show a problem at its control and open its section; or show it at the bottom."""
        if problem.place and problem.place not in FIRST:
            self.all.open()
            if not self.controls.has(problem.place):
                self.sought.set_value("")
        for length in range(1, len(problem.place)):
            place = problem.place[:length]
            if place in self.bodies and problem.place not in FIRST:
                self.bodies[place][1].open()
        if not self.controls.complain(problem):
            self.told.say(problem.text)

    # --- starting ---------------------------------------------------------------------------

    async def _download(self) -> None:
        if self.game and await self.check() is None:
            text = toml_text(experiment_data(self.values, self.game))
            ui.download(text.encode(), f"{self.name.value or self.stem}.toml", "text/plain")

    async def _start(self) -> None:
        self.start.props("loading")
        try:
            wanted = await self._wanted()
            if wanted:
                await theme.done(self.on_start(wanted))
        finally:
            self.start.props(remove="loading")

    async def _wanted(self) -> NewRun | None:
        """Return what is to be started, None if something is wrong."""
        name = str(self.name.value or "").strip()
        try:
            await off_loop(lambda: require_free(run_folder(name)))
        except EvoboardError as error:
            self.name.error = str(error)
            return None
        seed, threads = _count(self.seed, MOST_SEED), _count(self.threads, MOST_THREADS)
        if threads is None:
            self.all.open()
        if seed is None or threads is None or self.game is None or await self.check() is not None:
            return None
        return NewRun(name, experiment_data(self.values, self.game), seed, threads)


def _shown_entries(section: FormSection) -> list[FormEntry]:
    return [entry for entry in section.entries if entry.place not in FIRST]


def _field(label: str, mode: str) -> ui.input:
    """Return a field whose complaint may be as long as it likes."""
    made = ui.input(label).props("hide-bottom-space").classes("full-width")
    return made.props(f"inputmode={mode}" if mode == "numeric" else "autocomplete=off")


def _count(field: ui.input, most: int) -> int | None:
    """Return the whole number in a field; None, with a message beside it, if it holds none."""
    text = str(field.value or "").strip()
    if text.isdecimal() and len(text) < 20 and int(text) <= most:
        return int(text)
    given = repr(text) if text else "empty"
    label = field.props["label"]
    field.error = f"{label} is {given}; it must be a whole number from 0 to {most:,}."
    return None


@lru_cache(1)
def _titles() -> dict[str, str]:
    """Return the experiments by name with their titles, those for a first try first."""
    names = sorted(experiment_names(), key=lambda name: (not name.endswith("-quick"), name))
    return {name: f"{name} · {tables(name).get('title', '')}" for name in names}


def _about(name: str) -> str:
    """Return what an experiment's file says about it."""
    return "\n".join(line.lstrip("# ").rstrip() for line in heading(name).splitlines()).strip()


def _experiment_of(run: str) -> tuple[Experiment, int]:
    with open_run(run) as reader:
        facts = reader.facts()
    return read_experiment(facts["experiment"]), int(facts["seed"])
