#!/usr/bin/env python3
"""Golden vectors of the client for clients in other languages: written by this code, read by their tests and ours.

What receipts need beside them is written by `receipt_vectors.py`. Everything follows from fixed inputs.
"""

from __future__ import annotations

import copy
import json
import runpy
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tarimba.client import Evidence, Retries, compose, tools, wire
from tarimba.client.cache import BlockKey
from tarimba.client.errors import ConnectionFailedError, Facts, TarimbaError, error_for
from tarimba.client.models import AgentMemory, Found, FoundNotes, Remembered
from tarimba.client.wire import Request, Response
from tarimba.notes.tools import remember_tool, search_tool
from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.checkpoint import PublicKey
from tarimba.receipts.cosignature import WitnessKey
from tarimba.webhooks import signing
from tarimba.webhooks.signing import NotGenuineError

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "sdk" / "vectors"
_SECRETS: Final = (b"o" * 32, b"n" * 32)
_AT: Final = 1_790_000_000
_NOTE: Final = {
    "note_id": "0198a1b2-0000-7000-8000-000000000001",
    "source_id": "0198a1b2-0000-7000-8000-0000000000aa",
    "kind": "tool_note",
    "title": "post_credit quer centavos",
    "body": "Valores são centavos inteiros — 1\u2028“sem” vírgula. 😀",
    "tags": ["post_credit"],
    "visibility": "source",
    "evidence": {"conversation_id": "c-77", "task_id": None},
    "origin": "agent",
    "version": 1,
    "supersedes_note_id": None,
    "status": "active",
    "valid_until": None,
    "created_at": "2026-01-05T10:00:00Z",
    "created_by": "0198a1b2-0000-7000-8000-0000000000aa",
}


def files() -> dict[str, str]:
    """Each file's name and text."""
    written = {"blocks": blocks(), "client": client(), "compose": composed(), "webhooks": webhooks()}
    return {
        f"{name}.json": json.dumps(value, indent=1) + "\n"
        for name, value in (written | {"bundles": bundles()}).items()
    }


def blocks() -> list[dict[str, Any]]:
    """Answers of the server as sent, and the block that a client gives from each."""
    found = []
    for path in sorted((ROOT / "tests" / "data" / "blocks").glob("*.json")):
        block = json.loads(path.read_text(encoding="utf-8"))["block"]
        answer = json.dumps(block | {"enabled": True, "receipt_id": "r1", "of_a_newer_server": [1]})
        memory = AgentMemory(**wire.read(Response(200, {}, answer.encode()), AgentMemory).model_dump())
        found.append({"answer": answer, "utf8": memory.text.encode().hex(), **_shown(memory)})
    return found


def _shown(memory: AgentMemory) -> dict[str, Any]:
    return memory.model_dump(include={"notes", "etag", "tokens", "enabled", "left_out", "receipt_id"})


def composed() -> list[dict[str, Any]]:
    notes = "<agent_notes>\nFrom the agent itself\n- [procedure] A: Ação é preciso. $& $1\n</agent_notes>"
    customer = "<customer_context>\nPays on Fridays.\n</customer_context>"
    old = "<agent_notes>\nold\n- [procedure] B: b\n</agent_notes>"
    cases = [
        ("", "", ""),
        ("Be brief.", "", ""),
        ("Be brief.\n\n", notes, ""),
        ("Be brief.", notes, customer),
        ("", notes, f"\n{customer}\n"),
        ("", "", customer),
        (f"Be brief.\n\n{customer}", notes, ""),
        (f"Be brief.\n\n{customer}", notes, "More of the customer."),
        (f"Be brief.\n\n{old}\n\n{customer}", notes, ""),
        (f"{old}\nBe brief.\n{old}", notes, ""),
        (f"Be brief.\n\n{notes}", "", ""),
        ("<agent_notes>\nnever closed", notes, ""),
    ]
    return [
        {"instructions": own, "notes": given, "context": context}
        | {"shared": made.shared, "customer": made.customer, "text": made.text}
        for own, given, context in cases
        for made in [compose(own, given, context)]
    ]


def client() -> dict[str, Any]:
    return {
        "definitions": [search_tool(), remember_tool(120, 2000)],
        "requests": list(_requests()),
        "failures": list(_failures()),
        "retries": list(_retries()),
        "told": list(_told()),
    }


