"""What a client does, without doing it: each call is a generator that asks for requests and pauses.

A driver (threads today) carries the steps out and sends the answers back, so that no decision is written
twice for callers that wait in another way.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

from tarimba.client import wire
from tarimba.client.budgets import Deadline
from tarimba.client.cache import BlockCache, BlockKey, Held
from tarimba.client.definitions import SEARCH_DEFINITION
from tarimba.client.errors import AuthenticationError, ClientFaultError, PermissionDeniedError, TarimbaError
from tarimba.client.models import AgentMemory, Block, Evidence, Found, FoundNotes, Recorded, Remembered
from tarimba.client.options import Options
from tarimba.client.retries import Retries
from tarimba.client.wire import Request, Response

T = TypeVar("T")
_log = logging.getLogger("tarimba.client")


@dataclass(frozen=True, slots=True)
class Send:
    """Send this and answer with the `Response`, or throw a TarimbaError, before the deadline."""

    request: Request
    deadline: Deadline


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


Steps = Generator[Send | Pause, Response | None, T]
# Nobody waits for events: they outlast a restart of the server.
_PATIENT: Final = Retries(attempts=60, first=0.1, longest=10.0)
# A server that does not list its tools is asked again after this, and not for every turn.
_UNLISTED_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Listed:
    """The tools as they were listed, good until a moment of the monotonic clock."""

    tools: tuple[Mapping[str, Any], ...]
    until: float


class Core:
    """The calls. Only with `strict` do they raise; else what they return says what went wrong."""

    def __init__(self, options: Options, *, strict: bool) -> None:
        self._options = options
        self._strict = strict
        self.cache = BlockCache(options.block_ttl)
        self._listed: Listed | None = None

    def block(
        self,
        max_tokens: int,
        tags: Iterable[str],
        view: str | None,
        conversation_id: str | None,
        task_id: str | None,
    ) -> Steps[AgentMemory]:
        drops, held = self.cache.drops, None
        try:
            key = BlockKey.of(max_tokens, tags, view)
            held = self.cache.get(key)
            if held is not None and self.cache.is_fresh(held, self._options.clock()):
                return _shown(held.memory)
            return (yield from self._ask_block(key, held, drops, conversation_id, task_id))
        except Exception as error:  # noqa: BLE001 - memory never breaks an agent
            code = self.settle("block", error).code
        if held is None or self.cache.drops != drops:
            return AgentMemory(source="empty", error=code)
        return _shown(held.memory, error=code)

    def search(
        self, query: str, tags: Iterable[str], limit: int, conversation_id: str | None, task_id: str | None
    ) -> Steps[Found]:
        try:
            request = wire.search_request(query, tags, limit, conversation_id, task_id)
            response = yield from self.call(request, self._options.budgets.search)
            answer = wire.read(response, FoundNotes)
            return Found(answer.notes, receipt_id=answer.receipt_id or response.receipt_id)
        except Exception as error:  # noqa: BLE001 - memory never breaks an agent
            known = self.settle("search", error)
            return Found(error=known.code, detail=str(known.args[0]))

    def remember(
        self,
        kind: str,
        title: str,
        body: str,
        *,
        tags: Iterable[str],
        evidence: Evidence | Mapping[str, str] | None,
        visibility: str | None,
        valid_until: datetime | str | None,
    ) -> Steps[Remembered]:
        try:
            request = wire.note_request(
                kind,
                title,
                body,
                tags=tags,
                evidence=evidence,
                visibility=visibility,
                valid_until=valid_until,
                idempotency_key=str(uuid.uuid4()),
            )
            response = yield from self.call(request, self._options.budgets.remember)
            return wire.read(response, Remembered)
        except Exception as error:  # noqa: BLE001 - memory never breaks an agent
            return _refused(self.settle("remember", error))
        finally:
            # Also after a failure: a call that took too long may have stored the note all the same.
            self.cache.drop()

    def tools(self) -> Steps[tuple[Mapping[str, Any], ...]]:
        """The tools that the server lists for this key. When it can't be asked, what it last listed, else searching."""
        now = self._options.clock()
        if self._listed is not None and now < self._listed.until:
            return self._listed.tools
        try:
            response = yield from self.call(wire.tools_request(), self._options.budgets.block)
            self._listed = Listed(wire.definitions(response), now + self._options.block_ttl)
        except Exception as error:  # noqa: BLE001 - memory never breaks an agent
            known = self.settle("tools", error)
            self._listed = Listed(self._instead(known), now + _UNLISTED_SECONDS)
        return self._listed.tools

    def _instead(self, error: TarimbaError) -> tuple[Mapping[str, Any], ...]:
        if isinstance(error, AuthenticationError | PermissionDeniedError):
            return ()
        return self._listed.tools if self._listed is not None else (SEARCH_DEFINITION,)

    def batch(self, items: Sequence[Mapping[str, Any]]) -> Steps[Recorded]:
        """Sends events. Raises a TarimbaError; an item is known by its key, so sending again records once."""
        budget = self._options.budgets.batch
        response = yield from self.call(wire.batch_request(items), budget, _PATIENT)
        return wire.read(response, Recorded)

    def manage(self, request: Request) -> Steps[Response]:
        """A call of `client.api`. Raises a TarimbaError: no agent waits for these."""
        try:
            return (yield from self.call(request, self._options.budgets.manage))
        finally:
            if request.method != "GET":
                # It may have changed what the agent reads.
                self.cache.drop()

    def _ask_block(
        self, key: BlockKey, held: Held | None, drops: int, conversation_id: str | None, task_id: str | None
    ) -> Steps[AgentMemory]:
        etag = held.memory.etag if held is not None else None
        request = wire.block_request(key, etag, conversation_id, task_id)
        response = yield from self.call(request, self._options.budgets.block)
        if response.not_modified and held is not None:
            memory = held.memory.model_copy(update={"receipt_id": response.receipt_id})
            shown = _shown(memory)
        else:
            block = wire.read(response, Block)
            memory = shown = AgentMemory(**block.model_dump(), source="network")
        self.cache.put(key, Held(memory, self._options.clock()), drops)
        return shown

    def call(self, request: Request, seconds: float, retries: Retries | None = None) -> Steps[Response]:
        """One call with its retries. Every attempt sends the same bytes and the same idempotency key."""
        retries = retries or self._options.retries
        deadline = Deadline(self._options.clock, seconds)
        made = 0
        while True:
            made += 1
            try:
                response = yield Send(request, deadline)
                assert response is not None
                self._check(response)
            except TarimbaError as error:
                draw = self._options.draw()
                pause = retries.pause(error, made, deadline.left(), draw)
                if pause is None:
                    raise
            else:
                return response
            yield Pause(pause)

    def _check(self, response: Response) -> None:
        error = wire.failure(response)
        if isinstance(error, AuthenticationError | PermissionDeniedError):
            # A key that was revoked must not go on reading from here.
            self.cache.drop()
            self._listed = None
        if error is not None:
            raise error

    def settle(self, call: str, error: Exception) -> TarimbaError:
        """The error as one of ours, logged without a word of what was sent. Raises it when strict."""
        known = error if isinstance(error, TarimbaError) else _fault(error)
        if self._strict:
            raise known
        _log.warning("%s failed: %s (status %s)", call, known.code, known.status)
        return known


def _fault(error: Exception) -> TarimbaError:
    fault = ClientFaultError("client_error", f"The client failed ({type(error).__name__}).")
    fault.__cause__ = error
    return fault


def _shown(memory: AgentMemory, error: str | None = None) -> AgentMemory:
    return memory.model_copy(update={"source": "cache", "error": error})


def _refused(error: TarimbaError) -> Remembered:
    return Remembered(
        error=error.code,
        detail=str(error.args[0]),
        kinds=error.facts.kinds,
        findings=wire.findings_of(error),
        retry_after=error.retry_after,
    )
