"""Run a user's rules so that wrong indices, endless loops and type errors are named by line."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

# No rule of a board game runs this many lines for one position.
STEP_LIMIT = 2_000_000


class Trouble(Exception):
    """A law is broken; the text says which rule, where, and what would be right."""

    @classmethod
    def of(cls, name: str, error: BaseException) -> Trouble:
        """Return the trouble for an exception raised inside the rule `name`."""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        line = linecache.getline(frame.filename, frame.lineno or 0).strip()
        where = f"line {frame.lineno}: {line}" if line else f"line {frame.lineno}"
        if isinstance(error, IndexError):
            return cls(
                f"{name} reads or writes outside an array ({where}): {error}. "
                "Is MAX_MOVES or STATE_SIZE too small, or a square off the board?"
            )
        return cls(f"{name} fails ({where}): {type(error).__name__}: {error}.")


class _Endless(BaseException):
    """Raised inside a rule that does not end; no Exception, so that no rule catches it."""


def run_watched(name: str, rule: Callable[..., Any], *arguments: Any) -> Any:
    """Return the rule's value; raise Trouble where it fails or does not end."""
    steps = 0

    def count(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps > STEP_LIMIT:
            raise _Endless(frame.f_lineno)
        return count

    earlier = sys.gettrace()
    sys.settrace(count)
    try:
        return rule(*arguments)
    except _Endless as error:
        raise Trouble(
            f"{name} does not end: it was still running around line {error} after "
            f"{STEP_LIMIT:,} steps. Check the condition of its loop."
        ) from None
    except Exception as error:
        raise Trouble.of(name, error) from error
    finally:
        sys.settrace(earlier)


@contextmanager
def compiling() -> Iterator[None]:
    """Turn what Numba raises while compiling or running a rule into Trouble."""
    from numba.core.errors import NumbaError

    try:
        yield
    except NumbaError as error:
        raise Trouble(describe_numba(error)) from error
    except IndexError as error:
        raise Trouble(
            f"a rule reads or writes outside an array when it runs compiled ({error}). "
            "Is MAX_MOVES or STATE_SIZE too small, or a square off the board?"
        ) from error


def describe_numba(error: Exception) -> str:
    """Return Numba's message in one sentence: what it cannot compile, and the line."""
    text = str(error)
    place = re.findall(r'File "([^"]+)", line (\d+)', text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Failed in", "During:", "File", "def "))]
    where = f" ({place[-1][0].rsplit('/', 1)[-1]}, line {place[-1][1]})" if place else ""
    return (
        f"the rules cannot be compiled{where}: {told[0] if told else type(error).__name__} "
        "Rules are plain loops over numbers and arrays: no lists, dicts, texts or objects."
    )
