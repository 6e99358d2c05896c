"""An SQLite file has one server; commands and workers run beside it, and nothing has to be cleaned up after a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.company import Place, found
from tests.fixtures.server import PROGRAM, ServerError, running_server

pytestmark = pytest.mark.promise("one-server-on-sqlite")


# A worker that is told to stop when its main thread has done a few more lines since it said that it works.
TOLD_SOON = """
import os, signal, sys, threading
from tarimba import app
from tarimba.settings import Settings

left = int(sys.argv[1])

def trace(frame, event, _):
    global left
    if event == "line":
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGTERM)
    return trace

def begin():
    # Where it does fewer lines than that before it waits.
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGTERM)).start()
    sys._getframe(1).f_trace = trace
    sys.settrace(trace)

app.work(Settings(), ready=begin)
"""


def test_a_second_server_is_refused_and_a_crash_leaves_no_lock(sqlite_place: Place) -> None:
    place = sqlite_place
    with running_server(place.data, env=place.environment) as server:
        with (
            pytest.raises(ServerError, match="Another server has this SQLite file open: stop it first"),
            running_server(place.data, env=place.environment),
        ):
            pass
        server.kill9()
        # The same file by another name is the same file.
        link = place.data.with_name("by-another-name")
        link.symlink_to(place.data)
        with (
            running_server(link, env=place.environment),
            pytest.raises(ServerError, match="Another server"),
        ):
            server.start()


def test_commands_and_a_worker_run_beside_a_server(sqlite_place: Place) -> None:
    place = sqlite_place
    with running_server(place.data, env=place.environment | {"TARIMBA_JOBS": "false"}):
        company = found(place)
        assert company.slug in place.command("space", "list")
        worker = subprocess.Popen(
            [*PROGRAM, "worker", "--data", str(place.data)],
            env={**os.environ, **place.environment},
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
        )
        with worker:
            assert worker.stdout is not None
            assert b"Working" in worker.stdout.readline()
            worker.terminate()
            assert worker.wait(60) == 0


def test_servers_on_postgres_stand_beside_each_other(migrated_postgres_url: str, tmp_path: Path) -> None:
    place = Place(tmp_path, migrated_postgres_url)
    with (
        running_server(place.data, place.db, env=place.environment),
        running_server(place.data, place.db, env=place.environment),
    ):
        pass


@pytest.mark.promise("drains")
@pytest.mark.parametrize("lines", range(1, 6))
def test_a_worker_ends_whatever_it_was_doing_when_told(sqlite_place: Place, lines: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOLD_SOON, str(lines)],
        env={**os.environ, **sqlite_place.environment, "TARIMBA_DATA": str(sqlite_place.data)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
