"""The synchronous client."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tarimba.client.composing import Composed, compose
from tarimba.client.configured import configured
from tarimba.client.conversation import Conversation
from tarimba.client.core import Pause, Send, Steps
from tarimba.client.errors import NotConfiguredError
from tarimba.client.events import Handle, Item, Scene
from tarimba.client.lanes import Lanes
from tarimba.client.models import AgentMemory, Evidence, Found, Recorded, Remembered
from tarimba.client.options import Options
from tarimba.client.recording import Recorder, Tally
from tarimba.client.tools import Tool, Toolbox, in_thread
from tarimba.client.transport import connector
from tarimba.client.wire import Request, Response

if TYPE_CHECKING:
    import httpx

    from tarimba.client.api.root import Api

T = TypeVar("T")
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
        self.settled = configured(api_key, base_url, strict=strict, options=options)
        self.transport = transport
        self._lanes: Lanes | None = None
        if self.settled.problem is None:
            self._lanes = Lanes(connector(self.settled.address, options, transport), options.connections)
        self._recorder = Recorder(self._batch, options.events_waiting)

    @classmethod
    def embedded(
        cls,
        path: str | os.PathLike[str],
        *,
        agent: str = "agent",
        language: str = "en",
        strict: bool = False,
        options: Options = _DEFAULTS,
    ) -> Tarimba:
        """The memory of an agent in this process, on a SQLite file and without a server: the same calls.

        Needs `pip install "tarimba[server]"`. A file that is missing is made, with a space that has the memory on, and
        beside it the folder `<file>-data` with its keys: copy the two together. `agent` is the agent's slug, and
        `language` (en, pt or es) that of a new file. Threads, event loops and several processes may use one file; each
        process opens its own, after it forked. Opening may take seconds; it raises NotConfiguredError where it can't.
        """
        given = {"agent": agent, "language": language, "strict": strict, "options": options}
        opened: Tarimba = _embedding().open_embedded(path, **given)
        return opened

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
        return self._run(self.settled.core.block(max_tokens, tags, view, conversation_id, task_id))

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
        return self._run(self.settled.core.search(query, tags, limit, conversation_id, task_id))

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
        steps = self.settled.core.remember(
            kind,
            title,
            body,
            tags=tags,
            evidence=evidence,
            visibility=visibility,
            valid_until=valid_until,
        )
        return self._run(steps)

    def tools(self, *, agent_memory: bool = True, write: bool = False) -> tuple[Tool, ...]:
        """The function tools for a model: `search_agent_memory`, and with `write` also `remember`.

        Only what the server lists for this key is there; a tool's `run` never raises.
        """
        return self._toolbox().tools(self.definitions(), write=write) if agent_memory else ()

    def definitions(self) -> tuple[Mapping[str, Any], ...]:
        """The tools that the server lists for this key, in the form of function calling."""
        return self._run(self.settled.core.tools())

    def compose(self, instructions: str, context: str = "", *, memory: AgentMemory | None = None) -> Composed:
        """The system prompt: the instructions, then the agent's notes, then the customer's context.

        `memory` is a block that was read already, else it is read now with its defaults.
        """
        return compose(instructions, (memory or self.agent_memory()).text, context)

    def conversation(
        self, conversation_id: str, *, channel: str = "chat", customer: Sequence[Handle] = ()
    ) -> Conversation:
        """Records turns and actions of a conversation in the background. Needs a key with the scope `track`.

        `customer` names who it is with, by handles that only the server's keyed hashes are kept of.
        """
        return Conversation(self._recorder, Scene(conversation_id, None, channel, tuple(customer)))

    def task(
        self, task_id: str, *, conversation_id: str | None = None, channel: str = "task"
    ) -> Conversation:
        """Records the actions of a task, in a conversation or in none. Needs a key with the scope `track`."""
        return Conversation(self._recorder, Scene(conversation_id, task_id, channel))

    @property
    def api(self) -> Api:
        """Everything that the API has, by group: `client.api.notes.list()`.

        These raise a TarimbaError, whether or not `strict`: they administer, and no turn of an agent waits for them. A
        call takes `Options.budgets.manage` at most, with its retries; what changes something does so once.
        """
        from tarimba.client.api.root import Api

        return Api(self._manage)

    @property
    def recorded(self) -> Tally:
        """How many events wait, were sent, and were given up."""
        return self._recorder.tally

    def flush(self, seconds: float = 5.0) -> bool:
        """Waits until all that was recorded is sent or given up; False when that took longer than `seconds`."""
        return self._recorder.flush(seconds)

    def close(self) -> None:
        """Sends what was recorded (for 5 s at most) and closes the connections. Later calls fail with `closed`."""
        self._recorder.close()
        if self._lanes is not None:
            self._lanes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Tarimba(base_url={self.settled.address.shown!r})"

    def _toolbox(self) -> Toolbox:
        search, remember = self.search_agent_memory, self.remember
        return Toolbox(search, in_thread(search), remember, in_thread(remember))

    def _batch(self, items: Sequence[Item]) -> Recorded:
        return self._run(self.settled.core.batch(items))

    def _manage(self, request: Request) -> Any:
        from tarimba.client.api.calls import read

        return read(self._run(self.settled.core.manage(request)))

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
            self.settled.options.sleep(step.seconds)
            return steps.send(None)
        try:
            response = self._send(step)
        except Exception as error:  # noqa: BLE001 - the call decides what becomes of it
            return steps.throw(error)
        return steps.send(response)

    def _send(self, step: Send) -> Response:
        if self._lanes is None:
            raise self.settled.missing()
        return self._lanes.send(step.request, step.deadline)


def _embedding() -> Any:
    """What has the whole service. By name, because nothing of the server may be loaded by a client of one."""
    try:
        return import_module("tarimba.embedded")
    except ModuleNotFoundError as error:
        sentence = 'An embedded memory needs the whole service: pip install "tarimba[server]".'
        raise NotConfiguredError("not_configured", sentence) from error
