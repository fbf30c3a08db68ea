"""A player's values as interfaces draw them: centipawns and mates.

A network's opinion v lies within ± its scale s. It is read as an expected score, (1 + v/s) / 2, and
the centipawns c are those that the usual logistic curve gives that score:

    (1 + v/s) / 2 = 1 / (1 + 10^(-c/400))

So c grows with v, 0 is 0, and ±MOST stands for all that is as good as certain. It is an opinion,
not pawns. Where there is no scale, as when pieces are counted, a point is a hundred centipawns.
"""

from __future__ import annotations

import math

from evoboard.search.base import Thought

MOST = 2_000
MOST_POINTS = 9_999  # centipawns of a player that counts without bounds


def centipawns(value: float, scale: float | None) -> int:
    """Return an opinion in centipawns for the side to move."""
    if not scale:
        return round(max(-MOST_POINTS, min(MOST_POINTS, 100 * value)))
    share = max(-1.0, min(1.0, value / scale))
    if abs(share) == 1:
        return int(math.copysign(MOST, share))
    found = 400 * math.log10((1 + share) / (1 - share))
    return round(max(-MOST, min(MOST, found)))


def has_opinion(thought: Thought) -> bool:
    """Tell whether the player searched before it moved; those that did not give 0 as their
    value."""
    return thought.depth > 0
