"""Settings as validated data, and one clear sentence for what is wrong with them.

A part's settings are a frozen pydantic model derived from `Settings`; `read` makes one from plain
data (a TOML table, JSON, command-line words) and names the offending key, its place, and what
would be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from evoboard.core.errors import OptionError, quoted, unknown


class Settings(BaseModel):
    """A part's settings: every value checked, unknown keys refused, never changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


Model = TypeVar("Model", bound=BaseModel)


def read(model: type[Model], data: Any, where: str = "") -> Model:
    """Return the settings in `data`; OptionError names the first wrong key, at `where`."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise OptionError(_sentence(model, error.errors()[0], where)) from None


def _sentence(model: type[BaseModel], problem: ErrorDetails, where: str) -> str:
    """Return what is wrong, where, and what would be right."""
    place = ".".join(str(part) for part in problem["loc"])
    path = ".".join(filter(None, (where, place))) or "the settings"
    kind, given = problem["type"], problem.get("input")
    if kind == "extra_forbidden":
        parent = ".".join(filter(None, (where, *map(str, problem["loc"][:-1]))))
        home = f" of {parent}" if parent else ""
        return unknown(f"setting{home}", str(problem["loc"][-1]), _keys(model, problem["loc"]))
    if kind == "missing":
        return f"{path} is missing; it must be given."
    if kind == "value_error":
        return f"{path}: {_plain(problem['msg'])}" if place else _plain(problem["msg"])
    need = problem["msg"].removeprefix("Input should be ").rstrip(".")
    need = need.partition(", unable to parse")[0]
    shown = quoted(str(given)) if isinstance(given, str) else str(given)[:60]
    return f"{path} is {shown}; it must be {_article(need)}."


def _plain(message: str) -> str:
    text = message.removeprefix("Value error, ")
    return text if text.endswith((".", "?")) else f"{text}."


def _article(need: str) -> str:
    """Return pydantic's words in ours."""
    for theirs, ours in (
        ("a valid integer", "a whole number"),
        ("a valid number", "a number"),
        ("a valid boolean", "true or false"),
        ("a valid string", "text"),
        ("greater than or equal to", "at least"),
        ("less than or equal to", "at most"),
        ("greater than", "more than"),
    ):
        need = need.replace(theirs, ours)
    return need


def _keys(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """Return the keys that are known where an unknown one stands."""
    current: Any = model
    for part in place[:-1]:
        if isinstance(part, int):
            continue
        field = getattr(current, "model_fields", {}).get(part)
        current = _model_in(field.annotation) if field else None
    return sorted(getattr(current, "model_fields", {}))


def _model_in(annotation: Any) -> Any:
    """Return the model that an annotation such as `tuple[Model, ...]` or `Model | None` holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = getattr(annotation, "__args__", ())
    return next((found for part in inner if (found := _model_in(part)) is not None), None)


def plain(settings: BaseModel) -> Mapping[str, Any]:
    """Return settings as plain data: texts, numbers, lists and tables."""
    return settings.model_dump(mode="json")
