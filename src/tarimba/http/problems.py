"""Saying no over HTTP: problem documents.

Source: RFC 9457. Every refusal, whatever raised it, has this one shape.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import Any, Final

import structlog
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from tarimba.errors import CODES, Refusal
from tarimba.http.body import Receive
from tarimba.http.reply import Header, Reply, Send, encode, send_whole
from tarimba.identity.service import unauthenticated
from tarimba.ids import new_id

MEDIA_TYPE: Final = "application/problem+json"
TYPE: Final = "urn:tarimba:problem:"
REQUEST_FAILED: Final = "http.failed"

_log = structlog.get_logger("tarimba.http")


def document(refusal: Refusal, request_id: str) -> dict[str, Any]:
    """The problem document: RFC 9457's members, `code`, `request_id` and the refusal's own extra members."""
    return {
        **refusal.extra,
        "type": TYPE + refusal.code,
        "title": refusal.title,
        "status": refusal.status,
        "code": refusal.code,
        "request_id": request_id,
        "detail": refusal.detail,
    }


def reply(refusal: Refusal, request_id: str, headers: Iterable[Header] = ()) -> Reply:
    """The refusal as it is sent."""
    sent = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"cache-control", b"no-store"),
        (b"x-request-id", request_id.encode()),
        *headers,
    ]
    if refusal.retry_after is not None:
        sent.append((b"retry-after", str(refusal.retry_after).encode()))
    if refusal.status == 401:
        sent.append((b"www-authenticate", b"Bearer"))
    if refusal.status in (408, 413):
        # What is left of the body must not be read as the next request.
        sent.append((b"connection", b"close"))
    return Reply(refusal.status, sent, encode(document(refusal, request_id)))


def wordless(refusal: Refusal, request_id: str, challenge: bytes = b"Bearer") -> Reply:
    """The refusal's status alone, for whoever is to learn nothing."""
    headers = [(b"cache-control", b"no-store"), (b"x-request-id", request_id.encode())]
    return Reply(refusal.status, [*headers, (b"www-authenticate", challenge)])


def read_bearer(header: bytes | None) -> str:
    """What follows `Bearer` (any case) in the Authorization header. Raises 401 `unauthenticated`."""
    scheme, _, token = (header or b"").decode("latin-1").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unauthenticated()
    return token.strip()


def unknown_path() -> Refusal:
    """404 for a URL that nothing serves."""
    return Refusal("not_found", "There is nothing at this path.")


def wrong_method(allowed: Iterable[str]) -> Refusal:
    """405, naming what the path takes."""
    return Refusal("method_not_allowed", f"This path takes {', '.join(sorted(allowed))}.")


def failed(error: BaseException, request_id: str, route: str) -> Refusal:
    """Logs an error nobody expected and gives the 500 that says nothing about it.

    The log has its type and place, never its message: that may quote what the caller sent.
    """
    _log.error(
        REQUEST_FAILED, error=type(error).__name__, place=_place(error), route=route, request_id=request_id
    )
    return Refusal(
        "internal_error", "Something went wrong here. The request_id tells the operator where to look."
    )


def stopping() -> Refusal:
    """503 for what a server that ends could not wait for."""
    return Refusal(
        "unavailable",
        "The server is stopping, and may or may not have done this. Send it again, with the same Idempotency-Key.",
        retry_after=1,
    )


class Guard:
    """ASGI middleware: an error that nothing else caught is answered as a problem, and its message stays out.

    Without it the server would print the traceback, and with it what the error quotes.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        started = scope["type"] != "http"

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except asyncio.CancelledError:
            # Only a server that ends does this. What it was at goes on in its thread, and may still be done.
            if not started:
                await send_whole(send, reply(stopping(), new_id()))
            raise
        except Exception as error:
            if scope["type"] == "lifespan":
                raise
            request_id = new_id()
            refusal = failed(error, request_id, "")
            if not started:
                await send_whole(send, reply(refusal, request_id))


def install(app: FastAPI) -> None:
    """Makes everything of the app that is not one of our routes refuse in the same shape."""
    app.add_exception_handler(HTTPException, _of_framework)
    app.add_exception_handler(Refusal, _of_refusal)
    app.add_middleware(Guard)


def _of_framework(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    allow = (error.headers or {}).get("Allow", "")
    if error.status_code == 405:
        return _response(
            wrong_method(part.strip() for part in allow.split(",")), [(b"allow", allow.encode())]
        )
    return _response(_by_status(error.status_code))


def _of_refusal(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _response(error)


def _by_status(status: int) -> Refusal:
    if status == 404:
        return unknown_path()
    known = next((code for code, meaning in CODES.items() if meaning.status == status), None)
    if known is None:
        known = "invalid_input" if status < 500 else "internal_error"
    return Refusal(known, f"{CODES[known].title}.", status=status)


def _response(refusal: Refusal, headers: Iterable[Header] = ()) -> Response:
    made = reply(refusal, new_id(), headers)
    response = Response(made.body, made.status)
    response.raw_headers += made.headers
    return response


def _place(error: BaseException) -> str:
    """`file:function:line` of the innermost frame of ours, else of the innermost one."""
    frames = list(traceback.walk_tb(error.__traceback__))
    package = str(Path(__file__).parents[1])
    ours = [frame for frame in frames if frame[0].f_code.co_filename.startswith(package)]
    if not frames:
        return "unknown"
    frame, line = (ours or frames)[-1]
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_name}:{line}"
