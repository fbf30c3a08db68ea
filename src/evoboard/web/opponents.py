"""Opponents: the players offered for a game, and which texts a page may name.

A page's text may only name players listed here: other kinds run programs or read files, which is
for the command line, not for everyone who can reach the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evoboard.arena.game_text import game_spec
from evoboard.arena.rungs import can_play
from evoboard.core.errors import SENSELESS, EvoboardError, OptionError, quoted, unknown
from evoboard.core.options import split_options, with_options
from evoboard.core.wording import readable
from evoboard.encoders.base import find_encoder
from evoboard.games.base import Game, load_game
from evoboard.players import champion, permission
from evoboard.players.base import make_player
from evoboard.players.file import read_player
from evoboard.players.perfect import SOLVED
from evoboard.players.run import RunPlayer, game_name, run_players
from evoboard.search.base import search_names
from evoboard.web.folders import uploads_folder

KINDS = ("champion", "random", "material", "mcts", "perfect", "linear", "scripted", "run", "file")
NAMING = ("champion", "run", "file", "scripted")  # the kinds that name something: run:mine
FIRST_GAME = "chess"  # that a page shows where none is named
LONGEST_NAME = 60
LONGEST_THOUGHT = 600  # seconds a move


@dataclass(frozen=True)
class Offer:
    """A player to choose, and in a sentence what it is.

    `limits`: what may be set about its thinking (own, level, depth, rounds, seconds).
    """

    text: str
    label: str
    about: str = ""
    limits: tuple[str, ...] = ()


OWN = ("own", "level", "depth", "seconds")
SEARCH = ("level", "depth", "seconds")


LIMITS = ("level", "depth", "rounds", "seconds")


def offers(game: Game) -> list[Offer]:
    """Return the players offered for a game, the most interesting first."""
    return list(offered(game))


def offered(game: Game) -> Iterator[Offer]:
    """Yield the players offered for a game; finding the last ones may take seconds."""
    for found in (_champion, _runs, _loaded, _engines, _references):
        yield from found(game)


def _references(game: Game) -> Iterator[Offer]:
    if game.name == "chess":
        told = "Adds up ten features of the position; evolved by playing itself."
        yield Offer("linear", "Linear evaluator", told, SEARCH)
    if "material" in game.bindings:
        told = "Counts pieces and looks some plies ahead."
        yield Offer("material:depth=2", "Counting pieces", told, SEARCH)
    told = "Tries random games and follows the promising ones."
    yield Offer("mcts:rounds=1000", "Monte Carlo tree search", told, ("rounds", "seconds"))
    if _is_small(game):
        yield Offer("perfect", "Perfect play", "Never makes a mistake.")
    if game.name == "hexwar":
        for script, told in SCRIPTS.items():
            yield Offer(f"scripted:{script}", f"Script: {script}", told)
    yield Offer("random", "Random moves", "The weakest opponent of all.")


SCRIPTS = {
    "rusher": "Takes whatever it beats and marches its largest army at the enemy.",
    "turtle": "Grows and spreads, and takes only what it can hold.",
    "builder": "Grows until it is large, then attacks.",
}


@lru_cache
def _is_small(game: Game) -> bool:
    """Tell whether a game can be solved; for a user's game, only trying it shows that."""
    if game.built_in and game.name not in SOLVED:
        return False
    try:
        make_player("perfect", game)
    except EvoboardError:
        return False
    return True


def _engines(game: Game) -> list[Offer]:
    """Return the external players that the app was started with and that play this game."""
    told = "Another program, as it was named when this app was started."
    found = []
    for text in permission.allowed() or ():
        if _can_play(text, game):
            found.append(Offer(text, f"Engine: {short_name(text)}", told))
    return found


_can_play = lru_cache(can_play)  # only an engine itself knows


def _champion(game: Game) -> list[Offer]:
    if not (game.built_in and champion.champion_file(game.name).is_file()):
        return []
    data = champion.about(game.name)
    if not _file_fits(data, game):
        return []
    told = f"An evolved network; {champion.strength_words(data)}."
    return [Offer(f"champion:{game.name}", "Champion", told, OWN)]


def _loaded(game: Game) -> list[Offer]:
    """Return the players of a game whose files were loaded."""
    folder, found = uploads_folder(), []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        data = _content(path)
        if data and game_name(str(data["game"])) == game.name and _file_fits(data, game):
            told = "A network from a file that was loaded here."
            found.append(Offer(f"file:{path}", f"Loaded: {_title(path)}", told, OWN))
    return found


def _content(path: Path) -> dict[str, Any]:
    """Return what is in a player's file, nothing where it is none."""
    try:
        status = path.stat()
        return _read(path, status.st_mtime_ns, status.st_size)
    except (EvoboardError, OSError, *SENSELESS):
        return {}


@lru_cache(256)
def _read(path: Path, *_stamp: int) -> dict[str, Any]:
    """Return what is in a player's file, which is read again only after it has changed."""
    return read_player(path)


def _title(path: Path) -> str:
    """Return the title in a player's file, or else the file's name."""
    title = _content(path).get("title") or path.stem.replace("_", " ").replace("-", " ")
    # Files that were put there by hand may hold what no browser can be sent.
    return readable(str(title))[:80]


def _runs(game: Game) -> list[Offer]:
    try:
        found = [run for run in run_players() if run.plays == game.name and _fits(run, game)]
    except EvoboardError:
        return []
    told = "A network of your run: its best player, or the champion of any generation."
    return [Offer(run.text, f"Run: {run.text.removeprefix('run:')}", told, OWN) for run in found]


