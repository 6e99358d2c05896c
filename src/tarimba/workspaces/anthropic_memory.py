"""The memory tool over a workspace for the tool runner of Anthropic's SDK; needs the packages `anthropic` and `server`.

    from anthropic import Anthropic
    from tarimba.workspaces.anthropic_memory import WorkspaceMemory

    runner = Anthropic().beta.messages.tool_runner(
        model=model, max_tokens=1024, messages=messages, tools=[WorkspaceMemory(Path("/workspace"))]
    )

What `memory_tool.MemoryTool` refuses becomes the SDK's `ToolError`, so the model reads the sentence and goes on.
`AsyncWorkspaceMemory` is for `AsyncAnthropic`: the disk is read in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from tarimba.workspaces.memory_tool import MemoryTool, MemoryToolError


class WorkspaceMemory(BetaAbstractMemoryTool):
    """The tool `memory` over the `memory/` of the workspace at a path. `cache_control` goes into its definition."""

    def __init__(self, workspace: Path, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._memory = MemoryTool(workspace)

    def call(self, input: object) -> str:  # noqa: A002 - the SDK names it so
        """The answer to what the model gave. Raises `ToolError` with a sentence for the model."""
        return _answer(self._memory, input)

    def view(self, command: Any) -> str:
        return self.call(command.model_dump(exclude_unset=True))

    # The command names itself, so each of the SDK's methods is the same one.
    create = str_replace = insert = delete = rename = view


class AsyncWorkspaceMemory(BetaAsyncAbstractMemoryTool):
    """The same for loops of asyncio."""

    def __init__(self, workspace: Path, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._memory = MemoryTool(workspace)

    async def call(self, input: object) -> str:  # noqa: A002 - the SDK names it so
        """See `WorkspaceMemory.call`."""
        return await asyncio.to_thread(_answer, self._memory, input)

    async def view(self, command: Any) -> str:
        return await self.call(command.model_dump(exclude_unset=True))

    create = str_replace = insert = delete = rename = view


def _answer(memory: MemoryTool, given: object) -> str:
    try:
        return memory.call(given if isinstance(given, Mapping) else {})
    except MemoryToolError as refused:
        raise ToolError(str(refused)) from None
