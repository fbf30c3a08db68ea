"""What a judge thinks of every position of a game, computed off the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from evoboard.arena.game_text import game_spec
from evoboard.arena.game_tree import Node
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.players.base import Player, SearchPlayer
from evoboard.players.network import NETWORKS, PlayerNetwork
from evoboard.search.base import Thought
from evoboard.web.async_player import ADVICE, AsyncPlayer, adviser_of, offered_judge
from evoboard.web.network.source import load, load_genome
from evoboard.web.opponents import offers, require_offered, short_name
from evoboard.web.replay.recorded import Recorded
from evoboard.web.session import GameSession
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.values import SILENT, game_title

FIRST, SECOND, MOVER = "first", "second", "mover"  # whose opinion: a side's, or the mover's own
UPDATE_EVERY = 0.25  # seconds between two updates of the page


@dataclass(frozen=True)
class Judge:
    """Who judges the positions in which side 0 is to move, and those in which side 1 is.

    One that `searches` thinks as it does on the page Analysis; else its network alone judges.
    """

    by: tuple[Player, Player]
    searches: bool = True


def player_judges(session: GameSession, recorded: Recorded | None, site: Site) -> dict[str, str]:
    """Return those of a game's players that can judge it, with a label each."""
    game = session.game
    if recorded is None:
        texts = [text for text in session.seats if _is_offered(text) and _judges(text, game, site)]
        return {text: short_name(text) for text in texts}
    found: dict[str, str] = {}
    for key, side in ((FIRST, 0), (SECOND, 1)):
        if recorded.known[side] and recorded.search != "policy":
            found[key] = f"{game.sides[side]}: {recorded.row.labels[side]}"
    if len(found) == 2 and recorded.players[0] != recorded.players[1]:
        found[MOVER] = "The side to move"
    return found


def offered_judges(game: Game, site: Site) -> dict[str, str]:
    """Return the other players that can judge a game, with a label each."""
    return {o.text: o.label for o in offers(game) if _judges(o.text, game, site)}


def has_network(key: str) -> bool:
    """Tell whether a judge could also judge without any search."""
    return key in (FIRST, SECOND, MOVER) or key.isdecimal() or split_options(key)[0] in NETWORKS


def _judges(text: str, game: Game, site: Site) -> bool:
    """Tell whether a player has an opinion about the positions of a game."""
    kind = split_options(text)[0]
    if kind not in NETWORKS:
        return kind not in SILENT
    try:
        return bool(_checked(load(text, site, game.name), game))
    except EvoboardError:
        return False


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
        sides = (0, 1) if key == MOVER else (int(key == SECOND),) * 2
        one, other = (_of_side(side, game, recorded, site) for side in sides)
        return Judge((one, other), searches)
    if recorded and key.isdecimal() and len(key) < 18:
        judge: Player = _of_genome(recorded, int(key), game, site)
    else:
        judge = _named(key, game, site)
    return Judge((judge, judge), searches or not has_network(key))


def _of_side(side: int, game: Game, recorded: Recorded, site: Site) -> Player:
    """Return one of a recorded game's players, as the run has kept it."""
    text = recorded.session.seats[side]
    if not recorded.known[side]:
        raise OptionError("the run has not kept this player's network; choose another judge.")
    if text.startswith("run:"):
        return _named(text, game, site)
    return _of_genome(recorded, int(recorded.players[side]), game, site)


def _of_genome(recorded: Recorded, identity: int, game: Game, site: Site) -> Player:
    return _checked(load_genome(recorded.run, identity, site), game).player()


def _named(text: str, game: Game, site: Site) -> Player:
    if split_options(text)[0] in NETWORKS:
        _checked(load(text, site, game.name), game)
    return offered_judge(adviser_of(text, game), game)


def _checked(found: PlayerNetwork, game: Game) -> PlayerNetwork:
    """Return a network that can judge a game; with other options, it would see other positions."""
    if game_spec(found.game) != game_spec(game):
        plays, here = game_title(found.game), game_title(game)
        raise OptionError(f"{found.title} plays {plays}; this is a game of {here}.")
    if not found.values_positions:
        raise OptionError(
            f"{found.title} chooses moves directly; it has no opinion about positions."
        )
    return found


async def judge_game(session: GameSession, judge: Judge, tell: Callable[[], None]) -> None:
    """Note what is thought of each position, reporting now and then; may be cancelled at any
    time."""
    game = session.game
    asked = [node for node in session.line if game.legal_moves(node.state)]
    if not judge.searches:
        for node, thought in await off_loop(_looks, judge, game, asked):
            node.thought = thought
        return tell()

    def asked_apart(player: Player) -> AsyncPlayer:
        return AsyncPlayer(lambda: player)

    players = {id(player): asked_apart(player) for player in judge.by}
    told = time.monotonic()
    try:
        for node in asked:
            player = players[id(judge.by[game.side(node.state)])]
            found = await player.think(session.tree.history(node), 1, ADVICE)
            node.thought = found or node.thought
            if time.monotonic() - told > UPDATE_EVERY:
                told = time.monotonic()
                tell()
        return tell()
    finally:  # a program among them must not outlive the page
        await asyncio.gather(*(player.leave() for player in players.values()))


def _looks(judge: Judge, game: Game, nodes: list[Node]) -> list[tuple[Node, Thought]]:
    """Return what networks say of positions, without any search."""
    thoughts = []
    for node in nodes:
        player, began = judge.by[game.side(node.state)], time.perf_counter()
        assert isinstance(player, SearchPlayer)
        value, seconds = player.value(node.state), time.perf_counter() - began
        thoughts.append((node, Thought(-1, value, (), 1, 0, seconds, {}, player.scale)))
    return thoughts
