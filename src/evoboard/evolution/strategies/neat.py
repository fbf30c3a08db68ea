"""NEAT: networks that grow, protected by species.

The original algorithm (Stanley & Miikkulainen 2002), paper A's and paper D's are three settings of
this one. A generation: rank within species, tell which are fertile, share out the places, choose
parents, breed, sort the children into species.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.evolution import base
from evoboard.evolution.genomes import neat as genomes
from evoboard.evolution.mutations.base import MutationChoice, Mutations, Structure
from evoboard.evolution.operators import (
    distance,
    mutation_power,
    neat_breeding,
    neat_start,
    parents,
    quotas,
    speciation,
    stagnation,
)
from evoboard.evolution.operators.crossover import Settings as Crossover
from evoboard.evolution.operators.distance import Settings as Distance
from evoboard.evolution.operators.innovation import Innovations
from evoboard.evolution.operators.mutation_power import Settings as Power
from evoboard.evolution.operators.neat_breeding import ALL, COPY, Breeding, BreedingPlan
from evoboard.evolution.operators.neat_start import Basis
from evoboard.evolution.operators.neat_start import Settings as Start
from evoboard.evolution.operators.parents import Settings as Parents
from evoboard.evolution.operators.quotas import Settings as Quotas
from evoboard.evolution.operators.speciation import Settings as Speciation
from evoboard.evolution.operators.stagnation import Settings as Stagnation
from evoboard.networks import graph


class Settings(settings.Settings):
    """Everything that can be chosen about NEAT."""

    population: int = Field(150, ge=2, le=100_000, description="individuals in every generation")
    genome: genomes.Settings = genomes.Settings()
    start: Start = Start()
    start_mutation: bool = Field(False, description="whether all are mutated once at the start")
    mutations: tuple[MutationChoice, ...] = Field(
        tuple(MutationChoice(kind=kind) for kind in ("add_node", "add_link", "values")),
        description="mutations of a child, in this order, except that structural ones come first",
    )
    structure: Structure = Field(
        "each",
        description="structural mutations: each with its chance; at most one; or one instead of"
        " all others",
    )
    power: Power = Power()
    alternative: bool = Field(
        False, description="whether another structural mutation is tried if one cannot be made"
    )
    crossover: Crossover = Crossover()
    distance: Distance = Distance()
    speciation: Speciation = Speciation()
    parents: Parents = Parents()
    quotas: Quotas = Quotas()
    stagnation: Stagnation = Stagnation()
    reset_on_extinction: bool = Field(
        False,
        description="start again when every species has died out; otherwise the best one survives",
    )


class Strategy(base.Strategy):
    """Evolves graphs by NEAT."""

    genomes = genomes

    def __init__(self, settings: Any, shape: base.Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        basis = Basis(shape, settings.genome, settings.start)
        mutations = Mutations(settings.mutations, basis, settings.structure, settings.alternative)
        self.breeding = Breeding(basis, mutations, settings.crossover)
        self.measure = distance.measure(settings.distance)
        self.innovations = Innovations(shape)
        self.records = stagnation.no_records()
        self.threshold: float = settings.speciation.threshold
        self.next_species = 0

    def first(self) -> base.Population:
        """Return a population of new genomes, sorted into species."""
        size = self.settings.population
        # Ids tell a fresh start after an extinction from the first one.
        rng = stream(self.seed, "neat", "start", self.next_id)
        genes = neat_start.begin(self.breeding.basis, size, rng)
        if self.settings.start_mutation:
            seed = address(self.seed, "neat", "first mutation", self.next_id)
            genes = neat_breeding.mutate(genes, self.breeding, self.innovations, seed)
        new = self.beginners(genes)
        nobody = speciation.Representatives(new.ids[:0], new.ids[:0], genes)
        return replace(new, species=self._sort(genes, nobody, new.species))

    def breed(self, population: base.Population, evidence: base.Evidence) -> base.Population:
        """Return the population that follows."""
        fitness, chosen = evidence.fitness, self.settings
        ranking = parents.rank(population.species, fitness)
        rng = stream(self.seed, "neat", "choices", self.generation)
        places = self._places(ranking, fitness, rng)
        if not places.any():
            if chosen.reset_on_extinction:
                self.records = stagnation.no_records()
                return self.first()
            places = quotas.rescue(fitness, ranking)
        staying = parents.stay_counts(chosen.parents, ranking.sizes, places)
        stay, _ = parents.best_of(ranking, staying)
        links = np.diff(population.genes.link_start)
        mates = parents.mate(chosen.parents, ranking, places - staying, fitness, links, rng)
        plan = self._plan(stay, mates, fitness)
        genes = neat_breeding.breed(population.genes, plan, self.breeding, self.innovations)
        species = np.full(len(fitness), -1, np.int64)
        if chosen.speciation.stay:
            species[: len(stay)] = population.species[stay]
        known = self._representatives(population.genes, ranking, places, rng)
        species = self._sort(genes, known, species)
        return self._settle(population, genes, species, stay, mates)

    def express(self, genes: Any) -> base.Networks:
        """Return genomes as graphs."""
        return base.Networks(graph, genomes.express(genes, self.settings.genome))

    def extra_state(self) -> base.State:
        """Return the innovations, the species' records and what numbers are free."""
        return {
            "threshold": self.threshold,
            "next_species": self.next_species,
            **{f"records.{name}": cells for name, cells in self.records._asdict().items()},
            **{f"innovations.{name}": cells for name, cells in self.innovations.state().items()},
        }

    def restore_extra(self, state: base.State) -> None:
        """Take back what `extra_state` returned."""
        self.threshold, self.next_species = float(state["threshold"]), int(state["next_species"])
        self.records = stagnation.Records(**base.part_of(state, "records."))
        self.innovations.restore(base.part_of(state, "innovations."))

    def facts(self) -> Mapping[str, float]:
        """Return the number of species, their threshold, and how many innovations there are."""
        species = self.ask().species
        return {
            "species": len(np.unique(species)),
            "largest_species": int(np.unique(species, return_counts=True)[1].max()),
            "threshold": self.threshold,
            "node_innovations": self.innovations.nodes,
            "link_innovations": self.innovations.links,
        }

    def _places(self, ranking: parents.Ranking, fitness: Array, rng: Any) -> Array:
        """Return how many places each species gets; none at all where every species dies."""
        chosen = self.settings
        records = stagnation.update(self.records, ranking, fitness, self.generation)
        fertile, self.records = stagnation.fertile(
            chosen.stagnation, records, ranking, fitness, self.generation
        )
        return quotas.share_out(chosen.quotas, fitness, ranking, fertile, rng)

    def _plan(self, stay: Array, mates: parents.Mates, fitness: Array) -> BreedingPlan:
        """Return how everyone of the next population is made: first who stays, then children."""
        alone = np.full(len(stay), -1, np.int64)
        first, second = np.concatenate([stay, mates.first]), np.concatenate([alone, mates.second])
        return neat_breeding.make_plan(
            first,
            address(self.seed, "neat", "breed", self.generation),
            second=second,
            equal=fitness[first] == fitness[second],
            extent=np.where(np.arange(len(first)) < len(stay), COPY, ALL),
            factor=mutation_power.factors(self.settings.power, fitness)[first],
        )

    def _representatives(
        self, genes: Any, ranking: parents.Ranking, places: Array, rng: Any
    ) -> speciation.Representatives:
        """Return who stands for each species that lives on."""
        from_parents = self.settings.speciation.representative == "parents"
        sizes = ranking.sizes
        counts = parents.parent_counts(self.settings.parents, sizes) if from_parents else sizes
        drawn = ranking.start[:-1] + (rng.random(len(counts)) * counts).astype(np.int64)
        alive = places > 0
        return speciation.Representatives(ranking.ids[alive], ranking.order[drawn][alive], genes)

    def _sort(self, genes: Any, known: speciation.Representatives, species: Array) -> Array:
        """Return everyone's species, and adjust the threshold for the next time."""
        chosen = self.settings.speciation
        species, self.next_species = speciation.speciate(
            chosen, self.measure, self.threshold, genes, known, species, self.next_species
        )
        self.threshold = speciation.adjust(chosen, self.threshold, len(np.unique(species)))
        return species

    def _settle(
        self,
        old: base.Population,
        genes: Any,
        species: Array,
        stay: Array,
        mates: parents.Mates,
    ) -> base.Population:
        """Return the next population with everyone's descent."""
        ids = np.concatenate([old.ids[stay], self.new_ids(len(mates.first))])
        second = np.where(mates.second >= 0, old.ids[mates.second], -1)
        descent = np.concatenate([old.parents[stay], np.stack([old.ids[mates.first], second], 1)])
        kept = base.KEPT if self.settings.parents.stay else base.ELITE
        made = np.where(mates.second >= 0, base.CROSSOVER, base.MUTANT)
        origin = np.concatenate([np.full(len(stay), kept), made])
        return base.Population(genes, ids, descent, species, origin)


