"""Where networks meet in training: one game, encoder and search, with the settings of the day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from evoboard.arena.openings import start_positions
from evoboard.arena.result_cache import ResultCache
from evoboard.arena.schedules import paired_openings, single_round_robin, versus
from evoboard.arena.tournament import Played, Schedule, Tournament
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import address
from evoboard.core.settings import plain
from evoboard.encoders.base import encoder_names, find_encoder
from evoboard.evolution.base import Networks, Shape
from evoboard.games.base import Game, load_game
from evoboard.players.base import Player
from evoboard.players.file import packed_player
from evoboard.search.base import find_search, read_settings
from evoboard.training.experiment import Experiment

Progress = Callable[[int], None]


class Stage:
    """Plays games between networks as the experiment says."""

    def __init__(self, experiment: Experiment, threads: int = 0) -> None:
        self.game: Game = load_game(experiment.game.name)
        self.draws = experiment.game.draws(self.game.draws)
        self.encoder = find_encoder(_encoder_name(experiment, self.game), self.game)
        self.search, self.choice = find_search(experiment.search.name), experiment.search
        given = experiment.fitness.opening_plies
        self.opening_plies = self.game.opening_plies if given is None else given
        self.threads = threads
        self.generation = 0
        self._tournaments: dict[Any, Tournament] = {}

    @property
    def settings(self) -> Any:
        """The search's settings in this generation."""
        return read_settings(self.search, self.choice.at(self.generation))

    @property
    def shape(self) -> Shape:
        """What networks must look like."""
        outputs = 1
        if hasattr(self.search, "outputs_for"):
            outputs = self.search.outputs_for(self.game, self.settings)
        return Shape(self.encoder.inputs, outputs)

    def play(
        self,
        networks: Networks,
        schedule: Schedule,
        seed: int,
        *,
        record: bool = False,
        cache: ResultCache | None = None,
        progress: Progress | None = None,
    ) -> Played:
        """Return the games of a schedule between the networks of a pack."""
        settings = self.settings
        key = (networks.kind.__name__, settings)
        if key not in self._tournaments:
            self._tournaments = {
                key: Tournament(
                    self.game,
                    self.encoder,
                    networks.kind,
                    self.search,
                    settings,
                    self.draws,
                    self.threads,
                )
            }
        tournament = self._tournaments[key]
        return tournament.play(
            networks.pack, schedule, seed, record=record, cache=cache, progress=progress
        )

    def round_robin(self, networks: Networks, openings: int, seed: int, **options: Any) -> Played:
        """Return a tournament of all networks, every pair from fresh openings with both colours."""
        games = paired_openings(single_round_robin(networks.kind.size(networks.pack)), 2 * openings)
        starts = self.openings(openings, seed)
        return self.play(
            networks, Schedule(games.pairings, games.openings, starts), seed, **options
        )

    def challenge(self, networks: Networks, openings: int, seed: int, **options: Any) -> Played:
        """Return the games of network 0 against every other, from openings with both colours."""
        others = np.arange(1, networks.kind.size(networks.pack))
        pairs = versus([0], others)[::2]
        games = paired_openings(pairs, 2 * openings)
        starts = self.openings(openings, seed)
        return self.play(
            networks, Schedule(games.pairings, games.openings, starts), seed, **options
        )

    def openings(self, count: int, seed: int) -> Array:
        """Return positions a few random plies into the game."""
        return start_positions(self.game, count, address(seed, "starts"), self.opening_plies)

    def player(self, networks: Networks, index: int) -> Player:
        """Return a network of a pack as a player of its own."""
        settings = plain(self.settings)
        return packed_player(
            self.game,
            self.encoder,
            networks.kind,
            networks.pack,
            index,
            self.choice.name,
            settings,
        )


def _encoder_name(experiment: Experiment, game: Game) -> str:
    """Return the encoder's name, that of the first that fits where none is given."""
    name, fitting = experiment.player.encoder, encoder_names(game)
    if not name and not fitting:
        raise OptionError(
            f"no encoder fits {game.name}; write encode(state, out) and INPUTS in it."
        )
    return name or fitting[0]
