"""A run's champions as players that all play alike: the same game, search and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evoboard.core.arrays import evenly_spread
from evoboard.core.errors import NotFound
from evoboard.players.run import Address, find_player
from evoboard.players.setup import Bound, Setup
from evoboard.store.reader import open_run
from evoboard.training.experiment import read_experiment

CHAMPIONS = 12  # looked at unless told how many


@dataclass(frozen=True)
class ChampionLineage:
    """Champions of one run in the order of their generations (a pack), and how they all play."""

    name: str
    setup: Setup
    pack: Any
    generations: tuple[int, ...]

    @property
    def bound(self) -> Bound:
        """How they play, with all parts loaded."""
        return self.setup.bind()


def read_lineage(
    run: str, every: int = 0, changes: Mapping[str, Any] | None = None
) -> ChampionLineage:
    """Return a run's champions: of every k-th generation and the last, or evenly spread ones.

    All of them play as the run's last generation does, but for `changes` of the search's settings.
    """
    with open_run(run) as reader:
        count, experiment = reader.count(), read_experiment(reader.facts()["experiment"])
    if count == 0:
        raise NotFound(f"the run {run} has no generation yet; its first champion comes with it.")
    generations = chosen_generations(count, every)
    found = [find_player(Address(run, generation)) for generation in generations]
    networks = [one.network for one in found]
    lineage = make_lineage(run, found[-1].player, networks, generations, changes)
    draws = experiment.game.draws(lineage.bound.game.draws)
    return replace(lineage, setup=lineage.setup.changed(draws=draws))


def chosen_generations(count: int, every: int = 0) -> list[int]:
    """Return which of `count` generations to look at: every k-th and the last, or 12 of them."""
    if every > 0:
        return sorted({*range(0, count, every), count - 1})
    return evenly_spread(count, CHAMPIONS)


def make_lineage(
    name: str,
    player: Mapping[str, Any],
    networks: Sequence[Any],
    generations: Sequence[int],
    changes: Mapping[str, Any] | None = None,
) -> ChampionLineage:
    """Return champions given as networks' JSON data; `player` names game, encoder and search."""
    setup = Setup.from_json({**player, "network": networks[0]})
    setup = replace(setup, settings={**setup.settings, **(changes or {})})
    kind = setup.bind().kind
    pack = kind.pack([kind.from_json(network) for network in networks])
    return ChampionLineage(name, setup, pack, tuple(generations))
