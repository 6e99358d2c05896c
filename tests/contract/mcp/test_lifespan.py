"""When the MCP server serves, and what a command line that never serves has to load."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tarimba.kernel import Kernel
from tarimba.mcp.server import NotesMcp
from tests.e2e.company import MEMORY, Place, found
from tests.fixtures.server import running_server


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


SERVES = """
import asyncio, json, sys, threading
from contextlib import asynccontextmanager
from tarimba.mcp.speaking import Speaking

class Manager:
    @asynccontextmanager
    async def run(self):
        yield

async def main():
    speaking = Speaking(load)
    async with speaking.running():
        before = "mcp" in sys.modules
        managers = await asyncio.gather(*[speaking.manager() for _ in range(5)])
        print(json.dumps([before, "mcp" in sys.modules, len(set(map(id, managers)))]))

def load():
    import mcp.server.streamable_http_manager
    assert threading.current_thread() is not threading.main_thread()
    return Manager()

asyncio.run(main())
"""


@pytest.mark.parametrize("module", ["tarimba.mcp.server", "tarimba.app"])
def test_the_sdk_is_not_loaded_before_it_serves(module: str) -> None:
    code = f"import sys, {module}; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_sdk_is_loaded_once_by_whoever_asks_first_and_beside_the_loop() -> None:
    done = subprocess.run([sys.executable, "-c", SERVES], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, True, 1]


def test_a_server_that_nobody_asks_never_loads_it(tmp_path: Path) -> None:
    place = Place(tmp_path, None)
    telling = (sys.executable, "-X", "importtime", "-m", "tarimba.cli")
    with running_server(place.data, env=place.environment, program=telling) as server:
        company = found(place)
        headers = company.headers("billing")
        assert httpx.get(f"{server.base_url}{MEMORY}/block", headers=headers).is_success
        assert " mcp.server" not in server.stderr.read_text()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accept = {"accept": "application/json, text/event-stream"}
        assert httpx.post(
            f"{server.base_url}/mcp", json=ping, headers=headers | accept, timeout=60
        ).is_success
        assert " mcp.server" in server.stderr.read_text()
