"""Mathematics of arrays that gives the same bits on every processor.

The libraries behind NumPy choose their code by the processor they find: exponentials and logarithms
differ in the last bit, sums of products are made in another order, and even the number of cores
decides about them. One bit is enough for another run. Whatever a run's course depends on is
therefore computed here, by additions, multiplications, divisions and roots alone, which every
processor rounds alike, and sums are made in one order (`rng.stream` tells of the one exception, the
rarest of normal numbers). Single numbers are not safe either: the C library behind Python's `math`
and `**` chooses, too. For them there is `decimal`.
"""

from __future__ import annotations

import math

import numpy as np

from evoboard.core.arrays import Array

# ln 2 in two parts; the first has so few digits that its multiples up to 2,000 are exact.
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
LEAST, LARGEST = -746.0, 709.0  # their exponentials are 0, and nearly the largest number there is
EXP_TERMS = tuple(1 / math.factorial(n) for n in range(13, -1, -1))
LOG_TERMS = tuple(1 / n for n in range(23, 0, -2))
ROOT_HALF = math.sqrt(0.5)


def exp(x: Array) -> Array:
    """Return e^x to the last digit or two; x above LARGEST counts as that."""
    x = np.clip(x, LEAST, LARGEST)
    times = np.rint(x / LN2_HIGH)
    rest = (x - times * LN2_HIGH) - times * LN2_LOW  # within ± ln 2 / 2
    total = np.zeros_like(rest)
    for term in EXP_TERMS:
        total = total * rest + term
    return np.asarray(np.ldexp(total, times.astype(np.int64)))


def log(x: Array) -> Array:
    """Return the logarithm of numbers above 0, to the last digit or two."""
    part, power = np.frexp(x)
    small = part < ROOT_HALF
    part, power = np.where(small, 2 * part, part), power - small  # √½ to √2
    s = (part - 1) / (part + 1)  # log part = 2 (s + s³/3 + s⁵/5 + …)
    total = np.zeros_like(s)
    for term in LOG_TERMS:
        total = total * (s * s) + term
    return np.asarray(power * LN2_HIGH + (power * LN2_LOW + 2 * s * total))


def power(x: Array, exponent: float) -> Array:
    """Return numbers of 0 and above to a power of 0 and above."""
    if exponent in (0, 1, 2):
        return np.asarray([np.ones_like(x), x, x * x][int(exponent)])
    known = np.where(x > 0, x, 1.0)
    return np.asarray(np.where(x > 0, exp(exponent * log(known)), 0.0))


def tanh(x: Array) -> Array:
    """Return the hyperbolic tangent."""
    part = exp(-2 * np.abs(x))
    return np.asarray(np.copysign((1 - part) / (1 + part), x))


def combined(weights: Array, rows: Array) -> Array:
    """Return the sum of rows, each times its weight."""
    total = np.zeros(rows.shape[1:])
    for weight, row in zip(weights, rows, strict=True):
        total += weight * row
    return total


def product(one: Array, other: Array) -> Array:
    """Return the product of two matrices."""
    total = np.zeros((one.shape[0], other.shape[1]))
    for column, row in zip(one.T, other, strict=True):
        total += column[:, None] * row
    return total


def factor(matrix: Array, least: float = 0.0) -> Array:
    """Return the upper triangle R of a symmetric matrix RᵀR (Cholesky).

    Squares on R's diagonal are at least `least`, so that what is not quite positive definite, after
    much rounding, becomes so. Beside a smaller one there is nothing but rounding, which would grow
    without bounds if it were divided by so little.
    """
    rest, triangle = matrix.copy(), np.zeros_like(matrix)
    for k in range(len(matrix)):
        square = rest[k, k]
        root = triangle[k, k] = math.sqrt(max(square, least))
        if square > least:
            below = triangle[k, k + 1 :] = rest[k, k + 1 :] / root
            rest[k + 1 :, k + 1 :] -= below[:, None] * below
    return triangle


def solved(triangle: Array, right: Array) -> Array:
    """Return x of Rᵀx = right, for an upper triangle R."""
    rest, found = right.copy(), np.zeros_like(right)
    for k in range(len(triangle)):
        found[k] = rest[k] / triangle[k, k]
        rest[k + 1 :] -= triangle[k, k + 1 :] * found[k]
    return found
