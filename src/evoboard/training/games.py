"""The games of a generation: playing them, and what they decide: fitness, title, final."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evoboard.arena.backends.base import Backend, Progress, Results
from evoboard.arena.result_cache import ResultCache
from evoboard.arena.schedules import (
    Schedule,
    paired_games,
    single_round_robin,
)
from evoboard.arena.scoring import ResultTable, Scoring, joined
from evoboard.core.arrays import Array, evenly_spread
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.rng import address
from evoboard.encoders.base import default_encoder
from evoboard.evolution.base import Networks, Shape, Strategy
from evoboard.evolution.operators.replacement import ranking
from evoboard.games.base import Game, load_game
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.players.network import find_network
from evoboard.players.setup import Bound, Setup
from evoboard.store.records import Final, StoredGame
from evoboard.training.experiment import ChampionChoice, Experiment, FitnessChoice
from evoboard.training.fitness_functions.base import FitnessFunction
from evoboard.training.pairings import Archive, ArchiveEntry, player_games, population_games


class NetworkArena:
    """Plays games between networks as an experiment says, on a backend."""

    def __init__(self, experiment: Experiment, backend: Backend) -> None:
        self.backend, self.choice = backend, experiment.search
        game = load_game(experiment.game.name)
        self.setup = Setup(
            experiment.game.name,
            experiment.player.encoder or default_encoder(game),
            search=experiment.search.name,
            settings=self.choice.at(0),
            draws=experiment.game.draws(game.draws),
        ).loaded(game)
        self.game, self.encoder = self.bound.game, self.bound.encoder
        fitness = experiment.fitness
        # Even openings are found on lines that may well reach the end of the game.
        self.opening_plies = None if fitness.even_openings else fitness.opening_plies

    @property
    def bound(self) -> Bound:
        """How networks play in this generation, with all parts loaded."""
        return self.setup.bind()

    @property
    def shape(self) -> Shape:
        """What networks must look like."""
        return Shape(self.encoder.inputs, self.bound.outputs)

    def start_network(self, text: str) -> Any:
        """Return a player's network for this run's inputs; those it does not know count nothing."""
        try:
            player = find_network(text, self.game)
            network, theirs, ours = player.network, player.encoder, self.encoder
            known, own = player.setup.encoder, self.setup.encoder
            if known == own:
                return network
            # Where inputs are named by squares alone, the same name may mean another number.
            named = bool(theirs.names) and theirs.seen_by == ours.seen_by
            if not named or not set(ours.names) >= set(theirs.names):
                raise OptionError(
                    f"{text} sees positions by {known}, and {own} does not write all of that; set "
                    f"player.encoder = {known}."
                )
            places = {name: place for place, name in enumerate(theirs.names)}
            if isinstance(network, MLPNetwork):
                network = network.with_inputs([places.get(name, -1) for name in ours.names])
            return network
        except EvoboardError as error:
            raise type(error)(f"player.start: {error}") from error

    def begin(self, generation: int) -> None:
        """Use the search settings of this generation from now on."""
        self._change(settings=self.choice.at(generation))

    def of_kind(self, networks: Networks) -> Bound:
        """Return how these networks play."""
        self._change(kind=networks.kind.__name__.rsplit(".", 1)[-1])
        return self.bound

    def _change(self, **changes: Any) -> None:
        if any(getattr(self.setup, name) != value for name, value in changes.items()):
            self.setup = self.setup.changed(**changes)

    def play(
        self,
        networks: Networks,
        schedule: Schedule,
        seed: int,
        players: Sequence[str] = (),
        **options: Any,
    ) -> Results:
        """Return the games of a schedule between networks, and players numbered after them."""
        setup = self.of_kind(networks).setup
        return self.backend.play(setup, networks.pack, schedule, seed, players, **options)

    def paired(self, pairs: Array, openings: int, seed: int, own: bool = False) -> Schedule:
        """Return every pair's games from fresh openings, with both colours.

        The pairs share them, unless each gets its `own`.
        """
        starts = address(seed, "starts")
        return paired_games(self.game, pairs, 2 * openings, starts, self.opening_plies, own)

    def round_robin(self, networks: Networks, openings: int, seed: int, **options: Any) -> Results:
        """Return a tournament of all networks, every pair from fresh openings with both colours."""
        pairs = single_round_robin(networks.kind.size(networks.pack))
        return self.play(networks, self.paired(pairs, openings, seed), seed, **options)


@dataclass(frozen=True)
class GenerationGames:
    """All games of a generation: `networks` those between networks and `players` those with fixed
    players, if there were any, and `table` the results of all."""

    networks: Results | None
    players: Results | None
    table: ResultTable


def play_generation(
    arena: NetworkArena,
    choice: FitnessChoice,
    networks: Networks,
    size: int,
    seed: int,
    generation: int,
    *,
    record: bool = False,
    cache: ResultCache | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GenerationGames:
    """Play the games that judge individuals 0 .. size-1; the other networks are their rivals.

    `progress` is called with how many games between networks have ended, and of how many.
    """
    count, texts = networks.kind.size(networks.pack), _fixed_players(choice, generation)
    among, outside, tables = None, None, []
    if choice.schedule != "none" or count > size:
        schedule = population_games(arena.game, choice, size, count - size, seed, generation)
        among = arena.play(
            networks,
            schedule,
            address(seed, "fitness", generation),
            record=record,
            cache=cache,
            progress=_Counter(len(schedule.pairings), progress) if progress else None,
        )
        tables.append(replace(among.table, players=count + len(texts)))
        if cache is not None:
            cache.forget_unused()
    if texts:
        schedule = player_games(arena.game, choice, size, count, len(texts), seed, generation)
        chance = address(seed, "players", generation)
        judged = bool(choice.function)
        outside = arena.play(networks, schedule, chance, texts, record=judged)
        tables.append(outside.table)
    return GenerationGames(among, outside, joined(tables))


def _fixed_players(choice: FitnessChoice, generation: int) -> tuple[str, ...]:
    met = [against for against in choice.against if against.generation <= generation]
    return tuple(text for against in met for text in against.players)


class _Counter:
    """Adds up games as threads report them, and passes on (done, all)."""

    def __init__(self, total: int, progress: Callable[[int, int], None]) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def __call__(self, games: int) -> None:
        self.done += games
        self.progress(self.done, self.total)


def fitness_of(
    game: Game,
    choice: FitnessChoice,
    function: FitnessFunction | None,
    games: GenerationGames,
    size: int,
) -> Array:
    """Return the fitness of individuals 0 .. size-1 in the games played, float64."""
    if function is not None:
        played = [part for part in (games.networks, games.players) if part is not None]
        return function.mean_scores(game, played, size)
    points = games.table.points(Scoring.parse(choice.scoring))[:size]
    counts = np.maximum(1, games.table.played()[:size])
    return points / counts if choice.total == "mean" else points


def stored_games(
    kind: str, names: Mapping[int, int | str], results: Results, game: Game
) -> tuple[StoredGame, ...]:
    """Return all games as they are stored; `names` are ids or texts by player number."""
    first, second = (column.tolist() for column in (results.table.first, results.table.second))
    return tuple(
        StoredGame(kind, names[first[i]], names[second[i]], record)
        for i, record in enumerate(results.records(game))
    )


def choose_champion(
    choice: ChampionChoice,
    arena: NetworkArena,
    strategy: Strategy,
    genes: Any,
    fitness: Array,
    seed: int,
) -> int:
    """Return the champion's place in the population.

    One generation's highest score is partly luck. With more than one candidate, the fittest meet
    again, from fresh openings.
    """
    if strategy.champion is not None:
        return strategy.champion
    best = ranking(fitness)[: choice.candidates]
    if len(best) == 1:
        return int(best[0])
    networks = strategy.express(strategy.genomes.take(genes, best))
    points = arena.round_robin(networks, choice.openings, seed).table.points()
    return int(best[np.argmax(points)])


def finalists(archive: Archive, count: int) -> list[ArchiveEntry]:
    """Return the champions that meet for the title of a run: half the latest, half spread ones."""
    latest = archive.previous(max(1, count // 2))
    known = {entry.generation for entry in latest}
    earlier = [entry for entry in archive.entries if entry.generation not in known]
    spread = [earlier[place] for place in evenly_spread(len(earlier), count - len(latest))]
    return sorted([*latest, *spread], key=lambda entry: entry.generation)


def play_final(
    choice: ChampionChoice,
    fitness: FitnessChoice,
    arena: NetworkArena,
    strategy: Strategy,
    archive: Archive,
    seed: int,
    progress: Progress | None = None,
) -> Final:
    """Return the run's best player: the top scorer when champions of many generations meet.

    Where fixed players alone decide fitness they decide this, too: networks that have learned to
    beat others may well draw with each other, whichever is better.
    """
    entries = finalists(archive, choice.finalists)
    last, count = archive.entries[-1].generation, len(entries)
    if count == 1:
        return Final(last, last, entries[0].id, {last: 1.0})
    networks, chance = strategy.express(archive.joined(entries)), address(seed, "final", last)
    if fitness.players_alone:
        texts = _fixed_players(fitness, last)
        fresh = fitness.model_copy(update={"openings": choice.final_openings, "pool": 0})
        schedule = player_games(arena.game, fresh, count, count, len(texts), chance, last)
        table = arena.play(networks, schedule, chance, texts, progress=progress).table
    else:
        openings = choice.final_openings
        table = arena.round_robin(networks, openings, chance, progress=progress).table
    shares = table.points()[:count] / table.played()[:count]
    winner = entries[count - 1 - int(np.argmax(shares[::-1]))]  # of equals the latest
    scores = {entry.generation: float(s) for entry, s in zip(entries, shares, strict=True)}
    return Final(last, winner.generation, winner.id, scores)
