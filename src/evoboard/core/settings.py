"""Settings as validated data, and one clear sentence for what is wrong with them.

A part's settings are a frozen pydantic model derived from `Settings`; `read` makes one from plain
data (a TOML table, JSON, command-line words) and names the offending key, its place, and what
would be right. Nothing is taken for what it is not: neither true for 1, nor "5" for 5; but a switch
may be written 0 or 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from evoboard.core.errors import EvoboardError, OptionError, quoted, unknown
from evoboard.core.wording import counted, nearest, some_of

Place = tuple[int | str, ...]
Share = Annotated[float, Field(ge=0, le=1)]  # also a chance


class Settings(BaseModel):
    """A part's settings: every value checked, unknown keys refused, never changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PartChoice(Settings):
    """A part by its name, in the field `NAMED_BY`, with the part's settings beside that name."""

    model_config = ConfigDict(frozen=True, extra="allow")
    NAMED_BY: ClassVar[str] = "name"
    _settings: Any = PrivateAttr(None)

    @classmethod
    def model_of(cls, name: str) -> type[Settings]:
        """Return the settings of the part of that name; EvoboardError if there is none."""
        raise NotImplementedError

    @property
    def part_name(self) -> str:
        """The part's name."""
        return str(getattr(self, self.NAMED_BY))

    @property
    def settings(self) -> Any:
        """The part's settings, read."""
        return self._settings

    @model_validator(mode="after")
    def _read_part(self) -> Self:
        try:
            model = self.model_of(self.part_name)
        except EvoboardError as error:
            raise wrong_at((self.NAMED_BY,), f"{HERE}: {error}") from error
        self._settings = model.model_validate(self.model_extra)
        return self

    @model_serializer(mode="wrap")
    def _written_out(self, own: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return the name, then all of the part's settings, then what else there is."""
        fields = {key: value for key, value in own(self).items() if key in type(self).model_fields}
        name = {self.NAMED_BY: fields.pop(self.NAMED_BY)}
        return {**name, **plain(self._settings), **fields}


HERE = "\0"  # in what is said of a problem: where the name of its place goes


class Problem(NamedTuple):
    """What is wrong with settings: the place, and what is to be said about it."""

    place: Place
    text: str

    def called(self, name: str) -> str:
        """Return the sentence, with this name for the place; "" for the settings as a whole."""
        if name:
            return self.text.replace(HERE, name)
        text = self.text.removeprefix(f"{HERE}: ").replace(f" of {HERE} ", " ")
        return text.replace(HERE, "the settings")


class SettingsError(OptionError):
    """Settings that are wrong; `problem` says where, and what."""

    def __init__(self, told: str, problem: Problem | None = None) -> None:
        super().__init__(told)
        self.problem = problem or Problem((), f"{HERE}: {told}")


def wrong_at(place: Place, text: str) -> ValidationError:
    """Return the error for a check of a model's to raise: what is wrong, below the model itself."""
    said = PydanticCustomError("said", "{text}", {"text": text})
    row = InitErrorDetails(type=said, loc=place, input=None)
    return ValidationError.from_exception_data("settings", [row])


Model = TypeVar("Model", bound=BaseModel)


def read(model: type[Model], data: Any, where: str = "", *, texts: bool = False) -> Model:
    """Return the settings in `data`; SettingsError names the first wrong key, at `where`.

    With `texts`, numbers and truth values may be written as texts, as in `material:depth=3`.
    """
    try:
        found = model.model_validate(data)
    except ValidationError as error:
        problem = problem_of(model, data, error.errors())
    else:
        first = next(_mistaken(data, found, texts), None)
        if first is None:
            return found
        problem = first
    raise SettingsError(problem.called(_path(where, problem.place)), problem)


def fields_of(model: type[BaseModel], data: Any) -> dict[str, FieldInfo]:
    """Return the fields of a table; those of the part that it names are among them."""
    fields = dict(model.model_fields)
    if issubclass(model, PartChoice):
        given = data.get(model.NAMED_BY) if isinstance(data, Mapping) else None
        name = model.model_fields[model.NAMED_BY].get_default() if given is None else given
        with suppress(EvoboardError):
            fields |= model.model_of(name).model_fields if isinstance(name, str) else {}
    return fields


def plain(settings: BaseModel) -> Mapping[str, Any]:
    """Return settings as plain data: texts, numbers, lists and tables."""
    return settings.model_dump(mode="json")


def without_none(data: Any) -> Any:
    """Return plain data without what is None, for files that have no word for it."""
    if isinstance(data, Mapping):
        return {key: without_none(value) for key, value in data.items() if value is not None}
    return [without_none(value) for value in data] if isinstance(data, list) else data


def shown(value: Any) -> str:
    """Return a value as TOML writes it, cut where it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key} = {shown(cell)}" for key, cell in value.items()) + "}"
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(map(shown, value))}]"
    elif isinstance(value, int) and value.bit_length() > 1000:
        text = hex(value)  # Python writes no decimal number of some thousand digits
    else:
        text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:57]}…"


def problem_of(model: type[BaseModel], data: Any, problems: Sequence[ErrorDetails]) -> Problem:
    """Return the first problem: where, what is wrong, and what would be right."""
    problem = _telling(problems)
    kind, place, context = problem["type"], problem["loc"], problem.get("ctx", {})
    if kind == "said":
        return Problem(place, context["text"])
    if kind in _UNKNOWN:
        keys = _keys(model, data, place)
        return Problem(place[:-1], unknown(f"setting of {HERE}", str(place[-1]), keys))
    if kind in _MISSING:
        return Problem(place, f"{HERE} is missing; it must be given.")
    if kind in ("value_error", "assertion_error"):
        told = str(context.get("error") or problem["msg"].partition(", ")[2])
        return Problem(place, f"{HERE}: {told}{'' if told.endswith(('.', '?')) else '.'}")
    return Problem(place, f"{HERE} {_wrong(model, data, problem)}")


def sentence_of(name: str, error: ValidationError) -> str:
    """Return what is wrong with one value that was given as text, as on a command line."""
    problem = error.errors()[0]
    if problem["type"] in _BOUNDS:  # then it is a number, and is shown as one
        with suppress(ValueError):
            problem["input"] = _number(str(problem["input"]))
    return problem_of(BaseModel, None, [problem]).called(name)


def _number(text: str) -> int | float:
    """Return the number that a text is; ValueError if it is none."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def _wrong(model: type[BaseModel], data: Any, problem: ErrorDetails) -> str:
    """Return what a value is, and what it must be."""
    kind, place, given = problem["type"], problem["loc"], problem.get("input")
    context = problem.get("ctx", {})
    if kind in _TABLES:
        such = _such(_keys(model, data, (*place, "")))
        return f"is {shown(given)}; it must be a table{such}."
    if kind in _LISTS:
        like = _like(_annotation(model, data, place)[0], given)
        return f"is {shown(given)}; it must be a list, such as {like}."
    if kind in ("literal_error", "enum"):
        return f"is {shown(given)}; it must be {_choice(context['expected'], given)}"
    if kind in ("too_short", "too_long"):
        length = context.get("actual_length")  # None where pydantic stopped counting
        length = len(given) if length is None and isinstance(given, Sized) else length or 0
        has = counted(length, "entry", "entries")
        return f"has {has}; it must have {_need(kind, context)}."
    need = _need(kind, context)
    if isinstance(given, bool) and kind in _BOUNDS:
        need = f"a number, {need}"
    return f"is {_grouped(given)}; it must be {need}."


# What pydantic finds wrong, by the kinds of its errors, in our words.
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument", "no_such_attribute", "invalid_key")
_MISSING = (
    "missing",
    "missing_argument",
    "missing_keyword_only_argument",
    "missing_positional_only_argument",
    "union_tag_not_found",
)
_TABLES = (
    "model_type",
    "model_attributes_type",
    "dataclass_type",
    "dataclass_exact_type",
    "dict_type",
    "frozen_dict_type",
    "ordered_dict_type",
    "counter_type",
    "mapping_type",
    "arguments_type",
    "get_attribute_error",
)
_LISTS = (
    "tuple_type",
    "named_tuple_type",
    "list_type",
    "set_type",
    "frozen_set_type",
    "deque_type",
    "iterable_type",
    "iteration_error",
    "unexpected_positional_argument",
)
_BOUNDS = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
}
_NEEDS = _BOUNDS | {
    "finite_number": "a finite number",
    "none_required": "left out",
    "is_instance_of": "a {class}",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text of the form {pattern}",
    "string_not_ascii": "text without letters beyond a to z",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
    "union_tag_invalid": "one of {expected_tags}",
    "set_item_not_hashable": "text or a number",
}
# By the first word of a kind, where no kind of its own is listed above.
_FAMILIES = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "fraction": "a number",
    "complex": "a number",
    "string": "text",
    "bytes": "text",
    "callable": "a function",
    "date": "a date",
    "datetime": "a date with a time",
    "time": "a time",
    "timezone": "a time with its zone",
    "url": "an address such as https://example.org",
    "uuid": "a UUID",
}


