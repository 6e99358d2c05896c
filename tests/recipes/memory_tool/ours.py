"""Our memory tool in the hands of Anthropic's SDK: a command a line comes in, what it answers goes out.

The second argument says how it is called: `call` as the tool runner does, `methods` by the SDK's own methods, or
`asyncio`. Runs in the SDK's environment.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from tarimba.workspaces.anthropic_memory import AsyncWorkspaceMemory, WorkspaceMemory

COMMANDS = {
    "view": BetaMemoryTool20250818ViewCommand,
    "create": BetaMemoryTool20250818CreateCommand,
    "str_replace": BetaMemoryTool20250818StrReplaceCommand,
    "insert": BetaMemoryTool20250818InsertCommand,
    "delete": BetaMemoryTool20250818DeleteCommand,
    "rename": BetaMemoryTool20250818RenameCommand,
}


def main() -> None:
    workspace, way = Path(sys.argv[1]), sys.argv[2]
    tool, awaited, loop = WorkspaceMemory(workspace), AsyncWorkspaceMemory(workspace), asyncio.Runner()
    assert tool.to_dict() == awaited.to_dict() == {"type": "memory_20250818", "name": "memory"}

    def answer(given: dict[str, Any]) -> object:
        if way == "call":
            return tool.call(given)
        if way == "methods":
            return tool.execute(COMMANDS[given["command"]].construct(**given))
        return loop.run(awaited.call(given))

    for line in sys.stdin:
        try:
            told = {"answer": answer(json.loads(line))}
        except ToolError as refused:
            told = {"refused": str(refused)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
