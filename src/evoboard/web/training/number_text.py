"""Numbers and durations in words."""

from __future__ import annotations

import math


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
