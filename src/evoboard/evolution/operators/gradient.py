"""Learning by gradient: a network moves towards what its positions turned out to be worth.

A lesson is a position of a game that was played to its end: the network's inputs there, and the
result, 1, 0 or -1 as its inputs see it. Its target is

    the result                                                     trace = 1
    (1 - trace) × the next lesson's value + trace × its target     TD(λ), λ being the trace

(times `discount` for every lesson that follows) and the first output moves towards it by steps of
Adam (Kingma and Ba, 2015) on small batches. With a tanh output of bound 1 the error is the
cross-entropy, so that a network without hidden nodes learns by logistic regression; for any other
output it is half the square. What is learned is the mean of all vectors that the last pass went
through (Polyak and Juditsky, 1992): single batches pull to and fro, and most where an input is
seldom met. For the same reason `caution` is large: Adam's own, next to nothing, moves what seldom
inputs are worth as far as what all positions agree on, and most of that is luck.

Networks that name their moves learn them: in each position the move that did best, whoever played
it. A move's worth is the mean of the results of its games, times `discount` for every lesson that
follows. Within each group of outputs, the one that names that move is made the highest (softmax and
cross-entropy).

Everything is computed by one kernel, in the order given and by functions of our own: the same bits
on every processor and any number of threads.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.link import link
from evoboard.core.settings import Settings as BaseSettings
from evoboard.core.settings import Share
from evoboard.evolution.base import Lessons
from evoboard.networks.activations import BILATERAL, EXP, RELU, TANH, activate
from evoboard.networks.mlp import described
from evoboard.networks.mlp_network import Design

F = np.float32
STEP = F(0.0078125)  # of the difference that stands for a slope
FIRST_FADE, SECOND_FADE = 0.9, 0.999  # Adam's own values


class Settings(BaseSettings):
    """How networks learn from the positions of games."""

    rate: float = Field(0.02, gt=0, le=10, description="about how far a number moves in a step")
    cooling: float = Field(
        0.0, ge=0, description="generations after which the rate has halved; 0: it stays the same"
    )
    passes: int = Field(1, ge=0, le=1000, description="how often each position is learned from")
    batch: int = Field(512, ge=1, le=1_000_000, description="positions per step")
    caution: float = Field(
        0.2,
        gt=0,
        le=1,
        description="gradients smaller than this have little effect, such as those from rarely "
        "seen inputs",
    )
    decay: Share = Field(
        0.0,
        description="weight decay: the share of itself, times the rate, by which a number shrinks",
    )
    trace: Share = Field(
        1.0, description="λ of TD(λ); 1: every position is worth the game's result"
    )
    discount: float = Field(
        1.0,
        gt=0,
        le=1,
        description="factor by which a target shrinks from lesson to lesson: win soon, lose late",
    )
    positions: int = Field(
        40, ge=1, le=100_000, description="how many positions of a game to learn from, at most"
    )
    quiet: bool = Field(
        True, description="only positions in which no forcing move (such as a capture) was played"
    )

    def rate_in(self, generation: int) -> float:
        """Return the rate of a generation."""
        return self.rate / (1 + generation / self.cooling) if self.cooling else self.rate


class Moments(NamedTuple):
    """What Adam remembers of one network: means of gradients and of their squares, and steps."""

    first: Array
    second: Array
    steps: int


def no_moments(length: int) -> Moments:
    """Return the moments of a network that has learned nothing yet."""
    return Moments(np.zeros(length), np.zeros(length), 0)


class Pupil(NamedTuple):
    """One network and what it is taught: its vector and moments, lessons by number, chance."""

    vector: Array
    moments: Moments
    lessons: Array
    rng: np.random.Generator


def learn_all(
    pupils: Sequence[Pupil],
    lessons: Lessons,
    design: Design,
    settings: Settings,
    rate: float,
    biases: bool = True,
) -> list[tuple[Array, Moments]]:
    """Return every pupil's vector and moments after its lessons; pupils learn side by side."""
    free = np.ones(design.length)
    if not biases:
        for layer in range(len(design.sizes) - 1):
            free[design.biases(layer)] = 0.0

    def taught(pupil: Pupil) -> tuple[Array, Moments]:
        return _learn(pupil, lessons, design, settings, rate, free)

    if not pupils:
        return []
    if lessons.choices.shape[1]:
        # Most learn from the same lessons, which are looked through once.
        chosen = {id(pupil.lessons): pupil.lessons for pupil in pupils}
        best = {key: best_played(lessons, c, settings.discount) for key, c in chosen.items()}
        pupils = [pupil._replace(lessons=best[id(pupil.lessons)]) for pupil in pupils]
    _kernels()  # compiled once, not by every thread
    with ThreadPoolExecutor(min(len(pupils), os.cpu_count() or 1)) as pool:
        return list(pool.map(taught, pupils))


