"""NEAT with dictionaries and lists: a slow oracle for the kernels, gene by gene.

It shares the settings and the sequence of random numbers with them, and nothing else.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from evoboard.evolution.genomes.neat import Genes
from evoboard.evolution.operators.chance import EDGE, TAIL

LIVE, SPLIT, DEAD, DISABLED = range(4)
WORD = (1 << 64) - 1


class Luck:
    """The sequence of numbers of one child."""

    def __init__(self, seed: int) -> None:
        self.number = seed & WORD

    def step(self) -> int:
        x = self.number
        x ^= (x << 13) & WORD
        x ^= x >> 7
        x ^= (x << 17) & WORD
        self.number = x
        return x

    def unit(self) -> float:
        return (self.step() >> 11) / 2**53

    def coin(self) -> bool:
        return self.step() >= 1 << 63

    def below(self, bound: int) -> int:
        return ((self.step() >> 33) * bound) >> 31

    def normal(self) -> float:
        while True:
            number = self.step()
            signed = number - (1 << 64) if number >> 63 else number
            layer = number & 255
            value = (signed >> 11) * (EDGE[layer] * 2.0**-52)
            if abs(value) < EDGE[layer + 1]:
                return value
            if layer == 0:
                while True:
                    beyond = -math.log(1.0 - self.unit()) / TAIL
                    if -2.0 * math.log(1.0 - self.unit()) > beyond * beyond:
                        return math.copysign(TAIL + beyond, value)
            low, high = (math.exp(-0.5 * EDGE[i] ** 2) for i in (layer, layer + 1))
            if low + self.unit() * (high - low) < math.exp(-0.5 * value * value):
                return value

    def fresh(self, source: Any) -> float:
        if source.kind == 1:
            value = source.mean + source.spread * (2.0 * self.unit() - 1.0)
        else:
            value = source.mean + source.spread * self.normal()
        return min(max(value, source.low), source.high)


class Record:
    """Innovations in two dictionaries."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.links: dict[tuple[int, int], int] = {}
        self.nodes: dict[tuple[int, int], int] = {}
        self.first = inputs + outputs
        for o in range(outputs):
            for i in range(inputs):
                self.link(i, inputs + o)

    def link(self, source: int, target: int) -> int:
        return self.links.setdefault((source, target), len(self.links))

    def node(self, link: int, turn: int) -> int:
        return self.nodes.setdefault((link, turn), self.first + len(self.nodes))


class Genome:
    """Nodes by key: [bias, response, activation, aggregation]; links by number: [source, target,
    weight, status, frozen]."""

    def __init__(self, nodes: dict[int, list[Any]], links: dict[int, list[Any]]) -> None:
        self.nodes, self.links = nodes, links

    def copy(self) -> Genome:
        return Genome(
            {key: list(gene) for key, gene in self.nodes.items()},
            {number: list(gene) for number, gene in self.links.items()},
        )

    def reaches(self, begin: int, end: int) -> bool:
        """Tell whether links that are not dead lead from one node to another."""
        if begin == end:
            return True
        return any(
            self.reaches(target, end)
            for source, target, _, status, _ in self.links.values()
            if source == begin and status != DEAD
        )


def to_genomes(genes: Genes) -> list[Genome]:
    """Return a population as single genomes."""
    population = []
    for i in range(len(genes.node_start) - 1):
        nodes = range(*genes.node_start[i : i + 2])
        links = range(*genes.link_start[i : i + 2])
        node_columns = (genes.bias, genes.response, genes.activation, genes.aggregation)
        link_columns = (genes.source, genes.target, genes.weight, genes.status, genes.frozen)
        population.append(
            Genome(
                {int(genes.node[j]): [column[j].item() for column in node_columns] for j in nodes},
                {int(genes.link[j]): [column[j].item() for column in link_columns] for j in links},
            )
        )
    return population


def plain(genomes: list[Genome]) -> list[Any]:
    """Return genomes as lists that can be compared, genes by ascending number."""
    return [(sorted(genome.nodes.items()), sorted(genome.links.items())) for genome in genomes]


def breed(parents: list[Genome], plan: Any, rates: Any, record: Record) -> list[Genome]:
    """Return the children a plan asks for."""
    children = []
    for first, second, equal, extent, seed, factor in zip(*plan, strict=True):
        luck = Luck(int(seed))
        child = parents[first].copy()
        if second >= 0:
            cross(child, parents[second], bool(equal), rates.crossover, luck)
        if extent > 0:
            grown = extent == 2 and mutate_structure(child, rates, record, luck)
            if not (grown and rates.structure == 2):
                mutate_values(child, rates.values, factor, luck)
                mutate_attributes(child, rates, luck)
        children.append(child)
    return children


