"""What every strategy promises: ask for genomes, tell how they did, save and continue.

A strategy module (`evolution/strategies/NAME.py`, or a user's file) defines

    class Settings(core.settings.Settings)     everything that can be chosen, checked
    class Strategy(base.Strategy)              below

Strategies see fitness, never matches. Random numbers have addresses made of the run's seed and the
generation's number, so a strategy stores no generator state, and a restored one continues as if it
had never stopped.

A genome kind module (`evolution/genomes/NAME.py`) keeps a whole population as one NamedTuple of
NumPy arrays, its *genes*, and defines

    count(genes) -> int                        how many genomes
    take(genes, indices) -> genes              the chosen ones, in that order
    join([genes, …]) -> genes                  several populations as one
    complexity(genes) -> (nodes, links)        hidden nodes and expressed links of each, int64 (n,)
    genome(genes, index) -> Genome             one as an immutable value
    from_json(data) -> genes                   a population of one; `to_json`'s inverse, exact
"""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError, quoted
from evoboard.core.settings import Settings, read

PACKAGE = "evoboard.evolution.strategies"

# How an individual came to be: `Population.origin` holds indices into this.
ORIGINS = ("new", "kept", "elite", "mutant", "crossover", "persistent", "learned")
NEW, KEPT, ELITE, MUTANT, CROSSOVER, PERSISTENT, LEARNED = range(len(ORIGINS))

# A strategy's saved state: texts, numbers, lists of them, and arrays; nothing else.
State = Mapping[str, Any]


def part_of(state: State, prefix: str) -> dict[str, Any]:
    """Return the part of a state whose names have this prefix, without the prefix."""
    return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}


def named_genes(genes: Any, prefix: str) -> dict[str, Array]:
    """Return a population's arrays by name, as a state keeps them."""
    return {f"{prefix}{name}": getattr(genes, name) for name in genes._fields}


def restored_genes(genomes: types.ModuleType, state: State, prefix: str) -> Any:
    """Return the population that `named_genes` put into a state, None if it has none.

    Copies, because kernels would be compiled again for arrays that are read-only.
    """
    found = {name: np.array(value) for name, value in part_of(state, prefix).items()}
    return genomes.Genes(**found) if found else None


class Shape(NamedTuple):
    """What networks must look like to be players: how many inputs and outputs."""

    inputs: int
    outputs: int


class Networks(NamedTuple):
    """A population as networks: the kind's module (networks.graph or networks.mlp) and a pack."""

    kind: types.ModuleType
    pack: Any


class Genome(Settings):
    """One genome as an immutable value; its fields are those of the JSON data it is kept as."""

    def to_json(self) -> dict[str, Any]:
        """Return the genome as JSON data; its kind's `from_json` gives it back exactly."""
        return self.model_dump(mode="json")


@dataclass(frozen=True)
class Population:
    """Genomes and where they come from, one cell per individual in each int64 array.

    `ids`: an individual that stays unchanged keeps its id, every other gets a new one.
    `parents` (n, 2): ids, -1 for none. `species`: -1 if the strategy has none. `origin`: an index
    into ORIGINS.
    """

    genes: Any
    ids: Array
    parents: Array
    species: Array
    origin: Array

    @property
    def size(self) -> int:
        """The number of individuals."""
        return len(self.ids)


class Lessons(NamedTuple):
    """Positions of the games that judged a population, game by game and ply by ply.

    `inputs` float32 (k, inputs): what a network sees there; `results` float32 (k,): 1, 0 or -1, as
    these inputs see it; `signs`: 1 if they are seen by side 0, else -1; `games`: the game's
    number; `players` (k, 2): who played it, individuals first, others from n on.

    If networks choose their moves themselves, `choices` int64 (k, groups) are the outputs that
    stand for the move played, one of each group, and `groups` int64 (groups, 2) says where the
    outputs of a group begin and end.
    """

    inputs: Array
    results: Array
    signs: Array
    games: Array
    players: Array
    choices: Array = np.zeros((0, 0), np.int64)
    groups: Array = np.zeros((0, 2), np.int64)


class LessonsWanted(NamedTuple):
    """Which positions a strategy learns from: how many per game at most, and whether only quiet."""

    positions: int
    quiet: bool


@dataclass(frozen=True)
class Evidence:
    """How a population did. `fitness` float64 (n,), more is better.

    `won_inputs`: for each individual, network inputs of positions from games it won, float32
    (k, inputs), k may be 0, all seen so that a higher output favours the winner; given if the
    strategy's `wants_won_inputs` is not 0. `lessons`: given if it `wants_lessons` and games
    between networks were played.
    """

    fitness: Array
    won_inputs: Sequence[Array] = ()
    lessons: Lessons | None = None


