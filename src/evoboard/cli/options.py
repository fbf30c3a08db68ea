"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

PLAYER = "A player, such as champion or material:depth=3 (`evoboard players`)."
PlayerText = Annotated[str, typer.Argument(metavar="PLAYER", help=PLAYER)]
GameOption = Annotated[str, typer.Option("--game", "-g", help="The game, with its options.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
RunSeed = Annotated[int, typer.Option(help="The same seed gives the same run.", min=0)]
RunGames = Annotated[int | None, typer.Option(help="Every run ends after this many games.", min=1)]
StateText = Annotated[
    str | None, typer.Option("--state", help="A position, written as `evoboard show` prints it.")
]
Openings = Annotated[
    int | None,
    typer.Option(
        help="Random plies before each pair of games; 0 starts from the start position.", min=0
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's name (`evoboard runs`).")]
Threads = Annotated[
    int, typer.Option(help="How many threads; 0 uses every core. Changes no result.", min=0)
]
Jobs = Annotated[
    int,
    typer.Option(help="How many runs to train at the same time, each in its own process.", min=1),
]
BackendName = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE.py",
        help="Where games are played, such as cpu, cuda or ray:HOST:PORT. Changes no result.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
