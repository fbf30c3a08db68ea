"""OpenSpiel: our games for its algorithms, our players as its bots, its bots as our players.

    game = as_openspiel("kingcapture")          a pyspiel.Game
    bot = as_bot(game, "champion", player_id=1)  a pyspiel.Bot
    player = as_player(game, some_bot)           a player of ours

A position's string is the game's text of it, its observation what an encoder sees and whose turn it
is, its information state the moves so far. Repetition, plies without progress and length are judged
as in our own matches. OpenSpiel's Python algorithms run on it; its MCTSBot, written in C++, crashes
on any game that is defined in Python.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from evoboard.core.errors import OptionError
from evoboard.games.base import Game, load_game


def as_openspiel(game: Game | str, *, encoder: str = "", actions: int = 0, seed: int = 1) -> Any:
    """Return a game, or the one of a text, as a `pyspiel.Game`; `register` explains the options."""
    name = register(game, encoder=encoder, actions=actions, seed=seed)
    import pyspiel

    return pyspiel.load_game(name)


def register(game: Game | str, *, encoder: str = "", actions: int = 0, seed: int = 1) -> str:
    """Make a game known to OpenSpiel; return the name by which `pyspiel.load_game` finds it.

    `encoder`: what observations are made of; else the game's own encoder or one that fits.
    `actions`: with 0, an action is the place of a move in the list of legal moves, which suits
    every game; with a number, actions are our moves themselves, which must be below it.
    `seed`: the start position of games with random ones.
    """
    _require_pyspiel()
    from evoboard.interop.openspiel_game import Registration, register_game

    played = load_game(game) if isinstance(game, str) else game
    return register_game(Registration(played, encoder, actions, seed))


def as_bot(game: Any, player: str, player_id: int, *, seed: int = 1) -> Any:
    """Return one of our players as a `pyspiel.Bot` for a game that `as_openspiel` has made.

    `player` is a player's text; `seed` decides whatever chance the player needs.
    """
    _require_pyspiel()
    from evoboard.interop.openspiel_game import PlayerBot

    return PlayerBot(game.get_type().short_name, player, player_id, seed)


def as_player(game: Any, bot: Any, name: str = "openspiel") -> Any:
    """Return a bot of OpenSpiel as one of our players, for a game that `as_openspiel` has made.

    The bot is asked for either side, at any position, one game after the other.
    """
    _require_pyspiel()
    from evoboard.interop.openspiel_game import BotPlayer, OurGame

    if not isinstance(game, OurGame):
        raise OptionError("this is not one of our games; make it with as_openspiel.")
    return BotPlayer(game, bot, name)


def _require_pyspiel() -> None:
    """Raise OptionError if OpenSpiel is missing."""
    if importlib.util.find_spec("pyspiel") is None:
        raise OptionError("this needs OpenSpiel; install it with: pip install open_spiel.")