def _learn(
    pupil: Pupil, lessons: Lessons, design: Design, settings: Settings, rate: float, free: Array
) -> tuple[Array, Moments]:
    chosen, names_moves = pupil.lessons, lessons.choices.shape[1] > 0
    if not len(chosen):
        return pupil.vector.copy(), pupil.moments
    shape, numbers = _described(design)
    vector = pupil.vector.copy()
    first, second = pupil.moments.first.copy(), pupil.moments.second.copy()
    steps = pupil.moments.steps
    work = _workspace(design)
    descend, judge, look_back = _kernels()
    values = np.zeros(len(chosen))
    targets = np.zeros(len(chosen))
    for number in range(settings.passes):
        if settings.trace < 1 and not names_moves:
            judge(shape, numbers, vector, lessons.inputs, chosen, work, values)
        fades = (settings.trace, settings.discount)
        look_back(lessons.games, lessons.signs, lessons.results, chosen, values, fades, targets)
        order = pupil.rng.permutation(len(chosen))
        steps = descend(
            (shape, numbers),
            (vector, first, second, free),
            (lessons.inputs, chosen, targets, order, lessons.choices, lessons.groups),
            (settings.batch, rate, settings.decay, settings.caution),
            steps,
            work,
        )
        if number == settings.passes - 1:
            vector = work.mean.copy()
    return vector, Moments(first, second, steps)


def best_played(lessons: Lessons, chosen: Array, discount: float) -> Array:
    """Return for every position among the chosen lessons one in which its best move was played.

    Of moves that did equally well it is the one played most often: so a choice, once made, stays.
    """
    games = lessons.games[chosen]
    ends = np.searchsorted(games, games, side="right") - 1
    worth = lessons.results[chosen] * discount ** (ends - np.arange(len(chosen)))
    rows = np.hstack([lessons.inputs[chosen], lessons.choices[chosen]])
    _, first, move, count = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    mean = np.bincount(move.ravel(), worth) / count
    _, position = np.unique(lessons.inputs[chosen][first], axis=0, return_inverse=True)
    order = np.lexsort((-count, -mean.round(9), position.ravel()))
    _, best = np.unique(position.ravel()[order], return_index=True)
    return chosen[np.sort(first[order][best])]


@functools.cache
def _kernels() -> tuple[Callable[..., Any], ...]:
    return link(descend), link(judge), link(look_back)


def _described(design: Design) -> tuple[Array, Array]:
    """Return a design as kernels read it here: in larger numbers than packs have."""
    shape, numbers = described(design)
    return np.array(shape, np.int64), np.array(numbers, np.float64)


class Work(NamedTuple):
    """Scratch: inputs that are not 0; sums, values and errors of all nodes; a gradient; and the
    mean of the vectors of a pass."""

    active: Array
    sums: Array
    values: Array
    errors: Array
    gradient: Array
    mean: Array


def _workspace(design: Design) -> Work:
    nodes = sum(design.sizes[1:])
    return Work(
        np.zeros(design.sizes[0], np.int64),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(design.length),
        np.zeros(design.length),
    )


