"""The tables of a server, each known by its name, which is in the page's address.

A reload, or a restart of the server, finds a table again. Tabs with different addresses have
different tables and never meet.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable

import numpy as np

from evoboard.arena.game_text import RESULTS, GameText, read_text, replayed, variations_replayed
from evoboard.arena.match import Match
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, NotationError, OptionError
from evoboard.games.base import Game
from evoboard.players.base import player_names, split_player
from evoboard.web.folders import NAME, game_path
from evoboard.web.lines import ENDED, endings_read
from evoboard.web.table import PERSON, Seats, Table

MOST_OPEN = 200  # tables in memory; the others are on disk


def _new_name(game: Game) -> str:
    """Return a name nobody has; of a game's own name, what may be in the name of a file."""
    return f"{re.sub('[^A-Za-z0-9]+', '-', game.name).strip('-') or 'game'}-{secrets.token_hex(5)}"


def _plays(text: str) -> bool:
    """Tell whether a text names a player, not a person."""
    try:
        kind = split_player(text)[0]
    except OptionError:
        return False
    return kind in player_names() or kind.endswith(".py")


class Tables:
    """All tables of a server. `load_game` decides which games a text may name."""

    def __init__(self, load_game: Callable[[str], Game]) -> None:
        self.load_game = load_game
        self._open: dict[str, Table] = {}
        self._turn = threading.RLock()  # pages look for tables in several threads

    def new(
        self,
        game: Game,
        seats: Seats = (PERSON, PERSON),
        *,
        start: Array | None = None,
        seed: int = 0,
        adviser: str = "",
    ) -> Table:
        """Return a new table with a name of its own."""
        seed = seed or secrets.randbelow(2**31) + 1
        usual = game.initial(seed)
        match = Match(game, start=usual if start is None else start)
        table = Table(_new_name(game), match, seats, seed, adviser)
        table.extra["date"] = time.strftime("%Y.%m.%d")
        if not np.array_equal(match.state, usual):  # somebody has set it up
            table.kept = True
            table.save()
        return self._kept(table)

    def find(self, name: str) -> Table | None:
        """Return the table of that name, from memory or disk; NotationError where it is damaged."""
        with self._turn:  # so that one game never becomes two tables
            return self._find(name)

    def _find(self, name: str) -> Table | None:
        if name in self._open:
            return self._kept(self._open[name])
        if not NAME.fullmatch(name):
            return None
        try:
            content = game_path(name).read_text(encoding="utf-8")
        except OSError:
            return None
        except UnicodeDecodeError:
            raise NotationError(f"the file of the game {name} is no text in UTF-8.") from None
        try:
            table = self.from_text(content, name)
            table.kept = True
            return self._kept(table)
        except EvoboardError as error:
            raise NotationError(f"the game {name} cannot be read: {error}") from error

    def from_text(self, content: str, name: str = "") -> Table:
        """Return a table with the game that a text describes; it is not saved by that."""
        return self.from_game(read_text(content), name)

    def from_game(self, text: GameText, name: str = "") -> Table:
        """Return a table with a game that was read; who is no player of ours is a person there."""
        match = replayed(text, self.load_game(text.game))
        first, second = (player if _plays(player) else PERSON for player in text.players)
        seed = text.extra.get("seed", "")
        table = Table(
            name or _new_name(match.game),
            match,
            (first, second),
            int(seed) if seed.isdecimal() and len(seed) < 12 else 1,
            text.extra.get("adviser", ""),
        )
        told = (
            "" if seat != PERSON or name == PERSON else name
            for seat, name in zip(table.seats, text.players, strict=True)
        )
        table.names = (next(told), next(told))
        table.extra = {k: v for k, v in text.extra.items() if k not in ("seed", "adviser", ENDED)}
        result = RESULTS[text.result]
        if result is not None and not match.over:
            table.closed = (result, text.reason or "agreed")
        table.lines = variations_replayed(text, match)
        lines = [table.main_line, *table.lines]
        table.endings |= endings_read(text.extra.get(ENDED, ""), lines)
        return self._kept(table)

    def copy(self, table: Table, seats: Seats = (PERSON, PERSON)) -> Table:
        """Return a new table with the same game so far, and how it ended."""
        other = self.from_text(table.text())
        other.seats, other.names = seats, table.names
        other.extra["below"] = str(table.below)
        return other

    def _kept(self, table: Table) -> Table:
        """Remember a table as the one used last; forget old ones that nobody looks at."""
        with self._turn:
            self._open.pop(table.name, None)
            self._open[table.name] = table
            for name in list(self._open)[: max(0, len(self._open) - MOST_OPEN)]:
                if self._open[name].visitors <= 0:
                    del self._open[name]
        return table
