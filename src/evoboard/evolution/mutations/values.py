"""Mutation of numbers: weights, biases and responses.

Each number is changed, reset or left alone, by chances of its own:

    with chance   x + power · n, n normal, or + power · u, u uniform in ±1; severe: twice the power
    with reset    a new number, drawn as at the start
    else          x

then kept within its bounds. Three papers are settings of it:

    paper A        chance 1, no reset, normal: every weight and bias + Gaussian(0, power)
    original NEAT  in 0.8 of the genomes: chance 0.9, reset 0.1, uniform
    paper D        weights chance 0.8, reset 0.1, severe 0.01; biases 0.7 and 0.1; normal

The power of a genome is multiplied by a factor, so that it can grow with how badly it did.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from evoboard.core import settings
from evoboard.core.rng import next_random
from evoboard.evolution.operators.chance import normal, unit
from evoboard.evolution.operators.drafts import (
    BIAS,
    CHANCE,
    FROZEN,
    LINKS,
    NODES,
    RESPONSE,
    WEIGHT,
    draw_unit,
)
from evoboard.evolution.operators.neat_start import Basis, Draw, drawn_anew

STRUCTURAL = False
SEVERE = 2.0


class Numbers(settings.Settings):
    """How one kind of number is mutated; `start` has its bounds."""

    chance: settings.Share = Field(0.9, description="chance that a number changes a little")
    reset: settings.Share = Field(0.1, description="chance that a number is drawn again")
    severe: settings.Share = Field(0.0, description="share of changes with twice the power")
    power: float | None = Field(None, ge=0, description="its own power, instead of the common one")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.chance + self.reset > 1.0 + 1e-12:
            raise ValueError(
                f"chance {self.chance:g} and reset {self.reset:g} add up to more than 1; "
                "a number is either changed or reset."
            )
        return self


class Settings(settings.Settings):
    """How the numbers of a genome are mutated."""

    chance: settings.Share = Field(0.8, description="chance that a genome's numbers mutate")
    power: float = Field(0.5, ge=0, description="standard deviation, or bound, of a change")
    noise: Literal["gaussian", "uniform"] = Field("uniform", description="how changes are drawn")
    weight: Numbers = Field(Numbers(), description="weights of links")
    bias: Numbers = Field(Numbers(), description="biases of nodes")
    response: Numbers = Field(Numbers(chance=0.0, reset=0.0), description="responses of nodes")


def rates(settings: Settings, basis: Basis) -> dict[str, Any]:
    """Return what the kernel reads; numbers that are reset are drawn as at the start."""
    return {
        "chance": settings.chance,
        "weight": _change(settings, settings.weight, basis.start.weight),
        "bias": _change(settings, settings.bias, basis.start.bias),
        "response": _change(settings, settings.response, basis.start.response),
    }


def _change(settings: Settings, numbers: Numbers, fresh: Draw) -> dict[str, Any]:
    return {
        "chance": numbers.chance,
        "until": numbers.chance + numbers.reset,
        "severe": numbers.severe,
        "power": settings.power if numbers.power is None else numbers.power,
        "uniform": settings.noise == "uniform",
        "fresh": fresh,
    }


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Mutate all numbers of a genome; frozen weights stay."""
    if rates.chance < 1.0 and draw_unit(draft) >= rates.chance:
        return False
    number = draft.state[CHANCE]
    if rates.weight.until > 0.0:
        for i in range(draft.state[LINKS]):
            if draft.whole[FROZEN, i] == 0:
                value = draft.real[WEIGHT, i]
                draft.real[WEIGHT, i], number = mutated(value, rates.weight, factor, number)
    if rates.bias.until > 0.0:
        for i in range(draft.state[NODES]):
            value = draft.real[BIAS, i]
            draft.real[BIAS, i], number = mutated(value, rates.bias, factor, number)
    if rates.response.until > 0.0:
        for i in range(draft.state[NODES]):
            value = draft.real[RESPONSE, i]
            draft.real[RESPONSE, i], number = mutated(value, rates.response, factor, number)
    draft.state[CHANCE] = number
    return True


def mutated(value: float, change: Any, factor: float, number: np.int64) -> tuple[float, np.int64]:
    """Return the mutated value and the sequence's last number."""
    if change.until < 1.0 or change.chance < 1.0:
        number = next_random(number)
        lot = unit(number)
        if lot >= change.until:
            return value, number
        if lot >= change.chance:
            return drawn_anew(change.fresh, number)
    power = factor * change.power
    if change.severe > 0.0:
        number = next_random(number)
        if unit(number) < change.severe:
            power *= SEVERE
    if change.uniform:
        number = next_random(number)
        value += power * (2.0 * unit(number) - 1.0)
    else:
        noise, number = normal(number)
        value += power * noise
    return min(max(value, change.fresh.low), change.fresh.high), number
