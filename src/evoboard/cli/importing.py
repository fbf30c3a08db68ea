"""evoboard import: another program's network as a player."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evoboard.cli.options import GameOption
from evoboard.cli.printing import command
from evoboard.core.errors import OptionError
from evoboard.core.settings import plain, read
from evoboard.evolution.genomes.neat_text import USUAL_WIDTHS, Widths
from evoboard.interop.importing import import_player


@command(
    "evoboard import winner.json --game kingcapture --encoder squares --out mine.json",
    "evoboard match file:mine.json random --game kingcapture",
    "evoboard import layers.json --game nim:heaps=3/5/7 --activation relu --out own.json",
    "evoboard import genome.txt --game kingcapture --out line.json",
)
def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="JSON: neat-python's export_network_json, or layers of weights and biases; or "
            "a genome's line as in paper A, in a file or typed here.",
        ),
    ],
    game: GameOption,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The player file to write.")],
    encoder: Annotated[
        str, typer.Option(help="What the inputs are; by default the encoder with that many inputs.")
    ] = "",
    search: Annotated[str, typer.Option(help="How the player finds its moves.")] = "alphabeta",
    depth: Annotated[
        int | None,
        typer.Option(
            help="How many plies it looks ahead; by default as many as its search does.",
            min=1,
            max=60,
        ),
    ] = None,
    activation: Annotated[str, typer.Option(help="Activation of layers that name none.")] = "tanh",
    widths: Annotated[
        str, typer.Option(help=f"Widths of a line's fields: {'/'.join(Widths.model_fields)}.")
    ] = "/".join(str(width) for width in plain(USUAL_WIDTHS).values()),
) -> None:
    """Make a player from another program's network, plain lists of weights, or a genome."""
    text = import_player(
        file,
        game,
        out,
        encoder=encoder,
        search=search,
        settings={} if depth is None else {"depth": depth},
        activation=activation,
        widths=_widths(widths),
    )
    print(f"{out} is written; the player is {text}.")


def _widths(text: str) -> Widths:
    """Return the widths in a text such as 4/6/8/5/6/8."""
    numbers = text.split("/")
    if len(numbers) != len(Widths.model_fields):
        raise OptionError(
            f"--widths is {text!r}; write {len(Widths.model_fields)} numbers, "
            f"{'/'.join(Widths.model_fields)}."
        )
    return read(Widths, dict(zip(Widths.model_fields, numbers, strict=True)), "widths", texts=True)
