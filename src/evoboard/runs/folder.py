"""A run's folder: made whole or not at all, listed, asked to stop."""

from __future__ import annotations

import json
import math
import os
import shutil
import time
import tomllib
import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from evoboard.core.errors import SENSELESS, EvoboardError, in_one_line
from evoboard.core.toml import toml_text
from evoboard.core.version import program_version
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import as_name, counted, readable
from evoboard.runs.lock import ask_to_stop, is_held
from evoboard.store.reader import Reader
from evoboard.store.records import Measurement
from evoboard.store.run_file import (
    CONFIG,
    DATABASE,
    FORMAT,
    NAME,
    VERSION,
    RunError,
    damaged,
    explain,
    find_run,
    run_folder,
    run_names,
    runs_folder,
)
from evoboard.store.writer import create_database

STOPPED = "stopped"  # how a session ends that was asked to
BUSY = ("running", "finished", "damaged")  # runs that cannot be resumed, at least now
MAKING = ".new-"  # no run's name begins so
LEFT_BEHIND = 3600.0  # seconds after which whatever was making it must have died


class NameTaken(RunError):
    """A run of that name exists."""


class RunInfo(NamedTuple):
    """A line in the list of runs. `status`: running, finished, stopped, interrupted or damaged.

    An interrupted run was killed or has failed; like a stopped one it can be resumed. `told` says
    why a run has finished or failed, or what is wrong with it. `best` is the best fitness of the
    last generation, `elo` the Elo of the latest measured champion against a random mover: of runs
    of one game, the one can be compared and the other cannot. `rated` has the games behind it.
    `best_generation` is whose champion has won the final, None before it. `generations` is how many
    there will be as far as one can tell, `length` how many the experiment allows.
    """

    name: str
    status: str
    generation: int = 0
    generations: int = 0
    game: str = ""
    strategy: str = ""
    title: str = ""
    seed: int = 0
    best: float | None = None
    told: str = ""
    elo: float | None = None
    rated: Measurement | None = None
    best_generation: int | None = None
    length: int = 0

    @property
    def can_lengthen(self) -> bool:
        """Tell whether it is complete and nothing but its length has ended it."""
        return self.status == "finished" and self.generation == self.length


