"""evoboard app: play, analyse, replay and train in a browser."""

from __future__ import annotations

import importlib.util
from contextlib import suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer

from evoboard.cli.printing import command
from evoboard.core.errors import NotFound, OptionError
from evoboard.core.loading import loading
from evoboard.core.options import split_options
from evoboard.games.base import load_game
from evoboard.players import permission
from evoboard.players.base import make_player
from evoboard.runs import ahead
from evoboard.web.opponents import FIRST_GAME, offered


@command(
    "evoboard app",
    "evoboard app --port 9000 --no-browser",
    "evoboard app --game mine.py",
    "evoboard app --engine uci:stockfish,nodes=1000",
)
def app(
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on; any but this machine's own requires the printed token."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8137,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    game: Annotated[
        list[str] | None, typer.Option(help="A game file of your own, offered as well.")
    ] = None,
    part: Annotated[
        list[Path] | None,
        typer.Option(help="Another of your own files (encoder, search, chart, …)."),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER", help="A uci or hub player to offer; the app starts no other programs."
        ),
    ] = None,
) -> None:
    """Open the browser app: play, analyse, replay, look inside, train, compare."""
    start(host, port, browser, tuple(game or ()), tuple(part or ()), engines=tuple(engine or ()))


def start(
    host: str = "127.0.0.1",
    port: int = 8137,
    browser: bool = True,
    games: tuple[str, ...] = (),
    parts: tuple[Path, ...] = (),
    page: str = "",
    engines: tuple[str, ...] = (),
) -> None:
    """Serve the app and open a page of it, the first one unless told otherwise."""
    if importlib.util.find_spec("nicegui") is None:
        raise OptionError("the app needs NiceGUI; install it with: pip install nicegui.")
    for text in games:
        if split_options(text)[1]:
            raise OptionError(f"--game {text}: name the file alone; options are chosen in the app.")
        load_game(text).require_lawful()  # a wrong file is named before anything starts
    for path in parts:
        if not path.is_file():
            raise NotFound(f"there is no file {path}; --part names a Python file.")
    for text in engines:
        require_engine(text)
    if not page:
        _compile_opponent(games[0] if games else FIRST_GAME)
    if games and not page:  # whoever names a game wants to see it
        page = f"/play?{urlencode({'game': games[0]})}"
    with loading("evoboard.web.app"):
        from evoboard.web.app import serve as run_server

    files = tuple(map(str, parts))
    with suppress(KeyboardInterrupt):  # Ctrl-C is how it is meant to end
        run_server(
            host,
            port,
            open_browser=browser,
            games=games,
            parts=files,
            engines=engines,
            page=page,
        )


def _compile_opponent(game: str) -> None:
    """Have the opponent of the first page compiled while the server starts and the page opens."""
    opponent = next(offered(load_game(game))).text
    ahead.begin("players", game, opponent)


def require_engine(text: str) -> None:
    """Raise for a text that is not an external player, or one that could not play."""
    kind = split_options(text)[0]
    if kind not in permission.KINDS:
        raise OptionError(
            f"--engine {text}: that is not an external player; write uci:PROGRAM or hub:PROGRAM."
        )
    make_player(text, load_game("chess" if kind == "uci" else "draughts"))
