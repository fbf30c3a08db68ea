"""run: a player of a training run: run:NAME, run:NAME@best, run:NAME@gen=40, run:NAME@gen=40#3.

Reads the run's database alone, also while it is being trained.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from evoboard.core.errors import EvoboardError, NotFound, OptionError, quoted
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.players.base import SearchOptions, SearchPlayer
from evoboard.players.setup import stored_player
from evoboard.store.reader import Reader, open_run
from evoboard.store.run_file import run_folder, run_mark, run_names

SUMMARY = "a network of a run: run:NAME, run:NAME@gen=40, run:NAME@gen=40#3 (its third best)"
HOW = "write run:NAME, run:NAME@best, run:NAME@gen=40 or run:NAME@gen=40#3."
# No generation or rank has more than 100 digits, and Python reads no more than some thousand.
ADDRESS = re.compile(
    r"(?P<name>[^@#]+)(@(best|gen=(?P<generation>\d{1,100})(#(?P<rank>\d{1,100}))?))?"
)


class Address(NamedTuple):
    """A player within a run: the best, a generation's champion, or one by its fitness there."""

    run: str
    generation: int | None = None
    rank: int | None = None


class FoundPlayer(NamedTuple):
    """A network of a run, and what makes a player of it."""

    generation: int
    id: int
    network: Any
    player: Mapping[str, Any]


class Options(SearchOptions):
    """Whose network; another search, other settings than the run's."""

    BARE: ClassVar[str] = "player"

    player: str = Field("", description="NAME, NAME@best, NAME@gen=40 or NAME@gen=40#3")


def player_for(game: Game, options: Options) -> SearchPlayer:
    """Return the player."""
    address = read_address(options.player)
    found = find_player(address)
    data = found.player
    plays = game_name(data["game"])
    if plays != game.name:
        raise OptionError(f"the run {address.run} plays {plays}, not {game.name}.")
    return stored_player(game, data, found.network, options)


def read_address(text: str) -> Address:
    """Return the address in a text such as NAME@gen=40#3."""
    match = ADDRESS.fullmatch(text.strip())
    if not match:
        name, colon, rest = text.partition(":")
        if colon and "=" in rest and ADDRESS.fullmatch(name.strip()):
            right = quoted(f"run:{name},{rest}")
            raise OptionError(f"options of a run's player follow a comma: {right}.")
        raise OptionError(f"{quoted(text)} names no player of a run; {HOW}")
    numbers = (match["generation"], match["rank"])
    return Address(match["name"], *(None if n is None else int(n) for n in numbers))


def find_player(address: Address) -> FoundPlayer:
    """Return the network at an address; NotFound names what there is."""
    with open_run(address.run) as run, run.snapshot():
        last = run.count() - 1
        if last < 0:
            raise NotFound(
                f"the run {run.name} has no generation yet; its first player comes with the first."
            )
        generation = last if address.generation is None else address.generation
        if address.rank is not None:
            identity = _ranked(run, generation, address.rank)
        elif address.generation is None:
            generation, identity = run.best()
        else:
            identity = run.champion(generation)
        network = run.network(identity)
        if network is None:
            raise NotFound(_not_kept(run, generation, address.rank))
        return FoundPlayer(generation, identity, network, run.player(generation))


class RunPlayer(NamedTuple):
    """The best player of a run: its text, the game with its options, and the encoder."""

    text: str
    game: str
    encoder: str

    @property
    def plays(self) -> str:
        """The game's name."""
        return game_name(self.game)


def run_players() -> list[RunPlayer]:
    """Return the best player of every run that has one."""
    found = ((name, _known(run_folder(name), run_mark(run_folder(name)))) for name in run_names())
    return [RunPlayer(f"run:{name}", *player) for name, player in found if player]


@lru_cache(20_000)
def _known(folder: Path, mark: tuple[Any, ...]) -> tuple[str, str] | None:
    """Return game and encoder of a run, None if it has no player.

    A run without a generation has none yet; a damaged one has none either (`evoboard runs` says
    so).
    """
    try:
        with Reader(folder) as run:
            player = run.facts()["player"] if run.count() else None
            return (str(player["game"]), str(player["encoder"])) if player else None
    except (EvoboardError, KeyError, TypeError):
        return None


def game_name(text: str) -> str:
    """Return a game's name without its options; of a FILE.py the name its game has."""
    return Path(split_options(text)[0]).name.removesuffix(".py")


def _ranked(run: Reader, generation: int, rank: int) -> int:
    """Return the id of the individual with that place by fitness, from 1."""
    ranking = run.ranking(generation)
    if not 1 <= rank <= len(ranking):
        raise NotFound(
            f"generation {generation} of the run {run.name} has {len(ranking)} individuals; "
            f"#{rank} must be #1 to #{len(ranking)}."
        )
    return ranking[rank - 1]


def _not_kept(run: Reader, generation: int, rank: int | None) -> str:
    kept = [str(each) for each, genomes, _ in run.recorded() if genomes]
    shown = ", ".join(kept if len(kept) <= 12 else [*kept[:5], "…", *kept[-5:]])
    known = (
        f"all genomes of generations {shown} are kept"
        if kept
        else "no generation has all its genomes kept"
    )
    return (
        f"the run {run.name} kept only the champion of generation {generation}, not #{rank}; "
        f"{known}."
    )
