"""A game's rule options: the arguments of its `configure`, as values or read from text."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from evoboard.core.errors import OptionError, PartError, unknown

_FORMS = {int: "a whole number", float: "a number", bool: "true or false"}
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """Return name and options of a text such as "nim:heaps=3/5/7,random=true"."""
    # A colon may also belong to a Windows drive or to an option's value.
    name, colon, rest = (
        text.partition(":") if not re.match(r"[A-Za-z]:[\\/]", text) else (text, "", "")
    )
    if not colon:
        return text, {}
    options = {}
    # A comma separates options only before the next "key=": draughts positions contain commas.
    for part in re.split(r",(?=\s*\w+\s*=)", rest):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise OptionError(
                f"cannot read {part!r} in {text!r}; options are written {name}:key=value,key=value."
            )
        if key.strip() in options:
            raise OptionError(f"option {key.strip()} is given twice in {text!r}; give it once.")
        options[key.strip()] = value.strip()
    return name, options


def explained_options(configure: types.FunctionType | None) -> dict[str, str]:
    """Return what the lines "name: what it does" of the docstring say about options."""
    lines = (inspect.getdoc(configure) or "").splitlines() if configure else []
    found = (re.fullmatch(r"(\w+): (.+)", line) for line in lines)
    return {line[1]: line[2] for line in found if line}


def declared_options(
    configure: types.FunctionType | None, after: int = 0
) -> dict[str, tuple[Any, Any]]:
    """Return each option's annotated type and default; the first `after` arguments are none."""
    if configure is None:
        return {}
    try:
        hints = typing.get_type_hints(configure)
    except Exception as error:
        raise PartError(f"configure has an annotation that cannot be read: {error}.") from error
    parameters = list(inspect.signature(configure).parameters.values())[after:]
    for parameter in parameters:
        if parameter.default is parameter.empty:
            raise PartError(
                f"{configure.__name__}'s option {parameter.name} has no default; "
                f"write {parameter.name}=… ."
            )
    # Without an annotation, an option is of its default's type.
    return {p.name: (hints.get(p.name, type(p.default)), p.default) for p in parameters}


def read_options(
    game: str, configure: types.FunctionType | None, given: Mapping[str, Any], after: int = 0
) -> dict[str, Any]:
    """Return every option of the game with its value, texts converted to the declared types.

    Other parts with options read them, too: their functions have arguments `after` which come those
    that are options.
    """
    declared = declared_options(configure, after)
    for name in given:
        if name not in declared:
            known = [*declared] if after else [*declared, "start"]
            raise OptionError(unknown(f"option of {game}", name, known))
    return {
        name: _read(game, name, kind, given[name]) if name in given else default
        for name, (kind, default) in declared.items()
    }


def _read(game: str, name: str, kind: Any, value: Any) -> Any:
    """Return `value` as the option's type, or say what would be right."""
    if get_origin(kind) is Literal:
        wanted = get_args(kind)
        if value in wanted:
            return value
        raise _wrong(game, name, value, f"one of {', '.join(map(str, wanted))}")
    if not isinstance(value, str):
        return _checked(game, name, kind, value)
    if kind is bool:
        if value.lower() in (*_TRUE, *_FALSE):
            return value.lower() in _TRUE
        raise _wrong(game, name, value, "true or false")
    try:
        if kind in (int, float):
            return kind(value)
        if get_origin(kind) is tuple:
            return tuple(int(part) for part in value.split("/"))
    except ValueError:
        form = _FORMS.get(kind, "whole numbers separated by /, such as 3/5/7")
        raise _wrong(game, name, value, form) from None
    return value


def _checked(game: str, name: str, kind: Any, value: Any) -> Any:
    """Return a value given from Python, if it is of the option's type."""
    if get_origin(kind) is tuple:
        if isinstance(value, list | tuple) and all(type(item) is int for item in value):
            return tuple(value)
        raise _wrong(game, name, value, "a list of whole numbers")
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise _wrong(game, name, value, _FORMS.get(kind, "text"))
    return value


def _wrong(game: str, name: str, value: Any, form: str) -> OptionError:
    return OptionError(f"option {name} of {game} is {value!r}; it must be {form}.")
