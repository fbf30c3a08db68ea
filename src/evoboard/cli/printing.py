"""What commands share when they print."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def print_json(data: Any) -> None:
    """Print data for a script."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2)
    print(text)


def table_console() -> Console:
    """Return a console for tables: as wide as the terminal, and wide enough where there is none."""
    console = Console(highlight=False)
    known = console.is_terminal or "COLUMNS" in os.environ
    return console if known else Console(highlight=False, width=200)


def one_line_table(
    headings: Sequence[str], rows: Sequence[Sequence[str | Text]], width: int
) -> Table:
    """Return a table whose rows are one line each, the last column cut where the width ends.

    Columns whose heading ends in > are set to the right.
    """
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    cells = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    for place, heading in enumerate(headings):
        right, column = heading.endswith(">"), [row[place] for row in cells]
        title = heading.rstrip(">")
        if place == len(headings) - 1:
            for cell in column:
                cell.truncate(max(8, width - 2), overflow="ellipsis")
        width -= 2 + max([len(title), *(cell.cell_len for cell in column)])
        table.add_column(title, justify="right" if right else "left", no_wrap=True)
    for row in cells:
        table.add_row(*row)
    return table
