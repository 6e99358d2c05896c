"""Names by which the server may be called."""

import pytest

from tarimba.errors import Refusal
from tarimba.mcp.hosts import Names


def known(names: Names, host: str) -> bool:
    try:
        names.check(host, None)
    except Refusal:
        return False
    return True


@pytest.mark.parametrize("listens_on", ["0.0.0.0", "::", ""])
def test_listening_everywhere_is_no_name(listens_on: str) -> None:
    names = Names(listens_on, None)
    assert not known(names, "0.0.0.0:8750")
    assert not known(names, "[::]:8750")
    assert not known(names, "")
    assert known(names, "127.0.0.1:8750")


@pytest.mark.parametrize(
    ("listens_on", "host"),
    [("192.0.2.7", "192.0.2.7:8750"), ("2001:db8::7", "[2001:db8::7]"), ("Box", "box")],
)
def test_a_certain_address_is_a_name(listens_on: str, host: str) -> None:
    assert known(Names(listens_on, None), host)
    assert not known(Names("127.0.0.1", None), host)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Memory.acme.example/x", "memory.acme.example"),
        ("http://memory.acme.example:9000", "memory.acme.example:9000"),
        ("http://[2001:db8::7]:9000", "[2001:db8::7]:9000"),
    ],
)
def test_the_public_address_is_a_name(url: str, host: str) -> None:
    assert known(Names("127.0.0.1", url), host)


@pytest.mark.parametrize(
    "host", ["localhost:", "localhost:x", "localhost:1:2", "a localhost", "localhost/", "[::1"]
)
def test_what_is_no_host_is_no_name(host: str) -> None:
    assert not known(Names("127.0.0.1", None), host)
