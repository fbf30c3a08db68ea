"""What somebody thinks of every position of a game, found out off the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from nicegui import background_tasks

from evoboard.core.errors import EvoboardError, OptionError
from evoboard.games.base import Game
from evoboard.players.base import split_player
from evoboard.search.base import Thought
from evoboard.web.network.source import KINDS, Shown, load, load_genome
from evoboard.web.opponents import offers, require_offered, short_name
from evoboard.web.replay.recorded import Recorded
from evoboard.web.site import Site
from evoboard.web.tables import Table
from evoboard.web.thinking import ADVICE_SECONDS, Mind, off_loop
from evoboard.web.values import SILENT

FIRST, SECOND, MOVER = "first", "second", "mover"  # whose opinion: a side's, or the mover's own
TOLD_EVERY = 0.25  # seconds between two updates while somebody thinks


@dataclass(frozen=True)
class Judge:
    """Who judges the positions in which side 0 is to move, and those in which side 1 is.

    A network judges without any search; another player, named by its text, thinks as it does.
    """

    by: tuple[Shown | str, Shown | str]


def player_judges(table: Table, recorded: Recorded | None, site: Site) -> dict[str, str]:
    """Return those of a game's players that can judge it, with a label each."""
    if recorded is None:
        texts = [text for text in table.seats if _is_offered(text) and _speaks(text, site)]
        return {text: short_name(text) for text in texts}
    found: dict[str, str] = {}
    for key, side in ((FIRST, 0), (SECOND, 1)):
        if recorded.kept[side] and recorded.search != "policy":
            found[key] = f"{table.game.sides[side]}: {recorded.labels[side]}"
    if len(found) == 2 and recorded.players[0] != recorded.players[1]:
        found[MOVER] = "Whoever is to move"
    return found


def offered_judges(game: Game, site: Site) -> dict[str, str]:
    """Return the other players that can judge a game, with a label each."""
    return {o.text: f"{o.group}: {o.label}" for o in offers(game) if _speaks(o.text, site)}


def _speaks(text: str, site: Site) -> bool:
    """Tell whether a player has an opinion about positions."""
    kind = split_player(text)[0]
    try:
        return load(text, site).values_positions if kind in KINDS else kind not in SILENT
    except EvoboardError:
        return False


def _is_offered(text: str) -> bool:
    try:
        return bool(require_offered(text))
    except EvoboardError:
        return False


def make_judge(key: str, game: Game, recorded: Recorded | None, site: Site) -> Judge:
    """Return the judge that FIRST, SECOND, MOVER, a player's text or a genome's id names."""
    if recorded and key in (FIRST, SECOND, MOVER):
        kept = [
            load_genome(recorded.run, int(who), site) if there else None
            for who, there in zip(recorded.players, recorded.kept, strict=True)
        ]
        one, other = (kept[0], kept[1]) if key == MOVER else (kept[key == SECOND],) * 2
        if one is None or other is None:
            raise OptionError("the run has not kept this player's network; choose another judge.")
        return Judge((_checked(one), _checked(other)))
    if recorded and key.isdigit():
        shown = _checked(load_genome(recorded.run, int(key), site))
        return Judge((shown, shown))
    require_offered(key)
    if split_player(key)[0] not in KINDS:
        return Judge((key, key))
    network = load(key, site)
    if network.game.name != game.name:
        raise OptionError(f"{short_name(key)} plays {network.game.name}, not {game.name}.")
    # Another size of the same game has other positions.
    fitting = network if network.game.options == game.options else None
    judge: Shown | str = _checked(fitting) if fitting else key
    return Judge((judge, judge))


def _checked(shown: Shown) -> Shown:
    if not shown.values_positions:
        raise OptionError(f"{shown.title} names moves; it has no opinion about positions.")
    return shown


async def judge_game(table: Table, judge: Judge, tell: Callable[[], None]) -> None:
    """Fill the table's thoughts, telling now and then; to be cancelled when no longer wanted."""
    plies = [p for p in range(table.ply + 1) if table.game.legal_moves(table.match.states[p])]
    at = {ply: judge.by[table.game.side(table.match.states[ply])] for ply in plies}
    networks = {ply: shown for ply, shown in at.items() if isinstance(shown, Shown)}
    table.thoughts.update(await off_loop(_network_thoughts, table, networks))
    tell()
    minds: dict[str, Mind] = {}
    told = time.monotonic()
    try:
        for ply, text in at.items():
            if isinstance(text, Shown):
                continue
            mind = minds.setdefault(text, Mind(table.game, text))
            thought = await mind.think(table.match.states[ply], 1, ADVICE_SECONDS)
            if thought is not None:
                table.thoughts[ply] = thought
            if time.monotonic() - told > TOLD_EVERY:
                told = time.monotonic()
                tell()
    except asyncio.CancelledError:
        for mind in minds.values():
            background_tasks.create(mind.leave(), name="stop judging")
        raise
    tell()


def _network_thoughts(table: Table, networks: dict[int, Shown]) -> dict[int, Thought]:
    thoughts = {}
    for ply, shown in networks.items():
        began = time.perf_counter()
        value = shown.look(table.match.states[ply]).value
        thoughts[ply] = Thought(-1, value, (), 1, 0, time.perf_counter() - began, {})
    return thoughts
