"""Run a user's rules so that wrong indices, endless loops and type errors are named by line."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game

# No rule of a board game runs this many lines for one position.
STEP_LIMIT = 2_000_000


class Trouble(Exception):
    """A law is broken; the text says which rule, where, and what would be right."""

    @classmethod
    def of(cls, name: str, error: BaseException, file: str) -> Trouble:
        """Return the trouble for an exception raised inside `name`, by its line in `file`."""
        frames = traceback.extract_tb(error.__traceback__)
        frame = next((f for f in reversed(frames) if f.filename == file), frames[-1])
        linecache.checkcache(frame.filename)
        line = linecache.getline(frame.filename, frame.lineno or 0).strip()
        where = f"line {frame.lineno}: {line}" if line else f"line {frame.lineno}"
        hint = ""
        if isinstance(error, OverflowError):
            hint = " For numbers beyond 63 bits use bit(i) and as_signed of evoboard.core.bits."
        return cls(f"{name} fails ({where}): {type(error).__name__}: {error}.{hint}")

    @classmethod
    def outside(cls, name: str, error: BaseException, file: str) -> Trouble:
        """Return the trouble for a rule that leaves the bounds of an array."""
        told = str(cls.of(name, error, file))
        sizes = "INPUTS" if name == "encode" else "MAX_MOVES or STATE_SIZE"
        return cls(f"{told} Is {sizes} too small, or a square off the board?")


class _Endless(BaseException):
    """Raised inside a rule that does not end; no Exception, so that no rule catches it."""


class _CheckedArray(np.ndarray[Any, Any]):
    """An array that refuses negative indices, which Python and Numba silently take from the end."""

    def __getitem__(self, index: Any) -> Any:
        _refuse_negative(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _refuse_negative(index)
        super().__setitem__(index, value)


def _refuse_negative(index: Any) -> None:
    if isinstance(index, int | np.integer) and index < 0:
        raise IndexError(f"index {index} is below 0")


def seen_in(game: Game, state: Array, problem: str, move: int | None = None) -> Trouble:
    """Return the trouble with the position (and the move) in which it shows."""
    try:
        text = game.state_text(state)
    except Exception:
        text = str(state.tolist())
    moved = "" if move is None else f", move {move}"
    return Trouble(f"{problem}. Seen in position {text}{moved}.")


def run_guarded(game: Game, name: str, rule: Callable[..., Any], *arguments: Any) -> Any:
    """Return the rule's value; raise Trouble where it fails or does not end."""
    guarded = [a.view(_CheckedArray) if isinstance(a, np.ndarray) else a for a in arguments]
    steps = 0

    def count(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        if frame.f_code.co_filename == __file__:
            return None  # the guard of the arrays, not the rule
        steps += 1
        if steps > STEP_LIMIT:
            raise _Endless(frame.f_lineno)
        return count

    earlier = sys.gettrace()
    sys.settrace(count)
    try:
        # Compiled rules raise at a division by zero; NumPy's numbers must, too.
        with np.errstate(divide="raise", invalid="raise"):
            return rule(*guarded)
    except _Endless as error:
        raise Trouble(
            f"{name} does not end: it was still running around line {error} after "
            f"{STEP_LIMIT:,} steps. Check the condition of its loop."
        ) from None
    except EvoboardError:
        raise
    except IndexError as error:
        raise Trouble.outside(name, error, game.file) from error
    except Exception as error:
        raise Trouble.of(name, error, game.file) from error
    finally:
        sys.settrace(earlier)


@contextmanager
def compiling() -> Iterator[None]:
    """Turn what Numba raises while compiling or running a rule into Trouble."""
    try:
        yield
    except IndexError as error:
        raise Trouble(
            f"a rule reads or writes outside an array when it runs compiled ({error}). "
            "Is MAX_MOVES or STATE_SIZE too small, or a square off the board?"
        ) from error
    except Exception as error:
        if not is_numba(error):
            raise
        raise Trouble(describe_numba(error)) from error


def is_numba(error: Exception) -> bool:
    """Tell whether Numba raised it, without importing Numba; not all of its errors are kin."""
    return any(kind.__module__.split(".")[0] == "numba" for kind in type(error).__mro__)


def describe_numba(error: Exception) -> str:
    """Return Numba's message in one sentence: what it cannot compile, and the line."""
    import numba

    text = str(error)
    place = re.findall(r'File "([^"]+)", line (\d+)', text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Failed in", "During:", "File", "def "))]
    # Numba also names lines of its own and of ours; the user's are neither.
    foreign = (str(Path(numba.__file__).parent), str(Path(__file__).parent.parent))
    own = [p for p in place if not p[0].startswith(foreign)] or place
    where = f" ({own[0][0].rsplit('/', 1)[-1]}, line {own[0][1]})" if own else ""
    return (
        f"the rules cannot be compiled{where}: {told[0] if told else type(error).__name__} "
        "Rules are plain loops over numbers and arrays: no lists, dicts, texts or objects."
    )


def describe_failure(error: Exception) -> str:
    """Return what went wrong with a player, as a sentence in one line."""
    if isinstance(error, EvoboardError):
        told = str(error)
    elif is_numba(error):
        told = describe_numba(error)
    else:
        told = f"the player fails: {type(error).__name__}: {error}"
    return " ".join(told.split())
