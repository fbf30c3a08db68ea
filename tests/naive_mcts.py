"""UCT with objects and recursion: a slow oracle for `search/mcts.py`, number by number.

It shares the game's rules and the sequence of random numbers, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from evoboard.core.rng import below, next_random, nth_seed
from evoboard.games.base import Game

F = np.float32
LOSS, DRAW, WIN, ONGOING = -1, 0, 1, 2


class Node:
    """A position; `mean` is the value for its own side to move."""

    def __init__(self, state: Any, move: int | None) -> None:
        self.state, self.move = state, move
        self.visits, self.mean = 0, F(0)
        self.children: list[Node] | None = None
        self.result, self.distance = ONGOING, 0


class NaiveMCTS:
    """One search from a position; after `run`, `root` has the whole tree."""

    def __init__(
        self, game: Game, value: Callable[[Any], float], state: Any, settings: Any, chance: int
    ) -> None:
        self.game, self.value, self.settings = game, value, settings
        with np.errstate(over="ignore"):
            self.number = nth_seed(chance, 0)
        self.root = Node(state, None)
        self.root.visits = 1
        self.root.children = [
            Node(game.apply(state, move), move) for move in game.legal_moves(state)
        ]
        self.rounds = 0

    def run(self, rounds: int) -> None:
        """Play rounds until they are used up or the root is proven."""
        while self.rounds < rounds and self.root.result == ONGOING:
            self.visit(self.root)
            self.rounds += 1

    def visit(self, node: Node) -> Any:
        """Play one round from a node; return its value for the side to move."""
        if node.result != ONGOING:
            value = F(node.result)
        elif self.settings.unaided and self.game.outcome(node.state) != ONGOING:
            value = self.told(node.state)
        elif node.visits == 0:
            node.result = self.game.outcome(node.state)
            value = F(node.result) if node.result != ONGOING else self.playout(node.state)
        else:
            if node.children is None:
                node.children = self.shuffled(node.state)
            child = self.selected(node)
            value = -self.visit(child)
            if child.result != ONGOING and self.proves(node):
                value = F(node.result)
        node.visits += 1
        node.mean += (value - node.mean) / F(node.visits)
        return value

    def selected(self, node: Node) -> Node:
        """Return the first untried child, else the one with the highest bound, not a lost one."""
        assert node.children is not None
        for child in node.children:
            if child.visits == 0:
                return child
        reach = F(self.settings.c) * F(math.sqrt(math.log(node.visits)))
        hopeful = [child for child in node.children if child.result != WIN]
        return max(hopeful, key=lambda child: -child.mean + reach / np.sqrt(F(child.visits)))

    def proves(self, node: Node) -> bool:
        """Settle the node where its children do."""
        assert node.children is not None
        lost = [child.distance for child in node.children if child.result == LOSS]
        if lost:
            node.result, node.distance = WIN, min(lost) + 1
        elif all(child.result != ONGOING for child in node.children):
            drawn = any(child.result == DRAW for child in node.children)
            won = [child.distance for child in node.children if child.result == WIN]
            node.result, node.distance = (DRAW if drawn else LOSS), max(won, default=-1) + 1
        return node.result != ONGOING

    def playout(self, state: Any) -> Any:
        """Return the value of a random continuation for the side to move."""
        moves, sign = self.game.legal_moves(state), F(1)
        full = self.settings.ply == -1
        plies = self.settings.longest if full else self.settings.ply
        if self.settings.ply > 0 and len(moves) < self.settings.extend:
            plies += len(moves)
        for _ in range(plies):
            state, sign = self.game.apply(state, moves[self.draw(len(moves))]), -sign
            result = self.game.outcome(state)
            if result != ONGOING:
                return sign * (self.told(state) if self.settings.unaided else F(result))
            moves = self.game.legal_moves(state)
        if full:
            return F(0)
        return sign * self.told(state)

    def told(self, state: Any) -> Any:
        """Return what the evaluation says of a position, on the scale of results."""
        return np.clip(F(self.value(state)) / F(self.settings.scale), F(-1), F(1))

    def shuffled(self, state: Any) -> list[Node]:
        """Return the children in random order."""
        moves = self.game.legal_moves(state)
        for last in range(len(moves) - 1, 0, -1):
            other = self.draw(last + 1)
            moves[last], moves[other] = moves[other], moves[last]
        return [Node(self.game.apply(state, move), move) for move in moves]

    def draw(self, bound: int) -> int:
        """Return the next random number below `bound`."""
        with np.errstate(over="ignore"):
            self.number = next_random(self.number)
        return int(below(self.number, bound))