def _grouped(value: Any) -> str:
    """Return a value as sentences show it: whole numbers with separators between thousands."""
    whole = isinstance(value, int) and 10_000 <= abs(value) < 10**18
    return f"{value:,}" if whole else shown(value)


def _bound(value: Any) -> str:
    """Return a bound as people write it: 0 rather than 0.0, 100,000 rather than 100000."""
    if isinstance(value, float):
        return f"{value:g}"
    return _grouped(value) if isinstance(value, int) else str(value)


def _need(kind: str, context: Mapping[str, Any]) -> str:
    if kind in _NEEDS:
        return _NEEDS[kind].format_map({key: _bound(value) for key, value in context.items()})
    return _FAMILIES.get(kind.partition("_")[0], "left out: no value in a file can be right")


def _telling(problems: Sequence[ErrorDetails]) -> ErrorDetails:
    """Return the problem to speak of: a misspelt key before the key that is missing for it."""
    first = problems[0]
    if first["type"] in _MISSING:
        home = first["loc"][:-1]
        for other in problems:
            if other["type"] in _UNKNOWN and other["loc"][:-1] == home:
                return other
    return first


def _such(keys: Sequence[str]) -> str:
    """Return how the settings of a table are written."""
    dotted = [f"{HERE}.{key}" for key in keys]
    return f": set {dotted[0] if len(dotted) == 1 else some_of(dotted, 4, 'or')}" if dotted else ""


