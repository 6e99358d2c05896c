"""One POST to a receiver: to public addresses only, within a deadline, following nothing.

The name is looked up once for an attempt, every address that it has is judged, and the connection is made to the
judged address itself: there is no second look-up that could answer differently. TLS and the Host header keep the name.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit

import httpcore

from tarimba.exchange import Backend, Deadline, LookUp, looked_up
from tarimba.telemetry.tracing import outgoing
from tarimba.webhooks.addresses import is_public
from tarimba.webhooks.model import Outcome
from tarimba.webhooks.rules import plain_host

SECONDS: Final = 10.0
USER_AGENT: Final = "Tarimba-Webhooks/1"
# What an answer says is of no use to us: this much is taken, so that a receiver sees its answer arrive.
_ANSWER_MAX: Final = 64 * 1024
_PORTS: Final = {"https": 443, "http": 80}


class NotPublicError(Exception):
    """A name leads to an address that is not public."""


class Post:
    """Posts for any number of threads. `allowed` are hosts that need not be public.

    `look_up` and `inner` (what opens connections) are the system's unless a test gives its own.
    """

    def __init__(
        self,
        allowed: Collection[str],
        *,
        seconds: float = SECONDS,
        look_up: LookUp = looked_up,
        inner: httpcore.NetworkBackend | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._allowed = allowed
        self._seconds = seconds
        self._look_up = look_up
        self._deadline = Deadline(time.monotonic)
        self._backend = Backend(self._deadline, self._judged, inner)
        self._trust = trust or ssl.create_default_context()

    def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """What came of it. Raises nothing that a receiver could cause."""
        self._deadline.at = time.monotonic() + self._seconds
        try:
            return _outcome(self._status(urlsplit(url), headers, body))
        except NotPublicError:
            return Outcome(None, "address_not_public")
        except httpcore.TimeoutException:
            return Outcome(None, "timeout")
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError, ValueError):
            return Outcome(None, "connection")

    def _status(self, parts: SplitResult, headers: Mapping[str, str], body: bytes) -> int:
        # Built from the parts that were judged: another parser might read another host out of the same text.
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        url = httpcore.URL(scheme=parts.scheme, host=host, port=port, target=target)
        sent = {
            "host": parts.netloc,
            "user-agent": USER_AGENT,
            "content-type": "application/json",
            "accept": "*/*",
            "accept-encoding": "identity",
            **outgoing(),
            **headers,
        }
        # One connection for one attempt: one that is kept would outlive what its address was judged by.
        with (
            httpcore.ConnectionPool(self._trust, max_connections=1, network_backend=self._backend) as pool,
            pool.stream("POST", url, headers=list(sent.items()), content=body) as response,
        ):
            _drop(response)
            return response.status

    def _judged(self, host: str, port: int, seconds: float) -> list[str]:
        found = list(self._look_up(host, port, seconds))
        if plain_host(host) not in self._allowed and not all(map(is_public, found)):
            raise NotPublicError
        return found


def _drop(response: httpcore.Response) -> None:
    """Reads the start of the answer and forgets it. The status is there already: what fails here changes nothing."""
    taken = 0
    try:
        for piece in response.iter_stream():
            taken += len(piece)
            if taken > _ANSWER_MAX:
                return
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError):
        return


def _outcome(status: int) -> Outcome:
    if 200 <= status < 300:
        return Outcome(status, None)
    return Outcome(status, "redirect" if 300 <= status < 400 else "status")
