"""Where text may be sent: this machine, a private network, or a host that the operator names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

# Written out: the standard library also calls link-local (where clouds keep credentials) and test networks private.
_PRIVATE: Final = tuple(
    map(ip_network, ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"))
)
_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|[0-9a-f:.]+")
_FORM: Final = (
    "must look like https://host or http://127.0.0.1:port, without a name, password, query or fragment"
)


def hosts_of(listed: str) -> frozenset[str]:
    """The hosts of a comma-separated list, as `problem_of` compares them. Raises ValueError for what is none."""
    hosts = frozenset(host for part in listed.split(",") if (host := _plain(part.strip())))
    if not all(map(_HOST.fullmatch, hosts)):
        raise ValueError("must be host names or addresses between commas, without scheme, port or path")
    return hosts


def problem_of(url: str, region_hosts: Iterable[str] = ()) -> str | None:
    """What keeps text from being sent to a URL, as the end of a sentence that names the option; None if nothing.

    The URL must lead to a loopback or private address or to one of `region_hosts` (from `hosts_of`). Without TLS
    only loopback and private addresses will do. A name is not looked up: what it stands for may change tomorrow.
    """
    parts = _split(url)
    if parts is None:
        return _FORM
    host = _plain(parts.hostname or "")
    is_near = host == "localhost" or _is_private(host)
    if not is_near and host not in region_hosts:
        return "leads to neither a loopback nor a private address nor a host of TARIMBA_REGION_HOSTS"
    if parts.scheme == "http" and not is_near:
        return "must be https: plain http is for loopback and private addresses only"
    return None


def is_guarded(url: str) -> bool:
    """Whether nobody on the way to a URL can read or change what goes there: it is https, or leads to this machine."""
    try:
        parts = urlsplit(url)
        host = _plain(parts.hostname or "")
        is_whole = bool(host) and parts.port != 0 and "@" not in parts.netloc and not parts.fragment
    except ValueError:
        return False
    is_here = host == "localhost" or _is_loopback(host)
    is_plain = url.isascii() and url.isprintable() and " " not in url
    return is_plain and is_whole and (parts.scheme == "https" or (parts.scheme == "http" and is_here))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    extras = parts.query or parts.fragment or "@" in parts.netloc
    return parts if sound and not extras and url.isprintable() and url.isascii() and " " not in url else None


def _plain(host: str) -> str:
    return host.lower().removesuffix(".").removeprefix("[").removesuffix("]")


def _is_private(host: str) -> bool:
    try:
        address: IPv4Address | IPv6Address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return any((mapped or address) in network for network in _PRIVATE)
