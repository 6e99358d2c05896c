"""What is counted, for whom, and that no label holds what a caller chose."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open
from prometheus_client.parser import text_string_to_metric_families as read_plain
from pydantic import SecretStr
from sqlalchemy.exc import OperationalError

from tarimba.http.beside import Watched
from tarimba.jobs import queue
from tarimba.kernel import Kernel
from tarimba.webhooks.service import announce
from tests.contract.notes.world import World
from tests.contract.observed.asking import Asked, bearer

TOKEN = "a token that reads the figures of tests"
MEMORY = "/v1/agent-memory"
NOTE = {"kind": "procedure", "title": "Void invoices", "body": "Close the period first.", "tags": ["erp"]}
PERSONAL = {**NOTE, "body": "Ring +1 212 555 0123."}
Labels = Mapping[str, str]


def figures(answer: httpx.Response) -> dict[str, list[tuple[Labels, float]]]:
    """The samples of an answer by their name."""
    assert answer.status_code == 200, answer.text
    found: dict[str, list[tuple[Labels, float]]] = {}
    for family in read_plain(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def value(found: Mapping[str, list[tuple[Labels, float]]], name: str, **labels: str) -> float:
    return sum(number for told, number in found.get(name, ()) if labels.items() <= told.items())


@pytest.fixture
def asked(world: World) -> Asked:
    token = SecretStr(TOKEN)
    return Asked(
        replace(world.kernel, settings=world.kernel.settings.model_copy(update={"metrics_token": token}))
    )


def read(asked: Asked) -> dict[str, list[tuple[Labels, float]]]:
    return figures(asked.get("/metrics", headers=bearer(TOKEN)))


@pytest.mark.promise("metrics-counted")
def test_figures_are_for_who_has_the_token_and_nowhere_without_one(asked: Asked, kernel: Kernel) -> None:
    assert asked.get("/metrics").status_code == 401
    assert asked.get("/metrics", headers=bearer("another")).status_code == 401
    assert asked.get("/metrics", headers={"Authorization": "Bearer não".encode()}).status_code == 401
    assert asked.send("POST", "/metrics", headers=bearer(TOKEN)).status_code == 405
    assert asked.get("/metrics", headers=bearer(TOKEN)).status_code == 200
    assert Asked(kernel).get("/metrics").status_code == 404


@pytest.mark.promise("metrics-counted")
def test_both_forms_are_readable_by_their_parsers(asked: Asked) -> None:
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
    answer = asked.get("/metrics", headers=bearer(TOKEN) | accept)
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    names = {family.name for family in read_open(answer.text)}  # type: ignore[no-untyped-call]
    assert {"tarimba_commit_seconds", "tarimba_http_request_seconds", "tarimba_writer_queue"} <= names
    assert "tarimba_receipts_written_total" in read(asked)


@pytest.mark.promise("metrics-counted")
def test_requests_refusals_batches_and_caches_are_counted(asked: Asked, world: World) -> None:
    billing = bearer(world.bearers["billing"])
    before = read(asked)
    for _ in range(3):
        assert asked.get(f"{MEMORY}/block", headers=billing).status_code == 200
    assert asked.get(f"{MEMORY}/block", headers=bearer("nobody")).status_code == 401
    assert asked.send("POST", f"{MEMORY}/notes", headers=billing, json=NOTE).status_code == 201
    assert asked.send("POST", f"{MEMORY}/notes", headers=billing, json=PERSONAL).status_code == 422
    found = read(asked)

    def more(name: str, **labels: str) -> float:
        return value(found, name, **labels) - value(before, name, **labels)

    block, notes = {"route": f"{MEMORY}/block", "method": "GET"}, {"route": f"{MEMORY}/notes"}
    assert more("tarimba_http_request_seconds_count", status="200", **block) == 3
    assert more("tarimba_http_request_seconds_count", status="401", **block) == 1
    assert more("tarimba_http_request_seconds_count", status="201", **notes) == 1
    assert more("tarimba_refusals_total", code="unauthenticated") == 1
    assert more("tarimba_refusals_total", code="personal_data_in_agent_memory") == 1
    assert more("tarimba_personal_data_refusals_total", kind="phone") == 1
    assert more("tarimba_cache_reads_total", cache="block", outcome="hit") == 2
    assert more("tarimba_receipts_written_total") == 4
    # A cached block that turned out to be old is read twice.
    assert 1 <= more("tarimba_commit_seconds_count") <= 6
    assert more("tarimba_commit_batch_requests_sum") >= 4
    assert more("tarimba_detector_seconds_count") >= 2
    assert value(found, "tarimba_database_up") == 1
    assert value(found, "process_resident_memory_bytes") > 0
    assert value(found, "process_open_fds") > 0


@pytest.mark.promise("metrics-counted")
def test_work_that_waits_is_told_with_its_age(asked: Asked, world: World) -> None:
    def ask_for_work(tx: Any) -> None:
        queue.enqueue(tx, "pii.rescan", {})
        announce(tx, "note.created", "n", {})

    world.kernel.writer.commit(world.space_id, ask_for_work)
    found = read(asked)
    assert value(found, "tarimba_jobs_due", kind="pii.rescan") == 1
    assert value(found, "tarimba_job_lag_seconds", kind="pii.rescan") >= 0
    # Nobody subscribed to it, so nothing is behind.
    assert value(found, "tarimba_webhook_backlog") == 0


@pytest.mark.promise("metrics-bounded")
def test_no_label_holds_what_a_caller_sent(asked: Asked, world: World) -> None:
    odd = secrets.token_hex(8)
    billing = bearer(world.bearers["billing"])
    for method in ("GET", odd.upper()):
        asked.send(method, f"/{odd}", headers=billing)
        asked.send(method, f"{MEMORY}/notes/{odd}", headers=billing)
        asked.send(method, f"{MEMORY}/block?tags={odd}", headers=bearer(odd))
        asked.send(method, f"/console/{odd}")
    text = asked.get("/metrics", headers=bearer(TOKEN)).text
    for chosen in (
        odd,
        odd.upper(),
        "acme",
        world.space_id,
        world.sources["billing"],
        *world.bearers.values(),
    ):
        assert chosen not in text
    assert 'method="other"' in text


@pytest.mark.promise("metrics-counted")
def test_without_a_database_the_rest_is_told(
    asked: Asked, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("SELECT 1", None, Exception("away"))

    monkeypatch.setattr(world.kernel.database.read_engine, "connect", away)
    found = read(asked)
    assert value(found, "tarimba_database_up") == 0
    assert "tarimba_jobs_due" not in found
    assert "tarimba_writer_queue" in found


@pytest.mark.promise("metrics-counted")
def test_the_port_of_its_own_serves_what_is_watched_and_nothing_else(world: World) -> None:
    watched = Asked(world.kernel, Watched(world.kernel))
    assert figures(watched.get("/metrics"))
    assert watched.get("/readyz").json()["status"] == "ready"
    assert watched.get("/healthz").json() == {"status": "ok"}
    assert watched.get(f"{MEMORY}/block", headers=bearer(world.bearers["billing"])).status_code == 404
