"""uci: chess engines such as Stockfish, and king-capture chess by Fairy-Stockfish.

The engine is told where the game began, as a FEN, and the moves since. Options of the
engine's own are written with underscores for whatever is not a letter or digit in their names:
Skill_Level=3, Hash=64, Move_Overhead=0 (or set_NAME, where the name is one of ours).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, quoted
from evoboard.core.wording import listed
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.players.external import (
    EngineOptions,
    ExternalPlayer,
    Heard,
    certain,
    plain_name,
    worth,
)
from evoboard.players.program import Program
from evoboard.search.limits import Limits

SUMMARY = "a chess engine: uci:stockfish,nodes=1000"
GAMES = ("chess", "kingcapture")
# Fairy-Stockfish reads the rules of games that it does not know from a file.
VARIANTS = Path(__file__).parent / "variants.ini"
COUNT = re.compile(r"\d{1,15}")  # whatever is longer is not heard


class Options(EngineOptions):
    """Options of UCI engines."""

    elo: int | None = Field(None, ge=1, lt=2**62, description="how strong it plays, if it can")
    all_values: bool = Field(False, description="evaluate every move")


def player_for(game: Game, options: Options) -> UciPlayer:
    """Return the player; nothing is started yet."""
    if game.name not in GAMES or not game.built_in:
        raise OptionError(f"UCI engines play {listed(GAMES)} here, not {game.name}.")
    player = UciPlayer(game, "uci", options)
    player.elo, player.all_values = options.elo, options.all_values
    return player


class Option(NamedTuple):
    """An option that an engine has, as it describes it."""

    name: str
    kind: str
    least: str
    most: str
    choices: tuple[str, ...]


class UciPlayer(ExternalPlayer):
    """An engine that speaks UCI."""

    lines = 1  # how many moves it is asked to judge at once
    most_lines = 1

    def greet(self, program: Program) -> None:
        """Say uci, and set the options."""
        told = self.exchange(program, "uci", "uciok")
        known = {plain_name(option.name): option for option in read_options(told)}
        self.lines = 1
        self.most_lines = int(known["multipv"].most or 1) if "multipv" in known else 1
        own = {}
        if self.elo is not None:
            own = {"uci_limitstrength": "true", "uci_elo": str(self.elo)}
        if self.game.name == "kingcapture":
            self._teach(program, known)
        for option, value in self.chosen(known, own):
            program.send(self._setting(option, value))
        self.exchange(program, "isready", "readyok")

    def _setting(self, option: Option, value: str) -> str:
        """Return the line that sets an option; OptionError for a value it cannot have."""
        where = f"{option.name} of {self.program_name} is {quoted(value)}"
        if option.kind == "check":
            told = value.lower()
            if told not in ("true", "false", "1", "0", "on", "off", "yes", "no"):
                raise OptionError(f"{where}; it must be true or false.")
            value = "true" if told in ("true", "1", "on", "yes") else "false"
        elif option.kind == "spin":
            low, high = int(option.least or -(2**31)), int(option.most or 2**31)
            number = re.fullmatch("-?[0-9]{1,18}", value)  # engines know no other digits
            if not number or not low <= int(value) <= high:
                raise OptionError(f"{where}; it must be from {low} to {high}.")
        elif option.kind == "combo" and value not in option.choices:
            raise OptionError(f"{where}; it must be {listed(option.choices, 'or')}.")
        elif option.kind == "button":
            return f"setoption name {option.name}"
        return f"setoption name {option.name} value {value}"

    def _teach(self, program: Program, known: Mapping[str, Option]) -> None:
        """Tell Fairy-Stockfish the rules of king-capture chess."""
        if "variantpath" not in known or "uci_variant" not in known:
            raise OptionError(
                f"{self.program_name} does not play king-capture chess; uci:fairy-stockfish does."
            )
        program.send(f"setoption name VariantPath value {VARIANTS}")
        program.send("setoption name UCI_Variant value kingcapture")

    def forget(self, program: Program) -> None:
        """Begin a new game, which clears the hash table and all that was learnt."""
        program.send("ucinewgame")
        self.exchange(program, "isready", "readyok")

    def ask(self, program: Program, history: History, limits: Limits) -> None:
        """Send the position and the limits."""
        if self.all_values:
            lines = min(self.most_lines, len(self.game.legal_moves(history.state)))
            if lines != self.lines:
                program.send(f"setoption name MultiPV value {lines}")
                self.lines = lines
        start = self.game.state_text(history.start)
        fen = start if self.game.name == "chess" else f"{start} - - 0 1"
        moves = [self.write_move(*step) for step in history.steps]
        program.send(" ".join(["position fen", fen, *(["moves", *moves] if moves else [])]))
        words = ["go"]
        if limits.nodes is not None:
            words += ["nodes", str(limits.nodes)]
        if limits.depth is not None:
            words += ["depth", str(limits.depth)]
        if limits.seconds is not None:
            words += ["movetime", str(max(1, round(1000 * limits.seconds)))]
        program.send(" ".join(words))

    def hear(self, line: str, heard: Heard) -> str | None:
        """Take in an info line; return the move of bestmove."""
        words = line.split()
        if words[0] == "bestmove":
            return words[1] if len(words) > 1 else ""
        if words[0] == "info":
            read_info(words[1:], heard)
        return None

    def write_move(self, state: Array, move: int) -> str:
        """Return a move as the engine writes it."""
        text = self.game.move_text(state, move)
        becomes_rook = self.game.name == "kingcapture" and "=" in self.game.move_label(state, move)
        return f"{text}r" if becomes_rook else text

    def read_move(self, state: Array, text: str) -> int:
        """Return the move that a text means."""
        if self.game.name == "kingcapture":  # a pawn can become nothing but a rook
            text = text[:4]
        return self.game.parse_move(state, text)


def read_options(lines: list[str]) -> list[Option]:
    """Return the options that an engine lists; lines that say something else are left out."""
    found = []
    for line in lines:
        match = re.fullmatch(r"option\s+name\s+(.+?)\s+type\s+(\w+)\b(.*)", line)
        if match:
            name, kind, rest = match.groups()
            bounds = [re.search(rf"\b{word}\s+(-?\d+)", rest) for word in ("min", "max")]
            least, most = (bound[1] if bound else "" for bound in bounds)
            choices = tuple(re.findall(r"\bvar\s+(.+?)(?=\s+var\s|\s*$)", rest))
            found.append(Option(name, kind, least, most, choices))
    return found


def read_info(words: list[str], heard: Heard) -> None:
    """Take in what an info line says of depth, nodes, score and line."""
    facts: dict[str, Any] = {}
    place = 0
    while place < len(words) and words[place] != "string":
        word, more = words[place], words[place + 1 : place + 3]
        place += 1
        if word == "pv":
            facts["pv"] = words[place:]
            break
        if word in ("depth", "nodes", "multipv") and more and COUNT.fullmatch(more[0]):
            facts[word] = int(more[0])
        elif word == "score" and len(more) == 2 and COUNT.fullmatch(more[1].removeprefix("-")):
            facts["score"] = _value(more[0], int(more[1]))
        elif word in ("lowerbound", "upperbound"):
            facts["bound"] = True
    heard.depth = max(heard.depth, facts.get("depth", 0))
    heard.nodes = max(heard.nodes, facts.get("nodes", 0))
    score, line = facts.get("score"), facts.get("pv", [])
    if score is None or (facts.get("bound") and heard.value is not None):
        return
    if facts.get("multipv", 1) == 1:
        heard.value = score
        heard.line = line or heard.line
    if line and "multipv" in facts:
        heard.move_values[line[0]], heard.move_lines[line[0]] = score, line


def _value(kind: str, number: int) -> float | None:
    """Return a score as a value: mate in N moves is certain after 2N - 1 plies, or 2N for us."""
    if kind == "mate":
        return certain(2 * number - 1, True) if number > 0 else certain(-2 * number, False)
    return worth(number) if kind == "cp" else None