def look_back(
    games: Array,
    signs: Array,
    results: Array,
    chosen: Array,
    values: Array,
    fades: tuple[float, float],
    targets: Array,
) -> None:
    """Write the targets of chosen lessons, which come game by game and ply by ply."""
    trace, discount = fades
    target, value, game = 0.0, 0.0, np.int64(-1)
    for i in range(len(chosen) - 1, -1, -1):
        lesson = chosen[i]
        if games[lesson] != game:
            game = games[lesson]
            target = results[lesson] * signs[lesson]
        else:
            target = discount * ((1 - trace) * value + trace * target)
        # Kept as side 0 sees it, because neighbours may be seen by different sides.
        value = values[i] * signs[lesson]
        targets[i] = target * signs[lesson]


def judge(
    shape: Array,
    numbers: Array,
    vector: Array,
    inputs: Array,
    chosen: Array,
    work: Work,
    values: Array,
) -> None:
    """Write the first output for each of the chosen rows of inputs."""
    for i in range(len(chosen)):
        values[i], _ = _output(shape, numbers, vector, inputs[chosen[i]], work)


def descend(design: Any, network: Any, lessons: Any, settings: Any, steps: int, work: Work) -> int:
    """Learn from all chosen lessons in the order given; return the number of steps so far."""
    shape, numbers = design
    vector, first, second, free = network
    inputs, chosen, targets, order, choices, groups = lessons
    batch, rate, decay, caution = settings
    length = len(vector)
    first_power, second_power, done, here = 1.0, 1.0, 0, 0
    for i in range(length):
        work.mean[i] = 0.0
    for _ in range(steps):
        first_power *= FIRST_FADE
        second_power *= SECOND_FADE
    while done < len(order):
        count = min(batch, len(order) - done)
        for i in range(length):
            work.gradient[i] = 0.0
        for i in range(done, done + count):
            row = inputs[chosen[order[i]]]
            value, found = _output(shape, numbers, vector, row, work)
            if len(groups) == 0:
                _value_error(shape, numbers, value, targets[order[i]], work)
            else:
                _choice_errors(shape, choices[chosen[order[i]]], groups, work)
            _add_gradient(shape, numbers, vector, row, found, work)
        done += count
        steps += 1
        here += 1
        first_power *= FIRST_FADE
        second_power *= SECOND_FADE
        for i in range(length):
            slope = work.gradient[i] / count * free[i]
            first[i] = FIRST_FADE * first[i] + (1 - FIRST_FADE) * slope
            second[i] = SECOND_FADE * second[i] + (1 - SECOND_FADE) * slope * slope
            step = adam_step(first[i], second[i], first_power, second_power, caution)
            vector[i] -= rate * (step + decay * vector[i] * free[i])
            work.mean[i] += (vector[i] - work.mean[i]) / here
    return steps


def adam_step(
    first: Any, second: Any, first_power: float, second_power: float, caution: float
) -> Any:
    """Return a step of Adam, of one number or of arrays, for a rate of 1.

    Both means began with 0, and fall short of what they should be by these powers.
    """
    mean, square = first / (1 - first_power), second / (1 - second_power)
    return mean / (np.sqrt(square) + caution)


def _output(
    shape: Array, numbers: Array, vector: Array, row: Array, work: Work
) -> tuple[float, int]:
    """Return the first output, and how many inputs are not 0; `work` holds what is in between."""
    inputs, layers = shape[0], shape[1]
    sums, values, active = work.sums, work.values, work.active
    found, total = 0, 0.0
    for i in range(inputs):
        if row[i] != 0:
            active[found] = i
            found += 1
            total += row[i]
    cursor, source, target, fan = 0, 0, 0, inputs
    for layer in range(layers):
        width = shape[3 + 2 * layer]
        for j in range(width):
            sums[target + j] = vector[cursor + j]
        cursor += width
        if layer == 0:
            for k in range(found):
                i = active[k]
                for j in range(width):
                    sums[target + j] += row[i] * vector[cursor + i * width + j]
        else:
            for i in range(fan):
                for j in range(width):
                    sums[target + j] += values[source + i] * vector[cursor + i * width + j]
        cursor += fan * width
        if layer + 1 == layers:
            for j in range(width):
                if shape[2] == 1:
                    for k in range(found):
                        i = active[k]
                        sums[target + j] += row[i] * vector[cursor + i * width + j]
                sums[target + j] += numbers[0] * total
        code, bound, steepness = (
            shape[4 + 2 * layer],
            numbers[1 + 2 * layer],
            numbers[2 + 2 * layer],
        )
        for j in range(width):
            values[target + j] = activate(code, F(sums[target + j]), F(bound), F(steepness))
        source, target, fan = target, target + width, width
    return values[source], found