class Strategy(ABC):
    """Evolves one population by ask and tell; subclasses say how it starts and how it breeds."""

    # The genome kind's module; how many inputs of won games per individual `breed` wants; which
    # positions of all games; and who stands for the population, where that is not the fittest.
    genomes: types.ModuleType
    wants_won_inputs: int = 0
    wants_lessons: LessonsWanted | None = None
    champion: int | None = None

    def __init__(self, settings: Any, shape: Shape, seed: int) -> None:
        self.settings, self.shape, self.seed = settings, shape, seed
        self.generation = 0
        self.next_id = 0
        self._population: Population | None = None
        self._asked = False

    @abstractmethod
    def first(self) -> Population:
        """Return the population of generation 0."""

    @abstractmethod
    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the population that follows; `self.generation` is still the old one's number."""

    @abstractmethod
    def express(self, genes: Any) -> Networks:
        """Return genomes as networks, in order."""

    def begin_with(self, find: Callable[[], Any]) -> None:
        """Begin with the network that `find` returns, and with what varies it a little; it is asked
        when the first population is."""
        raise OptionError(
            "this strategy cannot begin with a player; those that evolve the numbers of layered "
            "networks can, such as cmaes, evolution_strategy and blondie."
        )

    def beginners(self, genes: Any) -> Population:
        """Return a population in which every individual is new."""
        count = self.genomes.count(genes)
        return Population(
            genes,
            self.new_ids(count),
            np.full((count, 2), -1, np.int64),
            np.full(count, -1, np.int64),
            np.full(count, NEW, np.int64),
        )

    def settled(self, population: Population) -> Population:
        """Return a new population ready to be judged: the place for changes to all of it."""
        return population

    def extra_state(self) -> State:
        """Return what `breed` remembers besides the population: arrays and JSON values."""
        return {}

    def restore_extra(self, state: State) -> None:  # noqa: B027 - most have nothing to restore
        """Take back what `extra_state` returned."""

    def facts(self) -> Mapping[str, float]:
        """Return this strategy's own numbers about the current population, by name."""
        return {}

    def ask(self) -> Population:
        """Return the population to be judged; the same one until `tell`."""
        self._asked = True
        return self._current()

    def _current(self) -> Population:
        if self._population is None:
            self._population = self.settled(self._checked(self.first(), "first"))
        return self._population

    def tell(self, evidence: Evidence) -> None:
        """Take the fitness of the population asked for and breed the next."""
        if not self._asked or self._population is None:
            raise PartError(
                "tell was called before ask; ask for the population, evaluate it, then tell."
            )
        fitness = np.asarray(evidence.fitness, np.float64)
        if fitness.shape != (self._population.size,):
            raise OptionError(
                f"there are {len(fitness)} fitness values for {self._population.size} genomes; "
                "give one for each, in the order of ask."
            )
        if not np.isfinite(fitness).all():
            raise OptionError("a fitness is not a finite number; fitness must be finite.")
        if len(evidence.won_inputs) not in (0, len(fitness)):
            raise OptionError(
                f"won positions are given for {len(evidence.won_inputs)} individuals of "
                f"{len(fitness)}; give them for each, or for none."
            )
        bred = self.breed(self._population, replace(evidence, fitness=fitness))
        self._population = self.settled(self._checked(bred, "breed"))
        self.generation += 1
        self._asked = False

    def _checked(self, found: Population, method: str) -> Population:
        """Return a population, or raise PartError for what is none: without this, a `breed` that
        returns nothing would begin with the first population again, in every generation."""
        if not isinstance(found, Population):
            raise PartError(
                f"{method} of the strategy returned {quoted(str(found))}; it must return a "
                "Population."
            )
        count = self.genomes.count(found.genes)
        shapes = {"ids": (count,), "parents": (count, 2), "species": (count,), "origin": (count,)}
        for name, shape in shapes.items():
            cells = getattr(found, name)
            is_array = isinstance(cells, np.ndarray)
            if not is_array or cells.shape != shape or cells.dtype.kind != "i":
                seen = f"shape {cells.shape} and type {cells.dtype}" if is_array else type(cells)
                raise PartError(
                    f"{method} of the strategy returned {count} genomes with {name} of {seen}; "
                    f"they must be an array of whole numbers of shape {shape}."
                )
        if count and not 0 <= found.origin.min() <= found.origin.max() < len(ORIGINS):
            raise PartError(f"{method} of the strategy returned an origin beyond ORIGINS.")
        return found

    def new_ids(self, count: int) -> Array:
        """Return ids that no individual has had before."""
        self.next_id += count
        return np.arange(self.next_id - count, self.next_id, dtype=np.int64)

    def state(self) -> State:
        """Return everything needed to continue; `restore` on a fresh strategy takes it."""
        population = self._current()
        return {
            "generation": self.generation,
            "next_id": self.next_id,
            "ids": population.ids,
            "parents": population.parents,
            "species": population.species,
            "origin": population.origin,
            **named_genes(population.genes, "genes."),
            **{f"extra.{name}": value for name, value in self.extra_state().items()},
        }

    def restore(self, state: State) -> None:
        """Continue from where `state` was taken."""
        state = {k: np.array(v) if isinstance(v, np.ndarray) else v for k, v in state.items()}
        columns = (state[name] for name in ("ids", "parents", "species", "origin"))
        self._population = Population(restored_genes(self.genomes, state, "genes."), *columns)
        self.generation, self.next_id = int(state["generation"]), int(state["next_id"])
        self._asked = False
        self.restore_extra(part_of(state, "extra."))


def find_strategy(name: str) -> types.ModuleType:
    """Return the strategy module of that name, or in that file."""
    module = catalog.find("strategy", PACKAGE, name, "Strategy")
    for part, kind in (("Settings", Settings), ("Strategy", Strategy)):
        found = getattr(module, part, None)
        if not (isinstance(found, type) and issubclass(found, kind)):
            raise PartError(
                f"{name} is not a strategy: it lacks a class {part} derived from "
                f"{kind.__module__}.{kind.__name__}."
            )
    return module


def strategy_names() -> list[str]:
    """Return the names of all strategies."""
    return catalog.names(PACKAGE, "Strategy")


def make_strategy(name: str, settings: Mapping[str, Any], shape: Shape, seed: int) -> Strategy:
    """Return a strategy by name, its settings read and checked."""
    module = find_strategy(name)
    checked: Settings = read(module.Settings, dict(settings), "strategy")
    strategy: Strategy = module.Strategy(checked, shape, seed)
    return strategy
