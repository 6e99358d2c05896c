"""Nothing is reached that must not be: judged by the address of the very connection, however a name answers."""

from __future__ import annotations

import json
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tarimba.webhooks.model import Outcome
from tarimba.webhooks.posting import Post
from tests.contract.client.tiny import Behaviour, answer, drip, silence
from tests.contract.personal_data.served import serving_app
from tests.contract.webhooks.receivers import TAKEN, Names, Receiver, Wire, receiving

pytestmark = pytest.mark.promise("webhooks-public-only")

PUBLIC, OTHER = "9.9.9.9", "2620:fe::fe"
NOT_PUBLIC = Outcome(None, "address_not_public")
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
HEADERS = {"webhook-id": "e"}


@pytest.fixture
def wire(receiver: Receiver) -> Wire:
    return Wire(receiver.port)


def post(names: Names, wire: Wire, *allowed: str, **options: Any) -> Post:
    return Post(frozenset(allowed), look_up=names, inner=wire, **options)


def test_the_address_that_was_judged_is_the_one_connected_to(receiver: Receiver, wire: Wire) -> None:
    # The name would lead to this machine at a second look-up, and there is none.
    names = Names([[PUBLIC], ["127.0.0.1"]])
    send = post(names, wire)
    assert send("http://hooks.example.com/x", HEADERS, b"{}") == Outcome(204, None)
    assert (names.asked, wire.connected) == (["hooks.example.com"], [PUBLIC])
    assert send("http://hooks.example.com/x", HEADERS, b"{}") == NOT_PUBLIC
    assert (len(names.asked), wire.connected) == (2, [PUBLIC])
    (one,) = receiver.received()
    assert (one.headers["host"], one.body) == ("hooks.example.com", b"{}")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.100.100.200",
        "::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
    ],
)
def test_one_address_of_a_name_that_is_not_public_is_enough(
    receiver: Receiver, wire: Wire, address: str
) -> None:
    for found in ([address], [PUBLIC, address], [address, PUBLIC]):
        send = post(Names([found]), wire)
        assert send("https://hooks.example.com/", HEADERS, b"{}") == NOT_PUBLIC
    assert wire.connected == []
    assert receiver.received() == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "127.1", "2130706433", "0x7f.1", "localhost"])
def test_no_spelling_of_this_machine_gets_through(receiver: Receiver, host: str) -> None:
    # The real look-up of the system, which reads all of these.
    send = Post(frozenset())
    assert send(f"http://{host}:{receiver.port}/", HEADERS, b"{}").status is None
    assert receiver.received() == []


@pytest.mark.parametrize("status", ["301", "302", "303", "307", "308"])
def test_a_redirect_is_not_followed(receiver: Receiver, wire: Wire, status: str) -> None:
    where = f"Location: http://169.254.169.254/latest/meta-data\r\nRefresh: 0; url={receiver.url}\r\n"
    receiver.behaviour = answer(f"{status} Elsewhere", headers=where)
    names = Names([[PUBLIC]])
    send = post(names, wire)
    assert send("http://hooks.example.com/x", HEADERS, b"{}") == Outcome(int(status), "redirect")
    assert (names.asked, wire.connected) == (["hooks.example.com"], [PUBLIC])
    assert len(receiver.received()) == 1


def test_a_host_that_the_operator_lists_may_be_anywhere(receiver: Receiver, wire: Wire) -> None:
    names = Names([["10.0.0.1"]])
    send = post(names, wire, "hooks.internal")
    for host in ("hooks.internal", "HOOKS.internal.", "hooks.internal:8080"):
        assert send(f"http://{host}/", HEADERS, b"{}") == Outcome(204, None)
    assert send("http://other.internal/", HEADERS, b"{}") == NOT_PUBLIC
    assert [one.headers["host"] for one in receiver.received()] == [
        "hooks.internal",
        "HOOKS.internal.",
        "hooks.internal:8080",
    ]


def test_a_proxy_of_the_environment_is_not_asked(
    receiver: Receiver, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving(TAKEN) as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.server.base_url)
            monkeypatch.setenv(name.upper(), proxy.server.base_url)
        assert post(Names([[PUBLIC]]), wire)("http://hooks.example.com/", HEADERS, b"{}").is_delivered
        assert proxy.received() == []
    assert len(receiver.received()) == 1


def test_a_name_that_nobody_knows_and_addresses_that_nobody_answers_at(wire: Wire) -> None:
    closed = Wire(1)
    assert post(Names([[PUBLIC, OTHER]]), closed)("http://hooks.example.com/", HEADERS, b"{}") == Outcome(
        None, "connection"
    )
    assert closed.connected == [PUBLIC, OTHER]
    assert post(Names([[]]), wire)("http://hooks.example.com/", HEADERS, b"{}") == Outcome(None, "connection")


@pytest.mark.parametrize(
    "behaviour",
    [silence, drip(b"HTTP/1.1 200 OK\r\n", b"x"), drip(CONTINUE, CONTINUE)],
    ids=["nothing", "a header without end", "interim answers without end"],
)
def test_an_answer_that_trickles_ends_with_the_time(
    receiver: Receiver, wire: Wire, behaviour: Behaviour
) -> None:
    receiver.behaviour = behaviour
    send = post(Names([[PUBLIC]]), wire, seconds=0.1)
    assert send("http://hooks.example.com/", HEADERS, b"{}") == Outcome(None, "timeout")


def test_headers_without_end_are_no_answer(receiver: Receiver, wire: Wire) -> None:
    receiver.behaviour = lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nx: " + b"y" * 4_000_000)
    send = post(Names([[PUBLIC]]), wire)
    assert send("http://hooks.example.com/", HEADERS, b"{}") == Outcome(None, "connection")


def test_tls_is_for_the_name_of_the_url_and_nobody_else(tmp_path: Path) -> None:
    certificate, key = _certificate(tmp_path)
    asked: list[tuple[str, str]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        headers = dict(scope["headers"])
        asked.append((scope["path"], headers[b"host"].decode()))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps({}).encode()})

    with serving_app(app, certificate=(certificate, key)) as port:
        trusting = ssl.create_default_context(cafile=str(certificate))
        names, wire = Names([[PUBLIC]]), Wire(port)
        send = post(names, wire, trust=trusting)
        assert send("https://hooks.example.com/x", HEADERS, b"{}") == Outcome(200, None)
        assert send("https://other.example.com/x", HEADERS, b"{}") == Outcome(None, "connection")
        # Nobody vouches for it where only the system's authorities are trusted.
        assert post(names, wire)("https://hooks.example.com/x", HEADERS, b"{}") == Outcome(None, "connection")
    assert asked == [("/x", "hooks.example.com")]
    assert wire.connected == [PUBLIC] * 3


def _certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "server.pem", folder / "server.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=hooks.example.com"]
    command += ["-addext", "subjectAltName=DNS:hooks.example.com"]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key
