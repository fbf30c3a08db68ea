"""What bigger populations buy: python -m benchmarks.populations SECONDS OUT.csv [PART…]

Every cell (game, strategy, depth, population) is trained from random numbers for as many
generations as fit into the same time, on a GPU and on two cores; champions on the way there are
rated on the game's ladder. A seed decides a run, whoever plays its games, so a cell is trained
once, and its clocks are read apart from that:

1. A GPU's clock: each cell alone for a few seconds, one after the other. The cores' clock: beside
   it, a few cells at a time, pinned to two cores each, with small populations; what a game costs
   there holds for large ones.
2. Cells are trained several at a time. What they take then is scaled by what their first
   generations took alone, and training ends when that makes SECONDS.
3. The champions of the generations that the GPU has reached after ¼, ½ and all of the time, and
   the cores after all of it, are rated on the cores that are free.

PART: a cell's beginning, such as kingcapture or draughts-neat-1; left out: all.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import suppress
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import begin
from evoboard.arena.ladder import Ladder
from evoboard.core.arrays import Array
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.runs.runner import Listener, start_run
from evoboard.store.reader import open_run
from evoboard.store.records import GenerationRecord

POPULATIONS = {1: (50, 500, 5_000, 20_000), 2: (500, 5_000)}
STRATEGIES = ("evolution_strategy", "neat", "blondie")
ALONE, ON_CORES = 3.0, 5.0  # seconds of a clock
SMALL = 500  # networks: the most that cores are given to time
CORES, BESIDE = 2, 6  # of a clock of cores, and how many of them run at a time
AT_ONCE = 6  # cells that are trained at a time
MOST = {"blondie": 5_000}  # networks: more take longer to copy than to play
GAMES_RATED = 50  # at equal search, and as many on the ladder
SHARES = (0.25, 0.5, 1.0)
GPU = os.environ.get("POPULATIONS_BACKEND", "cuda")
QUIET = [
    "generations=1000000", "measure.every=1000000", "measure.grade=false", "record.games_every=0",
    "record.genomes_every=0", "record.champion_games=false", "record.checkpoint_every=1000000",
    "champion.finalists=1", "fitness.opponents=8",
]  # fmt: skip
GAMES = {
    "kingcapture": ["game.name=kingcapture", "game.plies=80", "player.encoder=threats"],
    "draughts": ["game.name=draughts", "game.plies=120", "player.encoder=pieces"],
}
OPENINGS = ["fitness.opening_plies=4", "fitness.pool=300"]
SHAPES = {
    "evolution_strategy": ("kingcapture-learn-1ply", OPENINGS),
    "neat": ("kingcapture-neat-2002", OPENINGS),
    "blondie": (
        "draughts-blondie",
        [*OPENINGS, "search.quiescence=0", "measure.learning=false", "measure.previous=0"],
    ),
}


class Cell(NamedTuple):
    """One thing that is trained."""

    game: str
    strategy: str
    depth: int
    population: int

    @property
    def name(self) -> str:
        """Return its run's name."""
        return "-".join(map(str, self))


class Enough(Exception):
    """A run's time is up. Unlike Ctrl-C it leaves no state to go on from, which may be large."""


class Stop(Listener):
    """Ends a run when its clock says so, which is read by `seconds` of its generations so far."""

    def __init__(self, limit: float, alone: Array | None = None) -> None:
        self.limit, self.alone, self.spent = limit, alone, list[float]()

    def generation(self, record: GenerationRecord) -> None:
        self.spent.append(sum(record.timings.values()))
        if len(self.spent) > 1 and self.clock()[-1] >= self.limit:
            raise Enough

    def clock(self) -> Array:
        """Return the time after each generation as if nothing else had run beside."""
        spent = np.array(self.spent)
        spent[0] = spent[1:].min(initial=spent[0])  # the first one compiles
        if self.alone is not None:
            both = min(len(spent), len(self.alone))
            spent *= self.alone[1:both].sum() / spent[1:both].sum() if both > 1 else 1.0
        return np.cumsum(spent)


