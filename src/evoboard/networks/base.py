"""What every kind of network promises to the kernels that use it.

All networks of a population travel as one NamedTuple of flat arrays, a *pack*. Its module defines
the pack, `member` and the forward kernels; generic kernels see them through these slots.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import types
from typing import Any

import numpy as np

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import PartError, unknown
from evoboard.core.link import slot


@slot
def member(pack: Any, index: int) -> Any:
    """Return network `index` of a pack, as views without copying."""


@slot
def forward(network: Any, values: Array) -> np.float32:
    """Return the first output; `values[:INPUTS]` hold the inputs, the rest is scratch."""


@slot
def forward_all(network: Any, values: Array, outputs: Array) -> None:
    """Write every output into `outputs`; `values` as for `forward`."""


@slot
def forward_listed(network: Any, values: Array, count: int, unlisted: int) -> np.float32:
    """Return the first output for inputs in `values` as `list_inputs` writes them.

    Only some kinds have it.
    """


@slot
def forward_changed(
    network: Any, values: Array, count: int, unlisted: int, side: int
) -> np.float32:
    """Return the same from what has changed since the last time; `values` remember it.

    Only some kinds have it.
    """


def find_network_kind(data: Any) -> types.ModuleType:
    """Return the module of the kind of network that JSON data describes."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str):
        raise PartError('a network is a JSON object with a "kind", such as "graph" or "mlp".')
    # Never a user's file: data must not name programs.
    known = catalog.names("evoboard.networks", "require_inputs")
    if kind not in known:
        raise PartError(unknown("kind of network", kind, known))
    return catalog.find("kind of network", "evoboard.networks", kind, "require_inputs")
