"""evoboard export: a player's network for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evoboard.cli.options import GameOption
from evoboard.cli.printing import command, write_new
from evoboard.core.errors import OptionError
from evoboard.games.base import load_game
from evoboard.interop.export.base import find_format, format_names, format_of

FORMATS = f"One of {', '.join(format_names())}; by default from the ending of --out."


@command(
    "evoboard export champion --game kingcapture --out champion.py",
    "evoboard export run:mine@gen=40#3 --game kingcapture --out third.json",
    "evoboard export champion --game hexwar --to dot | dot -Tsvg -o network.svg",
    "evoboard export file:mine.json --game chess --out mine.onnx",
)
def export(
    player: Annotated[
        str,
        typer.Argument(metavar="PLAYER", help="A player with a network: champion, run:…, file:…."),
    ],
    game: GameOption,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=FORMATS)] = "",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write; by default it is printed."),
    ] = None,
) -> None:
    """Write a player's network for other programs: JSON, Graphviz, ONNX, plain Python."""
    from evoboard.players.network import find_network

    if not to and out is None:
        raise OptionError(
            f"choose a format with --to ({', '.join(format_names())}), or name a file with --out."
        )
    form = find_format(to or format_of(out or Path()))
    content: str | bytes = form.export(find_network(player, load_game(game)))
    if out is not None:
        print(f"{out} is written, {write_new(out, content):,} bytes.")
        return
    if isinstance(content, bytes):
        raise OptionError(f"{to} is not text that can be printed; name a file with --out.")
    sys.stdout.write(content)
