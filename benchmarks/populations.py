"""What bigger populations buy: python -m benchmarks.populations SECONDS OUT.csv GAME-STRATEGY …

Every cell (strategy, depth, population, backend) is trained for the same time from random numbers,
its kernels compiled before; then its champions at a quarter, half and all of that time play 400
games against counting pieces at the same search. Cells of the GPU run one after the other, those of
the CPU beside them, on two cores each, as long as a generation of theirs takes less than the time.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import evoboard as eb
from evoboard.experiments.catalog import load
from evoboard.runs.runner import start_run
from evoboard.store.reader import open_run

POPULATIONS = {1: (50, 500, 5_000, 20_000), 2: (500, 5_000)}
STRATEGIES = ("evolution_strategy", "neat", "blondie")
MATCH = 400
CORES, BESIDE = 2, 4  # of a cell of the CPU, and how many of them run at a time
MOST_ON_CORES = 500  # networks
QUIET = [
    "generations=1000000", "measure.every=1000000", "measure.grade=false", "record.games_every=0",
    "record.genomes_every=0", "record.champion_games=false", "record.checkpoint_every=1000000",
    "champion.finalists=1", "fitness.opponents=8",
]  # fmt: skip
GAMES = {
    "kingcapture": ["game.name=kingcapture", "game.plies=80", "player.encoder=threats"],
    "draughts": ["game.name=draughts", "game.plies=120", "player.encoder=pieces"],
}
SHAPES = {
    "evolution_strategy": ("kingcapture-learn-1ply", []),
    "neat": ("kingcapture-neat-2002", ["fitness.opening_plies=4", "fitness.pool=2000"]),
    "blondie": (
        "draughts-blondie",
        ["search.quiescence=0", "measure.learning=false", "measure.previous=0"],
    ),
}


class Cell(NamedTuple):
    """One thing that is trained."""

    game: str
    strategy: str
    depth: int
    population: int
    backend: str

    @property
    def name(self) -> str:
        """Return its run's name."""
        return "-".join(map(str, self))


def experiment(cell: Cell, seconds: float) -> Any:
    """Return what a cell trains."""
    base, own = SHAPES[cell.strategy]
    size = cell.population + (cell.strategy == "evolution_strategy")  # the middle, and pairs
    changes = [f"search.depth={cell.depth}", f"strategy.population={size}"]
    return load(base, [*QUIET, *GAMES[cell.game], *own, *changes, f"stop.seconds={seconds}"])


def train(cell: Cell, seconds: float) -> None:
    """Train a cell, its kernels compiled before."""
    threads = CORES if cell.backend == "cpu" else 0
    start_run(f"{cell.name}-warm", experiment(cell, 0.01), 1, threads, backend=cell.backend)
    start_run(cell.name, experiment(cell, seconds), 1, threads, backend=cell.backend)


def measured(cell: Cell) -> dict[str, Any]:
    """Return what a trained cell has come to."""
    with open_run(cell.name) as run:
        rows, facts = run.rows(), run.timings()
    spent = np.cumsum([sum(facts[row.generation].values()) for row in rows])
    found: dict[str, Any] = {**cell._asdict(), "generations": len(rows)}
    found["games"] = int(sum(row.numbers["games"] for row in rows))
    found["seconds"] = round(float(spent[-1]), 1)
    for share in (0.25, 0.5, 1.0):
        row = rows[min(len(rows) - 1, int(np.searchsorted(spent, share * spent[-1])))]
        search = f"depth={cell.depth}"
        player = f"run:{cell.name}@gen={row.generation},{search}"
        result = eb.match(player, f"material:{search}", cell.game, games=MATCH, seed=5)
        found[f"share {share:g}"] = round(float(result.score), 4)
    return found


def alone(cell: Cell, seconds: float) -> str:
    """Train a cell in a process of its own; return what went wrong."""
    command = [sys.executable, "-m", __spec__.name, "--cell", *map(str, cell), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr[-500:] if done.returncode else ""


def main() -> None:
    """Train all cells, then measure them."""
    if sys.argv[1] == "--cell":
        game, strategy, depth, population, backend, seconds = sys.argv[2:]
        train(Cell(game, strategy, int(depth), int(population), backend), float(seconds))
        return
    seconds, out, *words = sys.argv[1:]
    sizes = [(depth, size) for depth, row in POPULATIONS.items() for size in row]
    chosen = [word.split("-") for word in words] or list(product(GAMES, STRATEGIES))
    wanted = [
        Cell(game, strategy, *size, backend)
        for (game, strategy), size, backend in product(chosen, sizes, ("cuda", "cpu"))
        if (size[0] == 1 or strategy == "evolution_strategy")
        and (backend == "cuda" or (size[0] == 1 and size[1] <= MOST_ON_CORES))
    ]
    os.environ.setdefault("EVOBOARD_RUNS", "runs")
    with ThreadPoolExecutor(BESIDE) as cores, ThreadPoolExecutor(1) as gpu:
        places = {"cpu": cores}
        jobs = {
            places.get(cell.backend, gpu).submit(alone, cell, float(seconds)): cell
            for cell in wanted
        }
        with open(out, "w", newline="", encoding="utf-8") as file:
            writer: Any = None
            for job in as_completed(jobs):
                cell = jobs[job]
                if problem := job.result():
                    print(cell.name, problem, flush=True)
                    continue
                row = measured(cell)
                print(row, flush=True)
                writer = writer or csv.DictWriter(file, list(row))
                if file.tell() == 0:
                    writer.writeheader()
                writer.writerow(row)
                file.flush()


if __name__ == "__main__":
    main()
