"""A game as text, written for people and read back exactly.

    evoboard game
    game: nim:heaps=3/5/7      the game, with the options that are not its defaults
    start: 3,5,7 0             the position it began with
    first: person              who played side 0, as text
    second: perfect            who played side 1
    result: 1-0                1-0 side 0 has won, 0-1 side 1, 1/2-1/2 a draw, * goes on
    reason: Second took the last match    why it ended
    seed: 17                   further lines of this form are kept as they are

    1. 2:4  1:3                two plies to a line, at least two spaces between them
    2. 0:2  2:3
    variation at ply 3:        what else could have been played there; any number of these
    2. 0:3  2:3

Only `game` is needed. A file says what happened; `replayed` plays it again by the rules.
"""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from evoboard.arena.adjudication import NO_PROGRESS, PLY_CAP, REPETITION
from evoboard.arena.match import Match
from evoboard.core.errors import IllegalMove, NotationError, OptionError, quoted
from evoboard.core.wording import counted
from evoboard.games.base import DrawRules, Game
from evoboard.games.options import declared_options
from evoboard.store.records import GameRecord

HEADING = "evoboard game"
RESULTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": None}
LONGEST = 1_000_000  # characters
MOST_PLIES = 20_000
MOST_VARIATIONS = 500
CLAIMED = (REPETITION, NO_PROGRESS, PLY_CAP)
UNCLAIMED = DrawRules(0, 0, 0)
LATER = "…"  # the place of a first move where a line of the text begins with the second

Variation = tuple[int, tuple[str, ...]]  # the ply it replaces, counted from 1, and its moves


@dataclass(frozen=True)
class GameText:
    """A game's text, taken apart; `result` is one of RESULTS, `extra` holds its further lines."""

    game: str
    start: str = ""
    moves: tuple[str, ...] = ()
    players: tuple[str, str] = ("", "")
    result: str = "*"
    reason: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)
    variations: tuple[Variation, ...] = ()


def game_spec(game: Game) -> str:
    """Return the text that `load_game` makes this game of, without its start position."""
    configure = game.written("configure")
    declared = declared_options(configure if isinstance(configure, types.FunctionType) else None)
    defaults = {name: default for name, (_, default) in declared.items()}
    changed = {k: v for k, v in game.options.items() if k != "start" and v != defaults.get(k)}
    options = ",".join(f"{key}={_option(value)}" for key, value in changed.items())
    name = game.name if game.built_in else game.file
    return f"{name}:{options}" if options else name


