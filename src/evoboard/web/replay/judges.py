"""What somebody thinks of every position of a game, found out off the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from nicegui import background_tasks

from evoboard.arena.game_text import game_spec
from evoboard.arena.game_tree import Node
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.games.base import Game
from evoboard.games.options import split_options
from evoboard.players.base import Player, split_player
from evoboard.search.base import Thought
from evoboard.web.async_player import ADVICE, AsyncPlayer, adviser_texts, first_that_can
from evoboard.web.network.source import KINDS, Shown, load, load_genome
from evoboard.web.opponents import offers, require_offered, short_name
from evoboard.web.replay.recorded import Recorded
from evoboard.web.session import GameSession
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.values import SILENT

FIRST, SECOND, MOVER = "first", "second", "mover"  # whose opinion: a side's, or the mover's own
TOLD_EVERY = 0.25  # seconds between two updates while somebody thinks


@dataclass(frozen=True)
class Judge:
    """Who judges the positions in which side 0 is to move, and those in which side 1 is.

    A network alone judges without any search; a player thinks as it does on the page Analysis.
    """

    by: tuple[Shown | Player, Shown | Player]


def player_judges(session: GameSession, recorded: Recorded | None, site: Site) -> dict[str, str]:
    """Return those of a game's players that can judge it, with a label each."""
    game = session.game
    if recorded is None:
        texts = [text for text in session.seats if _is_offered(text) and _judges(text, game, site)]
        return {text: short_name(text) for text in texts}
    found: dict[str, str] = {}
    for key, side in ((FIRST, 0), (SECOND, 1)):
        if recorded.kept[side] and recorded.search != "policy":
            found[key] = f"{game.sides[side]}: {recorded.labels[side]}"
    if len(found) == 2 and recorded.players[0] != recorded.players[1]:
        found[MOVER] = "Whoever is to move"
    return found


def offered_judges(game: Game, site: Site) -> dict[str, str]:
    """Return the other players that can judge a game, with a label each."""
    return {o.text: o.label for o in offers(game) if _judges(o.text, game, site)}


def has_network(key: str) -> bool:
    """Tell whether a judge could also judge without any search."""
    return key in (FIRST, SECOND, MOVER) or key.isdecimal() or split_player(key)[0] in KINDS


def _judges(text: str, game: Game, site: Site) -> bool:
    """Tell whether a player has an opinion about the positions of a game."""
    kind = split_player(text)[0]
    if kind not in KINDS:
        return kind not in SILENT
    try:
        shown = load(text, site, game.name)
    except EvoboardError:
        return False
    return shown.values_positions and _plays(shown, game)


def _plays(shown: Shown, game: Game) -> bool:
    """Tell whether a network's game is this one; other options mean other positions."""
    return game_spec(shown.game) == game_spec(game)


def _is_offered(text: str) -> bool:
    try:
        return bool(require_offered(text))
    except EvoboardError:
        return False


def make_judge(
    key: str, game: Game, recorded: Recorded | None, site: Site, *, searches: bool
) -> Judge:
    """Return the judge that FIRST, SECOND, MOVER, a player's text or a genome's id names.

    A network `searches` as it does when it plays, or says what it thinks of the position alone.
    """
    if recorded and key in (FIRST, SECOND, MOVER):
        sides = (0, 1) if key == MOVER else (key == SECOND,) * 2
        one, other = (_of_side(int(side), game, recorded, site, searches) for side in sides)
        return Judge((one, other))
    if recorded and key.isdecimal() and len(key) < 18:
        shown = _checked(load_genome(recorded.run, int(key), site), game)
        judge: Shown | Player = shown.player() if searches else shown
        return Judge((judge, judge))
    judge = _named(key, game, site, searches)
    return Judge((judge, judge))


def _of_side(
    side: int, game: Game, recorded: Recorded, site: Site, searches: bool
) -> Shown | Player:
    """Return one of a recorded game's players, as the run has kept it."""
    text = recorded.session.seats[side]
    if not recorded.kept[side]:
        raise OptionError("the run has not kept this player's network; choose another judge.")
    if text.startswith("run:"):
        return _named(text, game, site, searches)
    shown = _checked(load_genome(recorded.run, int(recorded.players[side]), site), game)
    return shown.player() if searches else shown


def _named(text: str, game: Game, site: Site, searches: bool) -> Shown | Player:
    require_offered(text)
    if split_player(text)[0] in KINDS:
        shown = _checked(load(text, site, game.name), game)
        if not searches:
            return shown
    return first_that_can(adviser_texts(text, game), game)


def _checked(shown: Shown, game: Game) -> Shown:
    if not _plays(shown, game):
        plays, here = _in_words(shown.game), _in_words(game)
        raise OptionError(f"{shown.title} plays {plays}; this is a game of {here}.")
    if not shown.values_positions:
        raise OptionError(f"{shown.title} names moves; it has no opinion about positions.")
    return shown


def _in_words(game: Game) -> str:
    """Return a game's name and the options that are not its defaults: nim (heaps 8)."""
    options = split_options(game_spec(game))[1]
    told = ", ".join(f"{key} {value}" for key, value in options.items())
    return f"{game.name} ({told})" if told else game.name


class _Made(AsyncPlayer):
    """One whose player is there already."""

    def __init__(self, game: Game, player: Player) -> None:
        super().__init__(game)
        self._player = player


async def judge_game(session: GameSession, judge: Judge, tell: Callable[[], None]) -> None:
    """Note what is thought of each position, telling now and then; to be cancelled at any time."""
    game = session.game
    asked = [node for node in session.line if game.legal_moves(node.state)]
    by = [(node, judge.by[game.side(node.state)]) for node in asked]
    for node, thought in await off_loop(_network_thoughts, by):
        node.thought = thought
    tell()
    players: dict[int, AsyncPlayer] = {}
    told = time.monotonic()
    try:
        for node, player in by:
            if isinstance(player, Shown):
                continue
            asked_one = players.setdefault(id(player), _Made(game, player))
            node.thought = (
                await asked_one.think(session.tree.history(node), 1, ADVICE) or node.thought
            )
            if time.monotonic() - told > TOLD_EVERY:
                told = time.monotonic()
                tell()
    except asyncio.CancelledError:
        for asked_one in players.values():
            background_tasks.create(asked_one.leave(), name="stop judging")
        raise
    tell()


def _network_thoughts(by: list[tuple[Node, Shown | Player]]) -> list[tuple[Node, Thought]]:
    thoughts = []
    for node, shown in by:
        if isinstance(shown, Shown):
            began = time.perf_counter()
            value = shown.look(node.state).value
            seconds, scale = time.perf_counter() - began, shown.network.largest
            thoughts.append((node, Thought(-1, value, (), 1, 0, seconds, {}, scale)))
    return thoughts
