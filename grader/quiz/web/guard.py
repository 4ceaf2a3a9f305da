"""Around every request: only this machine's browser, from this site's own pages, and nothing is cached or framed."""

from __future__ import annotations

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    b"cache-control": b"no-store",
    b"content-security-policy": (
        b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; "
        b"base-uri 'none'; frame-ancestors 'none'"
    ),
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"same-origin",
    b"x-content-type-options": b"nosniff",
}
NAMES = ("127.0.0.1", "localhost", "[::1]")
SAFE = ("GET", "HEAD")


class Guard:
    """Refuses requests for another host's name (DNS rebinding) and posts from another site's pages (CSRF).

    Args:
        app: what to guard.
        port: the port that the server listens on; None where any will do, for tests.
    """

    def __init__(self, app: ASGIApp, port: int | None = None) -> None:
        self.app = app
        self.port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on and add headers to the reply."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message["headers"] if pair[0].lower() not in HEADERS]
                message["headers"] = [*kept, *HEADERS.items()]
            await send(message)

        refusal = self._refusal(scope)
        app = PlainTextResponse(refusal, status_code=403) if refusal else self.app
        await app(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> str:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self._is_here(host):
            return "This quiz answers to 127.0.0.1 and localhost only."
        if scope["method"] in SAFE:
            return ""
        origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site", "same-origin")
        if (origin is not None and origin != f"http://{host}") or site not in ("same-origin", "none"):
            return "This form was sent from another site."
        return ""

    def _is_here(self, host: str) -> bool:
        if self.port is None:
            return host.rsplit(":", 1)[0] in NAMES or host in NAMES
        return host in [f"{name}:{self.port}" for name in NAMES]
