"""Personal data through every door, with logs at their loudest: afterwards it is nowhere."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from niadra import Niadra

from tarimba.client import Tarimba
from tests.e2e.company import MEMORY, NOTE, Company, Place, log_of
from tests.fixtures.cluster import PostgresServer
from tests.fixtures.server import RunningServer, running_server

MAIL_NAME = f"zq{secrets.token_hex(8)}"
MAIL = f"{MAIL_NAME}@example.com"
# Punctuated like the document and refused like it; its check digits are wrong, so it is nobody's.
DIGITS = f"{secrets.randbelow(900_000_000) + 100_000_000}"


def document(digits: str) -> str:
    """The nine digits as a Brazilian tax number whose last check digit is wrong."""
    numbers = [int(digit) for digit in digits]
    for _ in range(2):
        total = sum(
            number * weight for number, weight in zip(numbers, range(len(numbers) + 1, 1, -1), strict=True)
        )
        numbers.append(total * 10 % 11 % 10)
    numbers[-1] = (numbers[-1] + 1) % 10
    text = "".join(map(str, numbers))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}"


TAX_NUMBER = document(DIGITS)
VALUES = (MAIL, TAX_NUMBER)
IDS = {"conversation_id": MAIL, "task_id": TAX_NUMBER}


def traces() -> Iterator[bytes]:
    """What would give a value away: itself, its parts, and plain hashes of it."""
    yield from (MAIL_NAME.encode(), MAIL_NAME.upper().encode(), TAX_NUMBER.encode(), DIGITS.encode())
    for value in (*VALUES, TAX_NUMBER.replace(".", "").replace("-", "")):
        for made in (hashlib.sha256, hashlib.sha1, hashlib.md5):
            digest = made(value.encode())
            yield from (digest.digest(), digest.hexdigest().encode())


def require_clean(name: str, content: bytes) -> None:
    found = [trace for trace in traces() if trace in content]
    assert not found, f"{name} holds {found}"


@pytest.fixture(scope="module")
def loud(place: Place) -> Iterator[RunningServer]:
    environment = place.environment | {"TARIMBA_LOG_LEVEL": "debug"}
    with running_server(place.data, place.db, env=environment) as server:
        yield server


def test_a_value_that_is_planted_is_a_value_that_would_be_found() -> None:
    for value in VALUES:
        with pytest.raises(AssertionError, match="holds"):
            require_clean("a file", b"before " + value.encode() + b" after")
    assert TAX_NUMBER[:11].replace(".", "") == DIGITS


@pytest.mark.promise("nothing-personal-at-rest")
def test_what_was_refused_or_masked_is_nowhere(
    request: pytest.FixtureRequest, place: Place, company: Company, loud: RunningServer
) -> None:
    with httpx.Client(base_url=loud.base_url, timeout=60) as client:
        answers = [*plant_over_http(client, company), *plant_over_mcp(client, company)]
        answers.append(plant_by_import(client, company))
    plant_by_clients(loud, company)
    for answer in answers:
        require_clean(
            f"{answer.request.method} {answer.text[:300]}", answer.content + str(answer.headers).encode()
        )
    with place.kernel() as kernel:
        for stored in log_of(kernel, company):
            require_clean("a receipt", json.dumps(stored.document).encode())
    require_clean("the log", loud.stderr.read_bytes())
    assert b"http.request" in loud.stderr.read_bytes()
    for path in files_of(request, place):
        require_clean(path.name, content_of(path))
    loud.stop()
    for path in files_of(request, place):
        require_clean(path.name, content_of(path))
    loud.start()


def content_of(path: Path) -> bytes:
    """The file, or nothing when the database has removed it meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def files_of(request: pytest.FixtureRequest, place: Place) -> list[Path]:
    """Every file of the database: tables, write-ahead log and what the database itself logged."""
    if place.db is None:
        found = [path for path in place.data.rglob("*") if path.is_file()]
        assert {"tarimba.db", "master.key"} & {path.name for path in found}
        return found
    cluster: PostgresServer = request.getfixturevalue("postgres_server")
    with place.rows() as connection:
        connection.execute("CHECKPOINT")
        ((oid,),) = connection.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchall()
    found = [*(cluster.data / "base" / str(oid)).iterdir(), *(cluster.data / "pg_wal").glob("0*")]
    return [*found, cluster.data / "server.log"]


