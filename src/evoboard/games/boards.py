"""Reading and writing the board field of a FEN, for every game that has one."""

from __future__ import annotations

from evoboard.core.errors import MalformedState, quoted


def read_board(field: str, width: int, height: int, letters: str) -> list[tuple[int, str]]:
    """Return (cell, letter) per piece; cell 0 is at the bottom left, the text starts at the top."""
    rows = field.split("/")
    if len(rows) != height:
        raise MalformedState(f"the board has {len(rows)} rows; it needs {height}, separated by /.")
    pieces = []
    for index, row in enumerate(rows):
        x, y = 0, height - 1 - index
        for letter in row:
            if letter.isascii() and letter.isdigit() and letter != "0":
                x += int(letter)
            elif letter in letters:
                pieces.append((y * width + x, letter))
                x += 1
            else:
                raise MalformedState(
                    f"{letter!r} in row {quoted(row)} is not a piece; pieces are {letters}, "
                    "a digit is a number of empty squares."
                )
        if x != width:
            raise MalformedState(f"row {quoted(row)} describes {x} squares; a row has {width}.")
    return pieces


def write_board(letters: dict[int, str], width: int, height: int) -> str:
    """Return the board field for pieces given by cell."""
    rows = []
    for y in reversed(range(height)):
        row, gap = "", 0
        for x in range(width):
            letter = letters.get(y * width + x)
            if letter is None:
                gap += 1
            else:
                row += (str(gap) if gap else "") + letter
                gap = 0
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows)
