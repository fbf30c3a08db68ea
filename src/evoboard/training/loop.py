"""One generation after another: ask, express, play, judge, crown, measure, record, tell.

A `Trainer` is one run in memory. Everything random has an address made of the run's seed and the
generation's number, so a trainer restored from `state()` continues as if it had never stopped, on
any number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from evoboard.arena.backends.base import Backend, Results, find_backend
from evoboard.arena.result_cache import ResultCache
from evoboard.core.arrays import Array
from evoboard.core.rng import address
from evoboard.core.settings import plain
from evoboard.evolution.base import (
    Evidence,
    Lessons,
    LessonsWanted,
    Networks,
    Population,
    make_strategy,
    named_genes,
    part_of,
    restored_genes,
)
from evoboard.evolution.operators.replacement import ranking
from evoboard.store.records import Final, GenerationRecord
from evoboard.training.experiment import Experiment
from evoboard.training.fitness_functions.base import find_fitness_function
from evoboard.training.gain import GainWatch
from evoboard.training.games import (
    GenerationGames,
    NetworkArena,
    choose_champion,
    fitness_of,
    play_final,
    play_generation,
)
from evoboard.training.lessons import lessons_of, lessons_with_moves, won_inputs
from evoboard.training.observer import Judged, Observer, generation_record
from evoboard.training.pairings import (
    Archive,
    Rivals,
    choose_rivals,
    generation_openings,
    learn_of_rivals,
)
from evoboard.training.parts import try_players


class Trainer:
    """A run in memory, one generation per step; a backend plays its games, by default `cpu`.

    `clock` measures the seconds that steps take; on a busy machine use time.process_time.
    """

    def __init__(
        self,
        experiment: Experiment,
        seed: int,
        backend: Backend | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.experiment, self.seed, self.clock = experiment, seed, clock
        self.arena = NetworkArena(experiment, backend or find_backend())
        self.game, self.encoder = self.arena.game, self.arena.encoder
        self.game.require_lawful()  # before players of it are made
        if experiment.measure.every:
            try_players("measure.anchors", experiment.measure.anchors, self.game)
        for place, opponents in enumerate(experiment.fitness.against):
            try_players(f"fitness.against.{place}.players", opponents.players, self.game)
        chosen = experiment.strategy
        self.strategy = make_strategy(chosen.name, plain(chosen.settings), self.arena.shape, seed)
        if start := experiment.player.start:
            self.strategy.begin_with(partial(self.arena.start_network, start))
        self.archive = Archive(self.strategy.genomes, _recent(experiment))
        self.observer = Observer(experiment, self.arena, self.strategy, self.archive, seed)
        self.gain = GainWatch(experiment, self.arena, self.strategy, seed)
        self.cache = ResultCache() if experiment.fitness.reuse else None
        text = experiment.fitness.function
        self.function = find_fitness_function(text) if text else None
        self.previous_best: Any = None
        self.ended, self.reached_grade = "", False
        self.best_fitness, self.best_generation = -np.inf, 0
        self.played = 0  # games
        self.spent = Spent()

    @property
    def generation(self) -> int:
        """The generation to be played next, from 0."""
        return self.strategy.generation

    def step(self, progress: Callable[[int, int], None] | None = None) -> GenerationRecord:
        """Play and judge one generation, breed the next, and return the record to store."""
        clock = Clock(self.clock)
        self.arena.begin(self.generation)
        population = self.strategy.ask()
        rivals = self._rivals(population)
        networks = self._express(population, rivals)
        clock.lap("express")
        games = self._play(population, networks, progress)
        clock.lap("games")
        judged = self._judge(population, rivals, networks, games)
        clock.lap("judge")
        self._count(games, clock.laps)
        gained = self._check_gain(judged)
        observed = self.observer.look(judged)
        clock.lap("measure")
        record = generation_record(self.experiment, self.strategy, self.arena, judged, observed)
        clock.lap("record")
        self._tell(judged)
        self._consider_ending(judged.fitness, observed.grade)
        clock.lap("tell")
        return replace(record, numbers={**record.numbers, **gained}, timings=clock.laps)

    def finished(self) -> str:
        """Return why the run has ended, "" while it continues."""
        if self.generation >= self.experiment.generations:
            count = self.experiment.generations
            return "its 1 generation is done" if count == 1 else f"all {count} generations are done"
        return self.ended

    def final(self, progress: Callable[[int], None] | None = None) -> Final:
        """Return the best player among the champions: the last one if its grade ended the run,
        because games among champions would say less."""
        self.arena.begin(max(0, self.generation - 1))
        choice = self.experiment.champion
        if self.reached_grade:
            choice = choice.model_copy(update={"finalists": 1})
        fitness, arena = self.experiment.fitness, self.arena
        return play_final(choice, fitness, arena, self.strategy, self.archive, self.seed, progress)

    def player_data(self) -> dict[str, Any]:
        """Return what a player needs besides its network."""
        setup, settings = self.arena.setup, plain(self.arena.bound.settings)
        names = {"game": setup.game, "encoder": setup.encoder, "search": setup.search}
        return {**names, "settings": settings}

    def _rivals(self, population: Population) -> Rivals:
        return choose_rivals(
            self.experiment.fitness.against,
            population,
            self.archive,
            self.previous_best,
            self.seed,
            self.generation,
        )

    def _express(self, population: Population, rivals: Rivals) -> Networks:
        genes = population.genes
        if rivals.count:
            genes = self.strategy.genomes.join([genes, rivals.genes])
        return self.strategy.express(genes)

    def _play(
        self,
        population: Population,
        networks: Networks,
        progress: Callable[[int, int], None] | None,
    ) -> GenerationGames:
        """Play the games that judge this generation."""
        return play_generation(
            self.arena,
            self.experiment.fitness,
            networks,
            population.size,
            self.seed,
            self.generation,
            record=self._keeps_moves(),
            cache=self.cache,
            progress=progress,
        )

    def _keeps_moves(self) -> bool:
        every = self.experiment.record.games_every
        wanted = self.function is not None or self.strategy.wants_won_inputs > 0
        wanted = wanted or self.strategy.wants_lessons is not None
        wanted = wanted or self.observer.reads_games(self.generation)
        return wanted or (every > 0 and self.generation % every == 0)

    def _judge(
        self, population: Population, rivals: Rivals, networks: Networks, games: GenerationGames
    ) -> Judged:
        """Return everybody's fitness and the champion."""
        fitness = fitness_of(
            self.game, self.experiment.fitness, self.function, games, population.size
        )
        slot = choose_champion(
            self.experiment.champion,
            self.arena,
            self.strategy,
            population.genes,
            fitness,
            address(self.seed, "title", self.generation),
        )
        return Judged(self.generation, population, rivals, networks, games, fitness, slot)

    def _count(self, games: GenerationGames, laps: Mapping[str, float]) -> None:
        """Count games and time; a run that has used up its budget is in its last generation."""
        stop = self.experiment.stop
        self.played += games.table.games
        self.spent.add(sum(laps.values()))
        if stop.games is not None and self.played >= stop.games:
            self.ended = f"{self.played:,} games are played"
        elif stop.seconds is not None and self.spent.seconds >= stop.seconds:
            self.ended = f"{self.spent.seconds:.0f} seconds were trained"
        if self.ended:
            self.observer.last = self.generation

    def _check_gain(self, judged: Judged) -> dict[str, float]:
        """End a run that has stopped improving; return what was measured."""
        ended, numbers = self.gain.look(self.generation, self._champion(judged))
        if ended:
            self.ended, self.observer.last = ended, self.generation
        return numbers

    def _champion(self, judged: Judged) -> Any:
        """Return the genes of a generation's champion."""
        genes, slot = judged.population.genes, judged.slot
        return self.strategy.genomes.take(genes, np.array([slot]))

    def _tell(self, judged: Judged) -> None:
        """Remember champions and the best, then breed the next generation."""
        population, fitness = judged.population, judged.fitness
        learn_of_rivals(judged.rivals, judged.games.table, population.size)
        genomes = self.strategy.genomes
        identity = int(population.ids[judged.slot])
        self.archive.add(self.generation, identity, self._champion(judged))
        keep = max(
            (a.count for a in self.experiment.fitness.against if a.kind == "previous_best"),
            default=0,
        )
        if keep:
            self.previous_best = genomes.take(population.genes, ranking(fitness)[:keep])
        won: Sequence[Array] = ()
        lessons, results = None, judged.games.networks
        most, wanted = self.strategy.wants_won_inputs, self.strategy.wants_lessons
        if most and results is not None:
            won = won_inputs(self.game, self.encoder, results, population.size, most)
        if wanted is not None and results is not None:
            lessons = self._lessons(results, wanted)
        self.strategy.tell(Evidence(fitness, won, lessons))

    def _lessons(self, results: Results, wanted: LessonsWanted) -> Lessons:
        """Return what there is to learn from this generation's games."""
        if self.arena.shape.outputs == 1:
            return lessons_of(self.game, self.encoder, results, wanted)
        # Perhaps nobody else would ever try the last random move of an opening.
        openings = generation_openings(
            self.game, self.experiment.fitness, self.seed, self.generation
        )
        lessons, moves = lessons_with_moves(self.game, self.encoder, results, openings)
        bound = self.arena.bound
        choices, groups = bound.search.naming_outputs(self.game, bound.settings, moves)
        return lessons._replace(choices=choices, groups=groups)

    def _consider_ending(self, fitness: Array, grade: float | None) -> None:
        """End the run if one of the stopping rules says so."""
        stop, best, done = self.experiment.stop, float(fitness.max()), self.generation - 1
        if best > self.best_fitness:
            self.best_fitness, self.best_generation = best, done
        if stop.fitness is not None and best >= stop.fitness:
            self.ended = f"the best fitness {_reached(best, stop.fitness)}"
        elif stop.grade is not None and grade is not None and grade >= stop.grade:
            self.ended = f"the champion's grade {_reached(grade, stop.grade)}"
            self.reached_grade = True
        elif stop.stagnation and done - self.best_generation >= stop.stagnation:
            self.ended = f"for {stop.stagnation} generations no fitness was better than before"

    def state(self) -> dict[str, Any]:
        """Return everything needed to continue: arrays and JSON values by name."""
        saved = {
            **{f"strategy.{name}": value for name, value in self.strategy.state().items()},
            **self.archive.state(),
            **{f"observer.{name}": value for name, value in self.observer.state().items()},
            **{f"gain.{name}": value for name, value in self.gain.state().items()},
            "ended": self.ended,
            "reached_grade": self.reached_grade,
            "best_fitness": float(self.best_fitness) if self.generation else None,
            "best_generation": self.best_generation,
        }
        # Only if it ends the run: time is never the same twice, everything else in a state is.
        stop = self.experiment.stop
        saved |= {} if stop.games is None else {"played": self.played}
        saved |= {} if stop.seconds is None else {"spent": self.spent.seconds}
        if self.previous_best is not None:
            saved |= named_genes(self.previous_best, "previous.")
        return saved

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from where `state` was taken."""
        self.strategy.restore(part_of(state, "strategy."))
        self.archive.restore(state)
        self.observer.restore(part_of(state, "observer."))
        self.gain.restore(part_of(state, "gain."))
        self.ended, self.best_generation = str(state["ended"]), int(state["best_generation"])
        self.reached_grade = bool(state.get("reached_grade", False))  # older runs lack it
        best = state["best_fitness"]
        self.best_fitness = -np.inf if best is None else float(best)
        self.played = int(state.get("played", 0))
        self.spent = Spent(float(state.get("spent", 0.0)))
        self.previous_best = restored_genes(self.strategy.genomes, state, "previous.")


class Spent:
    """The seconds that generations took; the first of a process, which compiles, counts as much as
    the second."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds, self._first = seconds, -1.0

    def add(self, seconds: float) -> None:
        """Add a generation's."""
        if self._first < 0:
            self._first = seconds
            return
        self.seconds += seconds + min(self._first, seconds)
        self._first = 0.0


class Clock:
    """Seconds by step; the only thing about a generation that no two runs share."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self.laps: dict[str, float] = {}
        self._now, self._last = now, now()

    def lap(self, name: str) -> None:
        """Note the time since the last lap."""
        now = self._now()
        self.laps[name] = now - self._last
        self._last = now


def _reached(value: float, aim: float) -> str:
    return f"has reached {aim:g}" if value == aim else f"has reached {aim:g}: it is {value:g}"


def _recent(experiment: Experiment) -> int:
    """Return how many of the latest champions are asked for."""
    wanted = [a.count for a in experiment.fitness.against if a.kind == "previous_champions"]
    return max(10, experiment.measure.previous, *wanted)
