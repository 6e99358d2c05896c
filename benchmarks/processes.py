"""Processes that are measured from outside: CPU and memory from /proc, so Linux only."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.wire import Wire, request
from tests.fixtures.cluster import free_port

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_START_SECONDS = 30.0
_MIB = 1024 * 1024


def cpu_seconds(pid: int) -> float:
    """CPU that the process has used so far, user and system, all threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK


def family_cpu_seconds(pid: int) -> float:
    """CPU of the process and its living children: PostgreSQL has one for each connection."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    total = cpu_seconds(pid)
    for child in children:
        with contextlib.suppress(FileNotFoundError):
            total += cpu_seconds(int(child))
    return total


def rss_mib(pid: int) -> float:
    """Resident memory in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


@contextlib.contextmanager
def bare_server(content: bytes) -> Iterator[tuple[int, int]]:
    """The bare route over these bytes: its port and process id."""
    port = free_port()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(content)
        file.flush()
        command = [sys.executable, "-m", "benchmarks.bare", str(port), file.name]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            _wait(port)
            yield port, process.pid
        finally:
            process.terminate()
            process.wait()


def _wait(port: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            with Wire(port) as wire:
                wire.ask_ok(request("GET", "/healthz"))
        except ConnectionError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
