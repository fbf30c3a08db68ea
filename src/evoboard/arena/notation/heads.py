"""The tags of a game and what our own text makes of them, for all texts of the PGN family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from evoboard.arena.game_text import GameText, result_text, with_dropped
from evoboard.arena.notation.movetext import Played
from evoboard.arena.notation.scan import Piece
from evoboard.games.base import Game
from evoboard.games.rules import ONGOING

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "-"}
# Tags that say what our own text has lines for, or what follows from the game.
SPOKEN_FOR = {"game", "start", "first", "second", "result", "reason", "white", "black"}
SPOKEN_FOR |= {"fen", "setup", "termination", "variant", "gametype", "rules", "quiet"}
# Tags whose capitals are not where one would expect them.
_NAMES = "WhiteElo BlackElo WhiteTitle BlackTitle WhiteType BlackType ECO TimeControl EventDate"
CAPITALS = {name.lower(): name for name in f"{_NAMES} PlyCount UTCDate UTCTime".split()}
FILED = "as the file says"  # the reason of a result that neither the board nor a tag explains
MOST_TAGS, LONGEST_VALUE = 60, 400


def head_tags(text: GameText, white: int, further: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the tags of a game; `white` is White's side, `further` follow the seven of the roster.

    Why the game ended is the tag Termination.
    """
    known = {key.lower(): value for key, value in text.extra.items()}
    tags = {name: known.pop(name.lower(), "") or missing for name, missing in ROSTER.items()}
    tags["White"], tags["Black"] = (text.players[side] or "?" for side in (white, 1 - white))
    tags["Result"] = text.result
    tags |= further
    if text.reason and text.reason != FILED:
        tags["Termination"] = text.reason
    for key, value in known.items():
        name = CAPITALS.get(key) or "".join(w.capitalize() for w in re.split(r"[ _-]+", key))
        if value and re.fullmatch("[A-Za-z]{1,31}", name) and name.lower() not in SPOKEN_FOR:
            tags.setdefault(name, value)
    return list(tags.items())


def result_of(piece: Piece, results: Mapping[str, str]) -> str:
    """Return a game's result by its tag, else by what stands at its end."""
    tagged = results.get(piece.tags.get("Result", "").strip(), "*")
    return tagged if tagged != "*" else piece.ending or "*"


def name_in(piece: Piece, tag: str) -> str:
    """Return a tag's value, empty where it is not known."""
    value = piece.tags.get(tag, "").strip()
    return "" if value in ("?", "-", "????.??.??") else value[:LONGEST_VALUE]


def players_in(piece: Piece, white: int) -> tuple[str, str]:
    """Return who played side 0 and side 1; `white` is White's side."""
    names = name_in(piece, "White"), name_in(piece, "Black")
    return names[white], names[1 - white]


def whole_text(piece: Piece, game: Game, head: GameText, played: Played) -> GameText:
    """Return a game that was played through as our own text has it, game to result as in `head`.

    What the final position decides is its result, whatever the file says: that is kept beside it.
    """
    extra = _extra(piece)
    result, reason = head.result, name_in(piece, "Termination")
    reason = "" if reason.lower() in ("normal", "unterminated") else reason
    decided = game.outcome(played.final)
    if decided != ONGOING:
        on_board = result_text(decided * (1 - 2 * game.side(played.final)))
        if result not in ("*", on_board):
            extra["result in the file"] = result
        result, reason = on_board, game.reason(played.final)
    elif result != "*" and not reason:
        reason = FILED
    text = replace(
        head,
        moves=played.moves,
        variations=played.variations,
        result=result,
        reason=reason,
        extra=extra,
    )
    return with_dropped(text, played.dropped)


def _extra(piece: Piece) -> dict[str, str]:
    """Return the tags that are kept as further lines; those our own text can hold."""
    found = {}
    for name in list(piece.tags)[:MOST_TAGS]:
        key, value = name.lower(), " ".join(name_in(piece, name).split())
        if value and key not in SPOKEN_FOR and re.fullmatch("[a-z][a-z_]{0,30}", key):
            found[key] = value
    return found
