"""What is published about `/v1/mcp` as a protected resource: how it wants its tokens, and that nobody issues them here.

Source: RFC 9728.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final
from urllib.parse import urlsplit

from tarimba.http import problems
from tarimba.http.body import Receive
from tarimba.http.reply import Reply, Send, encode, send_whole
from tarimba.ids import new_id
from tarimba.settings import Settings

_EVERYWHERE: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, never listened on
WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"


class Resource:
    """ASGI application that serves the document of the resource at `path` of this server."""

    def __init__(self, settings: Settings, path: str) -> None:
        base = (settings.public_url or f"http://{_host(settings.host)}:{settings.port}").rstrip("/")
        split = urlsplit(base)
        # The place of the document is the resource's own path after the well-known one, at the root of the host.
        beyond = f"{WELL_KNOWN}{split.path}{path}"
        self.paths = frozenset({WELL_KNOWN, WELL_KNOWN + path, beyond})
        """The paths at which it is found; a proxy may take what comes before ours away, or not."""
        self.challenge = f'Bearer resource_metadata="{split.scheme}://{split.netloc}{beyond}"'.encode()
        self._document = encode(
            {
                "resource": base + path,
                "resource_name": "Tarimba memory graph",
                "bearer_methods_supported": ["header"],
            }
        )

    async def __call__(self, scope: MutableMapping[str, Any], _receive: Receive, send: Send) -> None:
        await send_whole(send, self._reply(scope["method"]))

    def _reply(self, method: str) -> Reply:
        if method not in ("GET", "HEAD"):
            return problems.reply(problems.wrong_method(["GET"]), new_id(), [(b"allow", b"GET")])
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"max-age=300")]
        return Reply(200, headers, self._document)


def _host(host: str) -> str:
    """Where this server is reached when it listens at every address: here."""
    if host in _EVERYWHERE:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
