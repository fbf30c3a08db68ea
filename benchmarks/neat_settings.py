"""Three algorithms as settings of the strategy `neat`: the original of 2002, papers A and D."""

from __future__ import annotations

from typing import Any

# Stanley & Miikkulainen 2002, section 4.1, for XOR and for two poles with velocities. What that
# paper leaves open: a fifth of a species has children, as in its released program; that weights
# stay within ±5, new ones are uniform there, and the power are ours. The paper has the bias as an
# input that never changes; here every node has one, mutated as weights are.
ORIGINAL: dict[str, Any] = {
    "population": 150,
    "genome": {
        "hidden": "sigmoid",
        "hidden_steepness": 4.9,
        "output": "sigmoid",
        "output_steepness": 4.9,
    },
    "start": {
        "weight": {"kind": "uniform", "spread": 5.0, "low": -5.0, "high": 5.0},
        "bias": {"kind": "uniform", "spread": 5.0, "low": -5.0, "high": 5.0},
    },
    "mutations": [
        {"kind": "add_node", "chance": 0.03},
        {"kind": "add_link", "chance": 0.05},
        {
            "kind": "values",
            "chance": 0.8,
            "power": 0.5,
            "noise": "uniform",
            "weight": {"chance": 0.9, "reset": 0.1},
            "bias": {"chance": 0.9, "reset": 0.1},
        },
    ],
    "crossover": {"values": "pick", "ties": "random", "disabled": 0.75},
    "distance": {"excess": 1.0, "disjoint": 1.0, "weight": 0.4},
    "speciation": {"threshold": 3.0},
    "parents": {
        "share": 0.2,
        "elites": 1,
        "elite_size": 6,
        "crossover": 0.75,
        "interspecies": 0.001,
    },
    "stagnation": {"generations": 15, "protected": 0, "population_generations": 20},
}

# Paper A, session 1; `kingcapture-neat-01` says what follows from its genomes' numbers.
PAPER_A: dict[str, Any] = {
    "population": 50,
    "genome": {"hidden": "unilateral", "output": "bilateral", "loops": "kill"},
    "start_mutation": True,
    "mutations": [
        {"kind": "add_node", "chance": 0.1, "old": "split"},
        {"kind": "add_link", "chance": 0.1, "tries": 5, "bound": 1.0},
        {
            "kind": "values",
            "chance": 1.0,
            "power": 0.2,
            "noise": "gaussian",
            "weight": {"chance": 1.0, "reset": 0.0},
            "bias": {"chance": 1.0, "reset": 0.0},
        },
    ],
    "crossover": {"values": "average", "ties": "first"},
    "distance": {
        "excess": 0.9,
        "disjoint": 0.9,
        "weight": 0.1,
        "node_excess": 0.1,
        "node_disjoint": 0.1,
        "normalise": "links",
    },
    "speciation": {"threshold": 1.0, "representative": "parents", "stay": True},
    "parents": {"share": 0.25, "stay": True, "elites": 0, "crossover": 1.0, "interspecies": 0.0},
    "quotas": {"rule": "shared", "minimum": 2},
    "stagnation": {"generations": 0, "population_generations": 0},
}

# Paper D, tables 1 to 5.
PAPER_D: dict[str, Any] = {
    "population": 200,
    "genome": {"hidden": "sigmoid", "output": "sigmoid"},
    "start": {
        "weight": {"mean": 0.0, "spread": 1.0},
        "bias": {"mean": 1.0, "spread": 1.0},
    },
    "mutations": [
        {"kind": "add_node", "chance": 0.2},
        {"kind": "remove_node", "chance": 0.2},
        {"kind": "add_link", "chance": 0.5},
        {"kind": "enable_link"},
        {"kind": "remove_link", "chance": 0.5},
        {
            "kind": "values",
            "chance": 1.0,
            "power": 0.5,
            "noise": "gaussian",
            "weight": {"chance": 0.8, "reset": 0.1, "severe": 0.01},
            "bias": {"chance": 0.7, "reset": 0.1},
        },
        {"kind": "toggle_link", "chance": 0.01},
    ],
    "alternative": True,
    "crossover": {"values": "pick", "ties": "first", "status": "inherited"},
    "distance": {"excess": 1.0, "disjoint": 1.0, "weight": 0.5, "normalise": "always"},
    "speciation": {"threshold": 3.8, "match": "nearest"},
    "parents": {
        "share": 0.2,
        "least": 2,
        "elites": 2,
        "elite_size": 2,
        "crossover": 1.0,
        "interspecies": 0.15,
    },
    "quotas": {"rule": "proportional", "minimum": 2, "count_from": "worst"},
    "stagnation": {"generations": 20, "population_generations": 0},
}

# neat-python's XOR example: paper D's numbers but for these.
NEAT_PYTHON: dict[str, Any] = {
    **PAPER_D,
    "population": 150,
    "start": {},
    "distance": {"excess": 1.0, "disjoint": 1.0, "weight": 0.5, "normalise": "always"},
    "speciation": {"threshold": 3.0, "match": "nearest"},
    # A flag is drawn anew with 0.01, which changes it every second time.
    "mutations": [*PAPER_D["mutations"][:-1], {"kind": "toggle_link", "chance": 0.005}],
    "alternative": False,
    "parents": {**PAPER_D["parents"], "interspecies": 0.0},
    "stagnation": {"generations": 20, "protected": 2, "population_generations": 0},
}
