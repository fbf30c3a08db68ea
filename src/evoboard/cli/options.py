"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

PLAYER = "KIND or KIND:option=value,… (`evoboard players`)."
PlayerText = Annotated[str, typer.Argument(metavar="PLAYER", help=PLAYER)]
GameOption = Annotated[str, typer.Option("--game", "-g", help="The game, with its options.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Openings = Annotated[
    int | None,
    typer.Option(help="Random plies before each pair of games; 0: from the start.", min=0),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's name (`evoboard runs`).")]
Threads = Annotated[int, typer.Option(help="0 uses every core; no result depends on it.", min=0)]
Jobs = Annotated[
    int, typer.Option(help="Runs that are trained at the same time, a process each.", min=1)
]
BackendName = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE.py",
        help="Where games are played: cpu, cuda, ray or ray:HOST:PORT; it changes no result.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
