"""Connections that do not get on with their requests are closed, or a few could hold them all."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

PATIENCE = 30.0  # seconds for a whole request, its body included


class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """HTTP as uvicorn speaks it, with an end to waiting for what a visitor sends.

    uvicorn itself closes those that rest between two requests, and pings web sockets.
    """

    _heard: Any = None  # the last request that came whole

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._look_again()

    def _look_again(self) -> None:
        asyncio.get_running_loop().call_later(PATIENCE, self._look)

    def _look(self) -> None:
        """Close the connection unless a request has come whole since we last looked."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return  # it has ended, or become a web socket
        request = self.cycle
        whole = request is not None and not request.more_body
        if whole and (request is not self._heard or not request.response_complete):
            self._heard = request
            self._look_again()
        else:
            self.transport.abort()
