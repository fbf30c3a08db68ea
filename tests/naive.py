"""Slow, obvious rules of hexwar, nim and kingcapture: oracles for the fast kernels.

Nothing here is shared with `evoboard`; when a kernel and this file disagree, read the spec.
A finished position has no moves. History rules (repetition, ply cap) are the match's, not ours.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Protocol, Self, TypeVar

Cell = tuple[int, int]


class Position(Protocol):
    """What `perft` and `random_game` need of a position."""

    def moves(self) -> set[str]: ...

    def play(self, move: str) -> Self: ...


P = TypeVar("P", bound=Position)


def perft(position: Position, depth: int) -> int:
    """Number of move sequences of exactly `depth` moves; games that end earlier count nothing."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(position.moves())
    return sum(perft(position.play(move), depth - 1) for move in position.moves())


def random_game(position: P, rng: random.Random, cap: int) -> Iterator[P]:
    """The position itself, then the one after each random move, until the end or `cap` moves."""
    yield position
    for _ in range(cap):
        moves = sorted(position.moves())
        if not moves:
            return
        position = position.play(rng.choice(moves))
        yield position


class _Textual:
    """Equality and hash by text: two positions are the same when they read the same."""

    def text(self) -> str:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text()!r})"


# --- hexwar (spec D1) ---------------------------------------------------------------------------


class NaiveHexwar(_Textual):
    """Signed counts by (x, y), Blue positive, and the side to move, "b" or "r"."""

    SIZE = 5
    LIMIT = 10

    def __init__(self, counts: dict[Cell, int], side: str, layout: str = "offset") -> None:
        if layout not in ("offset", "rhombus"):
            raise ValueError(f"unknown layout {layout!r}")
        if side not in ("b", "r"):
            raise ValueError(f"unknown side {side!r}")
        if set(counts) != {(x, y) for x in range(self.SIZE) for y in range(self.SIZE)}:
            raise ValueError("counts must cover the 25 tiles")
        if any(abs(count) > self.LIMIT for count in counts.values()):
            raise ValueError("more than 10 pieces on a tile")
        self.counts = dict(counts)
        self.side = side
        self.layout = layout

    @classmethod
    def from_text(cls, text: str, layout: str = "offset") -> NaiveHexwar:
        board, side = text.split(" ")
        counts = {
            (x, y): int(number)
            for y, row in enumerate(board.split("/"))
            for x, number in enumerate(row.split(","))
        }
        return cls(counts, side, layout)

    @classmethod
    def start(cls, pieces: int = 1, layout: str = "offset") -> NaiveHexwar:
        counts = {(x, y): 0 for x in range(cls.SIZE) for y in range(cls.SIZE)}
        counts[4, 0] = pieces
        counts[0, 4] = -pieces
        return cls(counts, "b", layout)

    def text(self) -> str:
        rows = [
            ",".join(str(self.counts[x, y]) for x in range(self.SIZE)) for y in range(self.SIZE)
        ]
        return "/".join(rows) + " " + self.side

    def __repr__(self) -> str:
        return f"NaiveHexwar({self.text()!r}, {self.layout!r})"

    def neighbours(self, tile: Cell) -> set[Cell]:
        """Tiles of the board that touch this one."""
        x, y = tile
        if self.layout == "rhombus":
            near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y - 1), (x - 1, y + 1)}
        elif y % 2 == 0:
            near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x - 1, y + 1), (x - 1, y - 1)}
        else:
            near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x + 1, y - 1)}
        return {there for there in near if there in self.counts}

    def own(self, tile: Cell) -> int:
        """Pieces of the side to move on a tile; negative if they are the opponent's."""
        return self.counts[tile] if self.side == "b" else -self.counts[tile]

    def moves(self) -> set[str]:
        if self.result() is not None:
            return set()
        found = set()
        for tile in self.counts:
            pieces = self.own(tile)
            if pieces <= 0:
                continue
            if pieces < self.LIMIT:
                found.add(f"{tile[0]},{tile[1]}+")
            for there in self.neighbours(tile):
                for number in range(1, pieces + 1):
                    # A negative `own` is an enemy tile: the numbers cancel and cannot exceed 10.
                    if self.own(there) + number <= self.LIMIT:
                        found.add(f"{tile[0]},{tile[1]}-{there[0]},{there[1]}:{number}")
        return found

    def play(self, move: str) -> NaiveHexwar:
        if move not in self.moves():
            raise ValueError(f"illegal move {move!r} in {self.text()!r}")
        sign = 1 if self.side == "b" else -1
        counts = dict(self.counts)
        if move.endswith("+"):
            counts[_cell(move[:-1])] += sign
        else:
            path, number = move.split(":")
            source, target = path.split("-")
            counts[_cell(source)] -= sign * int(number)
            counts[_cell(target)] += sign * int(number)
        return NaiveHexwar(counts, "r" if self.side == "b" else "b", self.layout)

    def result(self) -> str | None:
        """Winner, "blue" or "red", or "draw"; None while both have pieces."""
        blue = any(count > 0 for count in self.counts.values())
        red = any(count < 0 for count in self.counts.values())
        if blue and red:
            return None
        if not blue and not red:
            return "draw"
        return "blue" if blue else "red"


