"""A conversation over standard input and output, in the protocol that the other program begins."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO, Literal

from evoboard.core.errors import OptionError
from evoboard.games.base import Game
from evoboard.interop.engine import Engine, Say, Speaker
from evoboard.interop.hub import Hub
from evoboard.interop.uci import Uci
from evoboard.players.hub_words import GAME

Protocol = Literal["auto", "uci", "hub"]
NO_HUB = "Hub is a draughts protocol; use UCI for {}."
PATIENCE = 1.0  # seconds that the end waits for a search


def converse(engine: Engine, protocol: Protocol, lines: Iterable[bytes], say: Say) -> None:
    """Answer line by line until the other program quits or is gone."""
    speaker: Speaker = Hub(engine, say) if protocol == "hub" else Uci(engine, say)
    undecided = protocol == "auto"
    for raw in lines:
        line = raw.decode("utf-8", "replace").replace("\0", " ")
        word = line.strip().partition(" ")[0]
        if undecided and word == "hub":
            if not speaks_hub(engine.game):
                say(f'error message="{NO_HUB.format(engine.game.name)}"')
                continue
            speaker = Hub(engine, say)
        undecided = undecided and word not in ("uci", "hub")
        try:
            if not speaker.handle(line):
                break
        except Exception as error:  # whatever a line does, the next one is heard
            logging.getLogger("evoboard").exception("a line from the other program caused an error")
            speaker.complain(f"{type(error).__name__}: {error}")


def speaks_hub(game: Game) -> bool:
    """Tell whether Hub has words for a game."""
    return game.name == GAME and game.built_in


def require_protocol(protocol: Protocol, game: Game) -> None:
    """Raise OptionError if a game cannot be played by a protocol."""
    if protocol == "hub" and not speaks_hub(game):
        raise OptionError(NO_HUB.format(game.name))


def serve(game: Game, player: str, protocol: Protocol) -> None:
    """Be an engine on this process's input and output until they end; nothing else is printed."""
    require_protocol(protocol, game)
    output = take_output()
    engine = Engine(game, player)
    try:
        converse(engine, protocol, sys.stdin.buffer, writer(output))
        _end(engine)
    except KeyboardInterrupt:  # Ctrl-C is one of the ways to end it, even together with another
        _end(engine)


def _end(engine: Engine) -> None:
    """Let a running search answer; end the process where it does not."""
    engine.stop()
    if not engine.settle(PATIENCE):
        os._exit(0)  # it is compiling, or a user's player does not listen


def take_output() -> BinaryIO:
    """Return standard output, for the protocol alone: all else is printed with the errors."""
    sys.stdout.flush()
    ours = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return ours


def writer(output: BinaryIO) -> Say:
    """Return a function that writes lines, from any thread, even if no one reads them any more."""
    lock = threading.Lock()

    def say(text: str) -> None:
        with lock, suppress(OSError, ValueError):
            output.write((text + "\n").encode("utf-8", "replace"))

    return say
