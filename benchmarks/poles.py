"""Double pole balancing: a cart on 4.8 m of track carries two poles, and a network pushes it.

Wieland's equations with friction, integrated by Runge-Kutta of the fourth order in steps of
0.01 s; the network says a force of -10 … 10 N every 0.02 s. Failed is who leaves the track or lets
a pole lean by more than 36 degrees. With velocities the task needs no memory, so that feed-forward
networks can do it.

The set-up is that of Stanley & Miikkulainen 2002 as their released program has it: the long pole
begins at 0.07 rad (4 degrees), everything else at rest in the middle. Theirs has the bias as a
seventh input; here nodes have biases.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import link
from evoboard.networks import graph
from evoboard.networks.base import forward, member

INPUTS = 6
LONG_ENOUGH = 100_000  # network decisions: 33 minutes
GRAVITY, CART = -9.8, 1.0
# Half the length, and mass, of the long pole and of the short one; friction of cart and hinges.
LENGTHS, MASSES = (0.5, 0.05), (0.1, 0.01)
TRACK_FRICTION, HINGE_FRICTION = 0.0005, 0.000002
FORCE, STEP, START = 10.0, 0.01, 0.07
TRACK, LEAN = 2.4, math.radians(36)
# What cart's place, its speed, each pole's angle and angular speed are divided by as inputs.
SCALES = (4.8, 2.0, 0.52, 2.0, 0.52, 2.0)

# The rows of the workspace: the state, a point between, and four slopes.
STATE, BETWEEN, K1, K2, K3, K4 = range(6)
F = np.float32


def balance(pack: Any, limit: int = LONG_ENOUGH) -> Array:
    """Return for how many decisions each network of a pack keeps both poles up, at most `limit`."""
    count = graph.size(pack)
    results = np.zeros(count)
    kernel(pack, limit, np.zeros(graph.scratch_size(pack), F), np.zeros((6, 6)), results)
    return results


def balance_all(pack: Any, limit: int, values: Array, work: Array, results: Array) -> None:
    """Write how long each network keeps the poles up."""
    for i in range(results.shape[0]):
        results[i] = balance_one(member(pack, i), limit, values, work)


def balance_one(network: Any, limit: int, values: Array, work: Array) -> int:
    """Return how many decisions of one network go well."""
    for cell in range(6):
        work[STATE, cell] = 0.0
    work[STATE, 2] = START
    for decision in range(limit):
        for cell in range(INPUTS):
            values[cell] = F(work[STATE, cell] / SCALES[cell])
        force = (np.float64(forward(network, values)) - 0.5) * 2 * FORCE
        advance(work, force)
        advance(work, force)
        if abs(work[STATE, 0]) > TRACK or abs(work[STATE, 2]) > LEAN or abs(work[STATE, 4]) > LEAN:
            return decision
    return limit


def advance(work: Array, force: float) -> None:
    """Move the state on by one step of Runge-Kutta."""
    slope(work, STATE, force, K1)
    for k in range(K1, K4):
        part = STEP if k == K3 else STEP / 2
        for cell in range(6):
            work[BETWEEN, cell] = work[STATE, cell] + part * work[k, cell]
        slope(work, BETWEEN, force, k + 1)
    for cell in range(6):
        middle = 2 * (work[K2, cell] + work[K3, cell])
        work[STATE, cell] += STEP / 6 * (work[K1, cell] + middle + work[K4, cell])


def slope(work: Array, row: int, force: float, out: int) -> None:
    """Write into row `out` how the state in `row` changes."""
    push = force - TRACK_FRICTION * np.sign(work[row, 1])
    mass = CART
    for pole in range(2):
        angle, speed = work[row, 2 + 2 * pole], work[row, 3 + 2 * pole]
        sine, cosine = math.sin(angle), math.cos(angle)
        hinge = HINGE_FRICTION * speed / (MASSES[pole] * LENGTHS[pole])
        push += MASSES[pole] * LENGTHS[pole] * speed * speed * sine
        push += 0.75 * MASSES[pole] * cosine * (hinge + GRAVITY * sine)
        mass += MASSES[pole] * (1 - 0.75 * cosine * cosine)
    acceleration = push / mass
    work[out, 0], work[out, 1] = work[row, 1], acceleration
    for pole in range(2):
        angle, speed = work[row, 2 + 2 * pole], work[row, 3 + 2 * pole]
        hinge = HINGE_FRICTION * speed / (MASSES[pole] * LENGTHS[pole])
        turn = acceleration * math.cos(angle) + GRAVITY * math.sin(angle) + hinge
        work[out, 2 + 2 * pole], work[out, 3 + 2 * pole] = speed, -0.75 * turn / LENGTHS[pole]


kernel = link(balance_all, {"member": graph.member, "forward": graph.forward})