def cross(child: Genome, other: Genome, equal: bool, rates: Any, luck: Luck) -> None:
    """Bring the second parent into a copy of the first."""
    for key in sorted(child.nodes.keys() & other.nodes.keys()):
        mine, theirs = child.nodes[key], other.nodes[key]
        if rates.average:
            mine[:2] = [0.5 * (mine[0] + theirs[0]), 0.5 * (mine[1] + theirs[1])]
        elif luck.coin():
            mine[:] = theirs
    for number in sorted(child.links):
        mine, theirs = child.links[number], other.links.get(number)
        status = mine[3] if theirs is None else theirs[3]
        if status == DEAD and rates.fitter_dies:
            status = mine[3]
        statuses = {mine[3], status}
        if theirs is not None:
            if rates.average:
                mine[2] = 0.5 * (mine[2] + theirs[2])
            elif luck.coin():
                mine[2], mine[4] = theirs[2], theirs[4]
                if rates.disabled < 0:
                    mine[3] = status
        if DEAD in statuses:
            mine[3] = DEAD
        elif DISABLED in statuses and rates.disabled >= 0:
            mine[3] = DISABLED if luck.unit() < rates.disabled else LIVE
    if not equal or rates.ties == 0:
        return
    mine_before = set(child.links)
    if rates.ties == 2:
        for number in sorted(child.links.keys() - other.links.keys()):
            if not luck.coin():
                del child.links[number]
    for key in other.nodes.keys() - child.nodes.keys():
        child.nodes[key] = list(other.nodes[key])
    for number in sorted(other.links.keys() - mine_before):
        if rates.ties == 2 and not luck.coin():
            continue
        source, target, weight, status, frozen = other.links[number]
        if status != DEAD and child.reaches(target, source):
            if not rates.kill:
                continue
            status = DEAD
        if status == DISABLED and rates.disabled >= 0 and luck.unit() >= rates.disabled:
            status = LIVE
        child.links[number] = [source, target, weight, status, frozen]
    if rates.ties == 2:
        touched = {key for gene in child.links.values() for key in gene[:2]}
        touched |= set(range(rates.inputs, rates.inputs + rates.outputs))
        child.nodes = {key: gene for key, gene in child.nodes.items() if key in touched}


def mutate_structure(child: Genome, rates: Any, record: Record, luck: Luck) -> bool:
    """Add and remove nodes and links; tell whether anything was."""
    chances = [
        rates.add_node.chance,
        rates.remove_node.chance,
        rates.add_link.chance,
        rates.remove_link.chance,
    ]
    if rates.structure == 0:
        split, drop, join, part = (chance > 0 and luck.unit() < chance for chance in chances)
    else:
        lot, ends = luck.unit() * max(1.0, sum(chances)), np.cumsum(chances)
        split, drop, join, part = (i == np.searchsorted(ends, lot, "right") for i in range(4))
    done, tries, joined = False, 0, 0
    if split:
        done = add_node(child, rates.add_node, record, luck)
        tries = 1 if rates.alternative and not done else 0
    if drop:
        done = drop_node(child, rates.remove_node, record, luck) or done
    tries += rates.add_link.tries if join else 0
    while joined < tries and add_link(child, rates.add_link, record, luck):
        joined += 1
    if join and joined == 0 and rates.alternative:
        disabled = sorted(n for n, gene in child.links.items() if gene[3] == DISABLED)
        if disabled:
            child.links[disabled[luck.below(len(disabled))]][3] = LIVE
            done = True
    if part:
        living = sorted(n for n, gene in child.links.items() if gene[3] != DEAD)
        if living:
            del child.links[living[luck.below(len(living))]]
            done = True
    return done or joined > 0


def add_node(child: Genome, rates: Any, record: Record, luck: Luck) -> bool:
    """Split a random live link."""
    live = sorted(number for number, gene in child.links.items() if gene[3] == LIVE)
    if not live:
        return False
    number = live[luck.below(len(live))]
    gene = child.links[number]
    source, target, weight = gene[:3]
    gene[3] = SPLIT if rates.split else DISABLED
    gene[2] = 0.0 if rates.split else weight
    turn = 0
    while record.nodes.get((number, turn)) in child.nodes:
        turn += 1
    key = record.node(number, turn)
    bias = luck.fresh(rates.bias) if rates.drawn else 0.0
    child.nodes[key] = [bias, 1.0, rates.activation, rates.aggregation]
    child.links[record.link(source, key)] = [source, key, rates.first_weight, LIVE, 0]
    child.links[record.link(key, target)] = [key, target, weight, LIVE, 0]
    return True


