"""Activations and aggregations: what a node does with what reaches it.

Every activation is a number code with two parameters, its bound b and its steepness s:

    bilateral   b (2 / (1 + e^(-s x)) - 1)     identity   x
    unilateral  bilateral, or 0 where x < 0    relu       x, or 0 where x < 0
    tanh        b tanh(s x)                    elu        x, or b (e^(s x) - 1) where x < 0
    sigmoid     b / (1 + e^(-s x))             lelu       x, or 0.005 x where x < 0
    clamped     s x, kept within -b..b         selu       the self-normalising elu
    hat         b (1 - |s x|), at least 0      softplus   log(1 + e^(s x)) / s
    gauss       b e^(-s x²)                    abs        |x|
    sin         b sin(s x)                     square     x²
    exp         e^x                            cube       x³
    log         log x, from x = 1e-7 up        inv        1 / x, or 0 where x = 0

Unilateral and bilateral are paper A's; the others are those of neat-python, which has fixed
steepness (`NEAT_STEEPNESS`). Exponentials are polynomials of float32 numbers, within 1e-6 of the
true values, so that every processor computes the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import AfterValidator

from evoboard.core.errors import OptionError, unknown

F = np.float32

ACTIVATIONS = (
    *("unilateral", "bilateral", "tanh", "sigmoid", "identity", "relu", "elu", "clamped"),
    *("lelu", "selu", "softplus", "hat", "gauss", "sin", "exp", "log", "abs", "square", "cube"),
    "inv",
)
AGGREGATIONS = ("sum", "product", "max", "min", "mean", "median", "maxabs")

# The codes are the places in these lists.
UNILATERAL, BILATERAL, TANH, SIGMOID, IDENTITY, RELU, ELU, CLAMPED, LELU, SELU = range(10)
SOFTPLUS, HAT, GAUSS, SIN, EXP, LOG, ABS, SQUARE, CUBE, INV = range(10, 20)
SUM, PRODUCT, MAX, MIN, MEAN, MEDIAN, MAXABS = range(7)

# Those whose values never leave -b..b.
WITHIN_BOUND = ("unilateral", "bilateral", "tanh", "sigmoid", "clamped", "hat", "gauss", "sin")

# The steepness that makes an activation neat-python's; 1 for those not listed.
NEAT_STEEPNESS = {"sigmoid": 5.0, "tanh": 2.5, "sin": 5.0, "gauss": 5.0, "softplus": 5.0}


def activation_code(name: str) -> int:
    """Return the number of an activation."""
    if name not in ACTIVATIONS:
        raise OptionError(unknown("activation", name, ACTIVATIONS))
    return ACTIVATIONS.index(name)


def aggregation_code(name: str) -> int:
    """Return the number of an aggregation."""
    if name not in AGGREGATIONS:
        raise OptionError(unknown("aggregation", name, AGGREGATIONS))
    return AGGREGATIONS.index(name)


def _known(code: Callable[[str], int]) -> AfterValidator:
    """Return the check of a setting that names an activation or an aggregation."""

    def check(name: str) -> str:
        try:
            code(name)
        except OptionError as error:
            raise ValueError(str(error)) from None
        return name

    return AfterValidator(check)


Activation = Annotated[str, _known(activation_code)]
Aggregation = Annotated[str, _known(aggregation_code)]

ZERO, HALF, ONE, TWO = F(0), F(0.5), F(1), F(2)
# tanh x = x P(x²) / Q(x²), a minimax fit for |x| up to 8, where tanh is 1 but for 2.3e-7.
TANH_END = F(8)
P1, P2, P3, P4 = F(0.13438171), F(0.0035641324), F(2.1772832e-05), F(1.5061175e-08)
Q1, Q2, Q3, Q4 = F(0.46771494), F(0.026135927), F(0.00033991397), F(8.453416e-07)
# e^x = 2^n (1 + r + r² E(r)) with n the nearest whole number to x / log 2 and |r| <= log 2 / 2.
EXP_END = F(87)
PER_LOG_2 = F(1.4426950408889634)
LOG_2_HIGH, LOG_2_LOW = F(0.693359375), F(-2.1219444e-4)
E0, E1, E2, E3, E4 = F(0.49999994), F(0.1666652), F(0.0416684), F(0.00836885), F(0.001381432)
ROUNDER = F(1.5 * 2**23)  # adding it leaves no binary places behind the point
POWERS = np.ldexp(F(1), np.arange(-127, 128)).astype(np.float32)  # of two, -127..127
# sin x = x + x³ S(x²) within half a period, which the three parts of π reduce x to.
SIN_END = F(60)
PER_PI = F(0.3183098861837907)
PI_HIGH, PI_MIDDLE, PI_LOW = F(3.140625), F(9.6702576e-4), F(6.2771141e-7)
S0, S1, S2, S3 = F(-0.16666657), F(0.008333015), F(-0.00019806475), F(2.5997444e-06)
# log x = 2 artanh t = t (2 + 2/3 t² + ...) with t = (m - 1) / (m + 1).
LOG_LEAST = F(1e-7)
ROOT_2 = F(1.4142135)
L1, L2, L3, L4 = F(2 / 3), F(2 / 5), F(2 / 7), F(2 / 9)
LEAK = F(0.005)
SELU_SCALE, SELU_DEPTH = F(1.0507009873554805), F(1.0507009873554805 * 1.6732632423543772)


def activate(code: int, x: np.float32, bound: np.float32, steepness: np.float32) -> np.float32:
    """Return activation number `code` of `x`; short, so that it is compiled into its callers."""
    if code > TANH:
        return _other(code, x, bound, steepness)
    if code == UNILATERAL and x <= ZERO:
        return ZERO
    # 2 / (1 + e^-y) - 1 = tanh(y / 2)
    scale = steepness if code == TANH else HALF * steepness
    return bound * tanh(scale * x)


def tanh(x: np.float32) -> np.float32:
    """Return the hyperbolic tangent within 4e-7; without branches, so that loops vectorise."""
    x = TANH_END if x > TANH_END else x
    x = -TANH_END if x < -TANH_END else x
    y = x * x
    above = (((P4 * y + P3) * y + P2) * y + P1) * y + ONE
    below = (((Q4 * y + Q3) * y + Q2) * y + Q1) * y + ONE
    return x * above / below


def exp(x: np.float32) -> np.float32:
    """Return e^x within 2e-7 of itself; beyond ±87 it is that of ±87."""
    # What is not a number must not become an index: it counts as 87.
    x = x if x < EXP_END else EXP_END
    x = x if x > -EXP_END else -EXP_END
    n = (x * PER_LOG_2 + ROUNDER) - ROUNDER
    r = (x - n * LOG_2_HIGH) - n * LOG_2_LOW
    tail = (((E4 * r + E3) * r + E2) * r + E1) * r + E0
    return POWERS[np.int64(n) + 127] * (tail * r * r + r + ONE)


def log(x: np.float32) -> np.float32:
    """Return the natural logarithm within 2e-7; that of 1e-7 for anything below."""
    if not x > LOG_LEAST:
        x = LOG_LEAST
    low, high = 0, 254
    while high - low > 1:
        middle = (low + high) // 2
        if POWERS[middle] <= x:
            low = middle
        else:
            high = middle
    n = low - 127
    m = x * POWERS[127 - n]
    if m > ROOT_2:
        m *= HALF
        n += 1
    t = (m - ONE) / (m + ONE)
    y = t * t
    tail = ((L4 * y + L3) * y + L2) * y + L1
    return F(n) * LOG_2_HIGH + (F(n) * LOG_2_LOW + (tail * y * t + TWO * t))


def sin(x: np.float32) -> np.float32:
    """Return the sine within 3e-7; beyond ±60 it is that of ±60."""
    x = x if x < SIN_END else SIN_END
    x = x if x > -SIN_END else -SIN_END
    n = (x * PER_PI + ROUNDER) - ROUNDER
    r = ((x - n * PI_HIGH) - n * PI_MIDDLE) - n * PI_LOW
    y = r * r
    value = (((S3 * y + S2) * y + S1) * y + S0) * y * r + r
    return -value if np.int64(n) & 1 else value


def softplus(x: np.float32) -> np.float32:
    """Return log(1 + e^x)."""
    # e^-|x| is at most 1, so that neither a large nor a small x loses its digits.
    rest = log(ONE + exp(-abs(x)))
    return x + rest if x > ZERO else rest


def _other(code: int, x: np.float32, bound: np.float32, steepness: np.float32) -> np.float32:
    """Return one of the activations after tanh."""
    if code == SIGMOID:
        return bound / (ONE + exp(-steepness * x))
    if code == IDENTITY:
        return x
    if code == RELU:
        return x if x > ZERO else ZERO
    if code == ELU:
        return x if x > ZERO else bound * (exp(steepness * x) - ONE)
    if code == CLAMPED:
        return min(max(steepness * x, -bound), bound)
    if code == LELU:
        return x if x > ZERO else LEAK * x
    if code == SELU:
        return SELU_SCALE * x if x > ZERO else SELU_DEPTH * (exp(x) - ONE)
    if code == HAT:
        return bound * max(ONE - abs(steepness * x), ZERO)
    return _rare(code, x, bound, steepness)


def _rare(code: int, x: np.float32, bound: np.float32, steepness: np.float32) -> np.float32:
    """Return one of the activations that few use."""
    if code == SOFTPLUS:
        return softplus(steepness * x) / steepness
    if code == GAUSS:
        return bound * exp(-steepness * x * x)
    if code == SIN:
        return bound * sin(steepness * x)
    if code == EXP:
        return exp(x)
    if code == LOG:
        return log(x)
    if code == ABS:
        return abs(x)
    if code == SQUARE:
        return x * x
    if code == CUBE:
        return x * x * x
    return ONE / x if x != ZERO else ZERO
