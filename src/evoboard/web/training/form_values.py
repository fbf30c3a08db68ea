"""An experiment as a form holds it, and what is wrong with it.

The values are an experiment's plain data with every default written out, except that the game's
options are a table of their own: {"game": {"name": "nim", "options": {"heaps": [8]}, …}, …}.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from evoboard.core.errors import EvoboardError, NotFound, OptionError, unknown
from evoboard.core.options import option_text, split_options, with_options
from evoboard.core.settings import HERE, Problem, SettingsError, plain, without_none
from evoboard.evolution.base import find_strategy
from evoboard.evolution.mutations.base import find_mutation, mutation_names
from evoboard.experiments.fitting import fitted
from evoboard.games.base import Game
from evoboard.search.base import find_search
from evoboard.training.experiment import Experiment, read_experiment, resolved
from evoboard.training.grades.base import has_grade
from evoboard.web.opponents import require_offered
from evoboard.web.training.schema import FormEntry, Place, part_names, title_of

LoadGame = Callable[[str], Game]


def form_values(experiment: Experiment, load_game: LoadGame) -> dict[str, Any]:
    """Return an experiment as a form holds it; `load_game` decides which games may be named."""
    data = resolved(experiment)
    data["strategy"] = _with_all_mutations(data["strategy"])
    game = load_game(data["game"]["name"])
    name = split_options(data["game"]["name"])[0]
    return {**data, "game": {**data["game"], "name": name, "options": dict(game.options)}}


def experiment_data(values: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """Return the experiment's plain data in a form's values, without what is left empty."""
    table = dict(values["game"])
    options = table.pop("options", {})
    fields = game.options_model.model_fields
    usual = {name: option_text(field.default) for name, field in fields.items()}
    changed = {key: v for key, v in options.items() if option_text(v) != usual.get(key)}
    table["name"] = with_options(table["name"], changed)
    found = {**without_none(values), "game": without_none(table)}
    strategy = found.get("strategy", {})
    if "mutations" in strategy and not strategy.get("alternative"):
        # One that may come instead of another is wanted even where its own chance is 0.
        used = [row for row in strategy["mutations"] if row.get("chance") != 0]
        found["strategy"] = {**strategy, "mutations": used}
    return found


def _with_all_mutations(strategy: dict[str, Any]) -> dict[str, Any]:
    """Return a strategy's table; mutations that it does not list are included, switched off."""
    if "mutations" not in strategy:
        return strategy
    listed = {row["kind"] for row in strategy["mutations"]}
    off = [
        {"kind": name, **plain(find_mutation(name).Settings(chance=0))}
        for name in mutation_names()
        if name not in listed
    ]
    return {**strategy, "mutations": [*strategy["mutations"], *without_none(off)]}


