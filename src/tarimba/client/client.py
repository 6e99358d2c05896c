"""The synchronous client."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from tarimba.client.core import Core, Pause, Send, Steps
from tarimba.client.errors import TarimbaError
from tarimba.client.lanes import Lanes
from tarimba.client.models import AgentMemory, Evidence, Found, Remembered
from tarimba.client.options import Options
from tarimba.client.transport import Address, connector
from tarimba.client.wire import Response

if TYPE_CHECKING:
    import httpx

LOCAL = "http://127.0.0.1:8750"

T = TypeVar("T")
_log = logging.getLogger("tarimba.client")
_DEFAULTS = Options()


class Tarimba:
    """An agent's memory. One for a process is enough: it may be used from many threads.

    `api_key` is the agent's key, else `TARIMBA_API_KEY`; `base_url` is the server's address, else
    `TARIMBA_BASE_URL`, else this machine's port 8750. Memory never breaks an agent: calls end within their
    budget (`Options.budgets`) and return an empty value whose `error` is a code. With `strict` they, and this
    constructor, raise `tarimba.client.errors.TarimbaError` instead.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        strict: bool = False,
        options: Options = _DEFAULTS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        key = api_key if api_key is not None else os.environ.get("TARIMBA_API_KEY", "")
        self._address = Address(base_url or os.environ.get("TARIMBA_BASE_URL") or LOCAL, key.strip())
        self._options = options
        self._core = Core(options, strict=strict)
        self._problem: TarimbaError | None = self._address.problem()
        self._lanes: Lanes | None = None
        if self._problem is None:
            self._lanes = Lanes(connector(self._address, options, transport), options.connections)
        elif strict:
            raise self._problem
        else:
            _log.warning("there will be no memory: %s", self._problem)

    def agent_memory(
        self,
        max_tokens: int = 300,
        tags: Iterable[str] = (),
        view: str | None = None,
        *,
        conversation_id: str | None = None,
        task_id: str | None = None,
    ) -> AgentMemory:
        """The agent's notes as one text of at most `max_tokens` (50 to 2000) o200k_base tokens.

        Answers from memory for `Options.block_ttl` seconds, then asks the server whether it changed; when that
        fails, gives the last good block with `source="cache"` and `error` set. `conversation_id` and `task_id`
        go into the receipt of what is read from the server, they never change the text.
        """
        return self._run(self._core.block(max_tokens, tags, view, conversation_id, task_id))

    def search_agent_memory(
        self,
        query: str,
        *,
        tags: Iterable[str] = (),
        limit: int = 5,
        conversation_id: str | None = None,
        task_id: str | None = None,
    ) -> Found:
        """A list of at most `limit` (1 to 20) notes that match, best first. Its `error` is a code or None."""
        return self._run(self._core.search(query, tags, limit, conversation_id, task_id))

    def remember(
        self,
        kind: str,
        title: str,
        body: str,
        *,
        tags: Iterable[str] = (),
        evidence: Evidence | Mapping[str, str] | None = None,
        visibility: str | None = None,
        valid_until: datetime | str | None = None,
    ) -> Remembered:
        """Keeps a note about the agent's work, never about a customer: personal data is refused.

        `kind` is procedure, tool_note, process_note or pitfall; `valid_until` has a time zone. Needs a key with
        the scope `agent_memory:write`. Sent once however often it is retried.
        """
        steps = self._core.remember(
            kind,
            title,
            body,
            tags=tags,
            evidence=evidence,
            visibility=visibility,
            valid_until=valid_until,
        )
        return self._run(steps)

    def close(self) -> None:
        """Closes the connections. Later calls fail with `closed`, whatever they still know is kept."""
        if self._lanes is not None:
            self._lanes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Tarimba(base_url={self._address.shown!r})"

    def _run(self, steps: Steps[T]) -> T:
        """Carries out the steps of a call in this thread, waiting for each."""
        try:
            step = next(steps)
            while True:
                step = self._take(steps, step)
        except StopIteration as end:
            value: T = end.value
            return value

    def _take(self, steps: Steps[T], step: Send | Pause) -> Send | Pause:
        if isinstance(step, Pause):
            self._options.sleep(step.seconds)
            return steps.send(None)
        try:
            response = self._send(step)
        except Exception as error:  # noqa: BLE001 - the call decides what becomes of it
            return steps.throw(error)
        return steps.send(response)

    def _send(self, step: Send) -> Response:
        if self._lanes is None:
            assert self._problem is not None
            raise self._problem
        return self._lanes.send(step.request, step.deadline)
