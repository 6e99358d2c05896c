"""What is public and what is not, at the edges of every block, and in every form an address can be written in."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.webhooks.addresses import is_public

pytestmark = pytest.mark.promise("webhooks-public-only")

# First and last of each block, with what each is.
CLOSED = {
    "this network": "0.0.0.0 0.255.255.255",
    "private": "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255",
    "carriers": "100.64.0.0 100.100.100.200 100.127.255.255",
    "loopback": "127.0.0.0 127.0.0.1 127.255.255.255",
    "link-local": "169.254.0.0 169.254.169.254 169.254.255.255",
    "the door of a cloud's host": "168.63.129.16",
    "protocols": "192.0.0.0 192.0.0.192 192.0.0.255",
    "documentation": "192.0.2.0 192.0.2.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255",
    "relays": "192.88.99.0 192.88.99.255 192.31.196.1 192.52.193.1 192.175.48.1",
    "benchmarks": "198.18.0.0 198.19.255.255",
    "multicast": "224.0.0.0 239.255.255.255",
    "reserved": "240.0.0.0 255.255.255.254 255.255.255.255",
    "unspecified and loopback of IPv6": ":: ::1",
    "mapped, compatible, translated": "::ffff:8.8.8.8 ::ffff:127.0.0.1 ::8.8.8.8 ::ffff:0:8.8.8.8",
    "NAT64": "64:ff9b::8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 64:ff9b:1:ffff::1",
    "discard": "100:: 100::1",
    "Teredo and other protocols": "2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1ff:ffff::1 2001:2::1 2001:20::1",
    "documentation of IPv6": "2001:db8:: 2001:db8:ffff::1 3fff:: 3fff:fff:ffff::1",
    "6to4": "2002:7f00:1::1 2002:808:808::1 2002:ffff::1",
    "AS112": "2620:4f:8000::1",
    "ISATAP": "2600::5efe:7f00:1 2600::200:5efe:a9fe:a9fe",
    "unique local": "fc00:: fd00:ec2::254 fdff::1",
    "link-local of IPv6": "fe80::1 febf::1",
    "site-local": "fec0::1 feff::1",
    "multicast of IPv6": "ff00:: ff02::1 ffff:ffff::1",
    "segment routing and what is still free": "5f00::1 4000::1 8000::1 1000::1 200::1",
    "a zone": "fe80::1%eth0 2600::1%1",
    "none at all": " localhost 127.1 0x7f.0.0.1 2130706433 0177.0.0.1 [::1] 8.8.8.8:80 8.8.8.8.",
}
OPEN = (
    "1.0.0.0 1.1.1.1 8.8.8.8 9.9.9.9 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 "
    "168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 "
    "192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 "
    "203.0.114.0 223.255.255.255 2000::1 2001:200::1 2001:4860:4860::8888 2003::1 2600::1 2606:4700:4700::1111 "
    "2a00:1450::1 3ffe::1"
)


@pytest.mark.parametrize("kind", CLOSED)
def test_no_address_of_it_is_public(kind: str) -> None:
    assert [address for address in CLOSED[kind].split(" ") if is_public(address)] == []


def test_its_neighbours_are() -> None:
    assert [address for address in OPEN.split() if not is_public(address)] == []


@given(st.ip_addresses(v=4))
def test_whatever_the_standard_library_knows_is_closed_too(address: IPv4Address) -> None:
    if not address.is_global or address.is_multicast:
        assert not is_public(str(address))


@given(st.ip_addresses(v=6))
def test_whatever_the_standard_library_knows_of_ipv6_is_closed_too(address: IPv6Address) -> None:
    if not address.is_global or address.is_multicast:
        assert not is_public(str(address))


@given(st.text())
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(f"x{text}")
