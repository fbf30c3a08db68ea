"""The cells and seeds of a study from a command line: settings with several values; 3,5,8 or
11-20."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from evoboard.core.errors import OptionError, quoted
from evoboard.core.wording import as_name
from evoboard.experiments.catalog import load, stem
from evoboard.runs.study import Cell, Over, Study, make_study
from evoboard.training.experiment import resolved

MOST_SEEDS = 1000
ENDLESS = 1_000_000  # generations: more than games or seconds allow


def sweep(
    experiments: Sequence[str],
    changes: Sequence[str],
    seeds: Sequence[int],
    name: str = "",
    games: int | None = None,
    seconds: float | None = None,
) -> Study:
    """Return the study of experiments × changes × seeds, new or grown by what it lacks."""
    if not experiments:
        raise OptionError("a study needs at least one experiment.")
    cells = cells_of(experiments, changes, games, seconds)
    over: Over = "games" if seconds is None else "seconds"
    return make_study(name or named_after(experiments[0], "study"), cells, seeds, over)


def named_after(experiment: str, kind: str) -> str:
    """Return the name of a study that was not given one."""
    return f"{as_name(stem(experiment), 40, 'my')}-{kind}"


def cells_of(
    experiments: Sequence[str],
    changes: Sequence[str] = (),
    games: int | None = None,
    seconds: float | None = None,
) -> list[Cell]:
    """Return the cells of experiments × changes such as strategy.population=20,40.

    A change with one value holds for all of them. With `games` or `seconds` every run goes on until
    it has had that many, however many generations that takes.
    """
    swept = [values_of(change) for change in changes]
    fixed = [f"{key}={values[0]}" for key, values in swept if len(values) == 1]
    varied = [(key, values) for key, values in swept if len(values) > 1]
    names = short_names([key for key, _ in varied])
    if games is not None:
        fixed += [f"stop.games={games}", f"generations={ENDLESS}"]
    if seconds is not None:
        fixed += [f"stop.seconds={seconds}", f"generations={ENDLESS}"]
    cells = []
    for text in experiments:
        for chosen in itertools.product(*(values for _, values in varied)):
            pairs = list(zip([key for key, _ in varied], chosen, strict=True))
            found = load(text, [*fixed, *(f"{key}={value}" for key, value in pairs)])
            words = [f"{names[key]}={value}" for key, value in pairs]
            if len(experiments) > 1 or not words:
                words.insert(0, stem(text))
            cells.append(Cell(", ".join(words), resolved(found)))
    return cells


def values_of(change: str) -> tuple[str, list[str]]:
    """Return key and values of key=value,value…; commas in quotes and brackets separate nothing."""
    key, equals, text = change.partition("=")
    if not equals or not key.strip():
        raise OptionError(
            f"cannot read the setting {quoted(change)}; write key=value or key=value,value, "
            "such as strategy.population=20,40."
        )
    found = [""]
    depth, inside = 0, ""
    for letter in text:
        if inside:
            inside = "" if letter == inside else inside
        elif letter in "\"'":
            inside = letter
        elif letter in "[]{}":
            depth += 1 if letter in "[{" else -1
        if letter == "," and not inside and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    values = [value.strip() for value in found]
    if not all(values):
        raise OptionError(f"{quoted(change)} has an empty value; write key=value,value.")
    return key.strip(), list(dict.fromkeys(values))


def short_names(keys: Sequence[str]) -> dict[str, str]:
    """Return a short name for each dotted key: its last word, more where two would be alike."""
    found = {}
    for key in keys:
        words = key.split(".")
        for length in range(1, len(words) + 1):
            short = ".".join(words[-length:])
            if sum(f".{other}".endswith(f".{short}") for other in keys) == 1:
                break
        found[key] = short
    return found


def seeds_of(text: str) -> list[int]:
    """Return the seeds that a text means: "5", "3,5,8" or "11-20"."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(part) > 40:
            raise OptionError(
                f"--seeds is {quoted(text)}; write how many, such as 5, or which: 3,5,8 or 11-20."
            )
        ends = (int(first), int(last or first)) if dash or "," in text else (1, int(first))
        if ends[1] - ends[0] >= MOST_SEEDS:
            raise OptionError(f"--seeds names {ends[1] - ends[0] + 1:,} seeds; take 1,000 at most.")
        found += range(ends[0], ends[1] + 1)
    if not found:
        raise OptionError("--seeds names no seed; write how many, such as 5, or which: 3,5,8.")
    return found
