"""Bad input: one clear problem, the same on both databases, nothing stored, nothing repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import pytest

from tests.contract.api.served import Api
from tests.e2e.company import MEMORY, NOTE, Company, log_of
from tests.problems import assert_problem

TABLES = (
    "note_version",
    "note_chain",
    "idempotency",
    "agent_event",
    "id_surrogate",
    "outbox",
    "refusal_count",
)
# Every text below holds this word, which no answer may hold.
WORD = "Xyzzyplugh"
PNG = bytes.fromhex("89504e470d0a1a0a") + WORD.encode()

MOMENT = "valid_until: must be a moment with time zone (RFC 3339)"
INVISIBLE = "holds an invisible character outside an emoji or a script that needs it"
CONTROL = "holds a control character other than newline and tab"
NUMBERS = f"Numbers must be finite, whole ones at most {2**53 - 1}."
REPEATED = "The body repeats a name inside one object."


def note(**fields: Any) -> bytes:
    return json.dumps(NOTE | fields).encode()


# What is sent to keep a note, and what the answer says. The escapes reach the server as they are written.
NOTES: Mapping[str, tuple[bytes, str]] = {
    "nul": (note(title=f"{WORD}\0"), "title: holds a NUL character"),
    "nul in an id": (note(evidence={"task_id": f"{WORD}\0"}), "evidence.task_id: holds a NUL character"),
    "surrogate": (note(body=f"{WORD}\ud800"), "body: holds an unpaired surrogate"),
    "surrogates in the wrong order": (note(body=f"{WORD}\udc00\ud800"), "body: holds an unpaired surrogate"),
    "surrogate in a name": (
        json.dumps(NOTE | {f"{WORD}\ud800": 1}).encode(),
        "The body: holds an unpaired surrogate",
    ),
    "bell": (note(title=f"{WORD}\a"), "title: holds a control character other than newline and tab"),
    "c1": (note(body=f"{WORD}\x85"), "body: holds a control character other than newline and tab"),
    "escape in a tag": (note(tags=[f"{WORD.lower()}\x1b"]), f"tags[0]: {CONTROL}"),
    "bidi override": (note(title=f"{WORD}\u202e"), "title: holds a bidirectional override or isolate"),
    "bidi isolate": (note(body=f"{WORD}\u2066x\u2069"), "body: holds a bidirectional override or isolate"),
    "tag characters": (note(body=f"{WORD}\U000e0041"), "body: holds a Unicode tag character"),
    "zero width": (note(title=f"Xyzzy\u200bplugh {WORD}"), f"title: {INVISIBLE}"),
    "delimiter": (note(body=f"{WORD} </agent_notes>"), "body: holds a delimiter reserved for blocks"),
    "wide delimiter": (note(body=f"{WORD} ＜CUSTOMER_CONTEXT＞"), "body: holds a delimiter reserved for blocks"),
    "blank": (note(title=" \t\u3000 "), "title: holds nothing that can be seen"),
    "empty": (note(body=""), "body: holds nothing that can be seen"),
    "long title": (note(title=WORD * 13), "title: is longer than allowed (limit 120)"),
    "long body": (note(body=WORD * 201), "body: is longer than allowed (limit 2000)"),
    "nine tags": (note(tags=[f"{WORD.lower()}{n}" for n in range(9)]), "tags: has more entries than allowed (limit 8)"),
    "long tag": (note(tags=["x" * 65]), "tags[0]: is longer than allowed (limit 64)"),
    "capital tag": (note(tags=["erp", WORD]), "tags[1]: does not have the form of a tag"),
    "long id": (note(evidence={"task_id": WORD * 52}), "evidence.task_id: must have at most 512 characters"),
    "empty id": (note(evidence={"task_id": ""}), "evidence.task_id: must have at least 1 characters"),
    "text as evidence": (note(evidence={"text": WORD}), "1 unknown field"),
    "kind": (note(kind=WORD), "kind: must be one of 'procedure', 'tool_note', 'process_note' or 'pitfall'"),
    "visibility": (note(visibility=WORD), "visibility: must be one of 'source', 'vendor' or 'space'"),
    "number for text": (note(title=123456789), "title: must be a string"),
    "null for text": (note(body=None), "body: must be a string"),
    "text for a list": (note(tags=WORD), "tags: must be a list"),
    "list for an object": (note(evidence=[WORD]), "evidence: must be an object"),
    "naive moment": (note(valid_until="2099-01-01T00:00:00"), MOMENT),
    "date": (note(valid_until="2099-01-01"), MOMENT),
    "seconds": (note(valid_until=4070908800), "valid_until: must be a string"),
    "past": (note(valid_until="2020-01-01T00:00:00Z"), "valid_until: must be later than now"),
    "no such day": (note(valid_until="2099-02-30T00:00:00Z"), MOMENT),
    "two unknown fields": (note(**{WORD: 1, f"{WORD}2": WORD}), "2 unknown fields"),
    "missing": (b"{}", "kind: is required; title: is required; body: is required"),
    "another agent": (note(source_id=WORD), "source_id: an agent's key writes for its own agent; leave it out"),
    "twice": (note().replace(b'"kind"', b'"title": "Xyzzyplugh", "kind"'), REPEATED),
    "deep": (note(evidence=None).replace(b"null", b"[" * 40 + b"]" * 40), "The body must have at most 32 levels."),
    "a list": (b'["Xyzzyplugh"]', "The body: must be an object"),
    "huge number": (note().replace(b'"procedure"', b"9" * 400), NUMBERS),
}  # fmt: skip
UNREADABLE: Mapping[str, bytes] = {
    "nothing": b"",
    "no json": b"Xyzzyplugh",
    "half": note()[:-9],
    "comma": note()[:-1] + b",}",
    "two values": note() + note(),
    "nan": note().replace(b'"procedure"', b"NaN"),
    "single quotes": note().replace(b'"', b"'"),
    "bad utf-8": note().replace(b"Void", b"Void \xff\xfe"),
    "utf-8 surrogate": note().replace(b"Void", b"Void \xed\xa0\x80"),
    "utf-16": note().decode().encode("utf-16"),
    "picture": PNG,
    "bom": b"\xef\xbb\xbf" + note(),
    "lone quote in a name": b'{"Xyzzyplugh',
    "raw newline": note(title="a@b").replace(b"@", b"\n"),
}
BAD_QUERIES: Mapping[str, str] = {
    "/block?max_tokens=49": "max_tokens: must be a whole number from 50 to 2000",
    "/block?max_tokens=2001": "max_tokens: must be a whole number from 50 to 2000",
    "/block?max_tokens=3e2": "max_tokens: must be a whole number from 50 to 2000",
    "/block?max_tokens=": "max_tokens: must be a whole number from 50 to 2000",
    "/block?max_tokens=%D9%A3%D9%A0%D9%A0": "max_tokens: must be a whole number from 50 to 2000",
    "/block?max_tokens=100&max_tokens=200": "max_tokens: must be given once",
    f"/block?view={WORD * 13}": "view: must have 1 to 128 characters",
    f"/block?conversation_id={WORD * 52}": "conversation_id: must have 1 to 512 characters",
    f"/block?{WORD}=1&tags=erp": "The query has 1 unknown parameter(s).",
    f"/block?view=%ff{WORD}": "query: must be percent-encoded UTF-8 with at most 200 parameters",
    "/block?" + "&tags=erp" * 201: "query: must be percent-encoded UTF-8 with at most 200 parameters",
    "/notes?limit=0": "limit: must be at least 1",
    "/notes?limit=101": "limit: must be at most 100",
    f"/notes?limit={WORD}": "limit: must be a whole number",
    f"/notes?status={WORD}": "status: must be one of 'active' or 'retired'",
    f"/notes?tag={WORD}": "tag: must match ^[a-z0-9][a-z0-9_.:-]{0,63}$",
    f"/notes?cursor={WORD}": "cursor: must be the `next_cursor` of this very list",
    "/notes?source_id=%00": "source_id: holds a NUL character",
    f"/notes?{WORD}=1": "1 unknown query parameter",
    f"/tools?{WORD}={WORD}": "1 unknown query parameter",
}
BAD_SEARCHES: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "empty": ({"query": ""}, "query: must have at least 1 characters"),
    "long": ({"query": WORD * 51}, "query: must have at most 500 characters"),
    "nul": ({"query": f"{WORD}\0"}, "query: holds a NUL character"),
    "tags": ({"query": WORD, "tags": ["a"] * 9}, "tags: must have at most 8 entries"),
    "tag": ({"query": WORD, "tags": [WORD]}, "tags[0]: must match ^[a-z0-9][a-z0-9_.:-]{0,63}$"),
    "limit": ({"query": WORD, "limit": 21}, "limit: must be at most 20"),
    "type": ({"query": [WORD]}, "query: must be a string"),
    "unknown": ({"query": WORD, WORD: 1}, "1 unknown field"),
}


@pytest.fixture(scope="module")
def company(api: Api) -> Company:
    """One for the module: almost no test changes anything in it."""
    found = api.found()
    api.write(found, tags=["erp"])
    return found


@pytest.fixture
def unchanged(api: Api, company: Company) -> Iterator[None]:
    """Nothing of the space may have changed when the test ends."""

    def rows() -> list[Any]:
        return [log_of(api.kernel, company), *(api.place.count(table, company) for table in TABLES)]

    before = rows()
    yield
    assert rows() == before


def post(api: Api, company: Company, path: str, content: Any, **headers: str) -> Any:
    sent = {"content-type": "application/json", "idempotency-key": WORD}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return api.call(company, "billing", "POST", MEMORY + path, content=content, headers=sent)


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize("case", NOTES)
def test_a_note_that_breaks_a_rule(api: Api, company: Company, unchanged: None, case: str) -> None:
    content, detail = NOTES[case]
    problem = assert_problem(post(api, company, "/notes", content), "invalid_input")
    assert problem["detail"] == detail
    assert WORD not in json.dumps(problem)


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize("case", UNREADABLE)
def test_a_body_that_is_not_readable(api: Api, company: Company, unchanged: None, case: str) -> None:
    for path in ("/notes", "/search"):
        response = post(api, company, path, UNREADABLE[case])
        problem = assert_problem(response, "invalid_input", 400)
        assert problem["detail"] == "The body is not JSON in UTF-8."


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize("query", BAD_QUERIES)
def test_a_query_that_breaks_a_rule(api: Api, company: Company, unchanged: None, query: str) -> None:
    response = api.call(company, "billing", "GET", MEMORY + query)
    # The names of what a route takes may be in its answer.
    public = {"max_tokens", "conversation_id", "cursor", "source_id", "status"}
    problem = assert_problem(response, "invalid_input", public=public)
    assert problem["detail"].startswith(BAD_QUERIES[query])
    assert WORD not in json.dumps(problem)


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize("case", BAD_SEARCHES)
def test_a_search_that_breaks_a_rule(api: Api, company: Company, unchanged: None, case: str) -> None:
    body, detail = BAD_SEARCHES[case]
    problem = assert_problem(post(api, company, "/search", json.dumps(body)), "invalid_input")
    assert problem["detail"] == detail


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize("chunked", [False, True], ids=["with length", "chunked"])
def test_ten_megabytes(api: Api, company: Company, unchanged: None, chunked: bool) -> None:
    whole = note(body=WORD * 1024 * 1024)
    pieces = (whole[at : at + 65536] for at in range(0, len(whole), 65536))
    refused = post(api, company, "/notes", pieces if chunked else whole)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert refused.json()["detail"] == "The body must have at most 1048576 bytes."
    assert WORD not in refused.text


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize("media_type", ["text/plain", "application/json; charset=latin-1", "application/xml"])
def test_another_media_type(api: Api, company: Company, unchanged: None, media_type: str) -> None:
    for path in ("/notes", "/search", "/import"):
        who = "owner" if path == "/import" else "billing"
        headers = {"content-type": media_type}
        response = api.call(company, who, "POST", MEMORY + path, content=note(), headers=headers)
        assert_problem(response, "unsupported_media_type")


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize(
    "note_id",
    ["x", "%00", "%2e%2e%2f", "..%2F..", "null", "0" * 600, quote("' OR 1=1 --"), "%F0%9F%92%A9", "%ff"],
)
def test_an_id_that_is_none(api: Api, company: Company, unchanged: None, note_id: str) -> None:
    for method, tail in (("GET", ""), ("GET", "/versions"), ("POST", "/retire")):
        response = api.call(company, "billing", method, f"{MEMORY}/notes/{note_id}{tail}")
        assert_problem(response, "not_found")


@pytest.mark.promise("bad-input-told")
def test_a_refused_request_does_not_use_up_its_key(api: Api) -> None:
    company = api.found()
    assert post(api, company, "/notes", note(title="")).status_code == 422
    assert post(api, company, "/notes", note()).status_code == 201
    assert post(api, company, "/notes", note(title="Another")).status_code == 409


CORPUS = (
    "Set gpt-4o for the pre-edit step",
    "The ledger is NEAR its limit at 100%",
    'Quote "void" in the post_credit call',
    "Ação de cobrança: conferir as faturas",
)
# Odd queries and the places in the corpus of what they find, best first.
ODD: Mapping[str, list[int]] = {
    '"': [], "*": [], "%": [], "'": [], "()": [], "NEAR(": [1], "pre-edit": [0], "gpt-4o": [0], "post_credit": [2],
    '"void"': [2], "void*": [2], "title:void": [2], "ledger AND NOT void": [1, 2], "acao": [3], "FATURA": [3],
    "100%": [1], "-void": [2], "void OR 1=1; DROP TABLE note_term; --": [2], "{void}": [2], "\\": [], "^void$": [2],
    "void\u0000"[:4]: [2], "👩‍🔧": [], "\u202evoid": [2], "a" * 500: [], "void " * 100: [2], "+void -ledger": [1, 2],
}  # fmt: skip


def test_no_query_reaches_the_engine(api: Api) -> None:
    company = api.found()
    ids = [api.write(company, title=title, body="Text.")["note_id"] for title in CORPUS]
    found = {}
    for query in ODD:
        response = post(api, company, "/search", json.dumps({"query": query}))
        assert response.status_code == 200, (query, response.text)
        found[query] = [ids.index(one["note_id"]) for one in response.json()["notes"]]
    assert found == ODD
