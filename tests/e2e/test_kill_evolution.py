"""kill -9 between a skill's file and its row: the draft waits, and the next approval does the rest."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.company import Company, Place, found, log_of
from tests.fixtures.server import RunningServer, running_server

DRAFTS = "/v1/agent-memory/skill-drafts"
# The command line with a server that dies when the file is in place.
DIES = """
import os, signal
from tarimba.evolution import deciding

def die(*_arguments, **_more):
    os.kill(os.getpid(), signal.SIGKILL)

deciding._committed = die
from tarimba.cli import main
main()
"""


def call(
    server: RunningServer, company: Company, method: str, path: str, who: str = "owner", **options: Any
) -> httpx.Response:
    return httpx.request(method, server.base_url + path, headers=company.headers(who), timeout=60, **options)


def tasks(*names: str) -> dict[str, Any]:
    """Tasks that were done in one way, and have ended."""
    items: list[dict[str, Any]] = []
    for name in names:
        told = {"channel": "chat", "speaker": {"role": "ai_agent"}, "task_id": name, "type": "event"}
        for operation in ("invoice.void", "order.reopen"):
            did = {"kind": "action", "action": {"operation": operation}}
            items.append(told | did | {"idempotency_key": f"{name}-{operation}"})
        items.append({"type": "task.ended", "idempotency_key": f"{name}-end", "task_id": name})
    return {"items": items}


def pending(server: RunningServer, company: Company) -> list[dict[str, Any]]:
    """The drafts that wait, once the worker has written one."""
    pause = threading.Event()
    for _ in range(600):
        found: list[dict[str, Any]] = call(server, company, "GET", f"{DRAFTS}?state=pending").json()["items"]
        if found:
            return found
        pause.wait(0.1)
    raise AssertionError("no draft was written")


@pytest.mark.promise("evolution-killed")
def test_an_approval_that_was_killed_is_completed_by_the_next(place: Place, tmp_path: Path) -> None:
    company = found(place)
    workspaces = tmp_path / "workspaces"
    file = workspaces / company.slug / "billing" / "skills" / "invoice-void-order-reopen" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("mine\n")
    environment = place.environment | {"TARIMBA_WORKSPACES": str(workspaces)}
    program = (sys.executable, "-c", DIES)
    with running_server(place.data, place.db, env=environment, program=program) as server:
        mode = {"evolution": {"mode": "apply", "every_tasks": 2}}
        assert call(server, company, "PATCH", "/v1/admin/settings", json=mode).is_success
        assert call(server, company, "POST", "/v1/batch", "billing", json=tasks("t-1", "t-2")).is_success
        (draft,) = pending(server, company)
        with pytest.raises(httpx.TransportError):
            call(server, company, "POST", f"{DRAFTS}/{draft['draft_id']}/apply", "operator")
        server.process.wait()
        server.kill9()
    assert file.read_text() == draft["text"]
    with running_server(place.data, place.db, env=environment) as server:
        assert pending(server, company) == [draft]
        applied = call(server, company, "POST", f"{DRAFTS}/{draft['draft_id']}/apply", "operator")
        assert (applied.status_code, applied.json()["state"]) == (200, "applied"), applied.text
    assert file.read_text() == draft["text"]
    kept = workspaces / company.slug / "billing" / "skills-before"
    assert [one.read_text() for one in kept.iterdir()] == ["mine\n"]
    with place.kernel() as kernel:
        actions = [stored.document["action"] for stored in log_of(kernel, company)]
    assert actions.count("skill.apply") == 1
