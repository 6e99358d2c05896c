"""The rounds of an SDK that leaves tools to its caller: calls of our tools are answered here, the caller sees its own.

An answer may ask for a tool of ours and one of the caller's. The caller then gets its own call only; ours is carried
out at once, and both stand in the history again when the caller comes back with its result.
Usage is that of the last round.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self

from tarimba.client.composing import Composed
from tarimba.client.integrations.notes import Notes
from tarimba.client.tools import Tool

Request = dict[str, Any]
Said = Any
Results = Mapping[str, str]
_ROUNDS: Final = 8
_KEPT_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Call:
    """What a model asks of a tool. `id` is unique in its answer."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(repr=False)


class Relay(Protocol):
    """Passes on the events of a stream over all of its rounds. `said` is the turn of the round that just ended."""

    @property
    def said(self) -> Said: ...

    def passed(self, event: Any) -> Iterable[Any]:
        """What the caller may have at once; from the first call of our tools on, all is held back."""
        ...

    def again(self) -> None:
        """Forgets what was held back: another round begins."""
        ...

    def rest(self, dropped: Collection[str]) -> Iterable[Any]:
        """What was held back, without the calls of these ids."""
        ...


class Form(Protocol):
    """How one SDK says it. A turn (`Said`) is what the model said, as the next request repeats it."""

    def offered(self, request: Request) -> Collection[str]:
        """The names of the caller's own tools."""
        ...

    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        """The request with the notes (`composed.shared`), the customer's context and the tools."""
        ...

    def said(self, answer: Any) -> Said: ...

    def calls(self, said: Said) -> list[Call]: ...

    def answered(self, request: Request, said: Said, results: Results) -> Request:
        """The request that goes on after the turn, with what our tools gave by the ids of the calls."""
        ...

    def without(self, answer: Any, dropped: Collection[str]) -> Any:
        """The answer without the calls of these ids."""
        ...

    def restored(self, request: Request, kept: Kept) -> Request:
        """The request with what was kept of earlier answers back in its place."""
        ...

    def relay(self, names: Collection[str]) -> Relay: ...


