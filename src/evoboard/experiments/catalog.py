"""Find an experiment by name, by its paper's name for it, in a user's own file, or by a game.

A file may begin with `extends = "NAME"` (or a FILE.toml beside it) and hold only what differs.
Tables are merged, but one that names another part (`name = …`) is reset; `departures` are added
to the base's; everything else takes the place of what the base says.

A game (GAME.py, or the name of one of ours, with options) means settings that fit it: `fitting.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evoboard.core.errors import NotFound, OptionError, quoted, unknown
from evoboard.core.options import split_options
from evoboard.core.wording import by_file_name
from evoboard.experiments.fitting import fitted, settings_for
from evoboard.games.base import game_names, load_game
from evoboard.training.changes import merged
from evoboard.training.experiment import Experiment, read_experiment, read_toml
from evoboard.training.files import with_files_beside

FOLDER = Path(__file__).parent
DEEPEST = 10  # bases of bases


def experiment_names() -> list[str]:
    """Return the names of the experiments that come with evoboard."""
    return [path.stem for path in _files()]


def load(text: str, changes: Sequence[str] = ()) -> Experiment:
    """Return the experiment called `text`, in that FILE.toml, or for that game, with changes such
    as key=value."""
    data = tables(text)
    try:
        return read_experiment(data, changes)
    except OptionError as error:
        if not _is_file(text):
            raise
        if changes:
            _require_sound(text, data)  # else the changes are wrong, and they name themselves
            raise
        raise OptionError(f"{text}: {error}") from error


def tables(text: str) -> dict[str, Any]:
    """Return an experiment's tables with those of its base, as plain data."""
    return _for_game(text) if is_game(text) else _tables(find(text), DEEPEST)


def is_game(text: str) -> bool:
    """Tell whether a text names a game: GAME.py or one of ours, its options behind a colon."""
    name = split_options(text)[0]
    return name.endswith(".py") or (name in game_names() and name not in experiment_names())


def _for_game(text: str) -> dict[str, Any]:
    """Return the settings that fit a game."""
    game, quick = load_game(text), f"{split_options(text)[0]}-quick"
    if not game.built_in or quick not in experiment_names():
        return settings_for(game, text)
    found = tables(quick)
    if text != found["game"]["name"]:
        found["title"] = f"{text}, with the settings of {quick}"
    return fitted({**found, "game": {**found["game"], "name": text}}, game)


def stem(text: str) -> str:
    """Return what is named after an experiment: its own name, or that of its file."""
    name = split_options(text)[0] if is_game(text) else text
    return Path(name).stem if name.endswith((".toml", ".py")) else name


def find(text: str) -> Path:
    """Return the file of an experiment: NAME, one such as paper-a-session-1, or FILE.toml."""
    if _is_file(text):
        return Path(text)
    known = {_plain(name): name for name in experiment_names()}
    if _plain(text) not in known and _plain(text).startswith("paper-"):
        known = {alias(_tables(path, DEEPEST).get("paper", "")): path.stem for path in _files()}
    if _plain(text) in known:
        return FOLDER / f"{known[_plain(text)]}.toml"
    raise NotFound(_not_found(text, known))


def _is_file(text: str) -> bool:
    return text.endswith(".toml") or "/" in text or "\\" in text


def _require_sound(text: str, data: Mapping[str, Any]) -> None:
    """Raise what is wrong with a file as it stands."""
    try:
        read_experiment(data)
    except OptionError as error:
        raise OptionError(f"{text}: {error}") from error


def alias(paper: str) -> str:
    """Return the name an experiment has by its paper: for "A, session 1" paper-a-session-1."""
    words = re.findall(r"[a-z0-9]+", paper.lower())
    return "-".join(["paper", *words]) if words else ""


def heading(text: str) -> str:
    """Return the comment at the beginning of an experiment's file, as it stands there."""
    if is_game(text):
        return f"# Settings chosen for the game {by_file_name(text)}."
    lines = find(text).read_text(encoding="utf-8").splitlines()
    length = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "\n".join(lines[:length])


def _files() -> list[Path]:
    return sorted(FOLDER.glob("*.toml"))


def _plain(name: str) -> str:
    """Return a name in small letters, its numbers without leading zeros."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", name.lower())


def _tables(path: Path, levels: int) -> dict[str, Any]:
    data = with_files_beside(read_toml(path), path.parent)
    if "extends" not in data:
        return data
    name = data.pop("extends")
    if not isinstance(name, str):
        raise OptionError(
            f"extends in {path} is {quoted(name)}; it must be the name of an experiment."
        )
    if levels == 0:
        raise OptionError(
            f"{path} extends itself, directly or through other files; remove one `extends`."
        )
    try:
        base = path.parent / name if name.endswith(".toml") else find(name)
        return merged(_tables(base, levels - 1), data)
    except NotFound as error:
        raise NotFound(f"the experiment that {path} extends cannot be found: {error}") from error


def _not_found(text: str, known: Mapping[str, str]) -> str:
    names = known if _plain(text).startswith("paper-") else known.values()
    hint = unknown("experiment", text, names)
    if "did you mean" not in hint:  # sixty names are no hint
        hint = f"there is no experiment named {quoted(text)}; `evoboard experiments` lists them."
    return f"{hint} Your own is named by its file, such as my.toml."
