"""An Idempotency-Key on every route that changes something: once, and the first answer again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from tests.contract.api.calls import APPROVAL, CALLS, KNOWN, NEW, ROUTES, request, scene
from tests.contract.api.evidence import key_of_witness
from tests.contract.api.served import Api
from tests.e2e.company import MEMORY, NOTE, Company, log_of

pytestmark = pytest.mark.promise("idempotent-writes")

KEYED = sorted(name for name, route in ROUTES.items() if route.idempotent)
KEY = {"idempotency-key": "one"}
# Nothing of a customer changes when it is read.
ASKING = ("POST /v1/context", "POST /v1/history/", "POST /v1/ingest/")
# Asking the log changes nothing; each turn has a key of its own, and one that is told of twice is the same one.
UNKEYED = {
    "POST /v1/receipts/checkpoint/cosignatures",
    "POST /v1/batch",
    "POST /v1/agent-memory/search",
    "POST /v1/receipts/search",
    "POST /v1/receipts/bundle",
    "POST /v1/turns/start",
    "POST /v1/turns/end",
}
# Where a letter more would break a rule first.
OTHERS: Mapping[str, Any] = {
    "key": str(key_of_witness(b"m")),
    "kind": "pitfall", "helped": False, "agent_memory": {"title_max": 99}, "items": [KNOWN], "handles": NEW["handles"],
    "state": "active", "decisions": [APPROVAL | {"decision": "reject"}],
    "again": False, "agent": "support", "documents": {"SOUL.md": "Be long."},
}  # fmt: skip


def shown(answer: httpx.Response) -> Any:
    """The body without a new key or secret, which is shown once."""
    body = answer.json()
    if not isinstance(body, dict):
        return body
    return {name: value for name, value in body.items() if name not in {"key", "secret"}}


def test_every_route_that_changes_something_takes_a_key() -> None:
    asking = {name for name in ROUTES if name.startswith(("GET", "HEAD", *ASKING))}
    assert ROUTES.keys() - asking - set(KEYED) == UNKEYED


@pytest.mark.parametrize("name", KEYED)
def test_the_second_time_answers_the_first(api: Api, company: Company, name: str) -> None:
    ids = scene(api, company, name)
    first = request(api, company, name, ids, headers=KEY)
    assert first.is_success, first.text
    log = log_of(api.kernel, company)
    second = request(api, company, name, ids, headers=KEY)
    assert (second.status_code, shown(second)) == (first.status_code, shown(first))
    assert second.headers["tarimba-receipt"] == first.headers["tarimba-receipt"]
    assert log_of(api.kernel, company) == log


@pytest.mark.parametrize("name", [name for name in KEYED if CALLS[name][2] is not None])
def test_another_body_with_the_key_is_a_conflict(api: Api, company: Company, name: str) -> None:
    ids = scene(api, company, name)
    assert request(api, company, name, ids, headers=KEY).is_success
    log = log_of(api.kernel, company)
    other = request(api, company, name, ids, headers=KEY, body=_other(CALLS[name][2]))
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    assert log_of(api.kernel, company) == log


def test_a_key_is_of_one_caller_and_one_route(api: Api, company: Company) -> None:
    notes = [
        api.call(company, who, "POST", f"{MEMORY}/notes", json=NOTE, headers=KEY)
        for who in ("billing", "support", "billing")
    ]
    first, others, again = (answer.json()["note"]["note_id"] for answer in notes)
    assert (again, others != first) == (first, True)
    retired = api.call(company, "billing", "POST", f"{MEMORY}/notes/{first}/retire", headers=KEY)
    assert retired.json()["status"] == "retired"
    second = api.write(company)["note_id"]
    another = api.call(company, "billing", "POST", f"{MEMORY}/notes/{second}/retire", headers=KEY)
    assert another.json()["code"] == "conflict"


def test_a_replay_shows_what_is_stored_now_and_404_when_it_was_erased(api: Api, company: Company) -> None:
    first = api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE, headers=KEY)
    source = company.sources["billing"]
    assert api.call(company, "owner", "DELETE", f"{MEMORY}/notes?source_id={source}").is_success
    again = api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE, headers=KEY)
    assert (first.status_code, again.status_code) == (201, 404)


def _other(body: dict[str, Any]) -> dict[str, Any]:
    """The body with one value changed."""
    name, value = next(iter(body.items()))
    if name in OTHERS:
        return body | {name: OTHERS[name]}
    return body | {name: f"{value}x"}
