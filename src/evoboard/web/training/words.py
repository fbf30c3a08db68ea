"""Players, numbers and durations in words."""

from __future__ import annotations

import math

from evoboard.players.base import split_player
from evoboard.web.opponents import short_name, written

# Players who are called by a name of their own, rather than by what they do.
NAMED = ("run", "file", "champion", "mcts")


def player_words(text: str) -> str:
    """Return a player as a sentence names it: "material count, depth 1" for material."""
    kind, options = split_player(text)
    if kind == "material" and not options.keys() & {"depth", "seconds", "search"}:
        text = written(kind, {**options, "depth": "1"})
    name = short_name(text).replace("Counts material", "Material count", 1)
    return name if kind in NAMED else name[:1].lower() + name[1:]


def signed(value: float) -> str:
    """Return an Elo difference: +17, −123 or 0."""
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def percent(share: float) -> str:
    """Return a share of the points."""
    return f"{100 * share:.0f} %"


def short(value: float) -> str:
    """Return a number in a few digits."""
    if math.isnan(value):
        return "–"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")


def clock(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
