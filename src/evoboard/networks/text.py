"""What all kinds of networks share: exact JSON forms, and the checks of what goes into them."""

from __future__ import annotations

import json
from typing import Any, Protocol

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError, quoted

VERSION = 1


class Source(Protocol):
    """What fills a network's inputs: an encoder."""

    @property
    def name(self) -> str: ...

    @property
    def inputs(self) -> int: ...


def exact(values: Array) -> list[float]:
    """Return float32 numbers as the shortest decimals that are read back as the same ones."""
    return [float(str(value)) for value in np.asarray(values, np.float32)]


def form(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON data of a network of that kind."""
    return {"kind": kind, "version": VERSION, **content}


def content_of(data: Any, kind: str) -> dict[str, Any]:
    """Return the JSON data of a network, given as it is or as text, once its head is right."""
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise PartError(f"the text of a network must be JSON: {error}.") from None
    if not isinstance(data, dict) or data.get("kind") != kind:
        raise PartError(f'a network of this kind is a JSON object with "kind": "{kind}".')
    if data.get("version") != VERSION:
        found = data.get("version")
        raise PartError(f"the network's version is {quoted(found)}; this evoboard reads {VERSION}.")
    return data


def fit_inputs(inputs: int, encoder: Source) -> None:
    """Raise OptionError if networks of that many inputs do not fit an encoder."""
    if inputs != encoder.inputs:
        raise OptionError(
            f"the network has {inputs} inputs, but the encoder {encoder.name} gives "
            f"{encoder.inputs}; use another encoder or a network of {encoder.inputs} inputs."
        )


def field(content: dict[str, Any], name: str, kind: type) -> Any:
    """Return a field of that type; a whole number is also a float."""
    value = content.get(name)
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (isinstance(value, bool) and kind is not bool):
        form = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
        wanted = form.get(kind, f"a {kind.__name__}")
        raise PartError(f"the field {name!r} of a network is {quoted(value)}; it must be {wanted}.")
    return value


def numbers(values: Any, what: str, minimum: float | None = None) -> Array:
    """Return finite float32 numbers in one dimension, read-only; `minimum` is excluded."""
    try:
        given = np.asarray(values)
    except ValueError:  # rows of unequal length
        given = np.array(None)
    if given.dtype.kind not in "fiu":
        raise OptionError(f"{what} must be numbers; {str(values)[:60]} are not.")
    # A number too large for float32 becomes infinite, which is refused below.
    with np.errstate(over="ignore"):
        array = given.astype(np.float32)
    if array.ndim != 1:
        raise OptionError(
            f"{what} must be one row of numbers, not {array.ndim} dimensions of them."
        )
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise OptionError(f"{what} must be finite numbers; number {at} is {array[at]}.")
    if minimum is not None and not (array > minimum).all():
        at = int(np.flatnonzero(~(array > minimum))[0])
        raise OptionError(f"{what} must be above {minimum:g}; number {at} is {array[at]}.")
    array.flags.writeable = False
    return array