def _cell(text: str) -> Cell:
    x, y = text.split(",")
    return int(x), int(y)


# --- nim (spec B1) ------------------------------------------------------------------------------


class NaiveNim(_Textual):
    """Heap sizes and the side to move, 0 or 1; whoever takes the last match loses."""

    def __init__(self, heaps: tuple[int, ...], side: int = 0) -> None:
        if side not in (0, 1) or any(heap < 0 for heap in heaps):
            raise ValueError(f"not a nim position: {heaps} {side}")
        self.heaps = heaps
        self.side = side

    @classmethod
    def from_text(cls, text: str) -> NaiveNim:
        heaps, side = text.split(" ")
        return cls(tuple(int(heap) for heap in heaps.split(",")), int(side))

    def text(self) -> str:
        return ",".join(str(heap) for heap in self.heaps) + " " + str(self.side)

    def moves(self) -> set[str]:
        return {
            f"{index}:{amount}"
            for index, heap in enumerate(self.heaps)
            for amount in range(1, heap + 1)
        }

    def play(self, move: str) -> NaiveNim:
        if move not in self.moves():
            raise ValueError(f"illegal move {move!r} in {self.text()!r}")
        index, amount = (int(part) for part in move.split(":"))
        heaps = list(self.heaps)
        heaps[index] -= amount
        return NaiveNim(tuple(heaps), 1 - self.side)

    def winner(self) -> int | None:
        """Side to move once no match is left, since the other took the last; else None."""
        return self.side if sum(self.heaps) == 0 else None


def wins(heaps: tuple[int, ...]) -> bool:
    """Whether the side to move can force a win (it has won if nothing is left)."""
    return _solve(tuple(sorted(heaps)))[0]


def plies_to_end(heaps: tuple[int, ...]) -> int:
    """Length of the game if the winner hurries and the loser delays."""
    return _solve(tuple(sorted(heaps)))[1]


@cache
def _solve(heaps: tuple[int, ...]) -> tuple[bool, int]:
    """(side to move wins, plies to the end); sorted heaps, since their order does not matter."""
    if sum(heaps) == 0:
        return True, 0
    position = NaiveNim(heaps)
    after = [_solve(tuple(sorted(position.play(move).heaps))) for move in position.moves()]
    won = [plies for opponent_wins, plies in after if not opponent_wins]
    if won:
        return True, 1 + min(won)
    return False, 1 + max(plies for _, plies in after)


# --- kingcapture (spec A1-A2) -------------------------------------------------------------------


