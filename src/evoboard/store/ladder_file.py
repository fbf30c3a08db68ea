"""The games of a ladder as a JSON file: players by their texts, and each game in a row.

    {"format": "evoboard-ladder", "version": 1, "made by": COMMAND, "rules": {…},
     "players": {TEXT: MARK, …},
     "games": [[first, second, opening, result], …]}

`rules` is what else decides the games; if it has changed, a file's games no longer count. A mark
tells a player from another with the same text (a run that was continued, a champion that was
replaced), and is empty if there can be no other. In a game, players are given by their place in the
list; the result is 1, 0 or -1 for the first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evoboard.core.errors import PartError
from evoboard.core.file_lock import taken
from evoboard.core.whole_file import write_whole
from evoboard.store.run_file import home_of

FORMAT = "evoboard-ladder"
VERSION = 1
LOCK, PATIENCE = "lock", 60.0  # seconds; it is held for milliseconds


class LadderGame(NamedTuple):
    """One game: texts of both players, the number of its opening, the result for the first."""

    first: str
    second: str
    opening: int
    result: int


@dataclass
class LadderFile:
    """What is stored of a ladder; see the module's docstring."""

    rules: dict[str, Any]
    games: list[LadderGame] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)
    made_by: str = ""

    def forget(self, texts: Iterable[str]) -> None:
        """Drop players and their games."""
        gone = set(texts)
        self.games = [g for g in self.games if not gone & {g.first, g.second}]
        self.marks = {text: mark for text, mark in self.marks.items() if text not in gone}

    def joined(self, stored: LadderFile) -> LadderFile:
        """Return these games with those that another process has stored meanwhile.

        Of the same game there is one; games of a player that is another one by now are left out.
        """
        marks, known = stored.marks | self.marks, {game[:3] for game in self.games}
        others = [
            game
            for game in stored.games
            if game[:3] not in known
            and all(stored.marks.get(text) == marks.get(text) for text in game[:2])
        ]
        return LadderFile(self.rules, [*self.games, *others], marks, self.made_by)


def ladders_folder() -> Path:
    """Return where ladders are kept: the folder EVOBOARD_LADDERS, else `ladders` here."""
    return home_of("ladders")


def read_ladder(path: Path, rules: dict[str, Any]) -> LadderFile:
    """Return what a file holds; nothing if there is none, or if it was made with other rules."""
    try:
        if not path.is_file():
            return LadderFile(rules)
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise PartError(f"{path} is not a ladder that this version reads; move it away.")
        if data["rules"] != rules:
            return LadderFile(rules)
        texts = list(data["players"])
        games = [LadderGame(texts[a], texts[b], int(o), int(r)) for a, b, o, r in data["games"]]
        marks = {text: str(mark) for text, mark in data["players"].items() if mark}
        return LadderFile(rules, games, marks, str(data["made by"]))
    except OSError as error:
        raise _unusable(path, "read", error) from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise PartError(
            f"{path} cannot be read as a ladder ({type(error).__name__}: {error}); move it away, "
            "and its games are played again."
        ) from error


def write_ladder(path: Path, ladder: LadderFile) -> None:
    """Write the whole file."""
    texts = list(dict.fromkeys(text for game in ladder.games for text in game[:2]))
    about = {text: ladder.marks.get(text, "") for text in texts}
    place = {text: number for number, text in enumerate(texts)}
    rows = [
        f"[{place[game.first]},{place[game.second]},{game.opening},{game.result}]"
        for game in ladder.games
    ]
    head = {"format": FORMAT, "version": VERSION, "made by": ladder.made_by, "rules": ladder.rules}
    text = json.dumps({**head, "players": about}, indent=1, ensure_ascii=False)
    text = f'{text[:-2]},\n "games": [{",".join(rows)}]\n}}\n'
    try:
        write_whole(path, text)
    except OSError as error:
        raise _unusable(path, "written", error) from error


def merge_ladder(path: Path, ladder: LadderFile) -> None:
    """Add games to a file; what others have added, or add at this moment, stays."""
    lock = path.with_name(LOCK)
    try:
        with taken(lock, PATIENCE) as ours:
            if ours:
                return write_ladder(path, ladder.joined(read_ladder(path, ladder.rules)))
    except OSError as error:
        raise _unusable(lock, "written", error) from error
    raise PartError(
        f"another process has had {lock} locked for {PATIENCE:g} s, so no games are added to "
        f"{path.name}; end it, and give the same command again."
    )


def _unusable(path: Path, done: str, error: OSError) -> PartError:
    return PartError(
        f"{path} cannot be {done} ({error.strerror}); set EVOBOARD_LADDERS to another folder."
    )
