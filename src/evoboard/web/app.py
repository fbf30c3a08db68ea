"""The server: every page of `pages/` behind one gate, by default for this machine only."""

from __future__ import annotations

import asyncio
import errno
import gc
import inspect
import socket
import types
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import Request, Response
from fastapi.middleware.gzip import GZipMiddleware
from nicegui import Client, app, helpers, ui

from evoboard.core import catalog
from evoboard.core.errors import EvoboardError, OptionError, quoted
from evoboard.players.permission import allow_only
from evoboard.players.program import end_all
from evoboard.web import theme
from evoboard.web.async_player import stop_thinking
from evoboard.web.patience import ImpatientProtocol
from evoboard.web.security import Gate, is_loopback, new_token
from evoboard.web.session import flush
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.training.charts.base import find_charts

PACKAGE = "evoboard.web.pages"
PORT = 8137


def serve(
    host: str = "127.0.0.1",
    port: int = PORT,
    *,
    open_browser: bool = True,
    token: str = "",
    games: tuple[str, ...] = (),
    parts: tuple[str, ...] = (),
    engines: tuple[str, ...] = (),
    page: str = "",
    announce: Callable[[str], None] = lambda text: print(text, flush=True),
) -> None:
    """Serve the app until it is interrupted.

    On an address that other machines reach, a token is needed; one is made up if none is given.
    `games` and `parts` are the only Python files of the user's that the app will run, `engines` the
    only external players; `page` is the address to open, such as /play?game=nim; its game is the
    first one of the other pages, too.
    """
    require_free(host, port)
    if not is_loopback(host):
        token = token or new_token()
    catalog.trust_only([*games, *parts])
    allow_only(engines)
    find_charts(parts)  # a wrong file is named before anything starts
    asked = dict(parse_qsl(urlsplit(page).query))
    site = Site(games, parts, asked.get("game", ""))
    prepare(site, host, port, token)
    page = page or "/"
    if token:
        page += f"{'&' if '?' in page else '?'}token={token}"
    told = f"evoboard is at http://{_shown(host)}:{port}{page}  (Ctrl-C ends it)"
    app.on_startup(lambda: _when_it_answers(host, port, partial(announce, told)))
    ui.run(
        host=host,
        port=port,
        title="evoboard",
        favicon=theme.FAVICON,
        dark=None,
        language="en-US",
        tailwind=False,
        reload=False,
        show=page if open_browser else False,
        show_welcome_message=False,
        # To this very machine, packing takes longer than sending.
        gzip_middleware_factory=None if is_loopback(host) else GZipMiddleware,
        binding_refresh_interval=None,
        reconnect_timeout=3.0,
        ws_max_size=2_000_000,
        timeout_graceful_shutdown=2,
        http=ImpatientProtocol,
    )


def prepare(site: Site, host: str, port: int, token: str = "") -> None:
    """Register the pages and the gate with NiceGUI."""
    theme.set_defaults()
    _remember_signatures()
    app.colors(
        primary="#4a7d3a",
        secondary="#7a6a52",
        accent="#4a7d3a",
        dark="#262421",
        dark_page="#171614",
    )
    ui.add_head_html(theme.head(site.boot), shared=True)
    pages = find_pages()
    for page in pages:
        _register(site, pages, page, page.PATH)
    _register(site, pages, pages[0], "/")

    async def show_missing(request: Request, _error: Exception) -> Response:
        """Say so in a page from which there is a way back."""
        with Client(ui.page("", title="evoboard"), request=request) as client:
            with theme.shell(pages, None), theme.card():
                ui.label(f"There is no page {quoted(request.url.path)} here.").classes("said")
            return client.build_response(request, 404)

    app.add_exception_handler(404, show_missing)
    app.add_middleware(Gate, host=host, port=port, token=token)
    app.on_startup(lambda: _warm_up(site))
    app.on_shutdown(stop_thinking)
    app.on_shutdown(flush)
    app.on_shutdown(end_all)


def _remember_signatures() -> None:
    """Let NiceGUI look at a method once, not again for every element that has it.

    A page has hundreds of elements; this took a third of the time needed to build it.
    """
    plain = helpers.expects_arguments
    known: dict[Any, bool] = {}

    def expects_arguments(func: Callable[..., Any]) -> bool:
        method = getattr(func, "__func__", None)
        if method is None:
            return plain(func)
        if method not in known:
            known[method] = plain(func)
        return known[method]

    helpers.expects_arguments = expects_arguments


def find_pages() -> list[types.ModuleType]:
    """Return the pages in their order."""
    names = catalog.names(PACKAGE, "PATH")
    found = [catalog.find("page", PACKAGE, name, "PATH") for name in names]
    return sorted(found, key=lambda page: page.ORDER)


def _register(site: Site, pages: list[types.ModuleType], page: types.ModuleType, path: str) -> None:
    @ui.page(path, title=f"{page.TITLE} · evoboard", response_timeout=30)
    async def show() -> None:
        await site.turnstile.enter()
        with theme.shell(pages, page):
            try:
                built: Any = page.build(site)
                if inspect.isawaitable(built):
                    await built
            except EvoboardError as error:
                with theme.card():
                    ui.label(str(error)).classes("said")


async def _warm_up(site: Site) -> None:
    """Load every game, so that the first visitor need not wait for it."""

    def load() -> None:
        for name in site.games:
            game = site.load_game(name)
            site.sessions.new(game)
            game.view(game.initial())
        # What is loaded by now stays: the collector need not look through it during a click.
        gc.collect()
        gc.freeze()

    await off_loop(load)


async def _when_it_answers(host: str, port: int, act: Callable[[], None]) -> None:
    """Do something as soon as the server answers: it starts listening only after start-up."""
    near = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(near, port)
            with closing(writer):
                writer.write(b"GET / HTTP/1.0\r\n\r\n")  # to no host: the gate says so, and no more
                if await reader.read(1):
                    return act()
        await asyncio.sleep(0.02)


def require_free(host: str, port: int) -> None:
    """Raise OptionError if the address cannot be listened on."""
    try:
        kind = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind[0], kind[1]) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(kind[4])
    except OverflowError:
        raise OptionError(f"the port is {port}; it must be from 1 to 65535.") from None
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        remedy = "is evoboard already running? Choose another port with --port."
        raise OptionError(
            f"cannot listen on {host}, port {port} ({error.strerror or error}); "
            f"{remedy if taken else 'give another --host.'}"
        ) from None


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::", ""):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