class NaiveKingCapture(_Textual):
    """6x6 board as FEN rows, rank 6 first, of letters and "."; the side to move, "w" or "b"."""

    SIZE = 6
    START = "rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w"
    STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
    DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
    JUMPS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))

    def __init__(self, rows: list[list[str]], side: str) -> None:
        if side not in ("w", "b"):
            raise ValueError(f"unknown side {side!r}")
        if [len(row) for row in rows] != [self.SIZE] * self.SIZE:
            raise ValueError("the board must be 6x6")
        if any(letter not in "PNBRKpnbrk." for row in rows for letter in row):
            raise ValueError("pieces are P N B R K")
        self.rows = [list(row) for row in rows]
        self.side = side

    @classmethod
    def from_text(cls, text: str = START) -> NaiveKingCapture:
        board, side = text.split(" ")
        rows = []
        for packed in board.split("/"):
            row: list[str] = []
            for letter in packed:
                row.extend("." * int(letter) if letter.isdigit() else letter)
            rows.append(row)
        return cls(rows, side)

    def text(self) -> str:
        packed = []
        for row in self.rows:
            line = "".join(row)
            for empty in range(self.SIZE, 0, -1):
                line = line.replace("." * empty, str(empty))
            packed.append(line)
        return "/".join(packed) + " " + self.side

    def moves(self) -> set[str]:
        if not (self._has("K") and self._has("k")):
            return set()
        found = set()
        for row in range(self.SIZE):
            for column in range(self.SIZE):
                if self._is_own(row, column):
                    for target in self._targets(row, column):
                        found.add(_square(row, column) + _square(*target))
        return found

    def play(self, move: str) -> NaiveKingCapture:
        if move not in self.moves():
            raise ValueError(f"illegal move {move!r} in {self.text()!r}")
        from_row, from_column = self.SIZE - int(move[1]), "abcdef".index(move[0])
        to_row, to_column = self.SIZE - int(move[3]), "abcdef".index(move[2])
        rows = [list(row) for row in self.rows]
        piece = rows[from_row][from_column]
        if piece == "P" and to_row == 0:
            piece = "R"
        if piece == "p" and to_row == self.SIZE - 1:
            piece = "r"
        rows[from_row][from_column] = "."
        rows[to_row][to_column] = piece
        return NaiveKingCapture(rows, "b" if self.side == "w" else "w")

    def result(self) -> str | None:
        """Winner, "white" or "black", by having taken the king; "draw" without a move; or None."""
        if not self._has("K") and not self._has("k"):
            return "draw"
        if not self._has("K"):
            return "black"
        if not self._has("k"):
            return "white"
        return None if self.moves() else "draw"

    def _targets(self, row: int, column: int) -> list[Cell]:
        """(row, column) of every square the own piece on this square may go to."""
        piece = self.rows[row][column].upper()
        if piece == "P":
            return self._pawn_targets(row, column)
        if piece == "N":
            return self._steps(row, column, self.JUMPS)
        if piece == "K":
            return self._steps(row, column, self.STRAIGHT + self.DIAGONAL)
        return self._slides(row, column, self.STRAIGHT if piece == "R" else self.DIAGONAL)

    def _pawn_targets(self, row: int, column: int) -> list[Cell]:
        ahead = row - 1 if self.side == "w" else row + 1
        targets = [(ahead, column)] if self._is_empty(ahead, column) else []
        for beside in (column - 1, column + 1):
            if self._is_enemy(ahead, beside):
                targets.append((ahead, beside))
        return targets

    def _steps(self, row: int, column: int, steps: tuple[Cell, ...]) -> list[Cell]:
        reached = [(row + down, column + right) for down, right in steps]
        return [there for there in reached if self._is_empty(*there) or self._is_enemy(*there)]

    def _slides(self, row: int, column: int, directions: tuple[Cell, ...]) -> list[Cell]:
        targets = []
        for down, right in directions:
            r, c = row + down, column + right
            while self._is_empty(r, c):
                targets.append((r, c))
                r, c = r + down, c + right
            if self._is_enemy(r, c):
                targets.append((r, c))
        return targets

    def _at(self, row: int, column: int) -> str:
        """Letter on a square; nothing outside the board."""
        inside = 0 <= row < self.SIZE and 0 <= column < self.SIZE
        return self.rows[row][column] if inside else ""

    def _is_empty(self, row: int, column: int) -> bool:
        return self._at(row, column) == "."

    def _is_own(self, row: int, column: int) -> bool:
        letter = self._at(row, column)
        return letter.isupper() if self.side == "w" else letter.islower()

    def _is_enemy(self, row: int, column: int) -> bool:
        letter = self._at(row, column)
        return letter.islower() if self.side == "w" else letter.isupper()

    def _has(self, letter: str) -> bool:
        return any(letter in row for row in self.rows)


def _square(row: int, column: int) -> str:
    return "abcdef"[column] + str(NaiveKingCapture.SIZE - row)
