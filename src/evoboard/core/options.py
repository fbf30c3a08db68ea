"""Options written behind a name, as in "nim:heaps=3/5/7", "material:depth=3" or "run:mine".

A part that takes options declares them as a model, `class Options(core.settings.Settings)`. What a
text gives without a key ("" as a key) is meant for the field that the model's BARE names.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Mapping
from typing import Any, get_origin

from evoboard.core.errors import OptionError, PartError, quoted
from evoboard.core.settings import Settings, SettingsError, plain, read, shown


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """Return name and options of a text; what has no key of its own gets the key "".

    That is a file's path, or a run's player such as NAME@gen=40#3, with its own equals sign.
    """
    # A colon may also belong to a Windows drive or to an option's value.
    if ":" not in text or re.match(r"\s*[A-Za-z]:[\\/]", text):
        return text.strip() or text, {}
    name, _, rest = text.strip().partition(":")
    options: dict[str, str] = {}
    # A comma separates options only before the next "key=": draughts positions contain commas.
    for part in re.split(r",(?=\s*\w+\s*=)", rest):
        key, equals, value = part.partition("=")
        if not equals or not re.fullmatch(r"\s*\w+\s*", key):
            key, value = "", part
        if key.strip() in options:
            raise OptionError(
                f"cannot read {quoted(text)}: "
                f"the option {quoted(key.strip())} is given twice; give it once."
            )
        options[key.strip()] = value.strip()
    return name, options


def with_options(name: str, options: Mapping[str, Any]) -> str:
    """Return a name with its options as one text, which `split_options` reads."""
    parts = [f"{k}={option_text(v)}" if k else option_text(v) for k, v in options.items()]
    return f"{name}:{','.join(parts)}" if parts else name


def option_text(value: Any) -> str:
    """Return an option's value as it is written."""
    if isinstance(value, bool):
        return str(value).lower()
    return "/".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def options_model(module: types.ModuleType, whose: str) -> type[Settings]:
    """Return the model of a part's options, one without fields where it takes none."""
    model = getattr(module, "Options", Settings)
    if not (isinstance(model, type) and issubclass(model, Settings)):
        raise PartError(
            f"{whose}: Options must be a class derived from evoboard.core.settings.Settings."
        )
    try:
        model.model_rebuild()
    except Exception as error:
        told = str(error).partition("\n")[0]
        raise PartError(f"{whose}: Options have a type that cannot be read: {told}.") from error
    return model


def read_options(model: type[Settings], given: Mapping[str, Any], whose: str) -> Any:
    """Return the options in `given`, values or texts; SettingsError tells what is wrong."""
    values = dict(given)
    if "" in values:
        bare, home = values.pop(""), getattr(model, "BARE", "")
        if not home or home in values:
            name = whose.rpartition(" ")[2]
            raise OptionError(
                f"cannot read {quoted(bare)}; options are written {name}:key=value,… ."
            )
        values[home] = bare
    lists = [k for k, f in model.model_fields.items() if get_origin(f.annotation) is tuple]
    split = {k: v.split("/") for k, v in values.items() if k in lists and isinstance(v, str)}
    try:
        return read(model, {**values, **split}, whose, texts=True)
    except SettingsError as error:
        problem = error.problem
        key, *inner = problem.place or ("",)
        named = f"option {key} of {whose}" if key else whose
        told = problem.called(named).replace("no setting of", "no option of", 1)
        if inner:
            entry = problem.called(f"entry {int(inner[0]) + 1}")
            told = f"{named} is {shown(values[str(key)])}, but {entry}"
        raise SettingsError(told, problem) from None


def make_part(
    module: types.ModuleType,
    make: Callable[..., Any],
    game: Any,
    given: Mapping[str, Any],
    whose: str,
) -> Any:
    """Return what `make(game, options)` makes; `make(game)` of a part that takes no options."""
    takes, model = hasattr(module, "Options"), options_model(module, whose)
    if len(inspect.signature(make).parameters) != 1 + takes:
        raise PartError(
            f"{whose}: {make.__name__} must be {make.__name__}(game, options) where the file has a "
            f"class Options(Settings) that declares them, else {make.__name__}(game)."
        )
    options = read_options(model, given, whose)
    return make(game, options) if takes else make(game)


def require_taking(function: Callable[..., Any], names: str, file: str = "") -> None:
    """Raise for a function of the user's that cannot be called with these arguments."""
    try:
        inspect.signature(function).bind(*names.split(", "))
    except TypeError:
        called = getattr(function, "__qualname__", quoted(function))
        where = f"{file}: " if file else ""
        told = f"{where}{called} is called with ({names}), but does not take that."
        raise OptionError(told) from None
    except ValueError:  # a function without a signature
        pass


def given_options(options: Settings) -> dict[str, Any]:
    """Return the options that were given, without those left at their defaults."""
    return {k: v for k, v in plain(options).items() if k in options.model_fields_set}
