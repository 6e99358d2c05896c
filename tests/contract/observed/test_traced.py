"""Spans: which there are, in which trace, and that none holds anything that a caller sent."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import structlog
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tarimba.exchange import Exchange
from tarimba.jobs import queue
from tarimba.jobs.service import Worker
from tarimba.kernel import Kernel
from tarimba.telemetry import Telemetry
from tarimba.telemetry.otel import OtelTracing, TracingError
from tarimba.telemetry.tracing import outgoing
from tarimba.webhooks.posting import Post
from tests.contract.notes.world import World
from tests.contract.observed.asking import Asked, bearer

MEMORY = "/v1/agent-memory"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
HEADER = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
# Whatever a caller can choose, each with a word that is in nothing else.
TITLE, BODY, TAG, QUERY, VIEW, CONVERSATION, PATH = (f"quebranozes{number}" for number in range(7))
NOTE = {"kind": "procedure", "title": TITLE, "body": BODY, "tags": [TAG]}


class Traced:
    """An application that traces, and its ended spans."""

    def __init__(self, world: World) -> None:
        self._spans = InMemorySpanExporter()
        tracing = OtelTracing("0", SimpleSpanProcessor(self._spans))
        telemetry = Telemetry(world.kernel.telemetry.metrics, tracing)
        self.kernel = replace(
            world.kernel, telemetry=telemetry, detectors=world.kernel.detectors.watched(telemetry)
        )
        self.kernel.writer._telemetry = telemetry
        self.asked = Asked(self.kernel)
        self.headers = bearer(world.bearers["billing"]) | HEADER

    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._spans.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans() if span.name == name]


@pytest.fixture
def traced(world: World) -> Iterator[Traced]:
    made = Traced(world)
    yield made
    made.kernel.telemetry.tracing.close(30.0)


def trace_of(span: ReadableSpan) -> str:
    assert span.context is not None
    return f"{span.context.trace_id:032x}"


@pytest.mark.promise("traces-continued")
def test_a_request_is_a_part_of_the_trace_that_it_names(traced: Traced) -> None:
    kept = traced.asked.send("POST", f"{MEMORY}/notes", headers=traced.headers, json=NOTE)
    assert kept.status_code == 201
    (request,) = traced.named("http.request")
    assert request.parent is not None
    assert (trace_of(request), f"{request.parent.span_id:016x}") == (TRACE, PARENT)
    assert dict(request.attributes or {}) == {"http.route": f"{MEMORY}/notes", "http.status": 201}
    inside = {span.name for span in traced.spans() if trace_of(span) == TRACE}
    assert {"http.request", "detectors.check", "writer.wait"} <= inside
    # A batch is of several requests, so it is in the trace of none.
    batches = traced.named("writer.batch")
    assert batches
    assert all(span.parent is None and trace_of(span) != TRACE for span in batches)


@pytest.mark.promise("traces-continued")
def test_a_read_of_the_block_is_traced_too(traced: Traced) -> None:
    for _ in range(2):
        assert traced.asked.get(f"{MEMORY}/block", headers=traced.headers).status_code == 200
    assert [trace_of(span) for span in traced.named("http.request")] == [TRACE] * 2
    assert all(trace_of(span) == TRACE for span in traced.named("writer.wait"))


@pytest.mark.promise("traces-continued")
@pytest.mark.parametrize("header", ["", "00-zz-1-01", "ff" * 40, f"00-{'0' * 32}-{PARENT}-01", "é"])
def test_a_header_that_is_none_begins_a_new_trace(traced: Traced, header: str) -> None:
    headers: dict[str, Any] = traced.headers | {"traceparent": header.encode()}
    assert traced.asked.get("/v1/sources/me", headers=headers).status_code == 200
    (request,) = traced.named("http.request")
    assert request.parent is None
    assert trace_of(request) != TRACE


@pytest.mark.promise("traces-continued")
def test_a_job_is_a_trace_of_its_own(traced: Traced, world: World) -> None:
    job_id = traced.kernel.writer.commit(world.space_id, lambda tx: queue.enqueue(tx, "toy", {}))
    found: list[str | None] = []

    def work(kernel: Kernel, job: Any) -> None:
        found.append(outgoing().get("traceparent"))
        kernel.writer.commit(job.space_id, lambda tx: queue.finish(tx, job))

    assert Worker(traced.kernel, {"toy": work}).piece()
    (job,) = traced.named("job")
    assert (dict(job.attributes or {}), job.parent) == ({"job.kind": "toy"}, None)
    # What a handler asks of other servers says that it is part of it.
    assert found[0] is not None
    assert found[0].startswith(f"00-{trace_of(job)}-")
    assert job_id


class Heard(ThreadingHTTPServer):
    """A server that keeps the header of the trace and answers nothing much."""

    def __init__(self) -> None:
        self.traces: list[str | None] = []
        super().__init__(("127.0.0.1", 0), Hearing)


class Hearing(BaseHTTPRequestHandler):
    server: Heard

    def do_POST(self) -> None:
        self.server.traces.append(self.headers["traceparent"])
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def heard() -> Iterator[Heard]:
    with Heard() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.promise("traces-continued")
def test_other_servers_are_told_the_trace(traced: Traced, heard: Heard) -> None:
    url = f"http://127.0.0.1:{heard.server_port}"
    exchange, post = Exchange(url, time.monotonic), Post(["127.0.0.1"])

    def ask() -> None:
        exchange.send("POST", "/", b"{}", time.monotonic() + 30)
        post(url, {}, b"{}")

    with traced.kernel.telemetry.tracing.span("job"):
        told = outgoing()["traceparent"]
        ask()
    ask()
    exchange.close()
    assert heard.traces == [told, told, None, None]


@pytest.mark.promise("traces-private")
def test_no_span_holds_what_a_caller_sent(traced: Traced) -> None:
    asked, headers = traced.asked, traced.headers
    assert asked.send("POST", f"{MEMORY}/notes", headers=headers, json=NOTE).status_code == 201
    asked.send("POST", f"{MEMORY}/notes", headers=headers, json=NOTE | {"body": f"{BODY} +1 212 555 0123"})
    asked.send("POST", f"{MEMORY}/notes", headers=headers, json={BODY: TITLE})
    assert asked.send("POST", f"{MEMORY}/search", headers=headers, json={"query": QUERY}).status_code == 200
    asked.get(f"{MEMORY}/block?tags={TAG}&conversation_id={CONVERSATION}&view={VIEW}", headers=headers)
    asked.get(f"/{PATH}?{QUERY}", headers=headers | {"x-odd": BODY, "user-agent": TITLE})
    asked.get(f"{MEMORY}/notes/{PATH}", headers=headers)
    asked.get(f"/console/{PATH}", headers=headers)
    asked.get(f"{MEMORY}/block", headers=bearer(TITLE))
    text = json.dumps([json.loads(span.to_json()) for span in traced.spans()])
    assert len(traced.named("http.request")) == 9
    for word in (
        TITLE,
        BODY,
        TAG,
        QUERY,
        VIEW,
        CONVERSATION,
        PATH,
        # Not less of the number: ids of spans are random, and hold any three digits now and then.
        "212 555 0123",
        *traced.headers["Authorization"].split(),
    ):
        assert word not in text


@pytest.mark.promise("traces-optional")
def test_a_backend_that_never_answers_keeps_no_process_from_ending() -> None:
    free = threading.Event()

    class Stuck(SimpleSpanProcessor):
        def shutdown(self) -> None:
            free.wait()

    # That it returns at all is what is shown.
    OtelTracing("0", Stuck(InMemorySpanExporter())).close(0.01)
    free.set()


@pytest.mark.promise("traces-private")
def test_an_error_is_told_by_its_kind_alone(traced: Traced) -> None:
    tracing = traced.kernel.telemetry.tracing
    with pytest.raises(RuntimeError), tracing.span("job"):
        raise RuntimeError(BODY)
    (span,) = traced.named("job")
    assert (dict(span.attributes or {}), span.events) == ({"error.type": "RuntimeError"}, ())
    assert BODY not in span.to_json()


@pytest.mark.promise("traces-continued")
def test_log_lines_of_a_request_name_its_trace(traced: Traced) -> None:
    lines: list[dict[str, Any]] = []

    def keep(_logger: Any, _name: str, event: Any) -> Any:
        lines.append(dict(event))
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, keep], cache_logger_on_first_use=False
    )
    try:
        Asked(traced.kernel).get("/v1/sources/me", headers=traced.headers)
    finally:
        structlog.configure(**before)
    (line,) = [line for line in lines if line["event"] == "http.request"]
    assert line["trace_id"] == TRACE


@pytest.mark.promise("traces-optional")
def test_without_being_asked_for_nothing_of_the_extra_is_loaded(tmp_path: Path) -> None:
    program = (
        "import sys; from tarimba.app import build_app, open_kernel; from tarimba.settings import Settings\n"
        "with open_kernel(Settings()) as kernel: build_app(kernel)\n"
        "print(sum(name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter')) for name in sys.modules))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "0"


@pytest.mark.promise("traces-optional")
def test_who_asks_for_it_without_the_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(TracingError, match="tarimba\\[otel\\]"):
        OtelTracing("0")
