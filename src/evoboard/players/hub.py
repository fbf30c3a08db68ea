"""hub: draughts engines that speak the Hub protocol, version 2, as Scan does.

The engine is told variant=english, where the game began, and the moves since.
"""

from __future__ import annotations

from collections.abc import Mapping

from evoboard.core.arrays import Array
from evoboard.core.errors import EngineError, OptionError, quoted
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.players.external import (
    EngineOptions,
    ExternalPlayer,
    Heard,
    certain,
    plain_name,
    worth,
)
from evoboard.players.hub_words import GAME, VARIANT, move_text, position_text, read_line, read_move
from evoboard.players.program import Program
from evoboard.search.limits import Limits

SUMMARY = "a draughts engine: hub:/path/to/engine"
END = 99.0  # men; engines write a win after n plies as 100 - n / 100


class Options(EngineOptions):
    """Options of Hub engines."""


def player_for(game: Game, options: Options) -> HubPlayer:
    """Return the player; nothing is started yet."""
    if game.name != GAME or not game.built_in:
        raise OptionError(f"Hub engines play draughts, not {game.name}.")
    for name in ("elo", "all_values"):
        if name in (options.model_extra or {}):
            raise OptionError(f"the Hub protocol has no {name}; leave it out.")
    return HubPlayer(game, "hub", options)


class HubPlayer(ExternalPlayer):
    """An engine that speaks Hub."""

    def greet(self, program: Program) -> None:
        """Say hub, set the parameters, and let the engine make itself ready."""
        told = [read_line(line) for line in self.exchange(program, "hub", "wait")]
        known = {plain_name(p["name"]): p for word, p in told if word == "param" and "name" in p}
        own = {"variant": self._variant(known["variant"])} if "variant" in known else {}
        for option, value in self.chosen(known, own):
            value = value.replace('"', "'")
            program.send(f'set-param name={option["name"]} value="{value}"')
        self.exchange(program, "init", "ready")

    def _variant(self, variant: Mapping[str, str]) -> str:
        known = variant.get("values", "").split()
        if known and VARIANT not in known:
            raise OptionError(
                f"{self.program_name} does not play English draughts; its variants are "
                f"{', '.join(known)}."
            )
        return VARIANT

    def forget(self, program: Program) -> None:
        """Begin a new game, and wait until the engine has heard of it."""
        program.send("new-game")
        self.exchange(program, "ping", "pong")

    def ask(self, program: Program, history: History, limits: Limits) -> None:
        """Send the position and the limit: a level has one only, we watch the others."""
        moves = [move_text(self.game, *step) for step in history.steps]
        since = f' moves="{" ".join(moves)}"' if moves else ""
        program.send(f"pos pos={position_text(self.game.state_text(history.start))}{since}")
        if limits.seconds is not None:
            program.send(f"level move-time={limits.seconds:g}")
        elif limits.nodes is not None:
            program.send(f"level nodes={limits.nodes}")
        else:
            program.send(f"level depth={limits.depth}")
        program.send("go think")

    def hear(self, line: str, heard: Heard) -> str | None:
        """Take in an info line; return the move of done."""
        word, facts = read_line(line)
        if word == "done":
            return facts.get("move", "")
        if word == "error":
            told = quoted(facts.get("message", ""))
            raise EngineError(f"the engine {self.program_name} reports an error: {told}.")
        if word == "info":
            heard.depth = max(heard.depth, int(_number(facts.get("depth", ""))))
            heard.nodes = max(heard.nodes, int(_number(facts.get("nodes", ""))))
            if "score" in facts:
                heard.value = men_value(_number(facts["score"]))
                heard.line = facts.get("pv", "").split() or heard.line
        return None

    def read_move(self, state: Array, text: str) -> int:
        """Return the move that a text means: who takes the same men the same way is the same."""
        return read_move(self.game, state, text)


def men_value(men: float) -> float:
    """Return a score in men as a value; near 100 it tells when the game is won."""
    if abs(men) >= END:
        return certain(max(0, round(100 * (100 - abs(men)))), men > 0)
    return worth(100 * men)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if abs(number) < 1e15 else 0.0