def with_part(values: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    """Return the values with another strategy or search, at that one's usual settings."""
    if kind == "strategy":
        settings = dict(plain(find_strategy(name).Settings()))
        if "population" in settings and "population" in values["strategy"]:
            settings["population"] = values["strategy"]["population"]
        return {**values, "strategy": _with_all_mutations({"name": name, **settings})}
    defaults = plain(find_search(name).Settings())
    return {**values, "search": {"name": name, **defaults, "later": []}}


def with_game(values: dict[str, Any], game: Game, name: str) -> dict[str, Any]:
    """Return the values with another game and its own rules; what it cannot use is replaced."""
    found = fitted(values, game)
    if found["search"]["name"] != values["search"]["name"]:
        found = with_part(found, "search", found["search"]["name"])
    found["fitness"] = {**found["fitness"], "opening_plies": None}  # the game knows how many
    return {**found, "game": {"name": name, "options": dict(game.options)}}


# --- one entry ----------------------------------------------------------------------------------


def value_at(values: Any, place: Place) -> Any:
    """Return what stands at a place of the values, None if nothing does."""
    for key in place:
        try:
            values = values[key]
        except (KeyError, IndexError, TypeError):
            return None
    return values


def put(values: dict[str, Any], place: Place, value: Any) -> None:
    """Set what stands at a place of the values."""
    current: Any = values
    for key in place[:-1]:
        current = current[key] if isinstance(key, int) else current.setdefault(key, {})
    current[place[-1]] = value


def to_control(entry: FormEntry, value: Any) -> Any:
    """Return a value as its control shows it."""
    if entry.kind == "switch":
        return value is True or value == "true"
    if entry.kind == "lines":
        return "\n".join(map(str, value or ()))
    if entry.kind == "numbers":
        return ", ".join(map(str, value or ()))
    if value is None:
        return None if entry.kind == "choice" else ""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def from_control(entry: FormEntry, raw: Any) -> Any:
    """Return the value of a control's content, unchanged if it cannot be read."""
    if entry.kind == "switch":
        return bool(raw)
    text = str(raw if raw is not None else "").strip()
    if entry.kind == "lines":
        return [line.strip() for line in text.splitlines() if line.strip()]
    if entry.kind == "numbers":
        return [_number(part, int) for part in re.split(r"[,;\s]+", text) if part]
    if not text and entry.optional:
        return None
    if entry.kind in ("whole", "number"):
        return _number(text.replace("−", "-"), int if entry.kind == "whole" else float)
    return text


def _number(text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        return text


# --- what is wrong ------------------------------------------------------------------------------


def find_problem(values: Mapping[str, Any], load_game: LoadGame) -> Problem | None:
    """Return what is wrong with a form's values and where, None if they are an experiment."""
    try:
        game = _allowed_game(values, load_game)
        require_known_parts(values, game)
        read_experiment(experiment_data(values, game))
    except SettingsError as error:
        return Problem(error.problem.place, beside(error.problem))
    except EvoboardError as error:
        return Problem((), str(error))
    return None


def beside(problem: Problem) -> str:
    """Return what is wrong as it is said beside a control: "Population is 0; …"."""
    bare = Problem((), problem.text.removeprefix(f"{HERE}: "))
    told = bare.called(title_of(str(problem.place[-1])) if problem.place else "")
    told = told.replace(" is ''; ", " is empty; ", 1)
    return told[:1].upper() + told[1:]


def _refused(place: Place, told: str) -> SettingsError:
    return SettingsError(told, Problem(place, told))


def _allowed_game(values: Mapping[str, Any], load_game: LoadGame) -> Game:
    name = str(values["game"]["name"])
    try:
        game = load_game(name)
        return load_game(experiment_data({"game": values["game"]}, game)["game"]["name"])
    except SettingsError as error:
        place = ("game", "options", *error.problem.place[:1])
        raise _refused(place, str(error)) from error
    except EvoboardError as error:
        raise _refused(("game", "name"), str(error)) from error


def require_known_parts(values: Mapping[str, Any], game: Game) -> None:
    """Refuse parts in files: a file is a program, and only the command line may name one."""
    known = part_names(game)
    if value_at(values, ("measure", "grade")) is True and not has_grade(game):
        raise _refused(("measure", "grade"), f"There is no grade for {game.name}; switch it off.")
    for row, _ in enumerate(value_at(values, ("strategy", "mutations")) or ()):
        known["strategy", "mutations", row, "kind"] = tuple(mutation_names())
    for place, names in known.items():
        name = value_at(values, place)
        if name is not None and name not in names:
            offered = [name for name in names if name]
            raise _refused(place, unknown(f"{place[0]} here", str(name), offered))
    players: list[tuple[Place, str]] = [
        (("measure", "anchors"), text) for text in value_at(values, ("measure", "anchors")) or ()
    ]
    for row, against in enumerate(value_at(values, ("fitness", "against")) or ()):
        where: Place = ("fitness", "against", row, "players")
        players += [(where, text) for text in against.get("players") or ()]
    for where, text in players:
        try:
            require_offered(str(text))
        except (OptionError, NotFound) as error:
            raise _refused(where, str(error)) from error
