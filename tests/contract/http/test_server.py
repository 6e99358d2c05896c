"""What only sockets show: lengths, chunks, kept and broken connections."""

import socket
from collections.abc import Iterator

import httpx
import pytest
from structlog.testing import capture_logs

from tests.problems import assert_problem
from tests.unit.http.toys import KEY, SECRET, Api

JSON = {"Content-Type": "application/json"}
JSON_LENGTH = ("Content-Type: application/json", "Content-Length: 100")


def pieces(count: int, size: int) -> Iterator[bytes]:
    for _ in range(count):
        yield b"x" * size


def raw(server: httpx.URL, *sent: bytes) -> bytes:
    """Everything that the server answers on one connection until it closes it."""
    with socket.create_connection((server.host, server.port)) as connection:
        for part in sent:
            connection.sendall(part)
        answered = b""
        while chunk := connection.recv(65536):
            answered += chunk
    return answered


def head(line: str, *headers: str) -> bytes:
    return "\r\n".join([line, "Host: toys.test", f"Authorization: Bearer {KEY}", *headers, "", ""]).encode()


def test_answers_and_refusals_keep_the_connection(client: httpx.Client) -> None:
    for path, status in (
        ("/toys", 200),
        ("/nothing", 404),
        ("/toys?limit=x", 422),
        ("/broken", 500),
        ("/toys", 200),
    ):
        response = client.get(path)
        assert response.status_code == status
        assert int(response.headers["content-length"]) == len(response.content)
        assert response.headers.get("connection") != "close"


def test_304_and_head_carry_no_body(client: httpx.Client) -> None:
    assert client.get("/toys/newest").content == b""
    assert client.head("/toys").content == b""
    assert client.get("/toys").status_code == 200


def test_a_chunked_body_is_counted_like_any_other(client: httpx.Client) -> None:
    sent = client.post("/toys", content=iter([b'{"name":', b'"trem"}']), headers=JSON)
    assert sent.status_code == 201
    response = client.post("/toys", content=pieces(3, 500), headers=JSON)
    assert response.status_code == 413
    assert response.json()["code"] == "too_large"
    assert client.get("/toys").status_code == 200


def test_a_large_declared_body_is_answered_and_the_connection_closed(client: httpx.Client) -> None:
    response = client.post("/toys", content=b"x" * 1_000_000, headers=JSON)
    assert_problem(response, "too_large")
    assert response.headers["connection"] == "close"


def test_who_waits_for_100_continue_is_refused_before_sending(server: httpx.URL) -> None:
    answered = raw(server, head("POST /toys HTTP/1.1", "Content-Length: 5000", "Expect: 100-continue"))
    assert answered.startswith(b"HTTP/1.1 413 ")
    assert b"too_large" in answered


def test_who_waits_for_100_continue_and_may_send_is_told_so(server: httpx.URL) -> None:
    opening = head(
        "POST /toys HTTP/1.1",
        "Content-Length: 15",
        "Expect: 100-continue",
        "Connection: close",
        "Content-Type: application/json",
    )
    answered = raw(server, opening, b'{"name":"trem"}')
    assert b"HTTP/1.1 201 " in answered


def test_an_import_streams_and_stops_at_its_limit(client: httpx.Client, api: Api) -> None:
    api.seen.chunks.clear()
    response = client.post("/import", content=pieces(100, 1000), headers=JSON)
    assert response.json() == {"bytes": 100_000}
    response = client.post("/import", content=pieces(201, 1000), headers=JSON)
    assert response.status_code == 413


def test_an_export_streams(client: httpx.Client) -> None:
    with client.stream("GET", "/export", params={"limit": 100}) as response:
        assert response.headers["transfer-encoding"] == "chunked"
        assert len(b"".join(response.iter_bytes())) == len(
            "[" + "".join(f"{at}," for at in range(100)) + "null]"
        )


def test_an_export_that_fails_in_the_middle_is_cut_off(client: httpx.Client) -> None:
    with capture_logs() as logs, pytest.raises(httpx.RemoteProtocolError):
        client.get("/export/some")
    assert SECRET not in str(logs)


def test_a_caller_who_leaves_harms_nobody(server: httpx.URL, client: httpx.Client) -> None:
    with socket.create_connection((server.host, server.port)) as connection:
        connection.sendall(head("POST /toys HTTP/1.1", "Content-Length: 500") + b"{")
    with socket.create_connection((server.host, server.port)) as connection:
        connection.sendall(
            head("POST /import HTTP/1.1", "Content-Length: 500", "Content-Type: application/json") + b"{"
        )
    assert client.get("/toys").status_code == 200


def test_bytes_that_are_no_header_reach_no_handler(server: httpx.URL) -> None:
    answered = raw(server, b"GET /toys/\xff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert answered.split(b" ")[1] in (b"400", b"401", b"404")


def test_a_body_that_stalls_is_refused_and_the_connection_closed(
    server: httpx.URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarimba.http.body.STALL_SECONDS", 0.01)
    answered = raw(server, head("POST /toys HTTP/1.1", *JSON_LENGTH), b'{"name"')
    assert answered.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in answered.lower()
    assert b"did not come in time" in answered
