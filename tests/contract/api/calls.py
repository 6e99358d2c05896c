"""A successful request to every route, and the list of those that leave no receipt."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import httpx

from tarimba.app import all_routes
from tarimba.evolution import service as evolution
from tarimba.graph import service as graph
from tarimba.http.route import Route
from tarimba.identity import hosting
from tarimba.identity.seats import Called
from tarimba.jobs.service import Worker
from tarimba.webhooks import delivering
from tests.contract.api.evidence import EVIDENCE, cosign_checkpoint, key_of_witness
from tests.contract.api.exempt import EXEMPT
from tests.contract.api.served import Api
from tests.contract.memory_files.room import lay
from tests.e2e.company import NOTE, Company, log_of

# What those of them need that ask for one thing.
QUERIES = {
    "GET /v1/admin/skills/versions": "?name=close-month",
    "GET /v1/receipts/consistency": "?from=1&to=2",
}
# And those that are asked with the token of a workspace.
OF_WORKSPACES = {
    name: ("{workspace}", "", {"conversation_id": "c-1"}) for name in EXEMPT if "/turns/" in name
}
CUSTOMER = {"type": "email", "value": "another@example.com"}
NEW, KNOWN = (
    {"handles": [{"type": "email", "value": f"{name}@example.com"}]} for name in ("somebody", "another")
)
TURN = {"type": "event", "idempotency_key": "k", "conversation_id": "c-1", "content": {"text": "Hello"}}
APPROVAL = {"proposal_id": "{proposal_id}", "decision": "approve"}
SKILL = "---\nname: close-month\ndescription: Use when the month is to be closed.\n---\nLock it first.\n"
ONE = "?name=close-month"
SEAT = "?subscription=team&agent=billing"
IN_TEAM = {"subscription": "team", "agent": "billing"}
OWN = "---\nname: letters\ndescription: Use when a letter is wanted.\n---\nBe brief.\n"
# A successful request to each other route: who, what goes into the path, query and body. Words in braces are ids of
# the scene below.
CALLS: Mapping[str, tuple[str, str, Any]] = {
    "GET /v1/agent-memory/block": ("billing", "?tags=erp&conversation_id=c-1", None),
    "POST /v1/agent-memory/notes": ("billing", "", NOTE),
    "GET /v1/agent-memory/notes": ("billing", "", None),
    "GET /v1/agent-memory/notes/{note_id}": ("billing", "", None),
    "PATCH /v1/agent-memory/notes/{note_id}": ("billing", "", {"body": "Lock it, then close."}),
    "POST /v1/agent-memory/notes/{note_id}/retire": ("billing", "", None),
    "GET /v1/agent-memory/notes/{note_id}/versions": ("billing", "", None),
    "POST /v1/agent-memory/notes/{note_id}/outcomes": ("billing", "", {"helped": True}),
    "POST /v1/agent-memory/search": ("billing", "", {"query": "invoices"}),
    "POST /v1/agent-memory/distill": ("billing", "", {"conversation_id": "c-1"}),
    "GET /v1/agent-memory/proposals": ("reviewer", "?status=pending", None),
    "GET /v1/agent-memory/proposals/{proposal_id}": ("reviewer", "", None),
    "POST /v1/agent-memory/proposals/{proposal_id}/approve": (
        "reviewer",
        "",
        {"body": "Lock it, then close."},
    ),
    "POST /v1/agent-memory/proposals/{proposal_id}/reject": ("reviewer", "", {"reason": "Known already."}),
    "POST /v1/agent-memory/proposals/decide": ("reviewer", "", {"decisions": [APPROVAL]}),
    "POST /v1/agent-memory/skill-drafts/round": ("operator", "", {"again": True}),
    "POST /v1/agent-memory/skill-drafts/{draft_id}/apply": ("operator", "", None),
    "POST /v1/agent-memory/skill-drafts/{draft_id}/refuse": ("operator", "", None),
    "DELETE /v1/agent-memory/notes": ("owner", "?source_id={source_id}", None),
    "GET /v1/agent-memory/export": ("owner", "", None),
    "POST /v1/agent-memory/import": ("owner", "", {"source_id": None, "notes": []}),
    "PATCH /v1/admin/settings": ("owner", "", {"agent_memory": {"title_max": 100}}),
    "POST /v1/admin/vendors": ("owner", "", {"slug": "east"}),
    "POST /v1/admin/agents": ("owner", "", {"slug": "scribe", "vendor": "north"}),
    "PATCH /v1/admin/agents/{source_id}": ("owner", "", {"name": "Bills"}),
    "POST /v1/admin/agents/{source_id}/keys": ("owner", "", {"name": "k", "scopes": ["agent_memory"]}),
    "POST /v1/admin/keys": ("owner", "", {"name": "k", "scopes": ["admin"]}),
    "POST /v1/admin/keys/{key_id}/revoke": ("owner", "", None),
    "POST /v1/admin/people": ("owner", "", {"slug": "new", "email": "new@acme.example"}),
    "PATCH /v1/admin/people/{person_id}": ("owner", "", {"name": "Somebody"}),
    "POST /v1/admin/subscriptions": ("owner", "", {"slug": "north-east"}),
    "PUT /v1/admin/subscriptions/{subscription_id}/members/{person_id}": ("owner", "", None),
    "DELETE /v1/admin/subscriptions/{subscription_id}/members/{person_id}": ("owner", "", None),
    "POST /v1/admin/subscriptions/{subscription_id}/members/{person_id}/revoke-tokens": ("owner", "", None),
    "POST /v1/admin/vocabulary": ("owner", "", {"term": "Quokka Cloud", "reason": "system_name"}),
    "DELETE /v1/admin/vocabulary/{entry_id}": ("owner", "", None),
    "POST /v1/admin/known-customers": ("owner", "", {"items": [NEW]}),
    "DELETE /v1/admin/known-customers": ("owner", "", KNOWN),
    "POST /v1/admin/webhooks": ("owner", "", {"url": "https://hooks.example.com/tarimba"}),
    "PATCH /v1/admin/webhooks/{webhook_id}": ("owner", "", {"state": "off"}),
    "DELETE /v1/admin/webhooks/{webhook_id}": ("owner", "", None),
    "POST /v1/admin/webhooks/{webhook_id}/rotate": ("owner", "", None),
    "POST /v1/admin/webhooks/{webhook_id}/deliveries/{event_id}/redeliver": ("owner", "", None),
    "POST /v1/admin/skills": ("owner", "", {"body": SKILL + "Then close it.\n"}),
    "DELETE /v1/admin/skills": ("owner", ONE, None),
    "POST /v1/admin/skills/rollback": ("owner", "", {"name": "close-month"}),
    "GET /v1/admin/skills/doc": ("owner", ONE, None),
    "GET /v1/admin/skills/archive": ("owner", ONE, None),
    "GET /v1/admin/skills/export": ("owner", "", None),
    "POST /v1/admin/files": ("owner", "", {"path": "rates.csv", "file": "a,b"}),
    "DELETE /v1/admin/files": ("owner", "?path=rules.md", None),
    "GET /v1/admin/files/content": ("owner", "?path=rules.md", None),
    "GET /v1/skills/index": ("billing", "", None),
    "GET /v1/skills/effective-set": ("billing", "", None),
    "GET /v1/skills/blobs/{hash}": ("billing", "?name=close-month", None),
    "GET /v1/skills": ("member", SEAT, None),
    "GET /v1/skills/files": ("member", f"{SEAT}&name=letters", None),
    "GET /v1/skills/doc": ("member", f"{SEAT}&name=letters", None),
    "PUT /v1/skills": ("member", f"{SEAT}&name=letters&path=tone.md", {"text": "Be kind."}),
    "DELETE /v1/skills": ("member", f"{SEAT}&name=letters", None),
    "PUT /v1/admin/secrets": ("owner", "?name=LEDGER_KEY", {"value": "kept"}),
    "DELETE /v1/admin/secrets": ("owner", "?name=MAIL_KEY", None),
    "POST /v1/admin/workspaces": (
        "operator",
        "",
        {"agent": "courier", "subscription": "team", "member": "member"},
    ),
    "GET /v1/admin/workspaces/{workspace_id}": ("auditor", "", None),
    "POST /v1/admin/workspaces/{workspace_id}/provision": ("operator", "", None),
    "POST /v1/admin/workspaces/{workspace_id}/projects": ("operator", "", {"project": "cellar"}),
    "GET /v1/admin/agents/{source_id}/persona": ("auditor", "", None),
    "PUT /v1/admin/agents/{source_id}/persona": ("owner", "", {"documents": {"SOUL.md": "Be brief."}}),
    "GET /v1/workspaces": ("member", "", None),
    "POST /v1/projects": ("member", "", {"project": "attic"} | IN_TEAM),
    "GET /v1/memory": ("member", SEAT, None),
    "PUT /v1/memory": ("member", f"{SEAT}&project=roof", {"text": "Be brief."}),
    "GET /v1/memory/versions": ("member", SEAT, None),
    "GET /v1/memory/versions/{version}": ("member", SEAT, None),
    "GET /v1/files": ("member", SEAT, None),
    "GET /v1/members/{person_id}/data": ("member", "", None),
    "DELETE /v1/members/{person_id}/data": ("member", "", None),
    "GET /v1/secrets": ("member", SEAT, None),
    "PUT /v1/secrets": ("member", f"{SEAT}&name=LEDGER_KEY", {"value": "mine"}),
    "DELETE /v1/secrets": ("member", f"{SEAT}&name=MAIL_KEY", None),
    "GET /v1/memory-graph/entities": ("member", SEAT, None),
    "GET /v1/memory-graph/entity": ("member", f"{SEAT}&name=Pump", None),
    "GET /v1/memory-graph/neighbourhood": ("member", f"{SEAT}&name=Pump", None),
    "GET /v1/memory-graph/search": ("member", f"{SEAT}&query=pump", None),
    "GET /v1/memory-graph/recent": ("member", SEAT, None),
    "GET /v1/memory-graph/conversation": ("member", f"{SEAT}&conversation_id=c-1", None),
    "GET /v1/memory-graph/changes": ("member", SEAT, None),
    "GET /v1/memory-graph/export": ("member", SEAT, None),
    "POST /v1/memory-graph/import": ("member", SEAT, {"entities": [], "relations": []}),
    "POST /v1/memory-graph/entities": ("member", SEAT, {"name": "Lamp", "entity_type": "thing"}),
    "PATCH /v1/memory-graph/entity": ("member", f"{SEAT}&name=Pump", {"name": "Old pump"}),
    "DELETE /v1/memory-graph/entity": ("member", f"{SEAT}&name=Pump", None),
    "POST /v1/memory-graph/observations": (
        "member",
        SEAT,
        {"name": "Pump", "observations": [{"text": "Blue"}]},
    ),
    "PATCH /v1/memory-graph/observation": (
        "member",
        f"{SEAT}&name=Pump&id={{observation_id}}",
        {"text": "Is loud"},
    ),
    "DELETE /v1/memory-graph/observation": ("member", f"{SEAT}&name=Pump&id={{observation_id}}", None),
    "POST /v1/memory-graph/relations": (
        "member",
        SEAT,
        {"from": "Tank", "to": "Pump", "relation_type": "stands by"},
    ),
    "DELETE /v1/memory-graph/relations": ("member", f"{SEAT}&from=Pump&to=Tank&relation_type=feeds", None),
    "POST /v1/memory-graph/merge": ("member", SEAT, {"source": "Pump", "target": "Tank"}),
    "POST /v1/memory-graph/archive": ("member", SEAT, {"name": "Pump"}),
    "POST /v1/memory-graph/unarchive": ("member", SEAT, {"name": "Pump"}),
    "POST /v1/memory-graph/undo": ("member", SEAT, {"change_id": "{change_id}"}),
    "POST /v1/batch": ("billing", "", {"items": [TURN]}),
    "POST /v1/forget": ("owner", "", {"conversation_id": "c-1", "target": "conversation"}),
    "POST /v1/context": ("billing", "", {"subject": CUSTOMER, "conversation_id": "c-1"}),
    "POST /v1/context/prefetch": ("billing", "", {"subject": CUSTOMER, "query": "the invoice"}),
    "POST /v1/history/search": ("billing", "", {"subject": CUSTOMER, "query": "invoice"}),
    "POST /v1/history/timeline": ("billing", "", {"subject": CUSTOMER}),
    "POST /v1/history/open": ("billing", "", {"item_id": "{turn_id}"}),
    "POST /v1/subject-tokens": ("billing", "", {"conversation_id": "c-1", "subject": CUSTOMER}),
    "POST /v1/ingest/status": ("billing", "", {"conversation_id": "c-1"}),
    "POST /v1/receipts/search": ("auditor", "", {}),
    "GET /v1/receipts/stream": ("auditor", "", None),
    "GET /v1/receipts/{receipt_id}": ("auditor", "", None),
    "GET /v1/receipts/{receipt_id}/proof": ("auditor", "", None),
    "POST /v1/receipts/bundle": ("auditor", "", {"conversation_id": "c-1"}),
    "GET /v1/receipts/tile/entries/{tile}": ("auditor", "", None),
    "POST /v1/receipts/witnesses": ("owner", "", {"key": str(key_of_witness(b"n"))}),
    "DELETE /v1/receipts/witnesses/{key_id}": ("owner", "", None),
}
# Where what is changed is not what the others need.
INSTEAD = {
    "DELETE /v1/receipts/witnesses/{key_id}": {"key_id": "witness_id"},
    "PUT /v1/admin/subscriptions/{subscription_id}/members/{person_id}": {"subscription_id": "empty_team"},
}
# Who edits says what they have seen.
SEEN = {"if-match": "*"}
HEADERS = {"PATCH /v1/memory-graph/entity": SEEN, "PATCH /v1/memory-graph/observation": SEEN}
# Work that goes on in parts tells of each of them.
PARTS = {
    "DELETE /v1/agent-memory/notes": ["erase.requested", "erase.scrubbed"],
    "DELETE /v1/members/{person_id}/data": ["erase.requested", "erase.scrubbed"],
    "POST /v1/agent-memory/proposals/{proposal_id}/approve": ["note.open", "proposal.approve"],
    "POST /v1/agent-memory/proposals/decide": ["note.open", "proposal.approve"],
}


def name_of(route: Route) -> str:
    return f"{route.method} {route.described}"


ROUTES: Mapping[str, Route] = {
    **{name_of(route): route for route in all_routes()},
    "GET /openapi.json": Route("GET", "/openapi.json", None, "", "", receipt=None, public=True),
}
RECEIPTED = sorted(ROUTES.keys() - EXEMPT)


_OF_MEMBERS = (
    "/v1/skills", "/v1/memory", "/v1/members", "/v1/files", "/v1/projects", "/v1/secrets", "/v1/turns",
    "workspaces", "subscriptions", "secrets", "/v1/mcp",
)  # fmt: skip


def scene(api: Api, company: Company, name: str = "") -> dict[str, str]:
    """Something for every id that the path of that route can have, and what it works on; of every route without a name.

    Laying all of it for each request would cost more than all the requests.
    """
    ids = {
        "source_id": company.sources["billing"],
        "receipt_id": log_of(api.kernel, company)[0].document["id"],
    }
    people = api.call(company, "owner", "GET", "/v1/admin/people").json()["items"]
    (ids["person_id"],) = [person["person_id"] for person in people if person["slug"] == "member"]
    for words, lay_part in _PARTS:
        if not name or any(word in name for word in words):
            ids |= lay_part(api, company, ids)
    return ids


def _waiting(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """A note, and one that waits for a person to open it."""
    note = api.write(company, tags=["erp"])
    asking = NOTE | {"title": "Open invoices", "visibility": "vendor"}
    asked = api.call(company, "billing", "POST", "/v1/agent-memory/notes", json=asking).json()
    return {"note_id": note["note_id"], "proposal_id": asked["proposal_id"]}


def _key(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    keys = api.call(company, "owner", "GET", f"/v1/admin/agents/{ids['source_id']}/keys").json()["items"]
    return {"key_id": keys[0]["key_id"]}


def _knowledge(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """A word of the space's own, and a customer whom it knows."""
    term = {"term": "Wombat Pay", "reason": "system_name"}
    entry = api.call(company, "owner", "POST", "/v1/admin/vocabulary", json=term).json()["entry_id"]
    assert api.call(company, "owner", "POST", "/v1/admin/known-customers", json={"items": [KNOWN]}).is_success
    return {"entry_id": entry}