def _like(annotation: Any, given: Any) -> str:
    """Return a list of the right kind, with what was given for it where that may be meant."""
    of = next((kind for kind in get_args(annotation) if kind is not ...), None)
    if (model := model_in(of)) is not None:
        return "[{" + f"{next(iter(model.model_fields))} = …" + "}]"
    if of is str and isinstance(given, str | int | float):
        text = given if isinstance(given, str) else shown(given)
        return '["' + text.replace('"', "'")[:40] + '"]'
    return f"[{shown(given)}]" if isinstance(given, bool | int | float) else "[…]"


def _choice(expected: str, given: Any) -> str:
    """Return the end of the sentence about a value that is none of a few."""
    words = re.findall(r"'([^']*)'", expected)
    near = nearest(given, words, most=1) if isinstance(given, str) and len(words) > 1 else []
    return f"{expected}; did you mean {near[0]}?" if near else f"{expected}."


def _mistaken(given: Any, found: Any, texts: bool, place: Place = ()) -> Iterator[Problem]:
    """Yield what pydantic took for something else."""
    if isinstance(found, BaseModel):
        part = found.settings if isinstance(found, PartChoice) else None
        for key, value in given.items() if isinstance(given, Mapping) else ():
            home = found if key in type(found).model_fields else part
            yield from _mistaken(value, getattr(home, key, None), texts, (*place, key))
    elif isinstance(found, list | tuple):
        if not isinstance(given, list | tuple) or list(map(type, given)) == list(map(type, found)):
            return  # nothing was converted but, perhaps, the list itself
        for i, (one, other) in enumerate(zip(given, found, strict=False)):
            yield from _mistaken(one, other, texts, (*place, i))
    elif isinstance(found, bool | int | float) and isinstance(given, bool | str):
        is_switch = isinstance(found, bool)
        if (texts and isinstance(given, str)) or (is_switch and isinstance(given, bool)):
            return
        number = "a whole number" if isinstance(found, int) else "a number"
        need = "true or false" if is_switch else number
        yield Problem(place, f"{HERE} is {shown(given)}; it must be {need}.")


def _path(where: str, place: Place) -> str:
    return ".".join(filter(None, (where, *map(str, place))))


def _keys(model: type[BaseModel], data: Any, place: Place) -> list[str]:
    """Return the keys that are known where an unknown one stands."""
    annotation, table = _annotation(model, data, place[:-1])
    found = model_in(annotation)
    return list(fields_of(found, table)) if found else []


def _annotation(model: type[BaseModel], data: Any, place: Place) -> tuple[Any, Any]:
    """Return what may stand at a place, of a list what its entries may be, and what does stand."""
    current: Any = model
    for part in place:
        if not isinstance(part, int):
            home = model_in(current)
            field = fields_of(home, data).get(part) if home else None
            current = field.annotation if field else None
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            data = None
    return current, data


def model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that an annotation such as `tuple[Model, ...]` or `Model | None` holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (model_in(part) for part in get_args(annotation))
    return next((found for found in inner if found is not None), None)
