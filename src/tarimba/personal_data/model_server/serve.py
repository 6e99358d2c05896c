"""The contract served from the detectors of this package. Stores nothing and logs no value."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final

import structlog
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model_server.contract import (
    LANGUAGES,
    TEXT_MAX,
    VERSION_HEADER,
    ContractError,
    entities_json,
    read_ask,
)
from tarimba.personal_data.model_server.kinds import ENTITIES, entities_in

# The longest text with every character escaped, and what stands around it.
_BODY_MAX: Final = 12 * TEXT_MAX + 8192
_MOST_WAITING: Final = 64
_TOO_LONG: Final = f"text: must be of at most {TEXT_MAX} characters"


class _Service:
    """The URLs over one set of detectors."""

    def __init__(self, detectors: Detectors) -> None:
        self._detectors = detectors
        self._headers = {VERSION_HEADER: detectors.version}
        self._waiting = 0

    async def analyze(self, request: Request) -> Response:
        ask = read_ask(await _body(request))
        if len(ask.text) > TEXT_MAX:
            return _refused(413, _TOO_LONG)
        if self._waiting >= _MOST_WAITING:
            return _refused(503, "Too many texts are waiting.")
        self._waiting += 1
        try:
            found = await run_in_threadpool(entities_in, self._detectors, ask)
        finally:
            self._waiting -= 1
        return Response(entities_json(found), media_type="application/json", headers=self._headers)

    async def health(self, _request: Request) -> Response:
        return JSONResponse({"status": "ok"}, headers=self._headers)

    async def supported(self, request: Request) -> Response:
        language = request.query_params.get("language", LANGUAGES[0])
        if language not in LANGUAGES:
            raise ContractError(f"language: must be one of {', '.join(LANGUAGES)}")
        return JSONResponse(sorted(ENTITIES.values()), headers=self._headers)


def application(detectors: Detectors) -> Starlette:
    """The ASGI application: `POST /analyze`, `GET /supportedentities` and `GET /health`.

    A text of more than 20,000 code points is 413, what breaks the contract 422; the answer says which rule.
    """
    service = _Service(detectors)
    routes = [
        Route("/analyze", _told(service.analyze), methods=["POST"]),
        Route("/supportedentities", _told(service.supported)),
        Route("/health", _told(service.health)),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _unknown})


def _told(work: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """`work` with its refusals as answers, and its errors as answers that say nothing about the text."""
    log = structlog.get_logger("tarimba.detectors")

    async def answer(request: Request) -> Response:
        try:
            return await work(request)
        except ContractError as error:
            return _refused(422, str(error))
        except _TooLongError:
            return _refused(413, _TOO_LONG)
        except Exception as error:  # noqa: BLE001 - its words may quote the text: only its kind is logged
            log.error("detectors.error", error=type(error).__name__)  # noqa: TRY400 - nor its traceback
            return _refused(500, "Internal error.")

    return answer


class _TooLongError(Exception):
    """The body is longer than that of any text that would be taken."""


async def _body(request: Request) -> bytes:
    pieces = bytearray()
    stream: AsyncIterator[bytes] = request.stream()
    async for piece in stream:
        pieces += piece
        if len(pieces) > _BODY_MAX:
            raise _TooLongError
    return bytes(pieces)


async def _unknown(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refused(error.status_code, "There is no such URL, or not with this method.", error.headers)


def _refused(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    content = json.dumps({"error": sentence})
    return Response(content, status, media_type="application/json", headers=headers)
