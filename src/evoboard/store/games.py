"""Selects a run's games, as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evoboard.core.errors import OptionError

RESULTS = {"first": "result > 0", "draw": "result = 0", "second": "result < 0"}
# By fitness; of equals the first in the order of ask.
RANKED = "FROM individuals AS i WHERE i.generation = {} ORDER BY fitness DESC, slot"


@dataclass(frozen=True)
class GameFilter:
    """Which games to select: by generation, purpose, player and result.

    `player`: "champion" (of the game's generation), "#3" (the third fittest there), an id, or a
    part of a name. `result`: first, draw, second; with a player also won and lost.
    """

    generation: int | None = None
    purpose: str = ""
    player: str = ""
    result: str = ""

    def query(self, columns: str, further: str = "") -> tuple[str, list[Any]]:
        """Return the query for these games and its values, those of `further` last."""
        with_place, is_player, values = _player(self.player.strip())
        terms = []
        if is_player:
            won = {"won": ("result > 0", "result < 0"), "lost": ("result < 0", "result > 0")}
            one, other = won.get(self.result, ("1", "1"))
            first, second = is_player.format("first"), is_player.format("second")
            terms.append(f"(({first} AND {one}) OR ({second} AND {other}))")
            values = values * 2
        if self.result in RESULTS:
            terms.append(RESULTS[self.result])
        if self.generation is not None:
            terms.append("generation = ?")
            values.append(self.generation)
        if self.purpose:
            terms.append("purpose = ?")
            values.append(self.purpose)
        terms += [further] if further else []
        source = "games JOIN place USING (generation)" if with_place else "games"
        where = f" WHERE {' AND '.join(terms)}" if terms else ""
        return f"{with_place} SELECT {columns} FROM {source}{where}", values


def _player(text: str) -> tuple[str, str, list[Any]]:
    """Return what goes before the query, the term for being first or second ({}), and its value.

    A player named by its rank is a different one in each generation, so all are looked up first.
    """
    if not text:
        return "", "", []
    if text.isdecimal() and len(text) < 18:
        return "", "{} = ?", [int(text)]
    if text.lower() in ("champion", "champions"):
        who = "champion"
    elif text.startswith("#"):
        if not (text[1:].isdecimal() and 0 < int(text[1:]) < 10**9):
            raise OptionError(f"{text!r} is not a place; write #1 for the fittest, #2 and so on.")
        ranked = RANKED.format("g.generation")
        who = f"(SELECT id {ranked} LIMIT 1 OFFSET {int(text[1:]) - 1})"
    else:
        return "", "(typeof({0}) = 'text' AND instr(lower({0}), lower(?)) > 0)", [text]
    places = f"SELECT generation, {who} AS who FROM generations AS g"
    return f"WITH place AS MATERIALIZED ({places})", "{} = who", []
