"""An experiment as a TOML file with every key written out and explained.

The explanations are the settings' own descriptions, so they cannot grow stale.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from evoboard.core.settings import fields_of, model_in
from evoboard.core.toml import WIDTH, toml_line
from evoboard.training.experiment import Experiment, resolved

UNBOUNDED = 2**62  # bounds from here on only keep a number within what a kernel can hold

Fields = Mapping[str, FieldInfo]


def template(experiment: Experiment, heading: str = "") -> str:
    """Return the text of a TOML file that holds the experiment in full, with explanations."""
    lines = _table("", Experiment.model_fields, resolved(experiment))
    text = "\n".join([*heading.splitlines(), *([""] if heading else []), *lines])
    return text.strip("\n") + "\n"


def _table(path: str, fields: Fields, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table: its own keys first, then the tables within it."""
    models = {key: model for key, field in fields.items() if (model := model_in(field.annotation))}
    yield from _keys({k: field for k, field in fields.items() if k not in models}, data)
    for key, model in models.items():
        where = f"{path}.{key}" if path else key
        if get_origin(fields[key].annotation) is tuple:
            yield from _array(where, fields[key], model, data.get(key, []))
        else:
            inner = data.get(key, {})
            yield from ("", f"# {_sentence(model)}", f"[{where}]")
            yield from _table(where, fields_of(model, inner), inner)


def _array(
    where: str, field: FieldInfo, model: type[BaseModel], rows: list[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield an array of tables, one of them as a comment where there is none."""
    known: Fields = model.model_fields
    for row in rows:
        yield from ("", *_comment(f"{field.description} (any number of such tables)"))
        yield f"[[{where}]]"
        fields = fields_of(model, row)
        rest = {key: Field() for key in row if key not in fields}
        yield from _table(where, {**fields, **rest}, row)
    if not rows:
        yield from ("", *_comment(f"{field.description} (none; any number of such tables)"))
        yield f"# [[{where}]]"
        for key, about in known.items():
            yield from _comment(f"{key} = …  {explained(about)}", "#    ")


def _keys(fields: Fields, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each key, with its explanation beside it or, where that is long, above."""
    written = {key: _line(key, data.get(key)) for key in fields}
    column = max((len(line) for line in written.values() if len(line) < 36), default=0)
    for key, line in written.items():
        told = explained(fields[key])
        if not told:
            yield line
        elif len(line) <= column and column + len(told) + 4 <= WIDTH:
            yield f"{line:<{column}}  # {told}"
        else:
            yield from (*_comment(told), line)


def _comment(text: str, indent: str = "# ") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent="# ", subsequent_indent=indent, break_long_words=False
    )


def _line(key: str, value: Any) -> str:
    return f"# {key} = …" if value is None else toml_line(key, value)


def explained(field: FieldInfo) -> str:
    """Return what a key means and which values it takes."""
    told, limits = field.description or "", _limits(field)
    choices = choices_in(field.annotation)
    if choices and not all(choice in told for choice in choices):
        limits = " | ".join(choices)
    return f"{told} ({limits})" if limits else told


def _limits(field: FieldInfo) -> str:
    """Return the bounds of a number in words."""
    signs = ("ge", "gt", "le", "lt")
    found = {s: getattr(b, s) for b in field.metadata for s in signs if hasattr(b, s)}
    found = {sign: bound for sign, bound in found.items() if bound < UNBOUNDED}
    if "ge" in found and "le" in found:
        return f"{_bound(found['ge'])} to {_bound(found['le'])}"
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "below"}
    return ", ".join(f"{words[sign]} {_bound(bound)}" for sign, bound in found.items())


def _bound(value: float) -> str:
    """Return a bound as people write it: 100,000,000 rather than 1e+08."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"


def choices_in(annotation: Any) -> tuple[str, ...]:
    """Return the texts that an annotation such as `Literal["a", "b"]` allows, none where any."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    inner = (choices_in(part) for part in get_args(annotation))
    return next((found for found in inner if found), ())


def _sentence(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().splitlines()[0] if model.__doc__ else ""
