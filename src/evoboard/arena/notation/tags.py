"""The tags of a game and what our own text makes of them, for all texts of the PGN family."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evoboard.arena.game_text import RESULTS, written_result
from evoboard.arena.game_tree import Ending, GameTree
from evoboard.arena.notation.scan import RawGame
from evoboard.games.adjudication import ON_BOARD, PLAYING, STUCK

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "-"}
# Tags that say what our own text has lines for, or what follows from the game.
SPOKEN_FOR = {"game", "start", "first", "second", "result", "reason", "white", "black"}
SPOKEN_FOR |= {"fen", "setup", "termination", "variant", "gametype", "rules", "quiet"}
# Tags whose capitals are not where one would expect them.
_NAMES = "WhiteElo BlackElo WhiteTitle BlackTitle WhiteType BlackType ECO TimeControl EventDate"
CAPITALS = {name.lower(): name for name in f"{_NAMES} PlyCount UTCDate UTCTime".split()}
FILED = "as the file says"  # the reason of a result that neither the board nor a tag explains
MOST_TAGS, LONGEST_VALUE = 60, 400


def head_tags(tree: GameTree, white: int, further: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the tags of a game; `white` is White's side, `further` follow the seven of the roster.

    Why the game ended is the tag Termination.
    """
    known = {key.lower(): value for key, value in tree.tags.items()}
    tags = {name: known.pop(name.lower(), "") or missing for name, missing in ROSTER.items()}
    tags["White"], tags["Black"] = (tree.players[side] or "?" for side in (white, 1 - white))
    tags["Result"], reason = written_result(tree), tree.reason(tree.end)
    tags |= further
    if reason and reason != FILED:
        tags["Termination"] = reason
    for key, value in known.items():
        name = CAPITALS.get(key) or "".join(w.capitalize() for w in re.split(r"[ _-]+", key))
        if value and re.fullmatch("[A-Za-z]{1,31}", name) and name.lower() not in SPOKEN_FOR:
            tags.setdefault(name, value)
    return list(tags.items())


def result_of(piece: RawGame, results: Mapping[str, str]) -> str:
    """Return a game's result by its tag, else by what stands at its end."""
    tagged = results.get(piece.tags.get("Result", "").strip(), "*")
    return tagged if tagged != "*" else piece.ending or "*"


def name_in(piece: RawGame, tag: str) -> str:
    """Return a tag's value, empty where it is not known."""
    value = piece.tags.get(tag, "").strip()
    return "" if value in ("?", "-", "????.??.??") else value[:LONGEST_VALUE]


def players_in(piece: RawGame, white: int) -> tuple[str, str]:
    """Return who played side 0 and side 1; `white` is White's side."""
    names = name_in(piece, "White"), name_in(piece, "Black")
    return names[white], names[1 - white]


def conclude(tree: GameTree, piece: RawGame, told: str) -> None:
    """Take a file's result, where the rules do not tell it.

    What the final position decides is the result, whatever the file says: that is kept beside it.
    """
    result, reason = RESULTS[told], name_in(piece, "Termination")
    reason = "" if reason.lower() in ("normal", "unterminated") else reason
    tree.claim(result)
    code = tree.code(tree.end)
    if code in (ON_BOARD, STUCK):
        if told not in ("*", written_result(tree)):
            tree.tags["result in the file"] = told
    elif result is not None and (reason or code == PLAYING):
        tree.end.ending = Ending(result, reason or FILED)


def kept_tags(piece: RawGame) -> dict[str, str]:
    """Return the tags that are kept as further lines; those our own text can hold."""
    found = {}
    for name in list(piece.tags)[:MOST_TAGS]:
        key, value = name.lower(), " ".join(name_in(piece, name).split())
        if value and key not in SPOKEN_FOR and re.fullmatch("[a-z][a-z_]{0,30}", key):
            found[key] = value
    return found
