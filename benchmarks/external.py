"""What another program as a player costs: its start, a fresh search for every move, a stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from statistics import median

from benchmarks.report import Row
from evoboard.arena.schedules import start_positions
from evoboard.core.errors import NotFound
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.players.base import make_player
from evoboard.players.external import ExternalPlayer
from evoboard.players.uci import UciPlayer
from evoboard.search.limits import NO_LIMITS, Stop

NODES = 1000
POSITIONS = 60


def external_rows() -> list[Row]:
    """Stockfish by UCI, milliseconds at the median."""
    try:
        small, usual = player("Hash=1"), player("Hash=16")
    except NotFound:
        print("  stockfish is not installed")
        return []
    kept = player("Hash=1")
    kept.forget = lambda program: None  # type: ignore[method-assign]
    little, much, nothing = move_ms(small, usual, kept)
    rows = [
        Row("start to the first answer", start_ms(), "ms"),
        Row("1,000 nodes, hash 1 MB, all forgotten", little, "ms"),
        Row("1,000 nodes, hash 16 MB, all forgotten", much, "ms"),
        Row("1,000 nodes, hash 1 MB, nothing forgotten", nothing, "ms"),
        Row("stop to answer", stop_ms(), "ms", target=50, lower_is_better=True),
    ]
    for each in (small, usual, kept):
        each.close()
    return rows


def player(options: str) -> UciPlayer:
    """Return Stockfish with some options."""
    found = make_player(f"uci:stockfish,nodes={NODES},{options}", load_game("chess"))
    assert isinstance(found, UciPlayer)
    return found


def move_ms(*players: ExternalPlayer) -> list[float]:
    """Return how long a move of each takes, asked in turn, the first one left out."""
    states = start_positions(players[0].game, POSITIONS, 1, 12)
    times: list[list[float]] = [[] for _ in players]
    for state in states:
        for asked, found in zip(players, times, strict=True):
            found.append(
                _ms(lambda asked=asked, state=state: asked.think(History.of(asked.game, state), 1))
            )
    return [median(found[1:]) for found in times]


def start_ms(repeats: int = 5) -> float:
    """Return how long the first answer takes."""
    times = []
    for _ in range(repeats):
        asked = player("Hash=1")
        times.append(_ms(lambda asked=asked: asked.think(History(asked.game), 1)))
        asked.close()
    return median(times)


def stop_ms(repeats: int = 20) -> float:
    """Return how long after `stop` a long search has answered."""
    asked = make_player("uci:stockfish,nodes=1000000000", load_game("chess"))
    history, times = History(load_game("chess")), []
    for _ in range(repeats):
        stop = Stop()
        thread = threading.Thread(target=asked.think, args=(history, 1, NO_LIMITS, stop))
        thread.start()
        time.sleep(0.5 if not times else 0.1)  # it is at work by then
        began = time.perf_counter()
        stop.set()
        thread.join()
        times.append(1000 * (time.perf_counter() - began))
    asked.close()  # type: ignore[attr-defined]
    return median(times)


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


GROUPS = {"external: Stockfish as a player": external_rows}
