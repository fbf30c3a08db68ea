"""A mutation of NEAT: one weight changes its sign."""

from pydantic import Field

from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.operators.drafts import LINKS, WEIGHT, draw_below, draw_unit

STRUCTURAL = False  # nodes and links stay as they are


class Settings(BaseSettings):
    """The keys beside `kind`; every mutation has a chance, and 0 switches it off."""

    chance: float = Field(0.1, ge=0, le=1, description="chance that a genome's weight is flipped")


def mutate(draft, rates, tables, factor):
    """Change the genome in `draft`; tell whether anything changed. Compiled."""
    if draft.state[LINKS] == 0 or draw_unit(draft) >= rates.chance:
        return False
    place = draw_below(draft, draft.state[LINKS])
    draft.real[WEIGHT, place] = -draft.real[WEIGHT, place]
    return True
