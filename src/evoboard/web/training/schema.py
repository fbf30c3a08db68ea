"""The form of an experiment: sections of entries, made from the settings' own schemas.

Titles, explanations, bounds and choices are the settings'; a new setting needs no code here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evoboard.core.settings import PartChoice, fields_of, model_in
from evoboard.encoders.base import encoder_names
from evoboard.evolution.base import strategy_names
from evoboard.experiments.fitting import can_judge, can_search
from evoboard.experiments.template import choices_in, explained
from evoboard.games.base import Game
from evoboard.search.base import search_names
from evoboard.training.experiment import Experiment
from evoboard.training.fitness_functions.base import fitness_function_names
from evoboard.training.grades.base import has_grade

# whole and number: figures; lines: texts, one a line; numbers: several; tables: rows of columns.
Kind = Literal["whole", "number", "switch", "choice", "text", "lines", "numbers", "tables"]
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class FormEntry:
    """One setting to fill in; `place` leads to it in the values (see `form_values`)."""

    place: Place
    kind: Kind
    about: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False
    default: Any = None
    columns: tuple[FormEntry, ...] = ()

    @property
    def title(self) -> str:
        """The setting's name for people; a part's name is titled by the kind of part."""
        return title_of(str(self.place[0 if self.is_part else -1]))

    @property
    def is_part(self) -> bool:
        """Tell whether this names a part, whose settings stand beside it."""
        return len(self.place) == 2 and self.place[1] == "name"


@dataclass(frozen=True)
class FormSection:
    """Settings that belong together, and those within them."""

    place: Place
    title: str
    about: str
    entries: tuple[FormEntry, ...]
    sections: tuple[FormSection, ...] = ()

    def found(self, text: str, above: str = "") -> Iterator[tuple[str, FormEntry]]:
        """Yield the entries that a text is found in, each with the titles of its sections."""
        path = f"{above} › {self.title}" if above else self.title
        for entry in self.entries:
            words = f"{path} {entry.title} {entry.about}".lower()
            if all(word in words for word in text.lower().split()):
                yield path, entry
        for section in self.sections:
            yield from section.found(text, path)

    def all_entries(self) -> Iterator[FormEntry]:
        """Yield the entries of this section and of all within it."""
        yield from self.entries
        for section in self.sections:
            yield from section.all_entries()


# What is asked first; everything else is in the sections. A search has one of the last two.
FIRST: tuple[Place, ...] = (
    ("game", "name"),
    ("strategy", "population"),
    ("generations",),
    ("search", "depth"),
    ("search", "rounds"),
)
# What the explanation in a file would not tell people who fill in a form.
SECTIONS = {
    "search": "How players choose their moves.",
    "strategy": "How the next generation is bred.",
    "fitness": "Who plays whom, and what a win is worth.",
    "measure": "How often champions are tested, against whom.",
    "record": "Which games and networks are kept.",
}
ABOUT: dict[Place, str] = {
    ("search", "depth"): "How many plies players look ahead",
    ("search", "rounds"): "How many games are tried out in thought before each move",
}


def sections_of(values: Mapping[str, Any], game: Game, games: list[str]) -> list[FormSection]:
    """Return the form for the game, strategy and search that a form's values name."""
    known = {("game", "name"): tuple(games), **part_names(game)}
    tables = {key: model for key, f in Experiment.model_fields.items() if (model := _table(f))}
    own = {k: f for k, f in Experiment.model_fields.items() if k not in tables}
    found = []
    for key, model in tables.items():
        fields = fields_of(model, values.get(key))
        about = SECTIONS.get(key) or _about(model)
        section = _section((key,), title_of(key), about, fields, known, values.get(key))
        if key == "game":
            section = replace(section, entries=(*option_entries(game), *section.entries))
        elif key == "search":
            section = _with_later_columns(section)
        elif key == "measure" and not has_grade(game):
            section = _without(section, "grade")
        elif key == "fitness" and not functions_for(game):
            section = _without(section, "function")
        found.append(section)
    return [*found, _section((), "About", "A description for people.", own, known, values)]


def _without(section: FormSection, key: str) -> FormSection:
    """Return a section without a setting that the game has no use for."""
    return replace(section, entries=tuple(e for e in section.entries if e.place[-1] != key))


def title_of(key: str) -> str:
    """Return a key as people write it: "Add link" for add_link."""
    return key.replace("_", " ").capitalize()