def _value_error(shape: Array, numbers: Array, value: float, wanted: float, work: Work) -> None:
    """Write the errors of the outputs, the first of which should be `wanted`."""
    layers = shape[1]
    nodes = 0
    for layer in range(layers):
        nodes += shape[3 + 2 * layer]
    last = layers - 1
    target = nodes - shape[3 + 2 * last]
    code, bound, steepness = shape[4 + 2 * last], numbers[1 + 2 * last], numbers[2 + 2 * last]
    for j in range(target, nodes):
        work.errors[j] = 0.0
    error = value - wanted
    if code == TANH and bound == 1.0:
        work.errors[target] = steepness * error
    else:
        work.errors[target] = error * _slope(code, work.sums[target], value, bound, steepness)


def _choice_errors(shape: Array, choice: Array, groups: Array, work: Work) -> None:
    """Write the errors of the outputs, of which those chosen should be the highest of a group."""
    nodes = 0
    for layer in range(shape[1]):
        nodes += shape[3 + 2 * layer]
    target = nodes - shape[1 + 2 * shape[1]]
    for group in range(len(groups)):
        first, end = target + groups[group, 0], target + groups[group, 1]
        most, total = work.sums[first], 0.0
        for j in range(first, end):
            most = max(most, work.sums[j])
        for j in range(first, end):
            work.errors[j] = activate(EXP, F(work.sums[j] - most), F(1), F(1))
            total += work.errors[j]
        for j in range(first, end):
            work.errors[j] /= total
        work.errors[target + choice[group]] -= 1.0


def _add_gradient(
    shape: Array, numbers: Array, vector: Array, row: Array, found: int, work: Work
) -> None:
    """Add the gradient for one position; the errors of the outputs are known."""
    layers, inputs = shape[1], shape[0]
    errors, gradient = work.errors, work.gradient
    last = layers - 1
    width = shape[3 + 2 * last]
    nodes, cursor, fan = 0, 0, inputs
    for layer in range(layers):
        nodes += shape[3 + 2 * layer]
        cursor += (fan + 1) * shape[3 + 2 * layer]
        fan = shape[3 + 2 * layer]
    target = nodes - width
    if shape[2] == 1:
        for k in range(found):
            i = work.active[k]
            for j in range(width):
                gradient[cursor + i * width + j] += row[i] * errors[target + j]
    for step in range(layers):
        layer = last - step
        width = shape[3 + 2 * layer]
        fan = inputs if layer == 0 else shape[1 + 2 * layer]
        cursor -= (fan + 1) * width
        for j in range(width):
            gradient[cursor + j] += errors[target + j]
        weights = cursor + width
        if layer == 0:
            for k in range(found):
                i = work.active[k]
                for j in range(width):
                    gradient[weights + i * width + j] += row[i] * errors[target + j]
            return
        source = target - fan
        code, bound = shape[2 + 2 * layer], numbers[2 * layer - 1]
        steepness = numbers[2 * layer]
        for i in range(fan):
            back, here = 0.0, work.values[source + i]
            for j in range(width):
                back += errors[target + j] * vector[weights + i * width + j]
                gradient[weights + i * width + j] += here * errors[target + j]
            errors[source + i] = back * _slope(code, work.sums[source + i], here, bound, steepness)
        target = source


def _slope(code: int, x: float, value: float, bound: float, steepness: float) -> float:
    """Return the slope of an activation at `x`, where it is `value`."""
    if code in (TANH, BILATERAL):
        scale = steepness if code == TANH else 0.5 * steepness
        return scale * (bound - value * value / bound)
    if code == RELU:
        return 1.0 if x > 0 else 0.0
    above = activate(code, F(x) + STEP, F(bound), F(steepness))
    below = activate(code, F(x) - STEP, F(bound), F(steepness))
    return float(above - below) / float(2 * STEP)
