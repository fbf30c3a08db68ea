"""Kernels with other constants: how encoders take options and the sizes of a game."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any


def with_constants(kernel: Callable[..., Any], **constants: Any) -> Callable[..., Any]:
    """Return a copy of a kernel that reads these constants in place of its module's own."""
    assert isinstance(kernel, types.FunctionType)
    scope = {**kernel.__globals__, **constants}
    copy = types.FunctionType(kernel.__code__, scope, kernel.__name__, kernel.__defaults__)
    copy.__module__, copy.__doc__ = kernel.__module__, kernel.__doc__
    return copy
