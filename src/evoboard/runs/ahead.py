"""Another process, on another core, compiles what will be needed soon.

    python -m evoboard.runs.ahead players GAME PLAYER…
    python -m evoboard.runs.ahead experiment NAME

Compiled code is kept on disk; a process that needs what another one is compiling waits for it and
loads it (`core/cache.py`). A thread would not do: the compiler runs Python and would hold up all
other threads that do.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from evoboard.core.cache import cache_folder
from evoboard.core.errors import EvoboardError
from evoboard.core.version import program_version
from evoboard.evolution.base import Evidence
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.players.base import Player, dismiss, make_player
from evoboard.search.limits import NO_LIMITS, Stop
from evoboard.training.loop import Trainer


def begin(*words: str) -> subprocess.Popen[bytes] | None:
    """Have something compiled, as in the module's text; None if that has been done before, or
    where there is no room for another process.

    The process ends with ours, however that ends.
    """
    if os.path.exists(_mark(words)):
        return None
    quiet = subprocess.DEVNULL
    # Safe path: what lies in the working folder is not imported in place of a library.
    command = [sys.executable, "-P", "-m", "evoboard.runs.ahead", *words]
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    except OSError:  # then it is compiled when it is needed
        return None
    atexit.register(process.kill)
    return process


def players(game: str, *texts: str) -> None:
    """Compile what players need to think."""
    loaded = load_game(game)
    for text in texts:
        player = make_player(text, loaded)
        try:
            _ask(player, History(loaded))
        finally:
            dismiss(player)


def experiment(name: str) -> None:
    """Compile what a run by an experiment needs when its first games are played."""
    trainer = Trainer(load(name), 1)
    strategy, game = trainer.strategy, trainer.game
    population = strategy.ask()
    networks = strategy.express(population.genes)
    # First what games do not need, which the trainer begins with.
    strategy.tell(Evidence(np.arange(population.size, dtype=np.float64)))
    if "material" in game.bindings:
        _ask(make_player("material:depth=1", game), History(game))
    _ask(trainer.arena.of_kind(networks).player(networks.pack), History(game))


def _ask(player: Player, history: History) -> None:
    """Let a player begin to think, and end at once."""
    stop = Stop()
    stop.set()
    player.think(history, 1, NO_LIMITS, stop)


def _mark(words: tuple[str, ...]) -> Path:
    """Return the file that says that all this is compiled: it is where the kernels are."""
    files = [os.stat(word).st_mtime_ns for word in words if os.path.isfile(word)]
    made_of = repr((words, files, program_version(), np.__version__, sys.version_info[:3]))
    return cache_folder() / f"ahead-{hashlib.sha256(made_of.encode()).hexdigest()[:20]}"


def end_with_input() -> None:
    """End this process when its input ends, that is, when its parent has ended."""
    while os.read(0, 1):
        pass
    os._exit(0)


def main() -> None:
    """Compile what the command line names, and leave a mark that says so."""
    if stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=end_with_input, daemon=True).start()
    # With our usual priority: what waits for us would wait longer.
    words = tuple(sys.argv[1:])
    with suppress(EvoboardError):  # its user gets the message
        act: Callable[..., None] = players if words[0] == "players" else experiment
        act(*words[1:])
        with suppress(OSError):
            _mark(words).touch()


if __name__ == "__main__":
    main()