def create_run(
    name: str, experiment: Mapping[str, Any], seed: int, player: Mapping[str, Any]
) -> Path:
    """Make a run's folder with everything but generations; a run of that name must not exist."""
    folder = run_folder(name)
    require_free(folder)
    facts = {
        "format": FORMAT,
        "version": str(VERSION),
        "program": program_version(),
        "name": name,
        "seed": str(seed),
        "experiment": json.dumps(experiment),
        "player": json.dumps(player),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    making = folder.parent / f"{MAKING}{uuid.uuid4().hex}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_unfinished(folder.parent)
        making.mkdir()
        try:
            write_config(making, name, experiment, seed)
            create_database(making, facts)
            os.rename(making, folder)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
    except OSError as error:
        require_free(folder)  # two trainers of the same new name at the same time
        raise explain(error, folder.parent) from error
    return folder


def require_free(folder: Path) -> None:
    """Raise where a run of that name exists."""
    if not os.path.lexists(folder):
        return
    name = folder.name
    if not os.path.lexists(folder / DATABASE):
        raise NameTaken(
            f"there is already {folder}, which is not a run (evoboard resume {name} says why); "
            "choose another name."
        )
    info = describe_run(name)
    played = counted(info.generation, "generation")
    more = f" (evoboard resume {name} --generations N adds some)" if info.can_lengthen else ""
    what = {
        "running": f"being trained now (evoboard resume {name} continues it later)",
        "finished": f"complete with {played}{more}",
        "damaged": f"but damaged (evoboard resume {name} says how)",
    }.get(info.status, f"{info.status} after {played}; continue it with evoboard resume {name}")
    end = "; choose another name." if info.status in BUSY else ", or choose another name."
    raise NameTaken(f"there is already a run named {name}, {what}{end}")


def new_name(stem: str) -> str:
    """Return a free name: the experiment's, made a name, and the next number."""
    base = as_name(stem, 80, "run")
    numbers = [0]
    with suppress(OSError):
        for entry in os.scandir(runs_folder()):
            if entry.name == base:
                numbers.append(1)
            rest = entry.name.removeprefix(f"{base}-")
            if rest != entry.name and rest.isdigit() and len(rest) < 10:
                numbers.append(int(rest))
    name = f"{base}-{max(numbers) + 1}"
    assert NAME.fullmatch(name)
    return name


def list_runs() -> list[RunInfo]:
    """Return all runs, in the order of their names; a damaged one is listed with what it lacks."""
    return [describe_run(name) for name in run_names()]


def describe_run(name: str) -> RunInfo:
    """Return one run's line."""
    folder = run_folder(name)
    running = is_held(folder)
    try:
        with Reader(folder) as run:
            facts, count, sessions = run.facts(), run.count(), run.sessions()
            last = run.rows(count - 1) if count else []
            rated = run.latest_measurement("anchor", "random")
            best = run.best()[0] if count and "finished" in facts else None
        experiment = facts["experiment"]
        finished = str(facts.get("finished", ""))
        left = sessions[-1]["reason"] if sessions else STOPPED
        status = "stopped" if left == STOPPED else "interrupted"
        if running or finished:
            status = "running" if running else "finished"
        return RunInfo(
            name,
            status,
            count,
            expected_length(
                int(experiment.get("generations", 0)),
                experiment.get("stop", {}).get("games"),
                count,
                last[0].numbers.get("games") if last else None,
            ),
            str(facts["player"].get("game", "")),
            str(experiment.get("strategy", {}).get("name", "")),
            readable(str(experiment.get("title", ""))),
            facts["seed"],
            last[0].numbers.get("best") if last else None,
            finished or left or "",
            rated.elo if rated else None,
            rated,
            best,
            int(experiment.get("generations", 0)),
        )
    except EvoboardError as error:
        return RunInfo(name, "damaged", told=str(error))
    except SENSELESS as error:
        return RunInfo(name, "damaged", told=str(damaged(folder, in_one_line(error))))


def expected_length(most: int, stop: int | None, count: int, games: float | None) -> int:
    """Return how many generations a run will have, at most `most`.

    If it ends after `stop` games, the last of its `count` generations, with so many `games`, tells.
    """
    if stop is None or not games:
        return most
    return min(most, max(count, math.ceil(stop / games)))


def request_stop(name: str) -> None:
    """Ask the process that trains a run to finish its generation, save and end."""
    folder = find_run(name)
    if not is_held(folder):
        raise RunError(f"the run {name} is not being trained; there is nothing to stop.")
    ask_to_stop(folder)


def write_config(folder: Path, name: str, experiment: Mapping[str, Any], seed: int) -> None:
    """Write the settings as TOML for people, with what plays the same run again."""
    text = (
        f"# The settings of the run {name}, all of them, for reading: run.db holds them, too.\n"
        f"# The same run once more: evoboard train {CONFIG} --seed {seed}\n\n"
        f"{toml_text(experiment)}"
    )
    write_whole(folder / CONFIG, text, lasting=True)


def require_config(folder: Path, experiment: Mapping[str, Any]) -> bool:
    """Tell whether the settings' file is there; raise where it says something else than the run."""
    path = folder / CONFIG
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise RunError(f"{path} cannot be read ({error}); fix or remove it.") from error
    if written != experiment:
        raise RunError(
            f"{path} was changed since the run began, and a run keeps its settings; "
            "undo the change, or remove the file, or start a new run with it under another name."
        )
    return True


def remove_unfinished(parent: Path) -> None:
    """Remove what processes left behind that were killed while making a run."""
    for folder in parent.glob(f"{MAKING}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > LEFT_BEHIND:
                shutil.rmtree(folder, ignore_errors=True)
