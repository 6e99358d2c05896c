"""What goes back over the wire, ready to be sent."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from tarimba.http.route import Answer

Message = dict[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_JSON: Final = (b"content-type", b"application/json")
_NO_STORE: Final = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class Reply:
    """A status, headers in lower case, and the bytes of the body, or an iterator that yields them in pieces."""

    status: int
    headers: list[Header]
    body: bytes | Iterator[bytes] = b""


def encode(content: Any) -> bytes:
    """Compact JSON in UTF-8. Raises `ValueError` for NaN and infinity."""
    return _ENCODER.encode(content).encode()


def of_answer(answer: Answer, request_id: str) -> Reply:
    """The reply for what a handler gave.

    `bytes` are JSON that is encoded already; an iterator of bytes is streamed; `None` is an empty body.
    """
    headers = [_NO_STORE, (b"x-request-id", request_id.encode())]
    if answer.receipt is not None:
        headers.append((b"tarimba-receipt", answer.receipt.header.encode()))
    if answer.headers:
        headers += encoded(answer.headers)
    if answer.content is None or answer.status == 304:
        return Reply(answer.status, headers)
    if not any(name == b"content-type" for name, _ in headers):
        headers.append(_JSON)
    return Reply(answer.status, headers, _body(answer.content))


def encoded(headers: Mapping[str, str]) -> list[Header]:
    """Headers as the server wants them."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


def messages(reply: Reply) -> tuple[Message, Message]:
    """The two ASGI messages of a reply that is not streamed."""
    headers = reply.headers
    body = reply.body
    assert isinstance(body, bytes)
    # RFC 9110: a 204 has no length, and a 304 would have that of the answer it stands for.
    if reply.status not in (204, 304):
        headers = [*headers, (b"content-length", str(len(body)).encode())]
    start = {"type": "http.response.start", "status": reply.status, "headers": headers}
    return start, {"type": "http.response.body", "body": body}


async def send_whole(send: Send, reply: Reply) -> None:
    """Sends a reply in one piece, with its length."""
    start, body = messages(reply)
    await send(start)
    await send(body)


def _body(content: Any) -> bytes | Iterator[bytes]:
    if isinstance(content, (bytes, Iterator)):
        return content
    return encode(content)
