"""Does it learn? Medians over five seeds, by the experiments that ship.

Runs are trained in memory and judged by games and grades that evolution never saw.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.report import Row
from evoboard.core.rng import address
from evoboard.experiments.catalog import load
from evoboard.training.loop import Trainer

SEEDS = (1, 2, 3, 4, 5)


def nim() -> list[Row]:
    """Paper B: Simple Nim 1-8 direct is solved; a heap of 8, with shares, in under 30."""
    solved = over_seeds("nim-1-8-direct", lambda t: _until_grade(t, 1.0), "stop.grade=1.0")
    grades, needed = zip(*solved, strict=True)
    stack = over_seeds("nim-stack-8-shares", lambda t: _until_grade(t, 1.0), "stop.grade=1.0")
    return [
        Row("Simple Nim 1-8, direct: grade", statistics.median(grades), "", target=1.0),
        Row("  generations until then", statistics.median(needed), "generations"),
        Row(
            "heap of 8, shares: generations until solved",
            statistics.median(n for _, n in stack),
            "generations",
            target=29,
            lower_is_better=True,
        ),
    ]


def kingcapture() -> list[Row]:
    """Paper A's game: a run's best player against material, both three plies deep."""
    name = "kingcapture-learn"
    shares = over_seeds(name, lambda t: _best_against(t, "material:depth=3", 200))
    return [
        Row(f"{name} against material, depth 3", statistics.median(shares), "", target=0.75),
        *(Row(f"  seed {s}", share, "") for s, share in zip(SEEDS, shares, strict=True)),
    ]


def draughts() -> list[Row]:
    """Draughts: a run's best player against random, and against its own first champion."""
    shares = over_seeds(
        "draughts-learn", lambda t: (_best_against(t, "random", 200), _best_against_first(t, 200))
    )
    random, first = zip(*shares, strict=True)
    return [
        Row("draughts-learn against random", statistics.median(random), "", target=0.95),
        Row("draughts-learn against generation 0", statistics.median(first), "", target=0.6),
    ]


def over_seeds(name: str, judge: Callable[[Trainer], Any], *changes: str) -> list[Any]:
    """Return what `judge` says of the run of every seed."""
    found = []
    quiet = ("measure.anchors=[]", "record.games_every=0", "record.genomes_every=0")
    for seed in SEEDS:
        trainer = Trainer(load(name, [*quiet, *changes]), seed)
        steps = range(trainer.experiment.generations)
        for _ in track(steps, f"{name}, seed {seed}", console=Console(stderr=True), transient=True):
            if trainer.finished():
                break
            trainer.step()
        found.append(judge(trainer))
    return found


def _until_grade(trainer: Trainer, wanted: float) -> tuple[float, int]:
    """Return the champion's last grade and how many generations it took."""
    reached = wanted if trainer.ended else 0.0
    return reached, trainer.generation


def _best(trainer: Trainer) -> Any:
    final = trainer.final()
    return next(
        entry for entry in trainer.archive.entries if entry.generation == final.champion_generation
    )


def _best_against(trainer: Trainer, player: str, games: int) -> float:
    """Return the share of points of the run's best player."""
    networks = trainer.strategy.express(_best(trainer).genes)
    seed = address(trainer.seed, "judge")
    return trainer.observer.against_anchors(networks, 0, 0, [player], seed, games).score


def _best_against_first(trainer: Trainer, games: int) -> float:
    best, first = _best(trainer), trainer.archive.entries[0]
    seed = address(trainer.seed, "judge")
    return trainer.observer.against_champions("spread", best, [first], seed, games).score


GROUPS = {
    "learning: nim": nim,
    "learning: kingcapture": kingcapture,
    "learning: draughts": draughts,
}
