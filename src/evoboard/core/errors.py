"""Every error evoboard raises on purpose. Each message names the offender and the remedy.

EvoboardError
├── NotFound            no game, part or file of that name
├── PartError           a part's file cannot be used: syntax, a missing function, a wrong constant
├── KernelError         a kernel cannot be linked, or misbehaves when it runs
├── OptionError         an option is unknown, malformed or out of range
├── EngineError         another program that plays crashes, hangs or does not speak its protocol
└── NotationError       a text does not describe what it should
    ├── MalformedState  the text of a position cannot be read
    ├── ImpossibleState it can be read, but no game can hold it
    ├── MalformedMove   the text of a move cannot be read
    └── IllegalMove     it can be read, but the position does not allow it
"""

from __future__ import annotations

from collections.abc import Iterable

from evoboard.core.wording import listed, nearest, some_of


class EvoboardError(Exception):
    """An error the user can fix: its text is one clear sentence or two."""


class NotFound(EvoboardError):
    """No part, game or file of that name."""


class PartError(EvoboardError):
    """A part's file cannot be used."""


class KernelError(EvoboardError):
    """A kernel cannot be linked, or misbehaves when it runs."""


class OptionError(EvoboardError):
    """An option is unknown, malformed or out of range."""


class EngineError(EvoboardError):
    """Another program that plays crashes, hangs or does not speak its protocol."""


class NotationError(EvoboardError):
    """A text does not describe what it should."""


class MalformedState(NotationError):
    """The text of a position cannot be read."""


class ImpossibleState(NotationError):
    """The position can be read, but no game can hold it."""


class MalformedMove(NotationError):
    """The text of a move cannot be read."""


class IllegalMove(NotationError):
    """The move can be read, but the position does not allow it."""


# What making sense of data can raise where there is none, as in a damaged file.
SENSELESS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence for a name that is not among `known`, with the nearest ones."""
    names = sorted(known)
    near = nearest(name, names)
    hint = (
        f"did you mean {listed(near, 'or')}?" if near else f"known: {some_of(names, 30) or 'none'}."
    )
    return f"there is no {kind} named {quoted(name)}; {hint}"


def in_one_line(error: BaseException) -> str:
    """Return an unexpected error on one line: its kind and its message."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def quoted(value: object) -> str:
    """Return a user's text in quotes, or a value, cut where it is too long for a sentence."""
    if isinstance(value, str):
        if len(value) <= 100 and len(repr(value)) <= 200:
            return repr(value)
        begins = next(part for part in map(repr, (value[:80], value[:16])) if len(part) <= 200)
        return begins + f"… ({len(value)} characters)"
    try:
        written = " ".join(repr(value).split())  # arrays are written on several lines
    except ValueError:  # whole numbers of thousands of digits are not written
        return f"a {type(value).__name__} too long to be written"
    return written if len(written) <= 100 else f"{written[:80]}…"