def experiment(cell: Cell) -> Any:
    """Return what a cell trains."""
    base, own = SHAPES[cell.strategy]
    size = cell.population + (cell.strategy == "evolution_strategy")  # the middle, and pairs
    changes = [f"search.depth={cell.depth}", f"strategy.population={size}"]
    return load(base, [*QUIET, *GAMES[cell.game], *own, *changes])


def timed(cell: Cell, name: str, seconds: float, backend: str, alone: Array | None = None) -> Stop:
    """Train a cell under a name until its clock says so; return the clock."""
    stop = Stop(seconds, alone)
    with suppress(Enough):
        start_run(name, experiment(cell), 1, CORES, backend=backend, listener=stop)
    return stop


def compile_all(cells: Sequence[Cell]) -> None:
    """Have the kernels of all setups compiled, each by a process of its own."""
    setups = {cell[:3]: cell._replace(population=50) for cell in cells}.values()
    with ProcessPoolExecutor(min(len(setups), os.cpu_count() or 1)) as pool:
        for backend in dict.fromkeys((GPU, "cpu")):
            done = [
                pool.submit(timed, cell, f"warm-{backend}-{cell.name}", 0.01, backend)
                for cell in setups
            ]
            for one in done:
                one.result()


def clocks_of_cores(cells: Sequence[Cell], folder: Path) -> None:
    """Note the seconds of a generation on two cores."""

    def work(place: int, cell: Cell) -> None:
        first = (os.cpu_count() or CORES) - CORES * (1 + place % BESIDE)
        pinned = f"{max(0, first)}-{max(0, first) + CORES - 1}"
        command = [sys.executable, "-m", __spec__.name, "--cores", *map(str, cell), str(folder)]
        subprocess.run(["taskset", "-c", pinned, *command], check=False)

    with ThreadPoolExecutor(BESIDE) as pool:
        for place in range(BESIDE):
            pool.submit(lambda own, at: [work(at, one) for one in own], cells[place::BESIDE], place)


class Champion(NamedTuple):
    """Whom to rate: what a machine has come to after so many seconds."""

    machine: str
    seconds: float
    generation: int


def champions(seconds: float, gpu: Array, cores: float) -> list[Champion]:
    """Return whom a cell is judged by; `gpu`: the time after each of its generations there,
    `cores`: the seconds of a generation on two cores."""
    found = [
        Champion("GPU", share * seconds, int(np.searchsorted(gpu, share * seconds)))
        for share in SHARES
    ]
    if seconds >= cores:
        found.append(Champion("two cores", seconds, int(seconds / cores) - 1))
    last = len(gpu) - 1
    return [one._replace(generation=min(one.generation, last)) for one in found]


def rated(cell: Cell, generation: int) -> dict[str, Any]:
    """Return where a cell's champion of a generation stands."""
    text = f"run:{cell.name}@gen={generation},depth={cell.depth}"
    with tempfile.TemporaryDirectory() as folder:
        ladder = Ladder(load_game(cell.game), Path(folder))
        place = ladder.measure(text, GAMES_RATED, threads=1)
        equal = ladder.equal_search(text)
    found = {"elo": round(place.elo), "low": round(place.low), "high": round(place.high)}
    return {**found, "share": round(equal.share, 3) if equal else None}


def chosen(words: Sequence[str]) -> list[Cell]:
    """Return the cells wanted, those that take longest first."""
    sizes = [(depth, size) for depth, row in POPULATIONS.items() for size in row]
    cells = [Cell(*both, *size) for both, size in product(product(GAMES, STRATEGIES), sizes)]
    found = [
        c
        for c in cells
        if (not words or any(c.name.startswith(word) for word in words))
        and c.population <= MOST.get(c.strategy, c.population)
    ]
    return sorted(found, key=lambda cell: -cell.population)


