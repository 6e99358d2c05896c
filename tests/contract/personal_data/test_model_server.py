"""The client of model servers over real sockets: servers that are slow, broken, gone, well again.

None of these tests looks at a clock: the servers drip and wait until the client hangs up, so a call that is not
bounded never returns.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tarimba.errors import Refusal
from tarimba.exchange import BODY_MAX
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model_server.client import Address, ModelServer
from tarimba.personal_data.model_server.serve import application
from tests.contract.client.tiny import Behaviour, drip, in_turn, silence, tiny_server
from tests.contract.personal_data.model_servers import HEAD, Model, answer_with, hang_up, read_slowly
from tests.contract.personal_data.served import serving_app
from tests.fixtures.cluster import free_port

NOTE = {"title": "Emitir segunda via", "body": "Falar com a Ana Prado."}
PERSON = {"entity_type": "PERSON", "start": 0, "end": 3, "score": 1}
# Short enough for quick tests, and so long that nothing but a fault takes it.
QUICK, ROOMY = 0.15, 60.0


@contextmanager
def asking(url: str, budget: float) -> Iterator[Detectors]:
    detectors = Detectors.of().beside(ModelServer(Address(url), budget))
    try:
        yield detectors
    finally:
        detectors.close()


def refused(url: str, budget: float = QUICK) -> Refusal:
    with asking(url, budget) as detectors, pytest.raises(Refusal) as raised:
        detectors.check(NOTE)
    assert (raised.value.code, raised.value.status) == ("detectors_unavailable", 503)
    return raised.value


@pytest.mark.promise("names-fail-closed")
@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(silence, id="says nothing"),
        pytest.param(drip(HEAD + b"Content-Length: 1000000\r\n\r\n", b" "), id="drips the body"),
        pytest.param(drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), id="drips chunks"),
        pytest.param(drip(HEAD, b"X: y\r\n"), id="drips headers"),
        pytest.param(drip(b"HTTP/1.1 ", b" "), id="drips the first line"),
        pytest.param(read_slowly(HEAD + b"Content-Length: 100\r\n\r\n["), id="stops in the body"),
    ],
)
def test_a_slow_server_is_left_when_the_budget_is_over(behaviour: Behaviour) -> None:
    with tiny_server(behaviour) as server:
        assert refused(server.base_url).retry_after == 1


@pytest.mark.promise("names-fail-closed")
@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(answer_with(b"[]", "500 Internal Server Error"), id="500"),
        pytest.param(answer_with(b"[]", "302 Found", "Location: http://127.0.0.1:1/\r\n"), id="redirect"),
        pytest.param(answer_with(b"[]", "204 No Content"), id="204"),
        pytest.param(answer_with(b"<html>"), id="HTML"),
        pytest.param(answer_with(b"[]", headers="Content-Type: text/html\r\n"), id="called HTML"),
        pytest.param(answer_with(json.dumps([PERSON | {"end": 10**6}]).encode()), id="out of range"),
        pytest.param(answer_with(json.dumps([PERSON | {"start": "0"}]).encode()), id="wrong type"),
        pytest.param(answer_with(b" " * BODY_MAX + b"[]"), id="huge"),
        pytest.param(answer_with(b"\x1f\x8b\x08", headers="Content-Encoding: gzip\r\n"), id="compressed"),
        pytest.param(hang_up, id="hangs up"),
        pytest.param(drip(b"x" * 200_000, b"x"), id="speaks something else"),
    ],
)
def test_a_broken_answer_is_none(behaviour: Behaviour) -> None:
    with tiny_server(behaviour) as server:
        refused(server.base_url, ROOMY)


@pytest.mark.promise("names-fail-closed")
def test_a_refused_connection_is_no_answer() -> None:
    refused(f"http://127.0.0.1:{free_port()}", ROOMY)


@pytest.mark.promise("names-fail-closed")
def test_a_name_that_does_not_resolve_in_time_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def look_up(*_: object, **__: object) -> None:
        over.wait()
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    refused("http://localhost:1")
    over.set()


def test_a_redirect_is_not_followed() -> None:
    with tiny_server(answer_with(b"[]")) as other:
        elsewhere = answer_with(b"[]", "307 Temporary Redirect", f"Location: {other.base_url}/analyze\r\n")
        with tiny_server(elsewhere) as server:
            refused(server.base_url, ROOMY)
    assert not other.requests


@pytest.mark.promise("text-stays-in-region")
def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with tiny_server(answer_with(b"[]")) as proxy, tiny_server(answer_with(b"[]")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url)
        with asking(server.base_url, ROOMY) as detectors:
            assert detectors.check(NOTE).clean
    assert not proxy.requests


@pytest.mark.parametrize(
    "fault", [hang_up, answer_with(b"[]", "503 Service Unavailable"), answer_with(b"{}")]
)
def test_one_fault_is_survived(fault: Behaviour) -> None:
    with (
        tiny_server(in_turn(fault, answer_with(b"[]"))) as server,
        asking(server.base_url, ROOMY) as detectors,
    ):
        assert detectors.check(NOTE).clean
        assert len(server.requests) == 2


def test_connections_are_kept() -> None:
    opened = []
    with tiny_server(answer_with(b"[]")) as server:
        accept = server._serve

        def counted(connection: socket.socket) -> None:
            opened.append(connection)
            accept(connection)

        server._serve = counted  # type: ignore[method-assign]
        with asking(server.base_url, ROOMY) as detectors:
            for _ in range(5):
                detectors.check(NOTE)
    assert (len(opened), len(server.requests)) == (1, 5)


def test_people_are_found_over_a_socket() -> None:
    model = Model(["Ana Prado"])
    for host in ("127.0.0.1", "localhost"):
        with serving_app(model) as port, asking(f"http://{host}:{port}/", ROOMY) as detectors:
            verdict = detectors.check(NOTE)
            assert [(f.field, f.start, f.end) for f in verdict.findings] == [("body", 12, 21)]


def test_our_own_server_answers_our_own_client() -> None:
    detectors = Detectors.local()
    with serving_app(application(detectors)) as port, asking(f"http://127.0.0.1:{port}", ROOMY) as asked:
        verdict = asked.check(NOTE, language="pt")
        assert verdict.version == asked.version
        assert set(verdict.kinds) <= {"name"}


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
    command += ["-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


@pytest.mark.promise("text-stays-in-region")
def test_a_certificate_that_nobody_vouches_for_is_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = _certificate(tmp_path)
    model = Model()
    with serving_app(model, certificate=certificate) as port:
        refused(f"https://localhost:{port}", ROOMY)
        assert not model.asked
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        with asking(f"https://localhost:{port}", ROOMY) as detectors:
            assert detectors.check(NOTE).clean
        # The right server under another name is another server.
        refused(f"https://127.0.0.1:{port}", ROOMY)
    assert len(model.asked) == 1


@pytest.mark.promise("text-stays-in-region")
@pytest.mark.parametrize("url", ["http://names.example", "https://names.example", "ftp://127.0.0.1"])
def test_a_start_that_would_send_text_elsewhere_is_refused_naming_the_option(
    url: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tarimba.cli", "serve", "--data", str(tmp_path), "--port", "0"],
        env={"TARIMBA_DETECTORS_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("TARIMBA_DETECTORS_URL: ")
    assert "names.example" not in done.stderr


def test_the_command_serves_the_contract() -> None:
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "tarimba.cli", "detectors", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert _first_answer(process, f"{url}/health").json() == {"status": "ok"}
        ask = {"text": "fulano@acme.example", "language": "pt"}
        answer = httpx.post(f"{url}/analyze", json=ask).json()
        assert [found["entity_type"] for found in answer] == ["EMAIL_ADDRESS"]
        wrong = httpx.post(f"{url}/analyze", json=ask | {"language": "fulano@acme.example"})
        assert wrong.status_code == 422
    finally:
        process.terminate()
        _, errors = process.communicate()
    assert "fulano" not in errors


def _first_answer(process: subprocess.Popen[str], url: str) -> httpx.Response:
    while True:
        try:
            return httpx.get(url)
        except httpx.ConnectError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                pytest.fail(f"the server ended with code {process.wait(0.05)}")
