"""Who may talk to the server. Everything passes this gate, web sockets included.

- Only requests for this very server: a foreign Host header (a name that somebody has made point
  here) and a foreign Origin (another site's page) are refused. Another site may link here, no
  more: what its pages fetch by themselves (pictures, frames, scripts) is refused.
- On an address other than the loopback one, only someone with the access token: it comes once in
  the address (?token=…) and then in a cookie.
- No body larger than an upload may be.
- Pages load nothing from elsewhere, and no other site may frame them.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 3_000_000  # bytes
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}


def new_token() -> str:
    """Return an access token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches an address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class TooLarge(Exception):
    """A body that exceeds LARGEST_BODY."""


class Gate:
    """Wraps an ASGI application; `token` empty: no token is asked for."""

    def __init__(self, app: App, host: str, port: int, token: str = "") -> None:
        self.app, self.host, self.port, self.token = app, host, port, token
        self.cookie = f"evoboard_token_{port}"  # cookies do not tell ports apart
        # Asked once: a name server may take seconds.
        self.names = {"localhost", host.lower()}
        if not is_loopback(host):
            self.names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        headers = _headers(scope)
        if not self.is_ours(headers.get("host", "")):
            return await _refuse(scope, send, 421, "This server does not answer to that name.")
        if _is_foreign(scope, headers):
            return await _refuse(scope, send, 403, "Requests from other sites are refused.")
        if self.token and not self._knows_token(headers):
            if self._shows_token(scope):
                return await self._let_in(scope, send)
            told = "Open the address that evoboard printed when it started: it holds the token."
            return await _refuse(scope, send, 401, told)
        if not _is_small(headers):
            return await _refuse(scope, send, 413, f"At most {LARGEST_BODY:,} bytes are read.")
        try:
            await self.app(scope, _limited(receive), _with_headers(send))
        except TooLarge:
            await _refuse(scope, send, 413, f"At most {LARGEST_BODY:,} bytes are read.")

    def is_ours(self, host: str) -> bool:
        """Tell whether a Host header names this server.

        Anyone can make a name of theirs point here, but not an address.
        """
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self.names
        return is_loopback(name) or not is_loopback(self.host)

    def _knows_token(self, headers: dict[str, str]) -> bool:
        # Read by hand: another application's odd cookie must not hide ours.
        cookies = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        return any(name == self.cookie and self._is_token(value) for name, _, value in cookies)

    def _shows_token(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        return self._is_token(dict(_query(scope)).get("token", ""))

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())

    async def _let_in(self, scope: Scope, send: Send) -> None:
        """Give the cookie, and show the page without the token in its address."""
        rest = [(key, value) for key, value in _query(scope) if key != "token"]
        # Two slashes would make the path another server's name.
        place = "/" + quote(scope["path"].lstrip("/\\")) + (f"?{urlencode(rest)}" if rest else "")
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
        headers = [(b"location", place.encode()), (b"set-cookie", cookie.encode())]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("utf-8", "replace"))


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): v.decode("latin-1") for name, v in scope["headers"]}


def _is_foreign(scope: Scope, headers: dict[str, str]) -> bool:
    """Tell whether another site's page asks, not a person who follows its link."""
    origin = headers.get("origin", "")
    if origin:  # "null", a page that hides where it is from, is nobody's
        try:
            if urlsplit(origin).netloc != headers["host"]:
                return True
        except ValueError:
            return True
    fetched_by = headers.get("sec-fetch-site", "none")
    follows_link = scope.get("method") == "GET" and (
        headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )
    return fetched_by not in ("none", "same-origin") and not follows_link


def _is_small(headers: dict[str, str]) -> bool:
    length = headers.get("content-length", "0")
    return length.isdecimal() and len(length) < 20 and int(length) <= LARGEST_BODY


def _limited(receive: Receive) -> Receive:
    """Return `receive` with an end to what a body may hold, whatever its headers say."""
    seen = 0

    async def counted() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                raise TooLarge
        return message

    return counted


def _with_headers(send: Send) -> Send:
    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *HEADERS.items()]
        await send(message)

    return sent


async def _refuse(scope: Scope, send: Send, status: int, told: str) -> None:
    if scope["type"] == "websocket":
        return await send({"type": "websocket.close", "code": 1008})
    body = f"{told}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
