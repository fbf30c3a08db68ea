"""Texts of the PGN family, taken apart in one pass: games, their tags, the words of their moves.

    [Event "Ostend"]                     tags, several to a line if need be
    [Result "1-0"]
    % a line for other programs          left out
    1. e4 {best} e5 (1... c5! $14) 2. f4    words, marks, comments in {} or from ; to the end of a
                                         line, (variations) within (variations)
    1-0                                  a result ends the game, and so do tags of another one

Every character is looked at a fixed number of times, so hostile texts cost no more than others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

PATTERN = r"""
    (?P<space>\s++)
  | (?P<comment>\{{[^}}]*+\}}|;[^\n]*+|^%[^\n]*+)
  | (?P<unclosed>\{{)
  | (?P<tag>\[[ \t]*+(?P<name>\w++)\s++"(?P<value>(?:[^"\\\n]|\\.)*+)"\s*+\])
  | (?P<loose>^\[(?P<name_too>\w++)[ \t]++"(?P<value_too>[^\n]*)"[ \t]*+\][ \t]*+$)
  | (?P<bracket>\[[^\]\n]*+\]?)
  | (?P<paren>[()])
  | (?P<mark>\$\d*+|[!?]++)
  | (?P<result>(?:{results})(?=[\s{{}};()\[\]]|\Z))
  | (?P<number>\d++(?=\s*+[.…])|[.…]++)
  | (?P<word>[^\s{{}}();\[\]$!?]++(?:\([NBRQ]\))?)
"""

DRAWN = "1/2-1/2"
DASHES = "–—−‑"  # what people and their programs make of a hyphen
# Tags after a blank line are the next game's where these are known, moves or not.
COMPLETE = {"White", "Black", "Result"}
RESULTS = {"1-0": "1-0", "0-1": "0-1", DRAWN: DRAWN, "1/2": DRAWN, "½-½": DRAWN, "*": "*"}


@dataclass(frozen=True)
class RawGame:
    """One game of a text: its tags, the text of its moves, and the result at its end, if any.

    `flaw` is what is wrong with the whole of it.
    """

    number: int
    tags: dict[str, str]
    body: str
    ending: str
    flaw: str = ""


class Scanner:
    """Takes texts apart; `results` gives what ends a game, and which of our results it means."""

    def __init__(self, results: dict[str, str]) -> None:
        dashed = {key.replace("-", dash): results[key] for key in results for dash in DASHES}
        self.results = dashed | results
        longest_first = sorted(self.results, key=len, reverse=True)
        pattern = PATTERN.format(results="|".join(map(re.escape, longest_first)))
        self.pattern = re.compile(pattern, re.VERBOSE | re.MULTILINE)

    def games(self, text: str) -> list[RawGame]:
        """Return the games of a text."""
        made, text = _Pieces(), _plain(text)
        for token in self.pattern.finditer(text):
            kind = token.lastgroup
            if kind in ("tag", "loose"):
                made.add_tag(*_tag(token), at=token.start())
            elif kind == "result" and made.depth == 0:
                made.end(token.start(), self.results[token[0]])
            elif kind == "unclosed":
                made.flaw = "a comment that begins with { is never closed."
                made.begin(token.start())
                made.end(token.start(), "")
                break
            elif kind == "space":
                made.gap = made.gap or token[0].count("\n") > 1
            elif kind in ("comment", "mark"):
                made.note(token.start())
            else:
                made.begin(token.start())
                if kind == "paren":
                    made.depth = max(0, made.depth + (1 if token[0] == "(" else -1))
        return made.all_of(text)

    def tokens(self, body: str) -> Iterator[tuple[str, str]]:
        """Yield what a game's text says, each with its kind: word, paren, comment or mark."""
        for token in self.pattern.finditer(body):
            kind, text = token.lastgroup, token[0]
            if kind in ("word", "bracket"):
                yield "word", text
            elif kind in ("paren", "mark"):
                yield kind, text
            elif kind == "comment" and text[0] != "%":
                yield kind, " ".join(text.removesuffix("}")[1:].split())


@dataclass
class _Pieces:
    """The games found so far, and the one that is being read."""

    found: list[tuple[dict[str, str], int, int, str, str]] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    start: int = -1
    noted: int = -1  # where a comment before the first move begins
    depth: int = 0
    flaw: str = ""
    gap: bool = False  # whether there is a blank line since the last tag

    def begin(self, at: int) -> None:
        """Tell that moves begin here, if they have not yet."""
        if self.start < 0:
            self.start = at

    def note(self, at: int) -> None:
        """Tell that there is a comment here; by itself it is not a game."""
        if self.tags and self.start < 0 and self.noted < 0:
            self.noted = at

    def add_tag(self, name: str, value: str, at: int) -> None:
        """Add a tag; after moves, or where it cannot be this game's, it is the next one's."""
        if self.start >= 0 or self._is_next(name):
            self.end(at, "")
        self.tags.setdefault(name, value)
        self.gap, self.noted = False, -1

    def _is_next(self, name: str) -> bool:
        """Tell whether a tag begins a game though the one before it has no moves."""
        if self.gap and self.tags.keys() >= COMPLETE:
            return True
        return name in self.tags and (self.gap or name == "Event")

    def end(self, at: int, ending: str) -> None:
        """End a game here."""
        if self.tags or self.start >= 0:
            start = min(place for place in (self.noted, self.start, at) if place >= 0)
            self.found.append((self.tags, start, at, ending, self.flaw))
        self.tags, self.start, self.noted, self.depth, self.flaw = {}, -1, -1, 0, ""

    def all_of(self, text: str) -> list[RawGame]:
        """Return the games, the last one ended."""
        self.end(len(text), "")
        return [
            RawGame(number, tags, text[start:stop], ending, flaw)
            for number, (tags, start, stop, ending, flaw) in enumerate(self.found, 1)
        ]


def _plain(text: str) -> str:
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _tag(token: re.Match[str]) -> tuple[str, str]:
    if token["name"] is None:
        return token["name_too"], token["value_too"].strip()
    return token["name"], re.sub(r"\\(.)", r"\1", token["value"]).strip()


def tags_written(tags: Iterable[tuple[str, str]]) -> str:
    """Return tags as text, one a line."""
    return "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags)


def _escaped(value: str) -> str:
    one_line = " ".join(value.split())
    return one_line.replace("\\", "\\\\").replace('"', '\\"')
