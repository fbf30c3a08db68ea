"""What a mutation of NEAT promises, and how a list of them becomes one kernel.

A mutation is a module with

    STRUCTURAL                   whether it changes which nodes and links take part
    class Settings(core.settings.Settings)            with `chance`; 0 switches it off
    mutate(draft, rates, tables, factor) -> bool      the kernel; tells whether anything changed

and, where it needs them,

    rates(settings, basis) -> dict      what the kernel reads as `rates`; else the settings
    growth(settings) -> (nodes, links)  the most it adds to a genome; one of your own that is
                                         structural must tell, ours add nothing unless they do
    INSTEAD                              the mutation to be made where this one cannot be

`draft` is the genome, with a sequence of random numbers of its own (`operators/drafts.py`);
`tables` are the run's innovations; `factor` says how much stronger than usual to change numbers.

A structural mutation is made by its `chance`, which is tossed for outside of it, and `tries` times
if it has such a setting, as long as it succeeds. All others are called for every child that
mutates, after the structural ones, and mind their chances themselves. The order of a list counts.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import types
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core import catalog, settings
from evoboard.core.arrays import Array
from evoboard.core.errors import PartError
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.link import slot
from evoboard.core.options import require_taking
from evoboard.core.wording import listed
from evoboard.evolution.operators.drafts import draw_unit
from evoboard.evolution.operators.neat_start import Basis

PACKAGE = "evoboard.evolution.mutations"

# Each structural mutation is tossed for by itself; or at most one is made; or at most one, and the
# other mutations are left out for a child that got one.
Structure = Literal["each", "one", "instead"]
EACH, ONE, INSTEAD = range(3)


class MutationChoice(settings.PartChoice):
    """A mutation by its kind, with its settings beside it."""

    NAMED_BY = "kind"
    kind: str = Field(description="a mutation, such as add_node, or FILE.py")

    @classmethod
    def model_of(cls, name: str) -> type[settings.Settings]:
        """Return the settings of a mutation."""
        model: type[settings.Settings] = find_mutation(name).Settings
        return model


def mutation_names() -> list[str]:
    """Return the names of all mutations."""
    return catalog.names(PACKAGE, "mutate")


def find_mutation(name: str) -> types.ModuleType:
    """Return the mutation of that name, or in a user's own file."""
    module = catalog.find("mutation", PACKAGE, name, "mutate")
    missing = [n for n in ("STRUCTURAL", "Settings", "mutate") if not hasattr(module, n)]
    if missing:
        raise PartError(f"{name} is not a mutation: it lacks {listed(missing)}.")
    if "chance" not in getattr(module.Settings, "model_fields", {}):
        raise PartError(
            f"{name} is not a mutation: its Settings must be derived from those of "
            "evoboard.core.settings, and have `chance`."
        )
    require_taking(module.mutate, "draft, rates, tables, factor", name)
    ours = module.__name__.startswith(f"{PACKAGE}.")
    if module.STRUCTURAL and not ours and not hasattr(module, "growth"):
        # Kernels write without looking where arrays end.
        raise PartError(
            f"{name} is structural, and does not say how much it adds; define growth(settings), "
            "which returns the most nodes and links of one child: (0, 0) where it adds none."
        )
    return module


class Todo(NamedTuple):
    """Which mutations a child gets, a cell for each of the list: int64 arrays.

    `chosen`: 1 for those that chance has chosen; `tries`: how often each is still to be made;
    `times`: how often one that is chosen is made; `instead`: the number of the one to be made where
    this one cannot be, -1 for none.
    """

    chosen: Array
    tries: Array
    times: Array
    instead: Array


