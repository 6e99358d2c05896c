"""One connection over httpx: sends one request at a time and reads all of its answer.

It speaks to httpx's transport, one level below its client: that one logs every URL, and a URL of ours may hold
the id of a conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tarimba.client.budgets import Deadline
from tarimba.client.errors import (
    BadResponseError,
    BudgetExceededError,
    ConnectionFailedError,
    NotConfiguredError,
    TarimbaError,
)
from tarimba.client.options import Options
from tarimba.client.wire import Request, Response

if TYPE_CHECKING:
    import ssl

    import httpx

BODY_MAX = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is and the key for it."""

    base_url: str = field(repr=False)
    api_key: str = field(repr=False)

    @property
    def shown(self) -> str:
        """The address for people: without a name, password or path that it may hold."""
        try:
            parts = urlsplit(self.base_url)
        except ValueError:
            return "unusable"
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def problem(self) -> NotConfiguredError | None:
        """What makes this unusable, None when nothing does."""
        if not self.api_key or not self.api_key.isascii() or not self.api_key.isprintable():
            return NotConfiguredError("not_configured", "Give api_key or set TARIMBA_API_KEY.")
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if usable and not parts.query and not parts.fragment:
            return None
        return NotConfiguredError(
            "not_configured", "The base URL must look like https://host or http://host:port."
        )


class Connection:
    """Not for two threads at once, but for `close`, which any thread may call to end what is under way."""

    def __init__(self, address: Address, transport: httpx.BaseTransport, *, owned: bool) -> None:
        self._address = address
        self._transport = transport
        self._owned = owned

    def send(self, request: Request, deadline: Deadline) -> Response:
        """Raises ConnectionFailedError, BudgetExceededError or BadResponseError."""
        with failing():
            return self._exchange(request, deadline)

    def close(self) -> None:
        if self._owned:
            self._transport.close()

    def _exchange(self, request: Request, deadline: Deadline) -> Response:
        response = self._transport.handle_request(prepared(self._address, request, deadline))
        try:
            body = _read(response, deadline)
        finally:
            response.close()
        return Response(response.status_code, dict(response.headers), body)


@contextmanager
def failing() -> Iterator[None]:
    """Turns what httpx raises into errors of ours."""
    import httpx

    try:
        yield
    except httpx.TimeoutException as error:
        raise out_of_time() from error
    except httpx.TransportError as error:
        raise ConnectionFailedError("connection_failed", "The server could not be reached.") from error
    except httpx.DecodingError as error:
        raise BadResponseError("bad_response", "The answer's encoding is broken.") from error


def prepared(address: Address, request: Request, deadline: Deadline) -> httpx.Request:
    """The request as it goes out, with the key. Raises BudgetExceededError when no time is left."""
    import httpx

    left = deadline.left()
    if not left:
        raise out_of_time()
    headers = {
        "authorization": f"Bearer {address.api_key}",
        "accept": "application/json, application/problem+json",
        "user-agent": "tarimba-python",
        **request.headers,
    }
    return httpx.Request(
        request.method,
        address.base_url.rstrip("/") + request.target,
        headers=headers,
        content=request.body,
        extensions={"timeout": httpx.Timeout(left).as_dict()},
    )


def connector(
    address: Address, options: Options, transport: httpx.BaseTransport | None
) -> Callable[[], Connection]:
    """What opens one more connection. Loads httpx and the certificates now, outside of any call's budget."""
    import httpx

    if transport is not None:
        return lambda: Connection(address, transport, owned=False)
    verify = verifying(address, options)
    proxy = proxy_for(address.base_url)
    limits = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=150.0)

    def connect() -> Connection:
        own = httpx.HTTPTransport(verify=verify, limits=limits, proxy=proxy)
        return Connection(address, own, owned=True)

    return connect


def verifying(address: Address, options: Options) -> ssl.SSLContext | bool:
    """What certificates are checked by; False for an address without TLS."""
    import httpx

    secure = address.base_url.lower().startswith("https:")
    return (options.ssl_context or httpx.create_ssl_context()) if secure else False


def out_of_time() -> TarimbaError:
    return BudgetExceededError("timeout", "The call took longer than its time budget.")


def oversized(body: bytearray) -> None:
    """Raises BadResponseError for more than any answer of ours has."""
    if len(body) > BODY_MAX:
        raise BadResponseError("bad_response", "The answer is too long.")


def _read(response: httpx.Response, deadline: Deadline) -> bytes:
    """All of the body. The deadline is checked at every piece: a server may send a byte at a time for ever."""
    pieces = bytearray()
    for piece in response.iter_bytes():
        pieces += piece
        oversized(pieces)
        if not deadline.left():
            raise out_of_time()
    return bytes(pieces)


def proxy_for(base_url: str) -> str | None:
    """The proxy that the environment names for this address, by the rules of the standard library."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(base_url)
    if proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
