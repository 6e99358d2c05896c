"""What all calls of `client.api` share: how a request is written and its answer read. No network."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

from tarimba.client.errors import BadResponseError, Facts
from tarimba.client.wire import Request, Response

T = TypeVar("T")
Call = Callable[[Request], Any]
ACall = Callable[[Request], Awaitable[Any]]
_JSON: Final = "application/json"


class Unset(Enum):
    """What is left out of a request, where None would say null."""

    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET


def placed(value: str, *, whole: bool = False) -> str:
    """A value as a part of a path; with `whole` it may have parts itself."""
    return quote(value, safe="/" if whole else "")


def request(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    form: Mapping[str, Any] | None = None,
    content: bytes | None = None,
    media: str = _JSON,
    once: str | Unset | None = UNSET,
    if_match: str | None = None,
) -> Request:
    """A request. What is UNSET stays out of it, and of a query None too.

    `once` is the idempotency key of a call that takes one: None makes a new one, which its retries keep.
    """
    headers: dict[str, str] = {}
    if not isinstance(once, Unset):
        headers["idempotency-key"] = once or str(uuid.uuid4())
    if if_match is not None:
        headers["if-match"] = if_match
    if body is not None:
        content = json.dumps(_given(body), separators=(",", ":")).encode()
    if form is not None and (filled := _given(form)):
        content, media = _form(filled)
    if content is not None:
        headers["content-type"] = media
    return Request(method, path, _query(query or {}), content, headers)


def read(response: Response) -> Any:
    """The answer: a JSON value, or the bytes of a file. Raises BadResponseError."""
    if response.headers.get("content-type", "").split(";")[0].strip() != _JSON:
        return response.body
    try:
        return json.loads(response.body)
    except ValueError:
        facts = Facts(response.status)
        raise BadResponseError("bad_response", "The answer is not the JSON that it says.", facts) from None


def every(page: Callable[[str | None], Mapping[str, Any]], entries: str) -> Iterator[Any]:
    """The entries of all pages, each page asked for when it is needed."""
    cursor: str | None = None
    while True:
        answer = page(cursor)
        yield from answer[entries]
        cursor = answer.get("next_cursor")
        if cursor is None:
            return


async def aevery(
    page: Callable[[str | None], Awaitable[Mapping[str, Any]]], entries: str
) -> AsyncIterator[Any]:
    """The same, awaited."""
    cursor: str | None = None
    while True:
        answer = await page(cursor)
        for entry in answer[entries]:
            yield entry
        cursor = answer.get("next_cursor")
        if cursor is None:
            return


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not UNSET}


def _query(fields: Mapping[str, Any]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in _given(fields).items():
        if value is not None:
            many = value if isinstance(value, list | tuple) else [value]
            pairs += [(name, _word(one)) for one in many]
    return urlencode(pairs, errors="surrogatepass")


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _form(fields: Mapping[str, Any]) -> tuple[bytes, str]:
    """A form's body and what it is; a field of bytes is a file, which goes by the field's own name."""
    import httpx

    # Text goes as a part too, without a name of a file: a form of ours is never encoded otherwise.
    parts = {
        name: (name, value) if isinstance(value, bytes) else (None, _word(value))
        for name, value in fields.items()
    }
    sent = httpx.Request("POST", "http://form", files=parts)
    return sent.read(), sent.headers["content-type"]
