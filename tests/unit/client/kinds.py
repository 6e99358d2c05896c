"""The client of asyncio with its calls waited for, so that one test says what both kinds of client do."""

import asyncio
from types import TracebackType
from typing import Any, Self

from tarimba.client import AgentMemory, AsyncTarimba, Composed, Found, Remembered, Tarimba, Tool


class Awaited:
    """Runs each call in one event loop of its own. What it has besides is the client's."""

    def __init__(self, client: AsyncTarimba) -> None:
        self.client = client
        self.settled = client.synchronous.settled
        self._runner = asyncio.Runner()

    def agent_memory(self, *given: Any, **named: Any) -> AgentMemory:
        return self._runner.run(self.client.agent_memory(*given, **named))

    def search_agent_memory(self, *given: Any, **named: Any) -> Found:
        return self._runner.run(self.client.search_agent_memory(*given, **named))

    def remember(self, *given: Any, **named: Any) -> Remembered:
        return self._runner.run(self.client.remember(*given, **named))

    def tools(self, **named: Any) -> tuple[Tool, ...]:
        return self._runner.run(self.client.tools(**named))

    def compose(self, *given: Any, **named: Any) -> Composed:
        return self._runner.run(self.client.compose(*given, **named))

    def close(self) -> None:
        self._runner.run(self.client.close())
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self.client)


Client = Tarimba | Awaited
