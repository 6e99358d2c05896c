"""Telling what happens in a conversation or a task: turns and actions, recorded in the background."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from tarimba.client.events import Scene
from tarimba.client.models import Block
from tarimba.client.recording import Recorder


class Conversation:
    """A conversation, or a task. Nothing here waits or raises; it may be used from several threads, and from asyncio.

    As a context manager it records its end, as failed when the block raised. Texts are masked by the server before
    anything is stored.
    """

    def __init__(self, recorder: Recorder, scene: Scene) -> None:
        self._recorder = recorder
        self._scene = scene
        self._stamp: dict[str, Any] | None = None
        self._ended = threading.Event()

    @property
    def conversation_id(self) -> str | None:
        return self._scene.conversation_id

    @property
    def task_id(self) -> str | None:
        return self._scene.task_id

    def customer(self, text: str) -> None:
        """What the customer said."""
        self._recorder.put(self._scene.message("customer", text))

    def agent(self, text: str) -> None:
        """What the agent answered. Goes with the read that the agent had before, if `injected` was told of it."""
        self._recorder.put(self._scene.message("ai_agent", text, self._stamp))

    def action(self, operation: str, *, result: str | None = None, purpose: str | None = None) -> None:
        """What the agent did in a system: a code such as `refund` or `invoice.void`, how it went and what for."""
        self._recorder.put(self._scene.action(operation, result=result, purpose=purpose))

    def injected(self, memory: Block) -> None:
        """The block that stands in the agent's prompt from now on: its receipt goes with each turn of the agent."""
        if memory.receipt_id is not None:
            at = datetime.now(UTC).isoformat()
            self._stamp = {"receipt_id": memory.receipt_id, "etag": memory.etag, "injected_at": at}

    def end(self, succeeded: bool | None = None) -> None:
        """The end, once. What succeeded may teach a skill; nothing is learned before the end."""
        if not self._ended.is_set():
            self._ended.set()
            self._recorder.put(self._scene.ended(succeeded))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(False if kind is not None else None)
