"""What every adapter shares: reading the notes for a run, where they go, and the tools beside them.

An adapter takes `agent_memory`: True (key and address from the environment), a client, or `Notes` with more said.
Nothing here raises and nothing outlasts the client's budgets, whatever becomes of the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from tarimba.client.async_client import AsyncTarimba
from tarimba.client.client import Tarimba
from tarimba.client.composing import Composed, compose
from tarimba.client.models import AgentMemory
from tarimba.client.tools import Tool

_CONTEXT: Final[ContextVar[str]] = ContextVar("tarimba_customer_context", default="")


@contextmanager
def customer_context(text: str) -> Iterator[None]:
    """The customer's context of the runs inside: each adapter puts it behind the notes. Follows tasks of asyncio."""
    token = _CONTEXT.set(text)
    try:
        yield
    finally:
        _CONTEXT.reset(token)


@dataclass(frozen=True, slots=True)
class Notes:
    """An agent's notes for an adapter: whose they are, how much of them, and whether the model may write.

    `max_tokens`, `tags` and `view` are those of `Tarimba.agent_memory`.
    """

    client: Tarimba = field(repr=False)
    max_tokens: int = 300
    tags: tuple[str, ...] = ()
    view: str | None = None
    write: bool = False
    _awaited: AsyncTarimba = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_awaited", AsyncTarimba.over(self.client))

    @classmethod
    def of(cls, agent_memory: AgentMemoryLike, *, write: bool = False) -> Notes | None:
        """What an adapter was given, as `Notes`; None for False."""
        match agent_memory:
            case Notes():
                return agent_memory
            case Tarimba():
                return cls(agent_memory, write=write)
            case AsyncTarimba():
                return cls(agent_memory.synchronous, write=write)
            case _:
                return cls(Tarimba(), write=write) if agent_memory else None

    def block(self) -> AgentMemory:
        """The block for this run, from the cache or read in this thread."""
        return self.client.agent_memory(self.max_tokens, self.tags, self.view)

    async def ablock(self) -> AgentMemory:
        return await self._awaited.agent_memory(self.max_tokens, self.tags, self.view)

    def compose(self, instructions: str) -> Composed:
        """The system prompt of this run: instructions, notes, then the context of `customer_context`."""
        return compose(instructions, self.block().text, _CONTEXT.get())

    async def acompose(self, instructions: str) -> Composed:
        memory = await self.ablock()
        return compose(instructions, memory.text, _CONTEXT.get())

    def tools(self) -> tuple[Tool, ...]:
        """The tools that the server lists for the key; `remember` only with `write`."""
        definitions = self.client.definitions()
        return self._awaited.toolbox().tools(definitions, write=self.write)

    async def atools(self) -> tuple[Tool, ...]:
        return await self._awaited.tools(write=self.write)


AgentMemoryLike = bool | Tarimba | AsyncTarimba | Notes
