"""The games a run has kept: what kinds there are, a page of them, and one as a session to look
at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from evoboard.arena.game_tree import GameTree
from evoboard.core.errors import NotationError
from evoboard.store.games import GameFilter
from evoboard.store.reader import Reader, open_run
from evoboard.store.records import KeptGame
from evoboard.web.network.source import load_run_game
from evoboard.web.opponents import short_name
from evoboard.web.session import GameSession
from evoboard.web.site import Site

Who = int | str  # a genome's id, or the text of a player that has none


class GameRow(NamedTuple):
    """A game of a run, with its players in words."""

    kept: KeptGame
    labels: tuple[str, str]


class Kinds(NamedTuple):
    """What a run's games can be chosen by."""

    game: str
    sides: tuple[str, str]
    generations: list[int]
    purposes: list[str]


@dataclass(frozen=True)
class Recorded:
    """A run's game and the session that shows it; `known`: whose networks the run has."""

    run: str
    row: GameRow
    known: tuple[bool, bool]
    search: str
    session: GameSession

    @property
    def players(self) -> tuple[Who, Who]:
        """The players, as the run knows them."""
        return self.row.kept.game.first, self.row.kept.game.second


def kinds_of(run: str, site: Site) -> Kinds:
    """Return what the games of a run can be chosen by."""
    with open_run(run) as reader:
        spec = str(reader.facts()["player"]["game"])
        generations, purposes = reader.game_generations(), reader.game_purposes()
    return Kinds(spec, load_run_game(run, spec, site).sides, generations, purposes)


def list_games(run: str, wanted: GameFilter, first: int, most: int) -> tuple[int, list[GameRow]]:
    """Return how many games are wanted, and `most` of them from number `first` on, latest first."""
    with open_run(run) as reader, reader.snapshot():
        found = reader.games(wanted, first, most)
        names = _Names(reader, {kept.generation for kept in found})
        rows = [GameRow(kept, names.labels(kept)) for kept in found]
        return reader.count_games(wanted), rows


def place_of(run: str, wanted: GameFilter, generation: int, number: int) -> int | None:
    """Return how many of the wanted games come before a game; None if it is not wanted."""
    with open_run(run) as reader:
        return reader.games_before(wanted, generation, number)


class _Names:
    """Players of some generations in words: champion, #3, champion of generation 12."""

    def __init__(self, reader: Reader, generations: Iterable[int]) -> None:
        self.reader = reader
        self.champions = {g: reader.champion(g) for g in generations}
        self.ranks = {
            g: {identity: rank for rank, identity in enumerate(reader.ranking(g), 1)}
            for g in self.champions
        }

    def labels(self, kept: KeptGame) -> tuple[str, str]:
        """Return the players of a game in words."""
        game, generation = kept.game, kept.generation
        return self._label(game.first, generation), self._label(game.second, generation)

    def texts(self, kept: KeptGame) -> tuple[str, str]:
        """Return the texts of a game's players, as far as they have one: run:NAME@gen=8#3."""
        game, generation = kept.game, kept.generation
        return self._text(game.first, generation), self._text(game.second, generation)

    def _label(self, who: Who, generation: int) -> str:
        place = self._place(who, generation)
        if place is None:
            return f"no. {who}" if isinstance(who, int) else short_name(who)
        of_generation, rank = place
        if rank is not None:
            return f"#{rank}"
        earlier = "" if of_generation == generation else f" of generation {of_generation}"
        return f"champion{earlier}"

    def _text(self, who: Who, generation: int) -> str:
        place = self._place(who, generation)
        if place is None:
            return str(who)
        rank = "" if place[1] is None else f"#{place[1]}"
        return f"run:{self.reader.name}@gen={place[0]}{rank}"

    def _place(self, who: Who, generation: int) -> tuple[int, int | None] | None:
        """Return the generation by which an individual is named, and its rank; None for the
        champion."""
        if not isinstance(who, int):
            return None
        if self.champions[generation] == who:
            return generation, None
        if who in self.ranks[generation]:
            return generation, self.ranks[generation][who]
        earlier = self.reader.last_title(who, generation)
        return None if earlier is None else (earlier, None)


def open_game(run: str, generation: int, number: int, site: Site) -> Recorded:
    """Return a recorded game, played again; NotFound if there is none of that number."""
    with open_run(run) as reader:
        kept = reader.game(generation, number)
        player = reader.facts()["player"]
        names = _Names(reader, [generation])
        texts, row = names.texts(kept), GameRow(kept, names.labels(kept))
        players = (kept.game.first, kept.game.second)
        known = reader.kept(players)
    name = f"{run}-gen{generation}-game{number}"
    game = load_run_game(run, str(player["game"]), site)
    try:
        tree = GameTree.of_record(kept.game.record, game)
    except NotationError as error:
        raise NotationError(f"{name}: {error}") from None
    both = (players[0] in known, players[1] in known)
    return Recorded(run, row, both, str(player["search"]), GameSession(name, tree, texts))