def drop_node(child: Genome, rates: Any, record: Record, luck: Luck) -> bool:
    """Remove a random hidden node that may go; give the link it had split its place back."""
    living = [gene[:2] for gene in child.links.values() if gene[3] != DEAD]
    hidden = [
        key
        for key in sorted(child.nodes)
        if key >= record.first
        and (not rates.simple or max(sum(ends[i] == key for ends in living) for i in (0, 1)) <= 1)
    ]
    if not hidden:
        return False
    key = hidden[luck.below(len(hidden))]
    del child.nodes[key]
    child.links = {n: gene for n, gene in child.links.items() if key not in gene[:2]}
    split = next(number for (number, _), node in record.nodes.items() if node == key)
    if split in child.links and child.links[split][3] != DEAD:
        child.links[split][3] = LIVE
    return True


def fitting_pairs(child: Genome, rates: Any) -> list[tuple[int, int]]:
    """Return every pair that may be linked, by target, then source."""
    outputs = range(rates.inputs, rates.inputs + rates.outputs)
    sources = [*range(rates.inputs), *sorted(key for key in child.nodes if key not in outputs)]
    linked = {tuple(gene[:2]) for gene in child.links.values()}
    pairs = []
    for target in sorted(child.nodes):
        for source in sources:
            if source == target or (source, target) in linked:
                continue
            if rates.kill and (target, source) in linked:
                continue
            if not rates.kill and child.reaches(target, source):
                continue
            pairs.append((source, target))
    return pairs


def add_link(child: Genome, rates: Any, record: Record, luck: Luck) -> bool:
    """Link a random fitting pair."""
    pairs = fitting_pairs(child, rates)
    keys = sorted(child.nodes)
    sources = [*range(rates.inputs), *keys[rates.outputs :]]
    pair = None
    if len(sources) * len(keys) - (len(keys) - rates.outputs) > len(child.links):
        for _ in range(16):
            drawn = sources[luck.below(len(sources))], keys[luck.below(len(keys))]
            if drawn in pairs:
                pair = drawn
                break
        else:
            pair = pairs[luck.below(len(pairs))] if pairs else None
    if pair is None:
        return False
    status = DEAD if rates.kill and child.reaches(pair[1], pair[0]) else LIVE
    child.links[record.link(*pair)] = [*pair, luck.fresh(rates.fresh), status, 0]
    return True


def mutate_values(child: Genome, rates: Any, factor: float, luck: Luck) -> None:
    """Change numbers."""
    if rates.chance < 1.0 and luck.unit() >= rates.chance:
        return
    for number in sorted(child.links):
        gene = child.links[number]
        if rates.weight.until > 0 and not gene[4]:
            gene[2] = changed(gene[2], rates.weight, factor, luck)
    for place, change in enumerate((rates.bias, rates.response)):
        for key in sorted(child.nodes):
            if change.until > 0:
                gene = child.nodes[key]
                gene[place] = changed(gene[place], change, factor, luck)


def changed(value: float, change: Any, factor: float, luck: Luck) -> float:
    """Return one number changed, drawn anew or as it was."""
    if change.chance < 1.0 or change.until < 1.0:
        lot = luck.unit()
        if lot >= change.until:
            return value
        if lot >= change.chance:
            return luck.fresh(change.fresh)
    power = factor * change.power
    if change.severe > 0 and luck.unit() < change.severe:
        power *= 2
    value += power * (2.0 * luck.unit() - 1.0 if change.uniform else luck.normal())
    return min(max(value, change.fresh.low), change.fresh.high)


def mutate_attributes(child: Genome, rates: Any, luck: Luck) -> None:
    """Choose activations and aggregations, turn flags."""
    toggle, freeze = rates.toggle_link.chance, rates.freeze_link.chance
    for place, chance, codes in (
        (2, rates.activation.chance, rates.activation.codes),
        (3, rates.aggregation.chance, rates.aggregation.codes),
    ):
        for key in sorted(child.nodes):
            if chance > 0 and luck.unit() < chance:
                child.nodes[key][place] = int(codes[luck.below(len(codes))])
    for number in sorted(child.links):
        gene = child.links[number]
        if toggle > 0 and gene[3] in (LIVE, DISABLED) and luck.unit() < toggle:
            gene[3] = DISABLED if gene[3] == LIVE else LIVE
    for number in sorted(child.links):
        gene = child.links[number]
        if freeze > 0 and luck.unit() < freeze:
            gene[4] = 1 - gene[4]