OLDER = ("mutation", "attributes", "add_node", "add_link", "removal")


def from_older(data: dict[str, Any]) -> dict[str, Any]:
    """Return settings as they are written now: each mutation used to have a table of its own."""
    old = {key: dict(data[key]) for key in OLDER if isinstance(data.get(key), Mapping)}
    if not old or "mutations" in data:
        return data
    new = {key: value for key, value in data.items() if key not in old}
    genome, start = dict(new.get("genome", {})), dict(new.get("start", {}))
    values, links = old.get("mutation", {}), old.get("add_link", {})
    kinds, removal = old.get("attributes", {}), old.get("removal", {})
    if "loops" in links:
        genome["loops"] = links.pop("loops")
    if "frozen" in kinds:
        start["frozen"] = kinds["frozen"]
    for name in ("weight", "bias", "response"):
        numbers = dict(values.get(name, {}))
        bounds = {key: numbers.pop(key) for key in ("low", "high") if key in numbers}
        if bounds:
            start[name] = {**start.get(name, {}), **bounds}
        if numbers:
            values[name] = numbers
    nodes = {"nodes": removal["nodes"]} if "nodes" in removal else {}
    listed = [
        {"kind": "add_node", **old.get("add_node", {})},
        {"kind": "remove_node", "chance": removal.get("node", 0.0), **nodes},
        {"kind": "add_link", **links},
        {"kind": "enable_link", "chance": 0.0},
        {"kind": "remove_link", "chance": removal.get("link", 0.0)},
        {"kind": "values", **values},
        *(
            {"kind": kind, "chance": kinds.get(f"{kind}_chance", 0.0), "choices": kinds[f"{kind}s"]}
            for kind in ("activation", "aggregation")
            if kinds.get(f"{kind}s")
        ),
        {"kind": "toggle_link", "chance": kinds.get("enable", 0.0)},
        {"kind": "freeze_link", "chance": kinds.get("freeze", 0.0)},
    ]
    kept = {"enable_link"} if data.get("alternative") else set()
    used = [row for row in listed if row.get("chance") != 0.0 or row["kind"] in kept]
    return {**new, "genome": genome, "start": start, "mutations": used}
