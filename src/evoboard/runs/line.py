"""A run's champions as one line of players: the same game, search and settings for all."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evoboard.core.errors import NotFound
from evoboard.core.settings import plain
from evoboard.encoders.base import Encoder, find_encoder
from evoboard.evolution.base import Networks
from evoboard.games.base import DrawRules, Game, load_game
from evoboard.networks.base import find_network_kind
from evoboard.players.base import Player
from evoboard.players.file import packed_player
from evoboard.players.run import Address, find_player
from evoboard.search.base import PACKAGE, find_search, read_settings
from evoboard.store.reader import open_run
from evoboard.training.experiment import read_experiment

CHAMPIONS = 12  # looked at where nobody says how many


@dataclass(frozen=True)
class Line:
    """Champions of one run in the order of their generations, and how they all play."""

    name: str
    game: Game
    draws: DrawRules
    encoder: Encoder
    search: types.ModuleType
    settings: Any
    networks: Networks
    generations: tuple[int, ...]

    def maker(self, index: int) -> Callable[[Game], Player]:
        """Return what makes one of them a player, for any thread and for a blind game, too."""
        search = _search_text(self.search)
        kind, pack, settings = self.networks.kind, self.networks.pack, plain(self.settings)
        return lambda game: packed_player(game, self.encoder, kind, pack, index, search, settings)


def _search_text(module: types.ModuleType) -> str:
    """Return the text that finds a search again: its name, or its file."""
    ours = module.__name__.startswith(f"{PACKAGE}.")
    return module.__name__.rsplit(".", 1)[-1] if ours else str(module.__file__)


def read_line(run: str, every: int = 0, changes: Mapping[str, Any] | None = None) -> Line:
    """Return a run's champions: of every k-th generation and the last, or evenly spread ones.

    All of them play as the run's last generation does, but for `changes` of the search's settings.
    """
    with open_run(run) as reader:
        count, experiment = reader.count(), read_experiment(reader.facts()["experiment"])
    if count == 0:
        raise NotFound(f"the run {run} has no generation yet; its first champion comes with it.")
    generations = chosen_generations(count, every)
    found = [find_player(Address(run, generation)) for generation in generations]
    line = make_line(run, found[-1].player, [one.network for one in found], generations, changes)
    return replace(line, draws=experiment.game.draws(line.game.draws))


def chosen_generations(count: int, every: int = 0) -> list[int]:
    """Return which of `count` generations to look at: every k-th and the last, or 12 of them."""
    if every > 0:
        return sorted({*range(0, count, every), count - 1})
    return np.unique(np.linspace(0, count - 1, min(count, CHAMPIONS)).round().astype(int)).tolist()


def make_line(
    name: str,
    player: Mapping[str, Any],
    networks: Sequence[Any],
    generations: Sequence[int],
    changes: Mapping[str, Any] | None = None,
) -> Line:
    """Return champions given as networks' JSON data; `player` names game, encoder and search."""
    game = load_game(player["game"])
    search = find_search(player["search"])
    settings = read_settings(search, {**player["settings"], **(changes or {})})
    kind = find_network_kind(networks[0])
    pack = kind.pack([kind.from_json(network) for network in networks])
    encoder = find_encoder(player["encoder"], game)
    both = Networks(kind, pack)
    return Line(name, game, game.draws, encoder, search, settings, both, tuple(generations))
