"""Real processes under watch: probes, figures, spans over the wire, a log that is followed while it is written."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.e2e.company import NOTE, Company, Place, found, log_of
from tests.e2e.test_kill_erasure import until
from tests.e2e.test_worker import working
from tests.fixtures.cluster import free_port
from tests.fixtures.server import RunningServer, running_server

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TOKEN = "a token that reads the figures of tests"
MEMORY = "/v1/agent-memory"


class Collector(ThreadingHTTPServer):
    """What a backend of OpenTelemetry hears."""

    def __init__(self) -> None:
        self.exports: list[ExportTraceServiceRequest] = []
        super().__init__(("127.0.0.1", 0), Receiving)


class Receiving(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        assert self.path == "/v1/traces"
        self.server.exports.append(ExportTraceServiceRequest.FromString(body))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def collecting() -> Iterator[Collector]:
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


def bearer(company: Company, who: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {company.bearers[who]}"}


def head(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("HEAD", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.promise("ready-told")
def test_probes_are_answered_and_head_has_no_body(server: RunningServer) -> None:
    assert httpx.get(f"{server.base_url}/readyz").json()["status"] == "ready"
    assert head(server.port, "/readyz") == (200, b"")
    assert head(server.port, "/healthz") == (200, b"")


@pytest.mark.promise("ready-told")
def test_a_server_that_was_told_to_stop_says_so_while_it_still_answers(sqlite_place: Place) -> None:
    # Long enough that the test is sure to ask in between; the second signal ends the waiting.
    env = sqlite_place.environment | {"TARIMBA_DRAIN_DELAY_S": "60"}
    with running_server(sqlite_place.data, sqlite_place.db, env=env) as server:
        assert head(server.port, "/readyz")[0] == 200
        server.process.terminate()
        until(lambda: head(server.port, "/readyz")[0] == 503)
        assert head(server.port, "/healthz")[0] == 200
        server.stop()


@pytest.mark.promise("metrics-counted")
def test_servers_and_workers_have_a_port_of_their_own(sqlite_place: Place) -> None:
    ports = free_port(), free_port()
    first, second = ({"TARIMBA_METRICS_PORT": str(port)} for port in ports)
    off = {"TARIMBA_JOBS": "false"}
    with (
        running_server(
            sqlite_place.data, sqlite_place.db, env=sqlite_place.environment | first | off
        ) as server,
        working(sqlite_place, **second),
    ):
        assert httpx.get(f"{server.base_url}/metrics").status_code == 404
        for port in ports:
            text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
            assert "tarimba_database_up 1.0" in text
            assert "process_resident_memory_bytes" in text
            assert httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200
            assert httpx.get(f"http://127.0.0.1:{port}{MEMORY}/block").status_code == 404


def test_a_port_that_is_taken_is_told_by_the_options(place: Place, server: RunningServer) -> None:
    env = dict(os.environ) | place.environment | {"TARIMBA_METRICS_PORT": str(server.port)}
    command = [sys.executable, "-m", "tarimba.cli", "worker", "--data", str(place.data)]
    command += ["--db", place.db] if place.db else []
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "TARIMBA_METRICS_PORT" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.promise("traces-continued")
def test_spans_reach_a_backend_over_the_wire(sqlite_place: Place) -> None:
    company = found(sqlite_place)
    with collecting() as collector:
        env = {"TARIMBA_OTEL": "true", "TARIMBA_METRICS_TOKEN": TOKEN}
        env |= {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
        env |= {"OTEL_SERVICE_NAME": "acme-memory", "OTEL_BSP_SCHEDULE_DELAY": "100"}
        with running_server(sqlite_place.data, None, env=sqlite_place.environment | env) as server:
            headers = {**bearer(company, "billing"), "traceparent": f"00-{TRACE}-{PARENT}-01"}
            kept = httpx.post(f"{server.base_url}{MEMORY}/notes", json=NOTE, headers=headers)
            assert kept.status_code == 201
            figures = httpx.get(f"{server.base_url}/metrics", headers={"authorization": f"Bearer {TOKEN}"})
            assert 'status="201"' in figures.text
            lines = server.stderr.read_text()
            server.stop()
    resources = [resource for export in collector.exports for resource in export.resource_spans]
    names = {item.value.string_value for one in resources for item in one.resource.attributes}
    spans = [span for one in resources for scope in one.scope_spans for span in scope.spans]
    mine = {span.name: span for span in spans if span.trace_id.hex() == TRACE}
    assert "acme-memory" in names
    assert {"http.request", "detectors.check", "writer.wait"} <= mine.keys()
    assert mine["http.request"].parent_span_id.hex() == PARENT
    assert f'"trace_id": "{TRACE}"' in lines
    told = str(collector.exports)
    assert not [
        text for text in (NOTE["title"], NOTE["body"], *company.bearers.values()) if str(text) in told
    ]


@pytest.mark.promise("log-followed")
def test_a_follower_over_http_has_the_log_that_is_stored(
    place: Place, server: RunningServer, company: Company
) -> None:
    writing = threading.Event()
    headers = bearer(company, "auditor")

    def write(number: int) -> None:
        for _ in range(5):
            url = f"{server.base_url}{MEMORY}/block?tags=t{number}"
            assert httpx.get(url, headers=bearer(company, "billing"), timeout=60).status_code == 200

    def follow() -> list[dict[str, object]]:
        lines: list[dict[str, object]] = []
        after = "-1"
        while True:
            is_last = writing.is_set()
            url = f"{server.base_url}/v1/receipts/stream?after={after}&limit=7&wait={0 if is_last else 1}"
            answer = httpx.get(url, headers=headers, timeout=60)
            assert answer.status_code == 200
            lines += [json.loads(line) for line in answer.text.splitlines()]
            after = answer.headers["tarimba-last-seq"]
            assert ("tarimba-receipt" in answer.headers) == bool(answer.content)
            if is_last and not answer.content:
                return lines

    with ThreadPoolExecutor(5) as pool:
        following = pool.submit(follow)
        list(pool.map(write, range(4)))
        writing.set()
        lines = following.result()
    with place.kernel() as kernel:
        stored = [one.as_json() for one in log_of(kernel, company)]
    assert lines == stored[: len(lines)]
    assert sum(line["action"] == "block.read" for line in lines) == 20
    # The reading itself, and the first key that signs the log, which the server makes when it comes to it.
    assert {line["action"] for line in stored[len(lines) :]} <= {"receipts.search", "secret.change"}
    beyond = httpx.get(f"{server.base_url}/v1/receipts/stream?after=100000", headers=headers)
    assert beyond.status_code == 409
