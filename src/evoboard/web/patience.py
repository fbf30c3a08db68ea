"""Connections that make no progress are closed; otherwise a few could block all others.

uvicorn itself closes those that rest between two requests, and pings web sockets. But it waits for
ever for a request that never arrives in full, and for a visitor who does not take what is sent,
even when it closes a connection, because that waits until everything is sent.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

PATIENCE = 30.0  # seconds for a whole request, and for the next piece of an answer to be taken
PIECE = 48 * 1024  # bytes


class _ImpatientSender(asyncio.Protocol):
    """A connection that is cut off if a visitor does not take what is sent.

    asyncio says when 64 KiB wait to be sent, and when only 16 are left. An answer may be longer
    and wait as a whole, so that what counts is whether it becomes shorter.
    """

    transport: asyncio.Transport
    _deadline: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait()

    def resume_writing(self) -> None:
        self._wait_no_more()
        if self.transport.is_closing():  # nobody will say when the rest is sent
            self._wait()
        super().resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(error)

    def _wait(self) -> None:
        """Cut the connection off after a while, unless a piece of what waits now is taken."""
        unsent, loop = self.transport.get_write_buffer_size(), asyncio.get_running_loop()
        self._deadline = loop.call_later(PATIENCE, self._judge, unsent)

    def _judge(self, unsent: int) -> None:
        if self.transport.get_write_buffer_size() > unsent - PIECE:
            self.transport.abort()  # nothing happens where it has ended
        else:
            self._wait()

    def _wait_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


@cache
def _impatient(web_socket: type[asyncio.Protocol]) -> type[asyncio.Protocol]:
    """Return a web socket's protocol with an end to waiting for a visitor who takes nothing."""
    return type("ImpatientWebSocket", (_ImpatientSender, web_socket), {})


class ImpatientProtocol(_ImpatientSender, AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """HTTP as uvicorn speaks it, with an end to waiting for a visitor."""

    ws_protocol_class: Any
    _heard: Any = None  # the last request that came whole

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        if self.ws_protocol_class is not None:
            self.ws_protocol_class = _impatient(self.ws_protocol_class)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._look_again()

    def _look_again(self) -> None:
        asyncio.get_running_loop().call_later(PATIENCE, self._look)

    def _look(self) -> None:
        """Close the connection if nothing has happened on it since we last looked."""
        if self._deadline is not None:  # what it is sent is being waited for
            return self._look_again()
        if self.transport.is_closing():
            return self._wait()
        if self.transport.get_protocol() is not self:  # it has become a web socket
            return self._look_again()
        request = self.cycle
        whole = request is not None and not request.more_body
        if whole and (request is not self._heard or not request.response_complete):
            self._heard = request
            return self._look_again()
        return self.transport.abort()
