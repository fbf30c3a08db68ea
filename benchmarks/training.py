"""What training costs beside its games, and how long paper A's first session takes."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import track

from benchmarks.report import Row
from benchmarks.runs import new_runs, resident
from evoboard.experiments.catalog import load
from evoboard.runs.runner import Listener, start_run
from evoboard.store.records import GenerationRecord
from evoboard.training.loop import Trainer

SESSION = "kingcapture-neat-01"
ASIDE = ("measure.every=0",)


def overhead() -> list[Row]:
    """Population 50 at depth 1: everything but the games in a generation."""
    trainer = Trainer(load(SESSION, ASIDE), 1)
    for _ in range(60):
        trainer.step()
    games = other = 0.0
    for _ in range(100):
        timings = dict(trainer.step().timings)
        games += timings.pop("games")
        other += sum(timings.values())
    return [
        Row(
            "share of everything but games (storing not counted)",
            other / (games + other),
            "",
            target=0.15,
            lower_is_better=True,
        ),
        Row("a generation", 10 * (games + other), "ms"),
    ]


def session() -> list[Row]:
    """Paper A's session 1: 1,000 generations, 2.45 million games."""
    trainer = Trainer(load(SESSION), 1)
    began, games = time.perf_counter(), 0.0
    for _ in track(range(1000), SESSION, console=Console(stderr=True), transient=True):
        games += trainer.step().numbers["games"]
    seconds = time.perf_counter() - began
    return [
        Row("paper A, session 1", seconds / 60, "minutes", target=6.0, lower_is_better=True),
        Row("  games", games, ""),
    ]


def memory() -> list[Row]:
    """Ten thousand small generations, stored: how much memory the last nine thousand take.

    Structure does not grow here, because networks that grow take more memory by right.
    """
    seen = {}

    class Watch(Listener):
        def generation(self, record: GenerationRecord) -> None:
            if record.generation in (1000, 9999):
                seen[record.generation] = resident()

    small = [
        *("generations=10000", "strategy.population=8", "fitness.schedule=circular"),
        *("fitness.opponents=1", "game.plies=4", "measure.anchors=[]", "measure.grade=false"),
        *("strategy.mutations.add_node.chance=0", "strategy.mutations.add_link.chance=0"),
    ]
    with new_runs():
        start_run("long", load(SESSION, small), 1, listener=Watch())
    return [
        Row("memory at generation 1,000", seen[1000], "MB"),
        Row("  more at 10,000", seen[9999] - seen[1000], "MB", target=5, lower_is_better=True),
    ]


GROUPS = {"training: overhead": overhead, "training: session": session, "training: memory": memory}
