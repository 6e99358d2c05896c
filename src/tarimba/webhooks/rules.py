"""What a webhook may be, and how long a delivery is tried. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from tarimba.errors import invalid
from tarimba.webhooks.addresses import is_public
from tarimba.webhooks.model import EVENT_TYPES, Event

_SECOND: Final = 1_000_000
_HOUR: Final = 3600 * _SECOND
URL_MAX: Final = 2048
WEBHOOKS_MAX: Final = 20
# While an old secret signs beside the new one.
OVERLAP: Final = 24 * _HOUR
# A little more than three days in all.
_WAITS: Final = (
    5 * _SECOND, 30 * _SECOND, 120 * _SECOND, 600 * _SECOND, _HOUR, 3 * _HOUR, 6 * _HOUR, 9 * _HOUR, 12 * _HOUR,
    18 * _HOUR, 24 * _HOUR,
)  # fmt: skip
_JITTER: Final = 0.1
# An event that has waited behind others of its note until it is that old is tried so often, then given up: else the
# events of one note would each take three days.
_LATE: Final = 72 * _HOUR
_TRIES_WHEN_LATE: Final = 5
_LABEL: Final = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME: Final = re.compile(rf"{_LABEL}(\.{_LABEL})*\.?")
# Every way in which systems read a number as an IPv4 address.
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


def checked_url(url: str, allowed: Collection[str]) -> str:
    """The URL, when events may be sent there as far as its form tells. Raises 422.

    `allowed` are hosts that need be neither public nor https. What a name leads to is judged when it is connected to.
    """
    parts = _split(url)
    if parts is None:
        raise invalid("url", f"must look like https://host/path, in ASCII, with at most {URL_MAX} characters")
    if "@" in parts.netloc:
        raise invalid("url", "must hold no name and no password: the signature tells who sends")
    if "#" in url:
        raise invalid("url", "must have no fragment")
    host = plain_host(parts.hostname or "")
    if host not in allowed:
        if parts.scheme != "https":
            raise invalid("url", "must be https, unless the operator lists the host in TARIMBA_WEBHOOK_HOSTS")
        if not _may_be_public(host):
            raise invalid(
                "url",
                "must lead to a public address, unless the operator lists the host in TARIMBA_WEBHOOK_HOSTS",
            )
    return url


def plain_host(host: str) -> str:
    """A host as the list of allowed ones spells it."""
    return host.lower().removesuffix(".")


def checked_events(events: Sequence[str]) -> tuple[str, ...]:
    """Types of events, sorted and once each. Raises 422."""
    if not set(events) <= set(EVENT_TYPES):
        raise invalid("events", f"must be of: {', '.join(EVENT_TYPES)}")
    return tuple(sorted(set(events)))


def wait_after(attempts: int, waited: int, dice: float) -> int | None:
    """Microseconds until the next try of a delivery; None when it is given up.

    `attempts` (1 or more) have failed since it became due `waited` ago; `dice` (0 to 1) spreads what failed together.
    """
    is_late = waited >= _LATE and attempts >= _TRIES_WHEN_LATE
    if is_late or attempts > len(_WAITS):
        return None
    return int(_WAITS[attempts - 1] * (1 + _JITTER * dice))


def payload(event: Event, timestamp: str) -> bytes:
    """The body of a delivery; `timestamp` is when it happened, so that the bytes are the same at every attempt."""
    document = {"type": event.type, "timestamp": timestamp, "data": json.loads(event.data)}
    return json.dumps(document, separators=(",", ":")).encode()


def _split(url: str) -> SplitResult | None:
    sound = url.isascii() and url.isprintable() and not set(' \\"<>^`{|}') & set(url) and len(url) <= URL_MAX
    if not sound or not url.lower().startswith(("https://", "http://")):
        return None
    try:
        parts = urlsplit(url)
        is_whole = parts.port != 0 and _is_host(plain_host(parts.hostname or ""))
    except ValueError:
        return None
    return parts if is_whole else None


def _is_host(host: str) -> bool:
    return _is_address(host) or (_NAME.fullmatch(host) is not None and len(host) <= 253)


def _may_be_public(host: str) -> bool:
    if _is_address(host):
        return is_public(host)
    last = host.rsplit(".", maxsplit=1)[-1]
    return "." in host and last not in {"localhost", "local", "internal"} and not _NUMBER.fullmatch(last)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
