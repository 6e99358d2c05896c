"""Every route of the server against the list of what leaves a receipt: what it should, and nothing when refused."""

from __future__ import annotations

import pytest

from tarimba.receipts.model import ACTS, READS
from tests.contract.api.calls import CALLS, PARTS, RECEIPTED, ROUTES, request, scene
from tests.contract.api.exempt import EXEMPT
from tests.contract.api.served import UNKNOWN, Api
from tests.e2e.company import MEMORY, NOTE, Company, Kept, log_of

pytestmark = pytest.mark.promise("every-route-receipted")


@pytest.fixture(scope="module")
def quiet(api: Api) -> tuple[Company, dict[str, str]]:
    """A company in which nothing happens, with the ids of its scene."""
    company = api.found()
    return company, scene(api, company)


def test_every_route_is_on_one_of_the_two_lists() -> None:
    assert ROUTES.keys() >= EXEMPT
    assert sorted(CALLS) == RECEIPTED
    for name in EXEMPT:
        assert ROUTES[name].receipt is None
    for name in RECEIPTED:
        assert ROUTES[name].receipt in READS | ACTS, name


def test_the_api_describes_the_routes_it_serves(api: Api) -> None:
    paths = api.http.get("/openapi.json").json()["paths"]
    described = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert described | {"GET /openapi.json"} == ROUTES.keys()


@pytest.mark.parametrize("name", RECEIPTED)
def test_an_access_leaves_its_receipt_and_says_which(api: Api, company: Company, name: str) -> None:
    ids = scene(api, company, name)
    before = len(log_of(api.kernel, company))
    answer = request(api, company, name, ids)
    assert answer.is_success, answer.text
    left = log_of(api.kernel, company)[before:]
    action = ROUTES[name].receipt
    # However many parts there were.
    assert list(dict.fromkeys(stored.document["action"] for stored in left)) == PARTS.get(name, [action])
    # What the answer holds as evidence is in the log, at that place, with that hash.
    kept = Kept.of(answer)
    (stored,) = [one for one in left if one.seq == kept.seq]
    assert (stored.document["id"], stored.leaf.hex(), stored.document["action"]) == (
        kept.id, kept.leaf, action,
    )  # fmt: skip
    assert stored.document["via"] == "http"
    assert stored.document["space_id"] == company.space_id
    assert stored.document["kind"] == ("read" if action in READS else "admin")
    is_json = answer.headers["content-type"] == "application/json"
    body = answer.json() if is_json else None
    if isinstance(body, dict) and "receipt_id" in body:
        assert body["receipt_id"] == kept.id


@pytest.mark.parametrize("name", sorted(EXEMPT))
def test_an_exempt_route_leaves_none(api: Api, quiet: tuple[Company, dict[str, str]], name: str) -> None:
    company, ids = quiet
    before = len(log_of(api.kernel, company))
    answer = request(api, company, name, ids)
    assert answer.is_success, answer.text
    assert "tarimba-receipt" not in answer.headers
    assert len(log_of(api.kernel, company)) == before


@pytest.mark.parametrize("name", [name for name in sorted(ROUTES) if not ROUTES[name].public])
def test_a_refused_request_leaves_none_and_changes_nothing(
    api: Api, quiet: tuple[Company, dict[str, str]], name: str
) -> None:
    company, ids = quiet
    refusals = [("tar_sk_live_0000000000000000_x", {}), ("member", {}), ("owner", {"query": "?odd=1"})]
    before = log_of(api.kernel, company)
    for who, changes in refusals:
        if who == "member" and (name in EXEMPT or CALLS[name][0] == "member"):
            continue
        refused = request(api, company, name, ids, who=who, **changes)
        assert refused.is_client_error, (name, who)
        assert "tarimba-receipt" not in refused.headers
    if "{" in name:
        unknown = request(api, company, name, dict.fromkeys(ids, UNKNOWN))
        assert unknown.status_code == 404
    if ROUTES[name].body is not None:
        assert request(api, company, name, ids, body={"odd": 1}).status_code == 422
    assert log_of(api.kernel, company) == before


def test_a_write_that_is_refused_for_its_text_leaves_none(api: Api, company: Company) -> None:
    for body in ("Ring +1 212 555 0123.", "x" * 3000, "<agent_notes>"):
        refused = api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE | {"body": body})
        assert refused.status_code == 422
    assert "note.create" not in api.actions(company)


def test_a_block_that_is_not_modified_and_one_that_is_off_leave_theirs(api: Api) -> None:
    company = api.found(enabled=False)
    off = api.call(company, "billing", "GET", f"{MEMORY}/block")
    known = {"if-none-match": off.headers["etag"]}
    same = api.call(company, "billing", "GET", f"{MEMORY}/block", headers=known)
    assert (off.json()["enabled"], same.status_code, same.content) == (False, 304, b"")
    reads = [one.document for one in log_of(api.kernel, company) if one.document["action"] == "block.read"]
    assert [read["detail"]["not_modified"] for read in reads] == [False, True]
    assert [read["id"] for read in reads] == [Kept.of(off).id, Kept.of(same).id]


def test_a_replay_answers_the_first_receipt_and_leaves_none(api: Api, company: Company) -> None:
    headers = {"idempotency-key": "one"}
    answers = [
        api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE, headers=headers) for _ in range(3)
    ]
    assert len({answer.headers["tarimba-receipt"] for answer in answers}) == 1
    assert api.actions(company).count("note.create") == 1


def test_the_tools_of_the_protocol_leave_theirs(api: Api, company: Company) -> None:
    assert "result" in api.tool(company, "billing", "remember", **NOTE).json()
    assert "result" in api.tool(company, "billing", "search_agent_memory", query="invoices").json()
    left = [stored.document for stored in log_of(api.kernel, company) if stored.document["via"] == "mcp"]
    assert [document["action"] for document in left] == ["note.create", "notes.search"]
    assert {document["actor"]["id"] for document in left} == {company.sources["billing"]}
    refused = api.tool(company, "billing", "remember", **NOTE | {"body": "Ring +1 212 555 0123."}).json()
    assert refused["result"]["isError"]
    assert api.actions(company).count("note.create") == 1
