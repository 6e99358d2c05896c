"""Which addresses are public: a list of our own of those that are not.

Sources: the IANA special-purpose address registries (RFC 6890 and what updates it), RFC 6598, RFC 6052, RFC 8215,
RFC 3056, RFC 4380, RFC 5737, RFC 3849, RFC 9637. A form that carries an IPv4 address inside leads to wherever
somebody's gateway takes it, so it is never public, whatever it carries.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

_NOT_PUBLIC_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network; the unspecified address reaches this machine
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by carriers (CGNAT); a cloud keeps its credentials there
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # looks public, and is the host's own door in one cloud
            "169.254.0.0/16",  # link-local: where clouds keep credentials
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments, with one more cloud's credentials
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112 and AMT: relays, nobody's receiver
            "192.52.193.0/24",
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks of network devices
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, with the broadcast address
        ),
    )
)
# Only this block is handed out; what lies outside (loopback, mapped, NAT64, unique local, link-local, multicast and
# all that is still free) is not public without being named.
_GLOBAL_6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)


def is_public(address: str) -> bool:
    """Whether an address as the system writes it is public. What is no address, or has a zone, is not."""
    try:
        found: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv4Address):
        return not any(found in network for network in _NOT_PUBLIC_4)
    if found.scope_id is not None or found not in _GLOBAL_6:
        return False
    # The interface part of ISATAP (RFC 5214) holds an IPv4 address whatever the prefix is.
    if int(found) >> 32 & 0xFCFFFFFF == 0x00005EFE:
        return False
    return not any(found in network for network in _NOT_PUBLIC_6)