def _requests() -> Iterator[dict[str, Any]]:
    """Requests, the query read as pairs and the body as JSON: how they are escaped is up to a client."""
    asked = {"maxTokens": 400, "tags": ["refund", "a:b", "refund"], "view": "task:boleto & c/ é"}
    key = BlockKey.of(400, asked["tags"], asked["view"])
    yield {"call": "block", "given": {"maxTokens": 300, "tags": []}} | _sent(
        wire.block_request(BlockKey.of(300, (), None), None, None, None)
    )
    named = {"conversationId": "c-77", "taskId": "t-1"}
    yield {"call": "block", "given": asked | named} | _sent(wire.block_request(key, None, "c-77", "t-1"))
    yield {
        "call": "search",
        "given": {"query": "crédito", "tags": ["refund"], "limit": 3, "taskId": "t-1"},
    } | _sent(wire.search_request("crédito", ["refund"], 3, None, "t-1"))
    note = {"kind": "pitfall", "title": "T", "body": "B\n"}
    until = "2027-01-01T00:00:00+00:00"
    more = {
        "tags": ["erp"],
        "visibility": "source",
        "validUntil": until,
        "evidence": {"conversationId": "c-77"},
    }
    yield {"call": "remember", "given": note} | _sent(
        wire.note_request(
            **note, tags=(), evidence=None, visibility=None, valid_until=None, idempotency_key="k"
        )
    )
    yield {"call": "remember", "given": note | more} | _sent(
        wire.note_request(
            **note,
            tags=["erp"],
            evidence=Evidence(conversation_id="c-77"),
            visibility="source",
            valid_until=until,
            idempotency_key="k",
        )
    )
    yield {"call": "tools", "given": {}} | _sent(wire.tools_request())


def _sent(request: Request) -> dict[str, Any]:
    from urllib.parse import parse_qsl

    body = None if request.body is None else json.loads(request.body)
    query = [list(pair) for pair in parse_qsl(request.query, keep_blank_values=True)]
    return {"method": request.method, "path": request.path, "query": query, "body": body}


def _answers() -> Iterator[tuple[int, dict[str, str], str]]:
    personal = {
        "code": "personal_data_in_agent_memory",
        "detail": "The note holds personal data.",
        "kinds": ["cpf", 7, "email"],
        "findings": [{"kind": "cpf", "field": "body", "start": 3, "end": 14}],
        "request_id": "q1",
    }
    yield 422, {}, json.dumps(personal)
    yield 429, {"retry-after": " 7 "}, json.dumps({"code": "rate_limited", "detail": "Too many notes today."})
    yield 429, {"retry-after": "soon"}, json.dumps({"code": "rate_limited"})
    for status in (400, 401, 403, 404, 409, 412, 415, 428, 500, 501, 502, 503, 504):
        yield status, {}, json.dumps({"code": f"code_{status}", "detail": f"A rule of {status}."})
    for body in ("", "<html>", "[]", '{"code": 7, "detail": [], "kinds": {}, "findings": [1]}'):
        yield 500, {}, body
        yield 404, {}, body
    yield 302, {"location": "https://elsewhere.example"}, ""


def _failures() -> Iterator[dict[str, Any]]:
    for status, headers, body in _answers():
        error = wire.failure(Response(status, headers, body.encode()))
        assert error is not None
        yield {
            "status": status,
            "headers": headers,
            "body": body,
            "code": error.code,
            "detail": str(error.args[0]),
            "passing": error.passing,
            "retry_after": error.retry_after,
            "request_id": error.facts.request_id,
            "kinds": list(error.facts.kinds),
            "findings": [one.model_dump() for one in wire.findings_of(error)],
        }


def _retries() -> Iterator[dict[str, Any]]:
    """Pauses in milliseconds, null where a client gives up."""
    errors: list[TarimbaError] = [
        ConnectionFailedError("connection_failed", "-"),
        error_for(503, "unavailable", "-", Facts(503)),
        error_for(429, "rate_limited", "-", Facts(429, 0.25)),
        error_for(422, "invalid_input", "-", Facts(422)),
        error_for(501, "not_implemented", "-", Facts(501)),
    ]
    for error in errors:
        for made, left, draw in ((1, 0.3, 0.0), (1, 0.3, 1.0), (2, 5.0, 0.5), (3, 0.1, 1.0), (4, 9.0, 0.0)):
            pause = Retries().pause(error, made, left, draw)
            given = {"code": error.code, "status": error.status, "retry_after": error.retry_after}
            yield {**given, "made": made, "left": left * 1000, "draw": draw} | {
                "pause": None if pause is None else pause * 1000
            }


def _told() -> Iterator[dict[str, Any]]:
    """What a model is told: of an answer of the server, by the tool that asked for it."""
    notes = json.dumps({"notes": [_NOTE], "receipt_id": "r1"})
    found = wire.read(Response(200, {}, notes.encode()), FoundNotes)
    yield {
        "tool": "search_agent_memory",
        "status": 200,
        "body": notes,
        "text": tools.found(Found(found.notes)),
    }
    answers: list[Mapping[str, Any]] = [
        {"note": _NOTE, "warnings": [{"code": "long", "field": "body", "detail": "The body is long."}]},
        {"note": _NOTE},
        {"proposal_id": "p-1"},
    ]
    for answer in answers:
        body = json.dumps(answer)
        kept = wire.read(Response(201, {}, body.encode()), Remembered)
        yield {"tool": "remember", "status": 201, "body": body, "text": tools.kept(kept)}
    for status, headers, body in list(_answers())[:3]:
        error = wire.failure(Response(status, headers, body.encode()))
        assert error is not None
        refused = Remembered(
            error=error.code,
            detail=str(error.args[0]),
            kinds=error.facts.kinds,
            retry_after=error.retry_after,
        )
        yield {
            "tool": "remember", "status": status, "headers": headers, "body": body, "text": tools.kept(refused)
        }  # fmt: skip


