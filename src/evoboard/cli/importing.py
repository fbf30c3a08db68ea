"""evoboard import: another program's network as a player."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evoboard.cli.arena import GameOption
from evoboard.cli.printing import command
from evoboard.games.base import load_game
from evoboard.interop.importing import import_player


@command(
    "evoboard import winner.json --game kingcapture --encoder squares --out mine.json",
    "evoboard match file:mine.json random --game kingcapture",
    "evoboard import layers.json --game nim:heaps=3/5/7 --activation relu --out own.json",
)
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="neat-python's export_network_json, or layers of weights and biases, as JSON.",
        ),
    ],
    game: GameOption,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The player's file to write.")],
    encoder: Annotated[
        str, typer.Option(help="What the inputs are; else the one with that many inputs.")
    ] = "",
    search: Annotated[str, typer.Option(help="How the player finds its moves.")] = "alphabeta",
    depth: Annotated[int, typer.Option(help="How many plies it looks ahead.", min=1, max=60)] = 1,
    activation: Annotated[str, typer.Option(help="Of layers that name none.")] = "tanh",
) -> None:
    """Make a player of another program's network: neat-python's, or plain lists of weights."""
    settings = {} if search == "policy" else {"depth": depth}
    text = import_player(
        file,
        load_game(game),
        out,
        encoder=encoder,
        search=search,
        settings=settings,
        activation=activation,
    )
    print(f"{out} is written; the player is {text}.")