def _option(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


def written(text: GameText) -> str:
    """Return the text of a game."""
    first, second = text.players
    lines = {
        "game": text.game,
        "start": text.start,
        "first": first,
        "second": second,
        "result": text.result,
        "reason": text.reason,
        **text.extra,
    }
    head = [f"{key}: {_one_line(value)}" for key, value in lines.items() if value]
    body = _numbered(1, text.moves)
    for ply, moves in text.variations:
        body += [f"variation at ply {ply}:", *_numbered(ply, moves)]
    return "\n".join([HEADING, *head, "", *body, ""])


def _numbered(ply: int, moves: tuple[str, ...]) -> list[str]:
    """Return moves, the first of which is the game's `ply`th, two to a line."""
    filled = moves if ply % 2 else (LATER, *moves)
    pairs = [filled[i : i + 2] for i in range(0, len(filled), 2)]
    return [f"{number}. {'  '.join(pair)}" for number, pair in enumerate(pairs, (ply + 1) // 2)]


def read_text(text: str) -> GameText:
    """Return the parts of a game's text; NotationError names the line that cannot be read."""
    if len(text) > LONGEST:
        raise NotationError(
            f"the text has {len(text):,} characters; a game has at most {LONGEST:,}."
        )
    lines = [line.strip() for line in text.strip().lstrip("\ufeff").splitlines()]
    if not lines or lines[0].lower() != HEADING:
        raise NotationError(f"this is no game of evoboard; its first line must be {HEADING!r}.")
    head: dict[str, str] = {}
    parts: list[tuple[int, list[str]]] = [(1, [])]
    for number, line in enumerate(lines[1:], 2):
        variation = re.fullmatch(r"variation at ply ([1-9]\d{0,5}):", line.lower())
        header = re.fullmatch(r"([A-Za-z][A-Za-z _-]{0,30}):\s*(.*)", line)
        if re.match(r"\d+\.(\s|$)", line):
            parts[-1][1].extend(re.split(r"\s{2,}|\t", line.split(".", 1)[1].strip()))
        elif variation:
            parts.append((int(variation[1]), []))
        elif header and not parts[0][1]:
            head[header[1].strip().lower()] = header[2]
        elif line:
            raise NotationError(
                f"line {number}, {quoted(line)}, is neither a heading such as game: chess "
                "nor a numbered line of moves such as 1. e2e4  e7e5."
            )
    if not head.get("game"):
        raise NotationError(
            "the text does not say which game it is; add a line such as game: chess."
        )
    read = [(ply, tuple(m for m in moves if m not in ("", LATER))) for ply, moves in parts]
    if len(read) - 1 > MOST_VARIATIONS:
        raise NotationError(
            f"the game has {len(read) - 1:,} variations; at most {MOST_VARIATIONS:,} are read."
        )
    empty = next((ply for ply, moves in read[1:] if not moves), None)
    if empty:
        raise NotationError(f"the variation at ply {empty} has no moves.")
    plies = sum(len(moves) for _, moves in read)
    if plies > MOST_PLIES:
        raise NotationError(f"the game has {plies:,} plies; at most {MOST_PLIES:,} are read.")
    return _taken_apart(head, read[0][1], tuple(read[1:]))


def _taken_apart(
    head: dict[str, str], moves: tuple[str, ...], variations: tuple[Variation, ...]
) -> GameText:
    result = head.pop("result", "*") or "*"
    if result not in RESULTS:
        raise NotationError(
            f"the result is {quoted(result)}; it must be one of {', '.join(RESULTS)}."
        )
    players = head.pop("first", ""), head.pop("second", "")
    return GameText(
        head.pop("game"),
        head.pop("start", ""),
        moves,
        players,
        result,
        head.pop("reason", ""),
        head,
        variations,
    )


def replayed(text: GameText, game: Game, draws: DrawRules | None = None) -> Match:
    """Return the game played again; NotationError names the ply that is not legal.

    People may play on where our rules call a draw by repetition, progress or length: a game that
    did, or whose result is another one, is played again without those rules, if none are given.
    """
    start = game.parse_state(text.start) if text.start else None
    match = Match(game, start=start, draws=draws)
    for ply, move in enumerate(text.moves):
        if draws is None and match.over and match.code in CLAIMED:
            return replayed(text, game, UNCLAIMED)
        _play_text(match, ply, move)
    if match.over and text.result != "*" and RESULTS[text.result] != match.result:
        if draws is None and match.code in CLAIMED:
            return replayed(text, game, UNCLAIMED)
        raise NotationError(
            f"the text says {text.result}, but by the rules the game ends "
            f"{result_text(match.result)} ({match.reason})."
        )
    return match


def _play_text(match: Match, ply: int, move: str) -> None:
    """Play a move given as text; an error names the ply."""
    place = f"ply {ply + 1} cannot be played"
    try:
        match.play(match.game.parse_move(match.state, move))
    except IllegalMove as error:
        raise IllegalMove(f"{place}: {error}") from None
    except NotationError as error:
        hint = " Two moves on a line need two spaces between them." if " " in move else ""
        raise NotationError(f"{place}: {error}{hint}") from None


def with_dropped(text: GameText, told: str) -> GameText:
    """Return a game whose line `dropped` says, beside what it said before, what was left out."""
    if not told:
        return text
    before = text.extra.get("dropped", "")
    return replace(text, extra={**text.extra, "dropped": f"{before}; {told}" if before else told})


def without_wrong_variations(text: GameText, match: Match) -> GameText:
    """Return a game that was replayed without the variations that cannot be; they are counted."""
    kept = []
    for ply, moves in text.variations:
        with suppress(NotationError):
            _variation(match, ply, moves)
            kept.append((ply, moves))
    lost = len(text.variations) - len(kept)
    told = counted(lost, "variation") if lost else ""
    return with_dropped(replace(text, variations=tuple(kept)), told)


def variations_replayed(text: GameText, match: Match) -> list[tuple[int, ...]]:
    """Return the variations of a game that was replayed, as all their moves from its start."""
    return [_variation(match, ply, moves) for ply, moves in text.variations]


def _variation(match: Match, first: int, moves: tuple[str, ...]) -> tuple[int, ...]:
    if first > len(match.moves) + 1:
        raise NotationError(f"there is a variation at ply {first}, where the game has none.")
    # Without a match of its own: what is drawn by repetition may be looked at.
    game, state, line = match.game, match.states[first - 1], match.moves[: first - 1]
    for text in moves:
        try:
            move = game.parse_move(state, text)
        except (IllegalMove, NotationError) as error:
            place = f"ply {len(line) + 1} of the variation at ply {first}"
            raise type(error)(f"{place} cannot be played: {error}") from None
        state = game.apply(state, move)
        line = [*line, move]
    return tuple(line)


def text_of(
    match: Match, players: tuple[str, str] = ("", ""), spec: str = "", **extra: str
) -> GameText:
    """Return a match as it stands, to be written; `spec` is `game_spec` of its game, if known."""
    game = match.game
    moves = tuple(
        game.move_text(state, move) for state, move in zip(match.states, match.moves, strict=False)
    )
    result = result_text(match.result) if match.over else "*"
    start = game.state_text(match.states[0])
    return GameText(spec or game_spec(game), start, moves, players, result, match.reason, extra)


def text_of_record(
    record: GameRecord, game: Game, players: tuple[str, str] = ("", ""), **extra: str
) -> GameText:
    """Return the record of a finished game, to be written."""
    state, moves = game.parse_state(record.start), []
    for move in record.moves:
        moves.append(game.move_text(state, move))
        state = game.apply(state, move)
    spec, result = game_spec(game), result_text(record.result)
    return GameText(spec, record.start, tuple(moves), players, result, record.reason, extra)


def result_text(result: int) -> str:
    """Return 1-0, 0-1 or 1/2-1/2 for a result seen by side 0."""
    for text, value in RESULTS.items():
        if value == result:
            return text
    raise OptionError(f"{result} is no result; it must be 1, 0 or -1.")


def _one_line(value: str) -> str:
    return " ".join(str(value).split())