def webhooks() -> list[dict[str, Any]]:
    payload = '{"type":"agent_note.created","data":{"title":"Ação — 1"}}'
    given = signing.headers(_SECRETS, "e-1", _AT, payload.encode())
    cases: list[tuple[str, bytes, dict[str, str], str, int]] = [
        ("genuine under the first secret", _SECRETS[0], given, payload, _AT),
        ("genuine under the second secret", _SECRETS[1], given, payload, _AT + 300),
        ("a stranger's secret", b"s" * 32, given, payload, _AT),
        ("another payload", _SECRETS[0], given, payload.replace("1", "2"), _AT),
        ("too old", _SECRETS[0], given, payload, _AT + 301),
        ("from a time to come", _SECRETS[0], given, payload, _AT - 301),
        ("without headers", _SECRETS[0], {}, payload, _AT),
        ("a malformed time", _SECRETS[0], given | {"webhook-timestamp": "1e9"}, payload, _AT),
        ("another id", _SECRETS[0], given | {"webhook-id": "e-2"}, payload, _AT),
        ("no signature", _SECRETS[0], given | {"webhook-signature": ""}, payload, _AT),
    ]
    return [
        {"case": case, "secret": signing.shown(secret), "headers": headers, "payload": body, "now": now}
        | _verified(secret, headers, body, now)
        for case, secret, headers, body, now in cases
    ]


def _verified(secret: bytes, headers: dict[str, str], payload: str, now: int) -> dict[str, Any]:
    try:
        return {"id": signing.verify(secret, headers, payload.encode(), now), "refused": None}
    except NotGenuineError as error:
        return {"id": None, "refused": str(error)}


def bundles() -> list[dict[str, Any]]:
    """Bundles, good and bad, with the report of each or the sentence that says why it is none."""
    made = runpy.run_path(str(ROOT / "scripts" / "receipt_vectors.py"))["vectors"]()
    good, witness = made["bundle"]["document"], made["cosignature"]["public_key"]
    stranger = str(PublicKey(good["origin"], b"\x05" * 32))
    other = str(WitnessKey("witness.example/w2", b"\x05" * 32))
    cases = [
        ("as it came", good, None, []),
        ("with a trusted key and a witness", good, good["keys"][0], [witness]),
        ("with another key", good, stranger, []),
        ("with a witness who did not see it", good, None, [other]),
        *((name, _changed(good, change), None, []) for name, change in _CHANGES.items()),
    ]
    return [
        {"case": name, "document": document, "key": key, "witnesses": witnesses}
        | _reported(document, key, witnesses)
        for name, document, key, witnesses in cases
    ]


_CHANGES: Final[Mapping[str, Any]] = {
    "an altered receipt": lambda one: one["receipts"][1]["receipt"].update(action="note.edit"),
    "a receipt at another place": lambda one: one["receipts"][2].update(seq=1),
    "a proof that is too short": lambda one: one["receipts"][0]["proof"].pop(),
    "a proof that is no hash": lambda one: one["receipts"][0]["proof"].append("zz"),
    "a row that is none": lambda one: one["receipts"].append(None),
    "a receipt without a canonical form": lambda one: one["receipts"][0]["receipt"].update(more="\ud800"),
    "an integer that readers see differently": lambda one: one["receipts"][0]["receipt"].update(more=2**53),
    "an altered checkpoint": lambda one: one.update(checkpoint=one["checkpoint"].replace("\n13\n", "\n14\n")),
    "a commitment that can't be read": lambda one: one["revealed"].append({"value": "c-78", "k": "z"}),
    "an opening that is too short": lambda one: one["revealed"].append({"value": "c-78", "k": "00"}),
    "a commitment to something else": lambda one: one["revealed"].append({"value": "c-78", "k": "00" * 32}),
    "an id that is opened twice": lambda one: one["revealed"].append(one["revealed"][0]),
    "an id that is no text": lambda one: one["revealed"].append({"value": "\ud800", "k": "00" * 32}),
    "an altered key": lambda one: one["keys"].append("tarimba/x+00000000+AAAA"),
    "no keys": lambda one: one.pop("keys"),
    "another version": lambda one: one.update(v=2),
    "two checkpoints": lambda one: one.update(checkpoint=one["checkpoint"] + one["checkpoint"]),
    "another origin": lambda one: one.update(origin="tarimba/other"),
}


def _changed(document: dict[str, Any], change: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    change(changed)
    return changed


def _reported(document: Any, key: str | None, witnesses: list[str]) -> dict[str, Any]:
    trusted = None if key is None else PublicKey.parse(key)
    try:
        report = verify_bundle(document, trusted, [WitnessKey.parse(one) for one in witnesses])
    except ValueError as error:
        return {"report": None, "refused": str(error)}
    return {"report": report.as_json(), "refused": None}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8", errors="strict")
    sys.stdout.write(f"{FOLDER.name} is written.\n")
