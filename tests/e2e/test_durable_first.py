"""The system calls of a server on SQLite: the log is on the disk before the answer is on the wire."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx
import pytest

from tests.e2e.company import MEMORY, NOTE, Place, found
from tests.fixtures.server import RunningServer, running_server

Step = Literal["asked", "written", "synced", "answered"]
CALLS = "pwrite64,pwritev,fdatasync,fsync,read,recvfrom,recvmsg,write,writev,sendto,sendmsg"
# `1234 fdatasync(20</data/tarimba.db-wal>) = 0`, or begun in one line and `resumed` in another one.
SYNC_BEGUN = re.compile(r"(\d+) +(?:fdatasync|fsync)\(\d+<[^>]*-wal>")
SYNC_ENDED = re.compile(r"(\d+) +(?:<\.\.\. )?(?:fdatasync|fsync)\b.* = 0$")


@dataclass(frozen=True)
class Traced:
    """The steps of a trace in their order, each with the line it was read from."""

    steps: Sequence[tuple[Step, str]]

    @classmethod
    def read(cls, trace: Path) -> Traced:
        steps: list[tuple[Step, str]] = []
        syncing: set[str] = set()
        for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
            begun = SYNC_BEGUN.match(line)
            ended = SYNC_ENDED.match(line)
            if begun:
                syncing.add(begun[1])
            if ended and ended[1] in syncing:
                syncing.remove(ended[1])
                steps.append(("synced", line))
            elif re.search(r'"(GET|POST) /v1/', line):
                steps.append(("asked", line))
            elif re.search(r"pwritev?(64)?\(\d+<[^>]*-wal>", line):
                steps.append(("written", line))
            elif '"HTTP/1.1 20' in line:
                steps.append(("answered", line))
        return cls(steps)

    def between(self, asked: str, answered: str) -> list[Step]:
        """What happened from the reading of that request to the sending of the next answer of that status."""
        start = next(at for at, (_, line) in enumerate(self.steps) if asked in line)
        end = next(at for at, (_, line) in enumerate(self.steps) if at > start and answered in line)
        return [step for step, _ in self.steps[start : end + 1]]


def stop_traced(server: RunningServer) -> None:
    """Ends the server below its tracer, which blocks signals to itself and ends with it."""
    tracer = server.process.pid
    (child,) = Path(f"/proc/{tracer}/task/{tracer}/children").read_text().split()
    os.kill(int(child), signal.SIGTERM)
    server.process.wait()


def require_synced(steps: list[Step]) -> None:
    """All that was written was synced before the answer left."""
    assert "written" in steps
    assert steps[-2:] == ["synced", "answered"]


@pytest.mark.promise("durable-before-answer")
def test_the_log_is_synced_before_the_answer_leaves(sqlite_place: Place, tmp_path: Path) -> None:
    company = found(sqlite_place)
    trace = tmp_path / "trace"
    tracer = ("strace", "-f", "-y", "-s", "80", "-e", f"trace={CALLS}", "-o", str(trace))
    program = (*tracer, sys.executable, "-m", "tarimba.cli")
    headers = company.headers("billing")
    with (
        running_server(sqlite_place.data, env=sqlite_place.environment, program=program) as server,
        httpx.Client(base_url=server.base_url + MEMORY, headers=headers, timeout=120) as client,
    ):
        assert client.post("/notes", json=NOTE).status_code == 201
        cold, hot = client.get("/block?view=cold"), client.get("/block?view=cold&task_id=hot")
        assert [cold.status_code, hot.status_code] == [200, 200]
        stop_traced(server)
    traced = Traced.read(trace)
    require_synced(traced.between("POST /v1/agent-memory/notes", "201 Created"))
    require_synced(traced.between("GET /v1/agent-memory/block?view=cold HTTP", "200 OK"))
    require_synced(traced.between("GET /v1/agent-memory/block?view=cold&task_id=hot", "200 OK"))


def test_a_trace_with_a_late_sync_is_told_from_one_that_is_right(tmp_path: Path) -> None:
    asked, answered = '7 read(9<socket:[1]>, "POST /v1/x", 9) = 9', '7 write(9<socket:[1]>, "HTTP/1.1 200 OK"'
    written, synced = '8 pwrite64(5</d/t.db-wal>, "", 24, 0) = 24', "8 fdatasync(5</d/t.db-wal>) = 0"
    halves = ["8 fdatasync(5</d/t.db-wal> <unfinished ...>", "8 <... fdatasync resumed>) = 0"]
    trace = tmp_path / "trace"

    def is_right(*lines: str) -> bool:
        trace.write_text("\n".join([asked, *lines]))
        return Traced.read(trace).between("POST", "200 OK")[-2:] == ["synced", "answered"]

    assert is_right(written, synced, answered)
    assert is_right(written, *halves, answered)
    assert not is_right(written, answered, synced)
    assert not is_right(written, halves[0], answered, halves[1])
    assert not is_right(synced, written, answered)