def time_cores(cell: Cell, folder: Path) -> None:
    """Note the seconds of a generation of a cell here and now."""
    stop = timed(cell, f"cores-{cell.name}", ON_CORES, "cpu")
    np.save(folder / f"{cell.name}.npy", stop.clock()[-1] / len(stop.spent))


class Study:
    """All cells on the way: their clocks, their runs, their champions' ratings."""

    def __init__(self, seconds: float, cells: Sequence[Cell]) -> None:
        self.seconds, self.cells, self.began = seconds, cells, time.time()
        self.folder = Path(tempfile.mkdtemp())
        self.alone: dict[Cell, Array] = {}

    def tell(self, what: str) -> None:
        """Say how far it is."""
        print(f"{time.time() - self.began:.0f} s: {what}", flush=True)

    def read_clocks(self) -> None:
        """Time every cell on the GPU, and small ones on two cores beside it."""
        small = [cell for cell in self.cells if cell.population <= SMALL]
        with ThreadPoolExecutor(1) as beside:
            done = beside.submit(clocks_of_cores, small, self.folder)
            for cell in self.cells:
                self.alone[cell] = np.array(timed(cell, f"alone-{cell.name}", ALONE, GPU).spent)
                each = float(np.median(self.alone[cell][1:]))
                self.tell(f"{cell.name} alone: {1 / each:.2f} generations a second")
            done.result()

    def on_cores(self, cell: Cell) -> float:
        """Return the seconds of a generation of a cell on two cores."""
        small = cell._replace(population=min(cell.population, SMALL))
        path = self.folder / f"{small.name}.npy"
        each = float(np.load(path)) if path.exists() else np.inf
        return each * cell.population / small.population

    def rows(self) -> Iterator[dict[str, Any]]:
        """Train all cells and rate their champions; yield what came out, champion by champion."""
        spawn = get_context("spawn")  # a process that has used a GPU cannot be forked
        free = max(1, (os.cpu_count() or 1) - AT_ONCE)
        with (
            ProcessPoolExecutor(AT_ONCE, spawn) as training,
            ProcessPoolExecutor(free, spawn) as rating,
        ):
            trained = {
                training.submit(timed, cell, cell.name, self.seconds, GPU, self.alone[cell]): cell
                for cell in self.cells
            }
            waiting = {}
            for job in as_completed(trained):
                cell, clock = trained[job], job.result().clock()
                self.tell(f"{cell.name}: {len(clock)} generations")
                with open_run(cell.name) as run:
                    games = np.cumsum([row.numbers["games"] for row in run.rows()])
                for one in champions(self.seconds, clock, self.on_cores(cell)):
                    row = {**cell._asdict(), **one._asdict(), "games": int(games[one.generation])}
                    row["GPU, generations/s"] = round(len(clock) / float(clock[-1]), 2)
                    row["cores, generations/s"] = round(1 / self.on_cores(cell), 3)
                    waiting[rating.submit(rated, cell, one.generation)] = row
                for done in [job for job in waiting if job.done()]:
                    yield {**waiting.pop(done), **done.result()}
            self.tell("trained")
            for job in as_completed(waiting):
                yield {**waiting[job], **job.result()}


def main() -> None:
    """Train all cells and rate them."""
    if sys.argv[1] == "--cores":
        game, strategy, depth, population, folder = sys.argv[2:]
        time_cores(Cell(game, strategy, int(depth), int(population)), Path(folder))
        return
    study = Study(float(sys.argv[1]), chosen(sys.argv[3:]))
    compile_all(study.cells)
    study.tell("compiled")
    study.read_clocks()
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as file:
        writer: Any = None
        for row in study.rows():
            if writer is None:
                writer = csv.DictWriter(file, list(row))
                writer.writeheader()
            writer.writerow(row)
            file.flush()
    study.tell("rated")


if __name__ == "__main__":
    begin(main, __doc__, 2)
