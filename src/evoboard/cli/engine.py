"""evoboard engine: a player as an engine for chess and draughts interfaces, by UCI or Hub."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evoboard.cli.options import GameOption, PlayerText
from evoboard.cli.printing import command


@command(
    "evoboard engine                     # the chess champion, over UCI",
    "evoboard engine champion:depth=4    # always 4 plies, whatever the clock",
    "evoboard engine run:mine@best --game kingcapture",
    "evoboard engine --game draughts     # UCI or Hub, as the interface begins",
)
def engine(
    player: PlayerText = "champion",
    game: GameOption = "chess",
    protocol: Annotated[
        Literal["auto", "uci", "hub"],
        typer.Option(help="auto: decided by the first line, uci or hub (draughts only)."),
    ] = "auto",
) -> None:
    """Run a player as an engine for a chess or draughts program, over UCI or Hub.

    Your chess or draughts program starts this command and talks to it
    (docs/engines.md has the settings for Cute Chess, Arena, Scid and BanksiaGUI).
    To try it by hand, type uci, and quit to end it. A player whose text names no
    limit thinks for as long as its clock allows.
    """
    from evoboard.games.base import load_game
    from evoboard.interop.console import serve

    serve(load_game(game), player, protocol)
