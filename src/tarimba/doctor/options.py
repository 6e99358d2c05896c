"""What the options mean together, on settings that were read."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from tarimba.doctor.model import Finding, fail, ok, warn
from tarimba.settings import Settings

_ANY_HOST = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - what is warned of, not what is listened on


def options(settings: Settings) -> Iterator[Finding]:
    """The checks that need nothing but the options."""
    yield _public_url(settings)
    yield _proxies(settings)
    yield _region(settings)
    yield _graph(settings)
    yield _clock(settings)


def _public_url(settings: Settings) -> Finding:
    check, url = "options.public_url", settings.public_url
    if url is None:
        said = "TARIMBA_PUBLIC_URL is not set: clients are served at the address that is listened on alone."
        return (
            ok(check, said)
            if _is_loopback(settings.host)
            else warn(check, f"{said} Set it to what they use.")
        )
    try:
        parts = urlsplit(url)
        host = parts.hostname
        is_plain = not (parts.query or parts.fragment or "@" in parts.netloc) and parts.port != 0
    except ValueError:
        host, is_plain = None, False
    if parts.scheme not in {"http", "https"} or not host or not is_plain:
        return fail(
            check,
            "TARIMBA_PUBLIC_URL must look like https://tarimba.acme.example, without name, password or query.",
        )
    if parts.path.strip("/"):
        return fail(
            check, "TARIMBA_PUBLIC_URL has a path: the Console and the API are served at the root of a host."
        )
    if parts.scheme == "http" and not _is_loopback(host):
        return warn(
            check,
            "TARIMBA_PUBLIC_URL is plain http: keys, sessions and notes can be read on the way. Use https.",
        )
    return ok(check, "TARIMBA_PUBLIC_URL is well formed.")


def _proxies(settings: Settings) -> Finding:
    check = "options.trusted_proxies"
    named = [one for one in settings.trusted_proxies.split(",") if one]
    if any(ip_network(one).prefixlen == 0 for one in named):
        return fail(
            check,
            "TARIMBA_TRUSTED_PROXIES trusts every address: anybody could say that they are somebody else. "
            "Name the proxy alone.",
        )
    if not named and (settings.public_url or "").startswith("https:"):
        return warn(
            check,
            "Clients come over https, yet no proxy is named in TARIMBA_TRUSTED_PROXIES: failed sign-ins of all clients "
            "count for the proxy's address.",
        )
    return ok(
        check,
        f"{len(named)} proxies are trusted to tell the client's address."
        if named
        else "No proxy is trusted.",
    )


def _region(settings: Settings) -> Finding:
    named = [one.strip() for one in settings.region_hosts.split(",") if one.strip()]
    beyond = f" and to {', '.join(named)}" if named else ""
    return ok(
        "options.region_hosts", f"Text may go to this machine, to private networks{beyond}, and nowhere else."
    )


def _graph(settings: Settings) -> Finding:
    check, secret = "options.mcp_token_secret", settings.mcp_token_secret
    before = settings.mcp_token_secret_previous
    if secret is None:
        return ok(check, "TARIMBA_MCP_TOKEN_SECRET is not set: there is no memory graph over MCP.")
    if before is None:
        return ok(check, "The secret of workspace tokens is set and long enough.")
    if before.get_secret_value() == secret.get_secret_value():
        return warn(
            check, "TARIMBA_MCP_TOKEN_SECRET_PREVIOUS is the present secret: unset it, nothing was changed."
        )
    return warn(
        check,
        "TARIMBA_MCP_TOKEN_SECRET_PREVIOUS still opens the graph: unset it once every workspace has its new token.",
    )


def _clock(settings: Settings) -> Finding:
    if settings.clock_offset_s:
        return fail(
            "options.clock_offset",
            "TARIMBA_CLOCK_OFFSET_S moves the time of every receipt: it is for tests. Unset it.",
        )
    return ok("options.clock_offset", "The clock is not moved.")


def _is_loopback(host: str) -> bool:
    if host in _ANY_HOST:
        return False
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
