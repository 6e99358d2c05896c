"""When the MCP server serves, and what a command line that never serves has to load."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from tarimba.kernel import Kernel
from tarimba.mcp.server import NotesMcp


def status_of(mcp: NotesMcp, method: str = "POST") -> int:
    """The status that one request gets from the application itself."""
    sent: list[dict[str, Any]] = []
    scope = {"type": "http", "method": method, "path": "/mcp", "headers": [(b"host", b"localhost")]}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(mcp(scope, receive, send))
    status: int = sent[0]["status"]
    return status


def test_before_and_after_it_runs_it_is_unavailable(kernel: Kernel) -> None:
    mcp = NotesMcp(kernel)
    assert status_of(mcp) == 503

    async def run() -> None:
        async with mcp.running():
            pass

    asyncio.run(run())
    assert status_of(mcp) == 503


@pytest.mark.parametrize("module", ["tarimba.mcp.server", "tarimba.app"])
def test_the_sdk_is_not_loaded_before_it_serves(module: str) -> None:
    code = f"import sys, {module}; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