class Mutations:
    """A list of mutations, ready to be linked with the breeding kernel."""

    def __init__(
        self,
        choices: Sequence[MutationChoice],
        basis: Basis,
        structure: Structure = "each",
        alternative: bool = False,
    ) -> None:
        self.choices, self.alternative = choices, alternative
        pairs = [(find_mutation(choice.kind), choice) for choice in choices]
        self.structural = [pair for pair in pairs if pair[0].STRUCTURAL]
        self.others = [pair for pair in pairs if not pair[0].STRUCTURAL]
        self.rates = kernel_tuple(
            {
                "structure": {"each": EACH, "one": ONE, "instead": INSTEAD}[structure],
                "chances": np.array([c.settings.chance for _, c in self.structural], np.float64),
                "todo": self._todo(),
                "others_todo": _ones(len(self.others)),
                "structural": tuple(_rates(*pair, basis) for pair in self.structural),
                "others": tuple(_rates(*pair, basis) for pair in self.others),
            }
        )

    def _todo(self) -> Todo:
        """Return the cells of the structural mutations."""
        kinds = [choice.kind for _, choice in self.structural]
        todo = _ones(len(kinds))
        for i, (module, choice) in enumerate(self.structural):
            todo.times[i] = getattr(choice.settings, "tries", 1)
            other = getattr(module, "INSTEAD", None) if self.alternative else None
            # What comes before it in the list has had its turn already.
            todo.instead[i] = kinds.index(other, i) if other in kinds[i:] else -1
        return todo

    @cached_property
    def growth(self) -> tuple[int, int]:
        """The most nodes and links that one child can get."""
        able = [i for i, (_, choice) in enumerate(self.structural) if choice.settings.chance > 0]
        todo: Todo = self.rates.todo
        able += [int(todo.instead[i]) for i in able if todo.instead[i] >= 0]
        grown = [_growth(*self.structural[i]) for i in able]
        return sum(nodes for nodes, _ in grown), sum(links for _, links in grown)

    @property
    def bindings(self) -> dict[str, Any]:
        """What fills the breeding kernel's slots."""
        return {
            "make_structural": _chain([module for module, _ in self.structural]),
            "make_others": _chain([module for module, _ in self.others]),
        }


def _ones(count: int) -> Todo:
    """Return cells by which everything is made once."""
    zeros, ones = np.zeros(count, np.int64), np.ones(count, np.int64)
    return Todo(zeros, ones, ones.copy(), zeros - 1)


def _rates(module: types.ModuleType, choice: MutationChoice, basis: Basis) -> Any:
    if hasattr(module, "rates"):
        return kernel_tuple(module.rates(choice.settings, basis))
    return kernel_tuple(choice.settings)


def _growth(module: types.ModuleType, choice: MutationChoice) -> tuple[int, int]:
    found: tuple[int, int] = (0, 0)
    if hasattr(module, "growth"):
        found = module.growth(choice.settings)
    return found


def _chain(modules: Sequence[types.ModuleType]) -> Any:
    """Return a kernel that makes the mutations one after the other.

    Each has rates of its own type, so the chain is a function for each, which calls the next.
    """
    chained: Any = nothing_left
    for module in reversed(modules):
        scope = {**globals(), "this_mutation": module.mutate, "the_others": chained}
        chained = types.FunctionType(make_next.__code__, scope, "make_next")
    return chained


@slot
def this_mutation(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Make the chain's first mutation."""


@slot
def the_others(draft: Any, rates: Any, tables: Any, factor: float, todo: Todo, i: int) -> bool:
    """Make the rest of the chain's mutations."""


def make_next(draft: Any, rates: Any, tables: Any, factor: float, todo: Todo, i: int) -> bool:
    """Make mutation `i`, as often as wanted, and those that follow; tell whether any was made."""
    made = 0
    while made < todo.tries[i] and this_mutation(draft, rates[0], tables, factor):
        made += 1
    if made == 0 and todo.chosen[i] == 1 and todo.instead[i] >= 0:
        todo.tries[todo.instead[i]] += 1
    return the_others(draft, rates[1:], tables, factor, todo, i + 1) or made > 0


def nothing_left(draft: Any, rates: Any, tables: Any, factor: float, todo: Todo, i: int) -> bool:
    """Return False: the end of a chain."""
    return False


def choose_structural(draft: Any, rates: Any) -> None:
    """Toss for the structural mutations."""
    chances, todo = rates.chances, rates.todo
    if rates.structure == EACH:
        for i in range(chances.shape[0]):
            todo.chosen[i] = int(chances[i] > 0.0 and draw_unit(draft) < chances[i])
    else:
        choose_one(draft, chances, todo.chosen)
    for i in range(chances.shape[0]):
        todo.tries[i] = todo.chosen[i] * todo.times[i]


def choose_one(draft: Any, chances: Array, chosen: Array) -> None:
    """Choose one mutation or none; chances that exceed 1 together are scaled down."""
    total = 0.0
    for i in range(chances.shape[0]):
        total += chances[i]
    lot = draw_unit(draft) * max(1.0, total)
    before, end = 0.0, 0.0
    for i in range(chances.shape[0]):
        end = before + chances[i]
        chosen[i] = int(before <= lot < end)
        before = end