class Kept:
    """Turns of which the caller saw a part, by the ids of its own calls: the last 1,000 of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: OrderedDict[str, tuple[Said, Results]] = OrderedDict()

    def keep(self, ids: Iterable[str], said: Said, results: Results) -> None:
        with self._lock:
            self._turns.update(dict.fromkeys(ids, (said, results)))
            while len(self._turns) > _KEPT_MAX:
                self._turns.popitem(last=False)

    def of(self, ids: Iterable[str]) -> tuple[Said, Results] | None:
        with self._lock:
            return next((self._turns[one] for one in ids if one in self._turns), None)


class Turn:
    """One request of the caller: `asked` is what the model is sent next."""

    def __init__(self, form: Form, kept: Kept, asked: Request, tools: Sequence[Tool]) -> None:
        self.asked = asked
        self.tools = {tool.name: tool for tool in tools}
        self._form = form
        self._kept = kept
        self._left = _ROUNDS

    def ours(self, said: Said) -> list[Call]:
        return [call for call in self._form.calls(said) if call.name in self.tools]

    def run(self, calls: Iterable[Call]) -> Results:
        return {call.id: self.tools[call.name].run(call.arguments) for call in calls}

    async def arun(self, calls: Iterable[Call]) -> Results:
        return {call.id: await self.tools[call.name].arun(call.arguments) for call in calls}

    def goes_on(self, said: Said, results: Results) -> bool:
        """Whether the model is asked once more: not when the caller has to answer a call of its own first."""
        if not results:
            return False
        theirs = [call.id for call in self._form.calls(said) if call.id not in results]
        if theirs:
            self._kept.keep(theirs, said, results)
            return False
        self._left -= 1
        self.asked = self._form.answered(self.asked, said, results)
        return self._left > 0


class Rounds:
    """Carries out requests of one client: `send` is the SDK's own call, which takes a request's fields by name."""

    def __init__(self, notes: Notes, form: Form) -> None:
        self._notes = notes
        self._form = form
        self._kept = Kept()

    def answer(self, send: Callable[..., Any], request: Request, *, tools: bool = True) -> Any:
        turn = self._turn(request, self._notes.compose(""), self._notes.tools() if tools else ())
        while True:
            answer = send(**turn.asked)
            said = self._form.said(answer)
            results = turn.run(turn.ours(said))
            if not turn.goes_on(said, results):
                return self._form.without(answer, results) if results else answer

    async def aanswer(
        self, send: Callable[..., Awaitable[Any]], request: Request, *, tools: bool = True
    ) -> Any:
        composed = await self._notes.acompose("")
        turn = self._turn(request, composed, await self._notes.atools() if tools else ())
        while True:
            answer = await send(**turn.asked)
            said = self._form.said(answer)
            results = await turn.arun(turn.ours(said))
            if not turn.goes_on(said, results):
                return self._form.without(answer, results) if results else answer

    def noted(self, request: Request) -> Request:
        """The request with the notes and no tool, for calls that leave no room for rounds."""
        return self._turn(request, self._notes.compose(""), ()).asked

    async def anoted(self, request: Request) -> Request:
        return self._turn(request, await self._notes.acompose(""), ()).asked

    def stream(self, send: Callable[..., Any], request: Request) -> NotedStream:
        """The first round begins at once, so that what is wrong with the request is raised here."""
        turn = self._turn(request, self._notes.compose(""), self._notes.tools())
        return NotedStream(turn, self._form, send)

    async def astream(self, send: Callable[..., Awaitable[Any]], request: Request) -> AsyncNotedStream:
        turn = self._turn(request, await self._notes.acompose(""), await self._notes.atools())
        return AsyncNotedStream(turn, self._form, send, await send(**turn.asked))

    def _turn(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Turn:
        # A tool of the caller's with the name of ours is the caller's.
        own = self._form.offered(request)
        added = [tool for tool in tools if tool.name not in own]
        asked = self._form.asked(self._form.restored(request, self._kept), composed, added)
        return Turn(self._form, self._kept, asked, added)


class NotedStream:
    """The events of a turn as one stream, whatever rounds it takes. `response` is that of the round that runs."""

    def __init__(self, turn: Turn, form: Form, send: Callable[..., Any]) -> None:
        self._turn = turn
        self._relay = form.relay(turn.tools)
        self._send = send
        self._source = send(**turn.asked)
        self._events = self._read()

    @property
    def response(self) -> Any:
        return self._source.response

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def __next__(self) -> Any:
        return next(self._events)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        closing = getattr(self._source, "close", None)
        if closing is not None:
            closing()

    def _read(self) -> Iterator[Any]:
        while True:
            for event in self._source:
                yield from self._relay.passed(event)
            said = self._relay.said
            results = self._turn.run(self._turn.ours(said))
            if not self._turn.goes_on(said, results):
                break
            self._relay.again()
            self._source = self._send(**self._turn.asked)
        yield from self._relay.rest(results)


class AsyncNotedStream:
    """The same, for loops of asyncio."""

    def __init__(self, turn: Turn, form: Form, send: Callable[..., Awaitable[Any]], source: Any) -> None:
        self._turn = turn
        self._relay = form.relay(turn.tools)
        self._send = send
        self._source = source
        self._events = self._read()

    @property
    def response(self) -> Any:
        return self._source.response

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._events

    async def __anext__(self) -> Any:
        return await anext(self._events)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        closing = getattr(self._source, "close", None) or getattr(self._source, "aclose", None)
        if closing is not None:
            await closing()

    async def _read(self) -> AsyncIterator[Any]:
        while True:
            async for event in self._source:
                for one in self._relay.passed(event):
                    yield one
            said = self._relay.said
            results = await self._turn.arun(self._turn.ours(said))
            if not self._turn.goes_on(said, results):
                break
            self._relay.again()
            self._source = await self._send(**self._turn.asked)
        for one in self._relay.rest(results):
            yield one


def arguments(text: str | None) -> dict[str, Any]:
    """A call's arguments as sent; of what is no object none, and the tool asks the model for what it needs."""
    try:
        given = json.loads(text or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}