def _fits(player: RunPlayer, game: Game) -> bool:
    """Tell whether a run's networks can play this variant of their game, which may be another."""
    if split_options(player.game)[1] == split_options(game_spec(game))[1]:
        return True
    try:
        trained = _loaded_game(player.game)
        seen = [find_encoder(player.encoder, variant).inputs for variant in (trained, game)]
    except EvoboardError:
        return False
    sizes = [(variant.state_size, variant.max_moves) for variant in (trained, game)]
    return seen[0] == seen[1] and sizes[0] == sizes[1]


_loaded_game = lru_cache(64)(load_game)


def _file_fits(data: dict[str, Any], game: Game) -> bool:
    """Tell whether the network in a player's file sees as many numbers as this variant gives."""
    try:
        network = data["network"]
        inputs = network["inputs"] if "inputs" in network else network["sizes"][0]
        return bool(find_encoder(str(data["encoder"]), game).inputs == inputs)
    except (EvoboardError, KeyError, TypeError, IndexError):
        return False


def with_limit(text: str, limit: str, amount: float) -> str:
    """Return a player's text with another limit of its thinking: own, or one of LIMITS."""
    kind, options = split_options(text)
    for name in LIMITS:
        options.pop(name, None)
    if limit != "own":
        options[limit] = f"{amount:g}" if limit in ("seconds", "level") else str(int(amount))
        if options.get("search") == "pvs":
            options.pop("search")
    return with_options(kind, options)


def at_generation(text: str, generation: int | None) -> str:
    """Return a run's player of another generation; None: the run's best."""
    kind, options = split_options(text)
    if kind != "run" or "" not in options:
        return text
    name = options[""].partition("@")[0]
    place = name if generation is None else f"{name}@gen={generation}"
    return with_options(kind, {**options, "": place})


def require_offered(text: str) -> str:
    """Return the text of a player that a page may name; OptionError for any other."""
    kind, options = split_options(text)
    if kind in permission.KINDS:
        return _require_given(text, kind, options)
    if kind not in KINDS:
        raise OptionError(unknown("player here", kind, KINDS))
    if ("" in options and kind not in NAMING) or ("path" in options and kind != "file"):
        raise OptionError(f"the player {kind} takes no file or name.")
    if not _bearable(options.get("seconds", "1")):
        raise OptionError(f"a player may think for {LONGEST_THOUGHT} seconds here, no longer.")
    if options.get("search", "alphabeta") not in search_names():
        raise OptionError(unknown("search", options["search"], search_names()))
    if kind == "file":
        _require_our_file(options.get("", "") or options.get("path", ""))
    return text


def _require_given(text: str, kind: str, options: dict[str, str]) -> str:
    """Return the text of an external player that the app was started with; no other may be named.

    A page, an address or a file must never start a program.
    """
    if permission.allowed() is None or not permission.is_allowed(kind, options):
        raise OptionError(
            f"the player {kind} is a program, and this app was not started with that one; "
            "`evoboard app --engine PLAYER` offers one, if it is yours."
        )
    return text


def _bearable(seconds: str) -> bool:
    try:
        return float(seconds) <= LONGEST_THOUGHT
    except ValueError:
        return True  # the player itself says what is wrong


def _require_our_file(name: str) -> None:
    """Raise OptionError for a file that neither ships nor was loaded here."""
    allowed = (champion.FOLDER.resolve(), uploads_folder().resolve())
    try:
        path = Path(name).resolve()
        ours = path.is_file() and any(path.is_relative_to(folder) for folder in allowed)
    except (OSError, ValueError):  # no name is too strange to be asked for
        ours = False
    if not ours:
        told = quoted(name.replace("\\", "/").rsplit("/", 1)[-1])
        raise OptionError(f"{told} is not a file of this app; load it on the Analysis page first.")


def short_name(text: str) -> str:
    """Return a player's text in words, without the folders of its file."""
    try:
        kind, options = split_options(text)
    except OptionError:  # a game's file may name its players in any way
        return text[:LONGEST_NAME]
    if kind == "file" and "" in options:
        path = Path(options.pop(""))
        return _worded(_title(path), options)
    if kind == "run" and "" in options:
        run, _, which = options.pop("").partition("@")
        generation = re.fullmatch(r"gen=(\d+)(?:#(\d+))?", which)
        if generation:
            who = f"#{generation[2]}" if generation[2] else "champion"
            run = f"{run}, {who} of generation {generation[1]}"
        return _worded(run, options)
    if kind in permission.KINDS and options.get(""):
        return _worded(Path(options.pop("")).name[:LONGEST_NAME], options)
    if kind == "champion":
        options.pop("", None)
    if kind == "scripted" and options.get(""):
        return _worded(f"{WORDS[kind]}: {options.pop('')}", options)
    if kind == "material" and not options.keys() & {"depth", "seconds", "search"}:
        options["depth"] = "1"
    name = Path(kind).name if kind.endswith(".py") else WORDS.get(kind, kind)
    return _worded(name, options)


WORDS = {
    "champion": "Champion",
    "random": "Random moves",
    "material": "Counting pieces",
    "mcts": "Monte Carlo tree search",
    "perfect": "Perfect play",
    "linear": "Linear evaluator",
    "scripted": "Script",
    "person": "You",
}


def within(name: str) -> str:
    """Return a name as it is written in mid-sentence: "random moves", but "Monte Carlo"."""
    words = tuple(word for kind, word in WORDS.items() if kind != "mcts")
    return name[0].lower() + name[1:] if name.startswith(words) else name


def _worded(name: str, options: Mapping[str, str]) -> str:
    """Return a name with what is set about it: "Counting pieces, depth 2"."""
    if "seconds" in options:  # how it keeps to them is its own business
        options = {key: value for key, value in options.items() if key != "search"}
    told = [
        f"{value} s a move" if key == "seconds" else f"{key} {value}".strip()
        for key, value in options.items()
    ]
    return ", ".join([name, *told])
