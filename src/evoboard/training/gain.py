"""Whether a run still improves: from time to time a champion must beat an earlier one.

Fitness cannot tell: it is scored among equals, who all become better together. So every so many
generations the champion meets the last one that had proved better than its own predecessor. These
games have chance of their own and change nothing but when a run ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evoboard.arena.elo import EloEstimate, Tally, elo_difference, expected_score
from evoboard.core.rng import address
from evoboard.evolution.base import Strategy, named_genes, restored_genes
from evoboard.training.experiment import Experiment
from evoboard.training.games import NetworkArena


class GainWatch:
    """Remembers the champion to be beaten."""

    def __init__(
        self, experiment: Experiment, arena: NetworkArena, strategy: Strategy, seed: int
    ) -> None:
        self.every, self.games = experiment.stop.gain, experiment.stop.gain_games
        self.arena, self.strategy, self.seed = arena, strategy, seed
        # Before the last change of the search or of opponents nobody is as good as it will be.
        changes = [stage.generation for stage in experiment.search.later]
        changes += [choice.generation for choice in experiment.fitness.against]
        self.first = max(changes, default=0)
        self.genes: Any = None
        self.generation = -1

    def look(self, generation: int, champion: Any) -> tuple[str, dict[str, float]]:
        """Return why the run should end, "" while it should not, and numbers for its record.

        `champion`: the genes of this generation's.
        """
        if self.every is None or generation < self.first:
            return "", {}
        if self.genes is None:
            self._remember(generation, champion)
        if generation - self.generation < self.every:
            return "", {}
        found, before = self._meet(generation, champion), self.generation
        if found.low > 0:
            self._remember(generation, champion)
            return "", {"gain": found.elo}
        low, high = (expected_score(elo) for elo in (found.low, found.high))
        told = (
            f"it has stopped improving: the champion of generation {generation} takes "
            f"{found.score:.0%} ({low:.0%} … {high:.0%}) of {self.games} games from that of "
            f"generation {before}"
        )
        return told, {"gain": found.elo}

    def _meet(self, generation: int, champion: Any) -> EloEstimate:
        """Return how a champion does against the one to be beaten."""
        networks = self.strategy.express(self.strategy.genomes.join([champion, self.genes]))
        chance = address(self.seed, "gain", generation)
        schedule = self.arena.paired(np.array([[0, 1]]), self.games // 2, chance)
        table = self.arena.play(networks, schedule, chance).table
        return elo_difference(Tally.of_table(table, 0, 1))

    def _remember(self, generation: int, champion: Any) -> None:
        self.generation, self.genes = generation, champion

    def state(self) -> dict[str, Any]:
        """Return what is remembered; nothing if no one has to be beaten."""
        if self.genes is None:
            return {}
        return {"generation": self.generation, **named_genes(self.genes, "genes.")}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        if state:
            self.generation = int(state["generation"])
            self.genes = restored_genes(self.strategy.genomes, state, "genes.")
