"""A report: one HTML file that stands alone, and beside it figures and numbers as files.

FOLDER/report.html        everything, figures inside
FOLDER/figures/NAME.svg   and NAME.pdf of charts, NAME.png where PNG can be written
FOLDER/data/NAME.csv      the numbers of every figure and table
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from evoboard.core.errors import OptionError
from evoboard.core.version import program_version
from evoboard.core.whole_file import write_whole
from evoboard.pictures.pdf import save_pdf
from evoboard.pictures.png import MISSING, can_write_png, save_png
from evoboard.pictures.svg import Picture

PAGE = "report.html"
FILES = (".svg", ".pdf", ".png", ".csv")
SHORT = 12  # letters of a cell that is not broken into lines
STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #26231f;
  background: #fbfaf7; margin: 0; }
main { max-width: 1180px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; }
h2 { font-size: 20px; margin: 38px 0 8px; border-bottom: 1px solid #ddd6c8; padding-bottom: 4px; }
h3 { font-size: 15px; margin: 22px 0 8px; }
p { max-width: 78ch; margin: 8px 0; }
.dim { color: #6f6a62; font-size: 13px; }
.beside { display: grid; grid-template-columns: minmax(200px, 270px) minmax(0, 1fr); gap: 16px;
  align-items: start; }
.paper { border-left: 3px solid #c08a2b; background: #fdf5e3; padding: 8px 12px; font-size: 13px;
  color: #59430f; }
.paper b { display: block; color: #8a5a00; }
figure { margin: 0; }
figure svg { max-width: 100%; height: auto; border: 1px solid #e6e1d8; background: #fff; }
.note { font-size: 13px; color: #6f6a62; margin-top: 4px; max-width: 90ch; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; background: #fff; }
th, td { border: 1px solid #e6e1d8; padding: 4px 9px; text-align: left; vertical-align: top; }
th { background: #f3efe6; font-weight: 600; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.short, code { white-space: nowrap; }
code { background: #f3efe6; border-radius: 3px; padding: 0 4px; font-size: 0.92em; }
pre { background: #fff; border: 1px solid #e6e1d8; padding: 8px 12px; overflow-x: auto;
  font-size: 12.5px; margin: 0; }
.reproduced > :first-child, .not-reproduced > :first-child, .not-testable > :first-child {
  white-space: nowrap; font-weight: 600; }
.reproduced > :first-child { background: #dff1e4; color: #1d6b3a; }
.not-reproduced > :first-child { background: #fbe3df; color: #a3281b; }
.not-testable > :first-child { background: #ece8df; color: #6a6353; }
.sure { font-weight: 600; background: #dff1e4; }
@media (max-width: 760px) { .beside { grid-template-columns: 1fr; } }
@media print { body { background: #fff; } figure, table { break-inside: avoid; } }
"""

Cell = str | float | int | None


@dataclass(frozen=True)
class Table:
    """A table; `name` is its file's, None a cell without value.

    `paper`: what the table of a paper shows that this one stands beside, in words. `looks`: how
    each row looks, a class of the style above.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    paper: str = ""
    note: str = ""
    looks: Sequence[str] = ()


@dataclass(frozen=True)
class Figure:
    """A figure, what a paper's own shows, and the numbers it is drawn from."""

    name: str
    title: str
    picture: Picture
    paper: str = ""
    note: str = ""
    data: Mapping[str, Sequence[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Log:
    """Lines as a program prints them, such as a game."""

    title: str
    lines: Sequence[str]
    paper: str = ""


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str


Block = Table | Figure | Log | Words


@dataclass(frozen=True)
class Section:
    """A part of a report under a heading."""

    title: str
    blocks: Sequence[Block]


def write_report(
    folder: Path,
    title: str,
    intro: Sequence[str],
    sections: Sequence[Section],
    further: Sequence[Table] = (),
) -> Path:
    """Write a report in place of an older one and return its page; `further` are files only."""
    try:
        for inner in ("figures", "data"):
            (folder / inner).mkdir(parents=True, exist_ok=True)
            for old in (folder / inner).iterdir():
                if old.suffix in FILES:  # whatever else lies there is not a report's
                    old.unlink()
        for block in (*(block for section in sections for block in section.blocks), *further):
            _write_files(block, folder)
        write_whole(folder / PAGE, page_of(title, intro, sections))
    except OSError as error:
        raise OptionError(
            f"the report cannot be written to {folder}: {error.strerror or error}."
        ) from error
    return folder / PAGE


def _write_files(block: Block, folder: Path) -> None:
    if isinstance(block, Figure):
        path = folder / "figures" / block.name
        block.picture.save(f"{path}.svg")
        with suppress(OptionError):  # boards and networks have shapes that only SVG knows here
            save_pdf(block.picture, f"{path}.pdf")
        if can_write_png():
            save_png(block.picture, Path(f"{path}.png"))
    if isinstance(block, Table):
        text = _csv(block.columns, block.rows)
    elif isinstance(block, Figure) and block.data:
        text = _csv(list(block.data), zip(*block.data.values(), strict=True))
    else:
        return
    write_whole(folder / "data" / f"{block.name}.csv", text)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["" if _unknown(cell) else cell for cell in row])
    return text.getvalue()


def _unknown(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def page_of(title: str, intro: Sequence[str], sections: Sequence[Section]) -> str:
    """Return the whole page; it needs nothing but itself."""
    parts = [f"<h1>{escape(title)}</h1>", *(f"<p>{_words(text)}</p>" for text in intro)]
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        parts += [_block(block) for block in section.blocks]
    png = "" if can_write_png() else f" {MISSING}."
    files = "Figures are in the folder figures (SVG, PDF, PNG), numbers in data (CSV), both beside "
    files += f"this file. Made by evoboard {program_version()}.{png}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f'<body><main>{"".join(parts)}<p class="dim">{escape(files)}</p></main></body></html>\n'
    )


def _block(block: Block) -> str:
    if isinstance(block, Words):
        return f"<p>{_words(block.text)}</p>"
    if isinstance(block, Log):
        lines = escape("\n".join(block.lines))
        return f"<h3>{escape(block.title)}</h3>{_beside(block.paper, f'<pre>{lines}</pre>')}"
    note = f'<div class="note">{_words(block.note)}</div>' if block.note else ""
    if isinstance(block, Table):
        body = f'<div class="wide">{_table(block)}</div>{note}'
    else:
        body = f"<figure>{block.picture.svg}{note}</figure>"
    return f"<h3>{escape(block.title)}</h3>{_beside(block.paper, body)}"


def _words(text: str) -> str:
    """Return a text as HTML; what stands between backticks is typed."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _beside(paper: str, body: str) -> str:
    """Return ours with a paper's words beside it, where there are any."""
    if not paper:
        return body
    return (
        f'<div class="beside"><div class="paper"><b>The paper</b>{escape(paper)}</div>'
        f"<div>{body}</div></div>"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    looks = table.looks or [""] * len(table.rows)
    rows = "".join(
        f'<tr class="{look}">{"".join(map(_cell, row))}</tr>'
        for look, row in zip(looks, table.rows, strict=True)
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        look = ' class="short"' if len(cell) <= SHORT else ""
        return f"<td{look}>{_words(cell)}</td>"
    if _unknown(cell) or cell is None:
        return '<td class="number">–</td>'
    whole = float(cell).is_integer() or abs(cell) >= 1000  # beyond 10,000 `g` would write 1e+04
    told = f"{cell:,.0f}" if whole else f"{cell:.4g}"
    return f'<td class="number">{told}</td>'
