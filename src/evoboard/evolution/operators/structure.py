"""Which structural mutations a child gets.

Each is tossed for by itself; or at most one is made (paper D's relatives call it a single
structural mutation); or at most one, and the values of a child that got one stay as they are.
"""

from __future__ import annotations

from typing import Any, Literal

from evoboard.evolution.operators.add_link import add_link, enable_link
from evoboard.evolution.operators.add_node import add_node
from evoboard.evolution.operators.drafts import draw_unit
from evoboard.evolution.operators.removal import drop_link, drop_node

Structure = Literal["each", "one", "instead"]
EACH, ONE, INSTEAD = range(3)
# Structural mutations, as bits.
SPLITS, DROPS_NODE, JOINS, DROPS_LINK = 1, 2, 4, 8


def mutate_structure(draft: Any, rates: Any, tables: Any) -> bool:
    """Add and remove nodes and links, each by its chance; tell whether anything was."""
    split, join = rates.add_node.chance, rates.add_link.chance
    if rates.structure == EACH:
        chosen = choose_each(draft, split, rates.removal, join)
    else:
        chosen = choose_one(draft, split, rates.removal, join)
    done, tries, joined = False, 0, 0
    if chosen & SPLITS:
        done = add_node(draft, rates.add_node, tables)
        tries = 1 if rates.alternative and not done else 0
    if chosen & DROPS_NODE:
        done = drop_node(draft, rates.removal, tables) or done
    if chosen & JOINS:
        tries += rates.add_link.tries
    while joined < tries and add_link(draft, rates.add_link, tables):
        joined += 1
    if chosen & JOINS and joined == 0 and rates.alternative:
        done = enable_link(draft) or done
    if chosen & DROPS_LINK:
        done = drop_link(draft) or done
    return done or joined > 0


def choose_each(draft: Any, split: float, removal: Any, join: float) -> int:
    """Return which structural mutations to make, each tossed for by itself."""
    chosen = 0
    if split > 0.0 and draw_unit(draft) < split:
        chosen |= SPLITS
    if removal.node > 0.0 and draw_unit(draft) < removal.node:
        chosen |= DROPS_NODE
    if join > 0.0 and draw_unit(draft) < join:
        chosen |= JOINS
    if removal.link > 0.0 and draw_unit(draft) < removal.link:
        chosen |= DROPS_LINK
    return chosen


def choose_one(draft: Any, split: float, removal: Any, join: float) -> int:
    """Return one structural mutation or none; chances that exceed 1 together are scaled down."""
    lot = draw_unit(draft) * max(1.0, split + removal.node + join + removal.link)
    if lot < split:
        return SPLITS
    if lot < split + removal.node:
        return DROPS_NODE
    if lot < split + removal.node + join:
        return JOINS
    if lot < split + removal.node + join + removal.link:
        return DROPS_LINK
    return 0
