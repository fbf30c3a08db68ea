"""Settings as the tuple of numbers that a kernel reads.

Numba types a tuple by its class, and a stored kernel names the class it was compiled for. So the
class depends on nothing but the names of the fields: every process, and every load of a user's
file, has the same one, and a stored kernel finds it again as an attribute of this module.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

PREFIX, BETWEEN = "Numbers", "·"


def kernel_tuple(values: BaseModel | Mapping[str, Any]) -> Any:
    """Return settings, or other values by name, as a named tuple of what kernels can read.

    A switch is 0 or 1; of a few texts to choose from, the number of the one chosen counts; tables
    become tuples.
    """
    kinds: dict[str, Any] = {}
    if isinstance(values, BaseModel):
        kinds = {name: field.annotation for name, field in type(values).model_fields.items()}
        values = {name: getattr(values, name) for name in kinds}
    return tuple_class(tuple(values))._make(
        _readable(value, kinds.get(name)) for name, value in values.items()
    )


@cache
def tuple_class(fields: tuple[str, ...]) -> Any:
    """Return the one class of named tuples with these fields."""
    make: Any = namedtuple  # mypy wants the name in writing
    made = make(BETWEEN.join((PREFIX, *fields)), fields)
    made.__module__ = __name__
    return made


def __getattr__(name: str) -> Any:
    prefix, *fields = name.split(BETWEEN)
    if prefix != PREFIX:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tuple_class(tuple(fields))


def is_number(annotation: Any) -> bool:
    """Tell whether settings so annotated are numbers for a kernel."""
    return annotation in (bool, int, float) or get_origin(annotation) is Literal


def _readable(value: Any, annotation: Any) -> Any:
    if isinstance(value, BaseModel | Mapping):
        return kernel_tuple(value)
    if get_origin(annotation) is Literal:
        return get_args(annotation).index(value)
    if annotation is float:  # a default may be written 0: one kernel serves it and 0.5
        return float(value)
    return int(value) if isinstance(value, bool) else value
