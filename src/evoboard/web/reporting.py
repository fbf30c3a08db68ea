"""Reports on papers, made by `evoboard paper` in processes of their own, and how far they are."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from evoboard.core.errors import OptionError
from evoboard.papers.base import Paper, Scale
from evoboard.papers.bench import report_folder
from evoboard.papers.making import ReportProgress, look_at
from evoboard.runs.lock import ask_to_stop, is_held
from evoboard.store.run_file import RunError
from evoboard.web.processes import Processes

MOST_SEEDS = 20

Status = Literal["", "starting", "making", "stopping", "stopped", "failed"]


class ReportJob(NamedTuple):
    """A report that is being made. `told`: why it failed; `seconds`: since it was begun."""

    status: Status
    progress: ReportProgress | None = None
    told: str = ""
    seconds: float | None = None


class ReportMakers(Processes):
    """The processes of this server that make reports, by the names of their folders."""

    most = 2  # each trains on every core
    too_many = "reports are being made here; wait for one, or stop it."

    def start(self, paper: Paper, scale: Scale) -> None:
        """Make a report, or continue one; whatever was trained for it is used."""
        folder = report_folder(paper, scale)
        if is_held(folder):
            raise RunError(self.taken(folder.name))
        if not 0 <= scale.seeds <= MOST_SEEDS:
            raise OptionError(f"seeds is {scale.seeds}; it must be from 1 to {MOST_SEEDS}.")
        words = ["paper", paper.letter, f"--{scale.name}", f"--seeds={scale.seeds}"]
        self.launch(folder.name, words)

    def stop(self, folder: Path) -> None:
        """Ask the process that makes a report to stop; one that is still starting is ended."""
        if is_held(folder):
            return ask_to_stop(folder)
        self.end(folder.name)

    def job(self, folder: Path) -> ReportJob:
        """Return how far the report of a folder is, whichever process makes it."""
        seen, name = look_at(folder), folder.name
        if seen.held:
            self.forget(name)  # why an earlier one failed; this one may be a terminal's
            return ReportJob("stopping" if seen.stopping else "making", seen.progress)
        if name in self.at_work():
            return ReportJob("starting", seconds=self.seconds(name))
        if told := self.trouble().get(name, ""):
            return ReportJob("failed", seen.progress, told)
        return ReportJob("stopped" if seen.progress else "", seen.progress)

    def taken(self, name: str) -> str:
        """Return the sentence for a report that is being made."""
        return "this report is already being made."


report_makers = ReportMakers()
