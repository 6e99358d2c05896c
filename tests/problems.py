"""The one shape of a refusal, asserted in one place."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import parse_qsl

import httpx

from tarimba.errors import CODES
from tarimba.ids import is_id

# Shorter words occur in our own sentences by chance.
TELLING = 6


def assert_problem(
    response: httpx.Response, code: str, status: int | None = None, *, public: Collection[str] = ()
) -> dict[str, Any]:
    """The problem document, after checking it: shape, media type, code, status, and that no sent value is in it.

    `status` is the table's unless given. `public` are sent words that the answer may hold all the same: names
    and values that the route declares.
    """
    expected = CODES[code].status if status is None else status
    assert response.status_code == expected, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    problem: dict[str, Any] = response.json()
    assert problem["code"] == code
    assert problem["status"] == expected
    assert problem["type"].endswith(f":{code}")
    assert problem["title"] == CODES[code].title
    assert problem["detail"]
    assert is_id(problem["request_id"])
    assert response.headers["x-request-id"] == problem["request_id"]
    if expected == httpx.codes.UNAUTHORIZED:
        assert response.headers["www-authenticate"] == "Bearer"
    if expected in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE):
        assert int(response.headers["retry-after"]) > 0
    assert_silent(response, public)
    return problem


def assert_silent(response: httpx.Response, public: Collection[str] = ()) -> None:
    """Nothing telling that the request held is in the answer, neither in its body nor in its headers."""
    answered = response.text + "\n".join(response.headers.values())
    for value in sent_values(response.request):
        if value not in public:
            assert value not in answered, f"the answer repeats {value!r}"


def sent_values(request: httpx.Request) -> Iterator[str]:
    """Every telling string of the body, the query and the headers that callers choose freely."""
    body = request.content
    try:
        yield from filter(_tells, _leaves(json.loads(body)))
    except (ValueError, RecursionError):
        yield from filter(_tells, re.findall(r"\w+", body.decode("utf-8", "replace")))
    for name, value in parse_qsl(request.url.query.decode("ascii"), keep_blank_values=True):
        yield from filter(_tells, (name, value))
    for header in ("authorization", "idempotency-key", "x-request-id", "if-none-match"):
        words = re.findall(r"\w+", request.headers.get(header, ""))
        yield from (word for word in words if _tells(word) and word != "Bearer")


def _tells(text: str) -> bool:
    return len(text) >= TELLING


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for child in value.values():
            yield from _leaves(child)
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(child)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)
