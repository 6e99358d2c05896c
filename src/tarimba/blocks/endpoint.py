"""`GET /v1/agent-memory/block`: the one URL that every turn of every agent waits for.

It speaks ASGI itself: a hot read costs no hop to a thread, only the wait for the batch that makes its receipt
durable. Everything else goes through the common skin.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from functools import partial
from typing import Any

import structlog

from tarimba.blocks import service
from tarimba.blocks.cache import HotBlock
from tarimba.blocks.query import BlockRequest, matches, read_query
from tarimba.blocks.receipt import entry
from tarimba.clock import rfc3339
from tarimba.errors import Refusal
from tarimba.http import problems
from tarimba.http.counted import traceparent
from tarimba.http.exchange import joined
from tarimba.http.reply import Reply, send_whole
from tarimba.http.threads import CLOSE_SECONDS, Threads
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.receipts.pending import WAIT_SECONDS, PendingRead, Stale, too_long
from tarimba.storage import Entry

PATH = "/v1/agent-memory/block"

_log = structlog.get_logger("tarimba.http")


class BlockEndpoint:
    """ASGI application for the block."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        settings = kernel.settings
        self._threads = Threads(settings.threads, settings.queue_max, "tarimba-block")
        # The threads know nothing of this object, so they end with it where nobody closes it.
        weakref.finalize(self, self._threads.dismiss)

    def open(self) -> None:
        """Serves again after `close()`. A new endpoint is open."""
        self._threads.open()

    def close(self) -> None:
        """Ends its threads; what they are at has as long as the other requests of a server that stops."""
        self._threads.close(self._kernel.draining.left(CLOSE_SECONDS))

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        started = time.perf_counter()
        telemetry = self._kernel.telemetry
        if telemetry.tracing.is_on:
            with telemetry.tracing.request(traceparent(scope), http_route=PATH) as mark:
                reply = await self._reply(scope)
                mark.set("http.status", reply.status)
        else:
            reply = await self._reply(scope)
        await send_whole(send, reply)
        seconds = time.perf_counter() - started
        telemetry.metrics.requests.add("GET", PATH, reply.status, seconds)

    async def _reply(self, scope: Any) -> Reply:
        try:
            return await self._answer(scope)
        except Refusal as refusal:
            request_id = new_id()
            self._kernel.telemetry.metrics.refused(refusal)
            # Answered reads are in the log of receipts already; a line for each would cost a fifth of the read.
            _log.info("http.request", method="GET", route=PATH, status=refusal.status, request_id=request_id)
            return problems.reply(refusal, request_id)
        except Exception as error:  # noqa: BLE001 - the server would print what the error quotes
            request_id = new_id()
            return problems.reply(problems.failed(error, request_id, PATH), request_id)

    async def _answer(self, scope: Any) -> Reply:
        headers = dict(scope["headers"])
        if len(headers) != len(scope["headers"]):
            headers = joined(scope["headers"])
        bearer = problems.read_bearer(headers.get(b"authorization"))
        request = read_query(scope["query_string"])
        asked = headers.get(b"if-none-match")
        known = asked.decode("latin-1") if asked is not None else None
        callers, caller = self._kernel.callers, service.bearer_digest(bearer)
        callers.admit(caller)
        hot = self._kernel.blocks.get(caller, request.query)
        if hot is not None:
            answer = await self._read(hot, request, known, cached=True)
            if answer is not None:
                return answer
        load = partial(service.load, self._kernel, bearer, request.query, "http")
        fresh = await self._threads.run(load, callers.space_of(caller))
        callers.learn(caller, fresh.principal.space_id)
        answer = await self._read(fresh, request, known, cached=False)
        assert answer is not None
        return answer

    async def _read(
        self, hot: HotBlock, request: BlockRequest, known: str | None, *, cached: bool
    ) -> Reply | None:
        """Waits for the receipt of this read. None when the cached block turned out to be old."""
        not_modified = known is not None and matches(known, hot.block.etag)
        pending = PendingRead(
            hot.principal.space_id,
            self._entry(hot, request, not_modified),
            generation=hot.principal.generation if cached else None,
            expires_at=hot.expires_at if cached else None,
            notes=(hot.block.etag, hot.notes_json),
            key_id=hot.principal.key_id,
            loop=asyncio.get_running_loop(),
        )
        self._kernel.writer.submit(pending)
        tracing = self._kernel.telemetry.tracing
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                if tracing.is_on:
                    with tracing.span("writer.wait"):
                        await pending
                else:
                    await pending
        except TimeoutError:
            raise too_long() from None
        outcome = pending.outcome
        if isinstance(outcome, Stale):
            return None
        if isinstance(outcome, Exception):
            raise outcome
        return _reply(hot, outcome, not_modified)

    def _entry(self, hot: HotBlock, request: BlockRequest, not_modified: bool) -> Entry:
        at = rfc3339(self._kernel.writer.now(hot.principal.space_id))
        if request.conversation_id is None and request.task_id is None:
            return entry(hot, at, not_modified=not_modified)
        key = self._kernel.keys.of(hot.principal.space_id)
        conversation = key.commit(request.conversation_id) if request.conversation_id else None
        task = key.commit(request.task_id) if request.task_id else None
        return entry(hot, at, not_modified=not_modified, conversation=conversation, task=task)


def _reply(hot: HotBlock, receipt: Recorded, not_modified: bool) -> Reply:
    receipt_id = receipt.id.encode()
    headers = [
        (b"etag", b'"%b"' % hot.block.etag.encode()),
        (b"tarimba-receipt", receipt.header.encode()),
        (b"cache-control", b"no-store"),
        # One receipt, one request: a second id would cost as much as the receipt's hash.
        (b"x-request-id", receipt_id),
    ]
    if not_modified:
        return Reply(304, headers)
    headers.append((b"content-type", b"application/json"))
    return Reply(200, headers, b'%b%b"}' % (hot.body, receipt_id))
