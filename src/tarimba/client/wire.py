"""Requests and answers as values, and reading them. No httpx, no network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from pydantic import ValidationError

from tarimba.client.cache import BlockKey, listed
from tarimba.client.errors import BadResponseError, Facts, InvalidInputError, TarimbaError, error_for
from tarimba.client.models import Evidence, Finding, Shape

BLOCK = "/v1/agent-memory/block"
SEARCH = "/v1/agent-memory/search"
NOTES = "/v1/agent-memory/notes"
TOOLS = "/v1/agent-memory/tools"
BATCH = "/v1/batch"
_NOT_MODIFIED = 304

S = TypeVar("S", bound=Shape)


@dataclass(frozen=True, slots=True)
class Request:
    """`target` is path and query; `body` JSON or None. What the caller wrote stays out of representations."""

    method: str
    path: str
    query: str = field(default="", repr=False)
    body: bytes | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path


@dataclass(frozen=True, slots=True)
class Response:
    """An answer with all of its body. Header names are in lower case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)

    @property
    def not_modified(self) -> bool:
        return self.status == _NOT_MODIFIED

    @property
    def receipt_id(self) -> str | None:
        """The id in the `Tarimba-Receipt` header: `<id>; seq=...; leaf=...`."""
        return self.headers.get("tarimba-receipt", "").split(";")[0].strip() or None


def block_request(
    key: BlockKey, etag: str | None, conversation_id: str | None, task_id: str | None
) -> Request:
    """`GET /block`; with an `etag` the server may answer 304."""
    pairs: list[tuple[str, Any]] = [("max_tokens", key.max_tokens), *(("tags", tag) for tag in key.tags)]
    named = {"view": key.view, "conversation_id": conversation_id, "task_id": task_id}
    pairs += [(name, value) for name, value in named.items() if value is not None]
    headers = {"if-none-match": f'"{etag}"'} if etag else {}
    # Half a surrogate pair can't be sent: it goes out as bytes that the server refuses with a reason.
    return Request("GET", BLOCK, query=urlencode(pairs, errors="surrogatepass"), headers=headers)


def search_request(
    query: str, tags: Iterable[str], limit: int, conversation_id: str | None, task_id: str | None
) -> Request:
    fields = {"conversation_id": conversation_id, "task_id": task_id}
    return _post(SEARCH, {"query": query, "tags": listed(tags), "limit": limit} | _given(fields), {})


def note_request(
    kind: str,
    title: str,
    body: str,
    *,
    tags: Iterable[str],
    evidence: Evidence | Mapping[str, str] | None,
    visibility: str | None,
    valid_until: datetime | str | None,
    idempotency_key: str,
) -> Request:
    """`POST /notes`. Raises InvalidInputError for a `valid_until` without a time zone."""
    fields = {"evidence": _evidence(evidence), "visibility": visibility, "valid_until": _moment(valid_until)}
    document = {"kind": kind, "title": title, "body": body, "tags": listed(tags)} | _given(fields)
    return _post(NOTES, document, {"idempotency-key": idempotency_key})


def tools_request() -> Request:
    return Request("GET", TOOLS)


def batch_request(items: Sequence[Mapping[str, Any]]) -> Request:
    return _post(BATCH, {"items": items}, {})


def definitions(response: Response) -> tuple[Mapping[str, Any], ...]:
    """The definitions of tools that the server lists. Raises BadResponseError."""
    try:
        listed_tools = json.loads(response.body)
    except ValueError:
        listed_tools = None
    if isinstance(listed_tools, list) and all(_is_definition(one) for one in listed_tools):
        return tuple(listed_tools)
    raise BadResponseError("bad_response", "The answer is no list of tools.", Facts(response.status))


def _is_definition(tool: Any) -> bool:
    function = tool.get("function") if isinstance(tool, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)


def read(response: Response, shape: type[S]) -> S:
    """The answer's body as `shape`. Raises BadResponseError."""
    try:
        return shape.model_validate_json(response.body)
    except ValidationError:
        # The cause is left out: it repeats the body.
        raise BadResponseError(
            "bad_response", "The answer is not the JSON that this call expects.", Facts(response.status)
        ) from None


def failure(response: Response) -> TarimbaError | None:
    """The error that the answer stands for; None for 2xx and for 304."""
    status = response.status
    if 200 <= status < 300 or response.not_modified:
        return None
    if status < 400:
        return BadResponseError("bad_response", "The server redirects; no key is sent there.", Facts(status))
    problem = _problem(response.body)
    facts = Facts(
        status,
        _retry_after(response.headers.get("retry-after")),
        _text(problem, "request_id") or None,
        tuple(kind for kind in _list(problem, "kinds") if isinstance(kind, str)),
        [finding for finding in _list(problem, "findings") if isinstance(finding, dict)],
    )
    code = _text(problem, "code") or f"http_{status}"
    return error_for(status, code, _text(problem, "detail") or "The server gave no reason.", facts)


def findings_of(error: TarimbaError) -> tuple[Finding, ...]:
    """The positions of a refusal; ones that can't be read are left out, the kinds still say what to mend."""
    read_ones = []
    for finding in error.facts.findings:
        try:
            read_ones.append(Finding.model_validate(finding))
        except ValidationError:
            continue
    return tuple(read_ones)


def _post(path: str, document: Mapping[str, Any], headers: Mapping[str, str]) -> Request:
    body = json.dumps(document, separators=(",", ":")).encode()
    return Request("POST", path, body=body, headers={"content-type": "application/json", **headers})


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _evidence(evidence: Evidence | Mapping[str, str] | None) -> dict[str, str] | None:
    if evidence is None:
        return None
    return evidence.model_dump(exclude_none=True) if isinstance(evidence, Evidence) else dict(evidence)


def _moment(value: datetime | str | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if value.tzinfo is None:
        raise InvalidInputError("invalid_input", "valid_until: must have a time zone")
    return value.isoformat()


def _problem(body: bytes) -> Mapping[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _text(problem: Mapping[str, Any], name: str) -> str:
    value = problem.get(name)
    return value if isinstance(value, str) else ""


def _list(problem: Mapping[str, Any], name: str) -> list[Any]:
    value = problem.get(name)
    return value if isinstance(value, list) else []


def _retry_after(value: str | None) -> float | None:
    """Seconds from either form of the header (RFC 9110, 10.2.3); None when it can't be read."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(value)
    # Loaded late, it is slow to load and the form with a date is rare.
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (zoned - datetime.now(UTC)).total_seconds())