def part_names(game: Game) -> dict[Place, tuple[str, ...]]:
    """Return the names of parts that a game can use, where the schema allows any text."""
    return {
        ("player", "encoder"): ("", *encoder_names(game)),
        ("search", "name"): tuple(searches_for(game)),
        ("strategy", "name"): tuple(strategy_names()),
        ("fitness", "function"): ("", *functions_for(game)),
    }


def searches_for(game: Game) -> list[str]:
    """Return the searches that can play a game."""
    return [name for name in search_names() if can_search(name, game)]


def functions_for(game: Game) -> list[str]:
    """Return the functions of game records that come with evoboard and are about a game."""
    return [name for name in fitness_function_names() if can_judge(name, game)]


def _section(
    place: Place,
    title: str,
    about: str,
    fields: Mapping[str, FieldInfo],
    known: Mapping[Place, tuple[str, ...]],
    data: Any,
) -> FormSection:
    entries, inner = [], []
    for key, field in fields.items():
        where, model = (*place, key), model_in(field.annotation)
        held = data.get(key) if isinstance(data, Mapping) else None
        if _table(field) and model:
            told = _about(model)
            inner.append(_section(where, title_of(key), told, model.model_fields, known, held))
        elif model and issubclass(model, PartChoice):
            inner += _part_sections(where, model, held or ())
        else:
            entries.append(_entry(where, field, known.get(where, ())))
    return FormSection(place, title, about, tuple(entries), tuple(inner))


def _part_sections(place: Place, model: type[PartChoice], rows: Sequence[Any]) -> list[FormSection]:
    """Return a section for each part of a list."""
    found = []
    for i, row in enumerate(rows):
        name = str(row[model.NAMED_BY])
        fields = {k: f for k, f in fields_of(model, row).items() if k != model.NAMED_BY}
        about = _about(model.model_of(name))
        found.append(_section((*place, i), title_of(name), about, fields, {}, row))
    return found


def _entry(place: Place, field: FieldInfo, names: tuple[str, ...]) -> FormEntry:
    """Return the entry of a field that holds no table of its own."""
    annotation: Any = field.annotation
    about = ABOUT.get(place) or _sentence(explained(field))
    if get_origin(annotation) is tuple:
        model = model_in(annotation)
        if model is not None:
            columns = tuple(_entry((k,), f, ()) for k, f in model.model_fields.items())
            return FormEntry(place, "tables", about, columns=columns)
        texts = get_args(annotation)[0] is str
        return FormEntry(place, "lines" if texts else "numbers", about, default=_default(field))
    choices = names or choices_in(annotation)
    plain = {bool: "switch", int: "whole", float: "number", str: "text"}
    parts = [part for part in get_args(annotation) or (annotation,) if part is not type(None)]
    kind: Any = "choice" if choices else plain.get(parts[0], "text")
    if choices:  # they can be seen
        about = about.partition(" (")[0] if " | " in about else about
    optional = type(None) in get_args(annotation)
    return FormEntry(place, kind, about, tuple(choices), optional, _default(field))


def _default(field: FieldInfo) -> Any:
    value = None if field.is_required() else field.get_default()
    return list(value) if isinstance(value, tuple) else value


def option_entries(game: Game) -> tuple[FormEntry, ...]:
    """Return an entry for each option of a game's rules."""
    fields = game.options_model.model_fields
    return tuple(_entry(("game", "options", name), field, ()) for name, field in fields.items())


def _with_later_columns(section: FormSection) -> FormSection:
    """Return the search's section, in which any number can be changed from some generation on."""
    later = next(e for e in section.entries if e.place[-1] == "later")
    rest = tuple(e for e in section.entries if e is not later)
    numbers = tuple(
        FormEntry((e.place[-1],), e.kind, "", e.choices, optional=True)
        for e in rest
        if e.kind in ("whole", "number")
    )
    later = replace(later, columns=(*later.columns, *numbers))
    return replace(section, entries=(*rest, later))


def _table(field: FieldInfo) -> type[BaseModel] | None:
    """Return the model of a field that is a table, not a list of them."""
    annotation: Any = field.annotation
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if is_model else None


def _about(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().partition("\n")[0]


def _sentence(text: str) -> str:
    """Return an explanation with a capital letter, without what only applies to files and the
    command line."""
    text = re.sub(r",? or FILE\.py(:name)?", "", text)
    is_word = "_" not in text.partition(" ")[0]
    return text[:1].upper() + text[1:] if is_word else text
