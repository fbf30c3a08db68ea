"""Whom one can play against: the players offered for a game, and which texts a page may name.

A page's text may only name players listed here: other kinds run programs or read files, which is
for the command line, not for whoever reaches the server.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import evoboard
from evoboard.core.errors import EvoboardError, OptionError, quoted, unknown
from evoboard.games.base import Game
from evoboard.players.base import split_player
from evoboard.players.file import read_player
from evoboard.players.run import game_name, run_players
from evoboard.web.folders import uploads_folder

KINDS = ("random", "material", "mcts", "perfect", "linear", "scripted", "run", "file")
CHAMPIONS = Path(evoboard.__path__[0]) / "champions"
SOLVED = ("nim",)  # the built-in games small enough for `perfect`


@dataclass(frozen=True)
class Offer:
    """A player to choose. `limits`: what may be set about its thinking (depth, rounds, seconds)."""

    text: str
    label: str
    group: str
    limits: tuple[str, ...] = ()


def offers(game: Game) -> list[Offer]:
    """Return the players offered for a game, the most interesting first."""
    champions = _files(game, CHAMPIONS, "Champion")
    loaded = _files(game, uploads_folder(), "Loaded")
    return [*champions, *_runs(game), *loaded, *_references(game)]


def _references(game: Game) -> list[Offer]:
    search = ("depth", "seconds")
    found = []
    if game.name == "chess":
        found.append(Offer("linear", "Evolved linear evaluator", "Reference", search))
    if "material" in game.bindings:
        found.append(Offer("material:depth=2", "Counts material", "Reference", search))
    found.append(
        Offer("mcts:rounds=1000", "Monte Carlo tree search", "Reference", ("rounds", "seconds"))
    )
    if game.name in SOLVED or not game.built_in:
        found.append(Offer("perfect", "Perfect play", "Reference"))
    if game.name == "hexwar":
        for script in ("rusher", "turtle", "builder"):
            found.append(Offer(f"scripted:{script}", f"Script: {script}", "Reference"))
    return [*found, Offer("random", "Random moves", "Reference")]


def _files(game: Game, folder: Path, group: str) -> list[Offer]:
    """Return the players of a game whose files are in a folder."""
    limits = ("own", "depth", "seconds")
    found = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        plays, title = _described(path)
        if plays == game.name:
            found.append(Offer(f"file:{path}", title, group, limits))
    return found


@lru_cache(256)
def _described(path: Path) -> tuple[str, str]:
    """Return the game and the title of a player file, empty texts where it is none."""
    try:
        data = read_player(path)
    except EvoboardError:
        return "", ""
    title = data.get("title") or path.stem.replace("_", " ").replace("-", " ")
    return game_name(str(data["game"])), str(title)[:80]


def _runs(game: Game) -> list[Offer]:
    try:
        texts = [text for text, plays in run_players() if plays == game.name]
    except EvoboardError:
        return []
    limits = ("own", "depth", "seconds")
    return [Offer(text, text.removeprefix("run:"), "Run", limits) for text in texts]


def with_limit(text: str, limit: str, amount: float) -> str:
    """Return a player's text with another limit of its thinking: own, depth, rounds or seconds."""
    kind, options = split_player(text)
    for name in ("depth", "rounds", "seconds"):
        options.pop(name, None)
    if limit in ("depth", "rounds"):
        options[limit] = str(int(amount))
        if options.get("search") == "pvs":
            options.pop("search")
    elif limit == "seconds":
        options["seconds"] = f"{amount:g}"
        if kind != "mcts":  # the search that deepens until the clock stops it
            options["search"] = "pvs"
    return written(kind, options)


def at_generation(text: str, generation: int | None) -> str:
    """Return a run's player of another generation; None: the run's best."""
    kind, options = split_player(text)
    if kind != "run" or "" not in options:
        return text
    name = options[""].partition("@")[0]
    place = name if generation is None else f"{name}@gen={generation}"
    return written(kind, {**options, "": place})


def written(kind: str, options: dict[str, str]) -> str:
    """Return the text of a player; `split_player`'s inverse."""
    parts = [f"{key}={value}" if key else value for key, value in options.items()]
    return f"{kind}:{','.join(parts)}" if parts else kind


def require_offered(text: str) -> str:
    """Return the text of a player that a page may name; OptionError for any other."""
    kind, options = split_player(text)
    if kind not in KINDS:
        raise OptionError(unknown("player here", kind, KINDS))
    if kind == "file":
        path = Path(options.get("", "") or options.get("path", "")).resolve()
        allowed = (CHAMPIONS.resolve(), uploads_folder().resolve())
        if not any(path.is_relative_to(folder) for folder in allowed):
            raise OptionError(
                f"{quoted(path.name)} is no file of this app; load it on the Analysis page first."
            )
    return text


def short_name(text: str) -> str:
    """Return a player's text without the folders of its file."""
    kind, options = split_player(text)
    if kind in ("file", "run") and "" in options:
        path = Path(options[""])
        name = (_described(path)[1] or path.stem) if kind == "file" else options[""]
        rest = {key: value for key, value in options.items() if key}
        return written(name, rest).replace(":", ", ", 1) if rest else name
    return text.replace(":", ", ", 1)
