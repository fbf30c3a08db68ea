"""Mutation of what is no number: activations, aggregations, and the flags of links.

Paper D's tables 2 and 3: each node may draw another activation or aggregation from a list, each
link may change between live and disabled, and between frozen and free. Split and dead links
(paper A) keep their status.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from pydantic import Field, field_validator

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.evolution.genomes.neat import DISABLED, LIVE
from evoboard.evolution.operators.drafts import (
    ACTIVATION,
    AGGREGATION,
    FROZEN,
    LINKS,
    NODES,
    STATUS,
    draw_below,
    draw_unit,
)
from evoboard.networks.activations import activation_code, aggregation_code


class Settings(settings.Settings):
    """What can be chosen, and how often it is chosen anew."""

    activations: tuple[str, ...] = Field(default=(), description="activations to choose from")
    activation_chance: float = Field(
        default=0.0, ge=0, le=1, description="chance per node to choose"
    )
    aggregations: tuple[str, ...] = Field(default=(), description="aggregations to choose from")
    aggregation_chance: float = Field(
        default=0.0, ge=0, le=1, description="chance per node to choose"
    )
    enable: float = Field(
        default=0.0, ge=0, le=1, description="chance per link to change live, disabled"
    )
    freeze: float = Field(
        default=0.0, ge=0, le=1, description="chance per link to change frozen, free"
    )
    frozen: bool = Field(default=False, description="whether links begin frozen")

    @field_validator("activations")
    @classmethod
    def _known_activations(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        _know(activation_code, names)
        return names

    @field_validator("aggregations")
    @classmethod
    def _known_aggregations(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        _know(aggregation_code, names)
        return names


def _know(code: Any, names: tuple[str, ...]) -> None:
    try:
        for name in names:
            code(name)
    except OptionError as error:
        raise ValueError(str(error)) from None


class Rates(NamedTuple):
    """The settings for kernels; the lists hold codes."""

    activations: Array
    activation_chance: float
    aggregations: Array
    aggregation_chance: float
    enable: float
    freeze: float


def rates(settings: Settings) -> Rates:
    """Return the settings as kernels take them; nothing is chosen from an empty list."""
    return Rates(
        np.array([activation_code(name) for name in settings.activations], np.int64),
        settings.activation_chance if settings.activations else 0.0,
        np.array([aggregation_code(name) for name in settings.aggregations], np.int64),
        settings.aggregation_chance if settings.aggregations else 0.0,
        settings.enable,
        settings.freeze,
    )


def mutate_attributes(draft: Any, rates: Any) -> None:
    """Choose activations and aggregations anew and change flags, each by its chance."""
    if rates.activation_chance > 0.0:
        choose(draft, ACTIVATION, rates.activations, rates.activation_chance)
    if rates.aggregation_chance > 0.0:
        choose(draft, AGGREGATION, rates.aggregations, rates.aggregation_chance)
    if rates.enable > 0.0:
        for i in range(draft.state[LINKS]):
            status = draft.whole[STATUS, i]
            if status in (LIVE, DISABLED) and draw_unit(draft) < rates.enable:
                draft.whole[STATUS, i] = LIVE + DISABLED - status
    if rates.freeze > 0.0:
        for i in range(draft.state[LINKS]):
            if draw_unit(draft) < rates.freeze:
                draft.whole[FROZEN, i] = 1 - draft.whole[FROZEN, i]


def choose(draft: Any, row: int, codes: Array, chance: float) -> None:
    """Write a random one of the codes into a row of nodes, by a chance for each."""
    for i in range(draft.state[NODES]):
        if draw_unit(draft) < chance:
            draft.whole[row, i] = codes[draw_below(draft, codes.shape[0])]