def _conversation(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """A customer's turn, and a request to forget another conversation."""
    forgotten = {"target": "conversation", "conversation_id": "c-0"}
    request_id = api.call(company, "owner", "POST", "/v1/forget", json=forgotten).json()["request_id"]
    said = TURN | {"idempotency_key": "first", "conversation_id": "c-7", "handles": [CUSTOMER]}
    assert api.call(company, "billing", "POST", "/v1/batch", json={"items": [said]}).is_success
    history = api.call(company, "billing", "POST", "/v1/history/timeline", json={"subject": CUSTOMER}).json()
    return {"request_id": request_id, "turn_id": history["items"][0]["id"]}


def _webhook(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """One to which an event waits to go."""
    place = {"url": "https://hooks.example.com/tarimba"}
    webhook_id = api.call(company, "owner", "POST", "/v1/admin/webhooks", json=place).json()["webhook_id"]
    api.write(company, title="Print receipts again")
    api.kernel.writer.commit(company.space_id, partial(delivering.plan, webhook_id=webhook_id))
    listed = api.call(company, "owner", "GET", f"/v1/admin/webhooks/{webhook_id}/deliveries").json()
    return {"webhook_id": webhook_id, "event_id": listed["items"][0]["event_id"]}


def _publish(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """A skill with two versions, and a shared file. The hash of the skill's file."""
    for text in (SKILL + "A first version.\n", SKILL):
        form: dict[str, Any] = {"files": {"body": text.encode()}}
        assert api.call(company, "owner", "POST", "/v1/admin/skills", **form).is_success
    form = {"files": {"file": b"Be kind."}, "params": {"path": "rules.md"}}
    assert api.call(company, "owner", "POST", "/v1/admin/files", **form).is_success
    listed = api.call(company, "billing", "GET", "/v1/skills/effective-set").json()["items"]
    return {"hash": next(one["files"][0]["hash"] for one in listed if one["name"] == "close-month")}


def _teams(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """The member's subscription, one without members, and the token of a workspace of theirs."""
    for team in ({"slug": "team", "members": ["member"]}, {"slug": "empty-team"}):
        assert api.call(company, "owner", "POST", "/v1/admin/subscriptions", json=team).is_success
    listed = api.call(company, "owner", "GET", "/v1/admin/subscriptions").json()["items"]
    made = {one["slug"]: one["subscription_id"] for one in listed}
    host = hosting.host_of(api.kernel, company.slug)
    token = graph.show_token(api.kernel, host, Called("team", ids["source_id"], "member")).token
    # The rows alone: provisioning is shown elsewhere.
    workspace_id = lay(api, company, made["team"], ids["person_id"])
    teams = {"subscription_id": made["team"], "empty_team": made["empty-team"], "workspace": token}
    return teams | {"workspace_id": workspace_id}


def _own_skill(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    url = f"/v1/skills{SEAT}&name=letters"
    assert api.call(company, "member", "PUT", url, json={"text": OWN}).status_code == 201
    return {}


def _notes(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """Standing notes in a workspace of the member's. Their version."""
    written = api.call(company, "member", "PUT", f"/v1/memory{SEAT}", json={"text": "Be kind."})
    return {"version": str(written.json()["version"])}


def _secrets(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """One that is given to all agents, and one of the member's own."""
    for who, url in (("owner", "/v1/admin/secrets?"), ("member", f"/v1/secrets{SEAT}&")):
        given = api.call(company, who, "PUT", f"{url}name=MAIL_KEY", json={"value": "kept"})
        assert given.status_code == 201
    return {}


def _graph(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """Two entities in the member's graph, related, and a change that can be undone."""
    root, team = "/v1/memory-graph", {"subscription": "team", "agent": "billing"}
    bodies: tuple[tuple[str, dict[str, Any]], ...] = (
        ("entities", {"name": "Pump", "entity_type": "thing", "observations": [{"text": "Is old"}]}),
        ("entities", {"name": "Tank", "entity_type": "thing"}),
        ("relations", {"from": "Pump", "to": "Tank", "relation_type": "feeds"}),
    )
    for path, body in bodies:
        assert api.call(company, "member", "POST", f"{root}/{path}", params=team, json=body).is_success
    opened = api.call(company, "member", "GET", f"{root}/entity", params=team | {"name": "Pump"}).json()
    changes = api.call(company, "member", "GET", f"{root}/changes", params=team).json()["items"]
    return {"observation_id": opened["observations"][0]["id"], "change_id": changes[0]["change_id"]}


def _skill_draft(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """A draft of a skill that waits, of an agent with a workspace."""
    mode = {"evolution": {"mode": "apply"}}
    assert api.call(company, "owner", "PATCH", "/v1/admin/settings", json=mode).is_success
    items: list[dict[str, Any]] = []
    for task in ("t-1", "t-2"):
        did = {"kind": "action", "action": {"operation": "invoice.void"}, "content": None, "task_id": task}
        items.append(TURN | did | {"idempotency_key": task, "speaker": {"role": "ai_agent"}})
        items.append({"type": "task.ended", "idempotency_key": f"{task}-end", "task_id": task})
    assert api.call(company, "billing", "POST", "/v1/batch", json={"items": items}).status_code == 200
    made = api.call(company, "operator", "POST", "/v1/agent-memory/skill-drafts/round").json()
    worker = Worker(api.kernel, {evolution.DRAFT_JOB: evolution.write_draft})
    while worker.piece():
        continue
    assert api.kernel.settings.workspaces is not None
    (api.kernel.settings.workspaces / company.slug / "billing").mkdir(parents=True, exist_ok=True)
    return {"draft_id": made["draft_ids"][0]}


# What is laid for routes whose names have one of the words, in this order.
_PARTS: tuple[tuple[tuple[str, ...], Callable[[Api, Company, Mapping[str, str]], dict[str, str]]], ...] = (
    (("agent-memory",), _waiting),
    (("keys", "agents"), _key),
    (("vocabulary", "known-customers"), _knowledge),
    (("forget", "history", "context", "batch", "subject", "ingest", "distill"), _conversation),
    (("webhooks", "notifications"), _webhook),
    (("/v1/skills", "/v1/admin/skills", "/v1/admin/files"), _publish),
    (_OF_MEMBERS, _teams),
    (("/v1/skills",), _own_skill),
    (("/v1/memory", "/v1/members"), _notes),
    (("secrets", "/v1/members"), _secrets),
    (("memory-graph", "/v1/members"), _graph),
    (("skill-drafts",), _skill_draft),
    (("/v1/receipts/",), cosign_checkpoint),
)


def request(api: Api, company: Company, name: str, ids: Mapping[str, str], **changes: Any) -> httpx.Response:
    otherwise = (OF_WORKSPACES | EVIDENCE).get(name, ("owner", QUERIES.get(name, ""), None))
    who, query, body = CALLS.get(name, otherwise)
    who = who.format_map(ids)
    method, path = name.split(" ")
    swapped = {known: ids[other] for known, other in INSTEAD.get(name, {}).items()}
    target = (path + changes.get("query", query)).format_map({**ids, **swapped})
    sent = changes.get("body", body)
    if sent is not None and ROUTES[name].form:
        parts = {field: str(value).encode() for field, value in sent.items()}
        headers = changes.get("headers")
        return api.call(company, changes.get("who", who), method, target, files=parts, headers=headers or {})
    content = None if sent is None else _filled(json.dumps(sent), ids)
    headers = dict(HEADERS.get(name, {})) | dict(changes.get("headers", {}))
    if sent is not None:
        headers["content-type"] = "application/json"
    return api.call(company, changes.get("who", who), method, target, content=content, headers=headers)


def _filled(content: str, ids: Mapping[str, str]) -> str:
    for name, value in ids.items():
        content = content.replace(f"{{{name}}}", value)
    return content