def plant_over_http(client: httpx.Client, company: Company) -> list[httpx.Response]:
    """Every field, parameter, path and header that takes text, and bodies that can't be read."""

    def send(method: str, path: str, who: str = "billing", **options: Any) -> httpx.Response:
        headers = company.headers(who) | options.pop("headers", {})
        return client.request(method, path, headers=headers, **options)

    kept = send("POST", f"{MEMORY}/notes", json=NOTE | {"evidence": IDS})
    assert kept.status_code == 201
    assert set(kept.json()["note"]["evidence"]) == set(IDS)
    note = f"{MEMORY}/notes/{kept.json()['note']['note_id']}"
    refused = [
        send("POST", f"{MEMORY}/notes", json=NOTE | fields)
        for value in VALUES
        for fields in ({"title": f"Ask {value}"}, {"body": f"Write to {value} first."})
    ]
    refused += [
        send("POST", f"{MEMORY}/notes", json=NOTE | {"tags": ["erp", TAX_NUMBER]}),
        send("PATCH", note, json={"body": f"Write to {MAIL} first."}),
    ]
    assert {answer.json()["code"] for answer in refused} == {"personal_data_in_agent_memory"}
    ids = "&".join(f"{name}={quote(value)}" for name, value in IDS.items())
    plain = {"content-type": "application/json", "idempotency-key": MAIL, "if-none-match": f'"{MAIL}"'}
    return [
        kept, *refused,
        send("GET", f"{MEMORY}/block?view={quote(MAIL)}&tags={TAX_NUMBER}&{ids}", headers={"if-none-match": MAIL}),
        send("GET", f"{MEMORY}/block?{MAIL_NAME}=1"),
        send("POST", f"{MEMORY}/search", json={"query": f"{MAIL} {TAX_NUMBER}", "tags": [TAX_NUMBER], **IDS}),
        send("POST", f"{note}/outcomes", json={"helped": True, **IDS}, headers={"idempotency-key": MAIL}),
        send("GET", f"{MEMORY}/notes?tag={TAX_NUMBER}&source_id={quote(MAIL)}"),
        send("GET", f"{MEMORY}/notes?cursor={quote(MAIL)}"),
        send("GET", f"{MEMORY}/notes/{quote(MAIL)}"),
        send("GET", f"/{MAIL_NAME}/{TAX_NUMBER}"),
        send("POST", f"{MEMORY}/notes", json=NOTE | {MAIL: 1}),
        send("POST", f"{MEMORY}/notes", json=NOTE | {"kind": MAIL}),
        send("POST", f"{MEMORY}/notes", json=NOTE | {"title": f"{MAIL}\0"}),
        send("POST", f"{MEMORY}/notes", content=f'{{"{MAIL}'.encode(), headers=plain),
        send("POST", f"{MEMORY}/notes", content=MAIL.encode(), headers={"content-type": MAIL}),
        send("DELETE", f"{MEMORY}/notes?source_id={quote(MAIL)}", "owner"),
        send("GET", f"{MEMORY}/export?source_id={quote(MAIL)}", "owner"),
        send("GET", f"{MEMORY}/block", f"tar_sk_live_{MAIL}"),
        send("POST", "/v1/receipts/search", "auditor", json=IDS),
        send("POST", "/v1/receipts/search", "auditor", json={"actor": MAIL}),
    ]  # fmt: skip


def plant_over_mcp(client: httpx.Client, company: Company) -> list[httpx.Response]:
    headers = company.headers("billing") | {"accept": "application/json, text/event-stream"}

    def call(name: str, **arguments: Any) -> httpx.Response:
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return client.post("/mcp", json=message, headers=headers)

    refused = call("remember", **NOTE | {"body": f"Write to {MAIL} first."})
    assert refused.json()["result"]["isError"]
    unknown = {"jsonrpc": "2.0", "id": 1, "method": MAIL, "params": {MAIL: TAX_NUMBER}}
    misused = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": {MAIL: TAX_NUMBER}}}
    return [
        refused,
        call("remember", **NOTE | {"title": f"Ask {TAX_NUMBER}"}),
        call("remember", **NOTE | {"tags": [TAX_NUMBER]}),
        call("remember", **NOTE | {MAIL: 1}),
        call("search_agent_memory", query=f"{MAIL} {TAX_NUMBER}", tags=[TAX_NUMBER]),
        call("search_agent_memory", query=[MAIL]),
        call(MAIL, query=TAX_NUMBER),
        client.post("/mcp", json=unknown, headers=headers),
        client.post("/mcp", json=misused, headers=headers),
        client.post("/mcp", json=unknown | {"id": None, "params": [MAIL]}, headers=headers),
        client.post("/mcp", content=f'{{"{MAIL}', headers=headers | {"content-type": "application/json"}),
    ]


def plant_by_import(client: httpx.Client, company: Company) -> httpx.Response:
    """One row that is kept, with ids that are masked, and rows that are refused for each field."""
    source_id = company.sources["courier"]
    row = {"source_id": source_id, "tags": [], "visibility": "source", "origin": "agent", "version": 1}
    row |= {"evidence": None, "supersedes_note_id": None, "status": "active", "valid_until": None}
    row |= {"created_at": "2026-01-01T00:00:00Z", "created_by": source_id, **NOTE}
    planted: list[dict[str, Any]] = [
        {"evidence": IDS}, {"title": MAIL}, {"body": f"Write to {TAX_NUMBER}."}, {"tags": [TAX_NUMBER]},
        {"created_by": TAX_NUMBER}, {"kind": MAIL}, {MAIL: 1}, {"supersedes_note_id": MAIL},
    ]  # fmt: skip
    rows = [
        row | {"note_id": f"01900000-0000-7000-8000-{number:012x}"} | fields
        for number, fields in enumerate(planted)
    ]
    headers = company.headers("owner")
    done = client.post(f"{MEMORY}/import", json={"source_id": MAIL, "notes": rows}, headers=headers)
    assert done.status_code == 200, done.text
    assert (done.json()["versions"], len(done.json()["refused"])) == (1, len(planted) - 1)
    return done


def plant_by_clients(server: RunningServer, company: Company) -> None:
    bearer, body = company.bearers["billing"], f"Write to {MAIL} first."
    with Niadra(bearer, base_url=server.base_url, keep_warm=False) as theirs:
        assert theirs.remember("pitfall", "Overdue", body).error == "personal_data_in_agent_memory"
        theirs.search_agent_memory(MAIL, conversation_id=MAIL, task_id=TAX_NUMBER)
    with Tarimba(bearer, base_url=server.base_url) as ours:
        assert ours.remember("pitfall", "Overdue", body).error == "personal_data_in_agent_memory"
        ours.search_agent_memory(MAIL)
