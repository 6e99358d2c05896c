"""What every answer of the Console carries so that nobody else's page, script or frame gets at it.

Source: RFC 6265bis (cookies), W3C Content Security Policy Level 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from tarimba.console.page import Cookie
from tarimba.http.reply import Header
from tarimba.ids import new_secret

_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_WALLS: Final[tuple[Header, ...]] = (
    (b"content-security-policy", _CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (b"cache-control", b"no-store"),
)

_HSTS: Final[Header] = (b"strict-transport-security", b"max-age=31536000")


def walls(public_url: str | None = None) -> tuple[Header, ...]:
    """Where people reach the server over TLS, browsers are told to come by nothing else for a year (RFC 6797)."""
    is_https = public_url is not None and public_url.startswith("https:")
    return (*_WALLS, _HSTS) if is_https else _WALLS


def is_own_origin(headers: Mapping[bytes, bytes], public_url: str | None) -> bool:
    """Whether a form comes from a page of this server: browsers say so, and who is none is asked for its token."""
    if headers.get(b"sec-fetch-site", b"same-origin") not in {b"same-origin", b"none"}:
        return False
    origin = headers.get(b"origin")
    if origin is None:
        return True
    try:
        said = urlsplit(origin.decode("latin-1"))
        public = urlsplit(public_url or "")
        named = _place(said.scheme, said.hostname, said.port)
        ours = _place(public.scheme, public.hostname, public.port)
    except ValueError:
        return False
    if not said.netloc:
        return False
    # Of the public address the scheme counts too: a page over http is anybody's on the way.
    if ours is not None and said.hostname == public.hostname:
        return named == ours
    return said.netloc == headers.get(b"host", b"").decode("latin-1")


def _place(scheme: str, host: str | None, port: int | None) -> tuple[str, str, int] | None:
    """An origin with the port that its scheme stands for where it names none (RFC 6454, 4)."""
    ports = {"http": 80, "https": 443}
    return None if host is None or scheme not in ports else (scheme, host, port or ports[scheme])


def cookie_header(cookie: Cookie, *, is_secure: bool) -> Header:
    """`Secure` behind TLS; no script reads it unless it is only a choice of looks."""
    parts = [f"{cookie.name}={cookie.value}", "Path=/console", "SameSite=Lax"]
    if not cookie.is_readable:
        parts.append("HttpOnly")
    if is_secure:
        parts.append("Secure")
    seconds = 0 if not cookie.value else cookie.seconds
    if seconds is not None:
        parts.append(f"Max-Age={seconds}")
    return b"set-cookie", "; ".join(parts).encode("latin-1")


def new_guest_cookie() -> str:
    return new_secret()


def safe_next(said: str) -> str:
    """A path of the Console to go on to; the start for anything that leads elsewhere."""
    try:
        parts = urlsplit(said)
    except ValueError:
        return ""
    is_path = not parts.scheme and not parts.netloc and said.startswith("/") and not said.startswith("//")
    is_plain = said.isascii() and said.isprintable() and "\\" not in said and len(said) <= 512
    return said if is_path and is_plain else ""


def takes_gzip(accepted: str) -> bool:
    """Whether an `Accept-Encoding` names gzip and does not rule it out. Source: RFC 9110, 12.5.3."""
    for part in accepted.split(",")[:20]:
        name, _, weight = part.strip().lower().partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
