"""The disk is full, fails or can't be written: clients are told so, and the server goes on once it is well again."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.company import Place, found
from tests.e2e.faults.asking import FREE, Promised, require_recovered, require_refused, under_load, until
from tests.fixtures.server import RunningServer, running_server

# A disk of its own, in namespaces of its own: no rights of ours are needed, and it ends with the command.
SMALL_DISK = (
    *("unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c"),
    'mount -t tmpfs -o size=24m tmpfs "$0" && exec "$@"',
)


@contextmanager
def failing(server: RunningServer, calls: str, error: str) -> Iterator[None]:
    """Within, these system calls of the server fail with the error."""
    told = server.data / "strace"
    inject = ("-e", f"trace={calls}", "-e", f"inject={calls}:error={error}")
    with told.open("wb") as output:
        tracer = subprocess.Popen(
            ["strace", "-f", "-p", str(server.process.pid), "-o", "/dev/null", *inject],
            stderr=output,
        )
        try:
            until(lambda: "attached" in told.read_text(encoding="utf-8"))
            yield
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.wait()


@pytest.mark.promise("faults-told")
def test_a_full_disk_refuses_reads_and_writes_and_is_over_when_there_is_room(tmp_path: Path) -> None:
    command = [*SMALL_DISK, str(tmp_path), sys.executable, "-m", "tests.e2e.faults.full_disk", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.promise("faults-told")
@pytest.mark.parametrize(
    ("calls", "error"),
    [
        ("fdatasync,fsync", "EIO"),
        ("pwrite64", "EROFS"),
        pytest.param("pwrite64", "EIO", marks=pytest.mark.nightly),
    ],
)
def test_a_disk_that_fails_refuses_and_what_was_answered_is_there(
    sqlite_place: Place, calls: str, error: str
) -> None:
    place = sqlite_place
    company, promised = found(place, **FREE), Promised()
    with running_server(place.data, None, env=place.environment) as server:
        with under_load(server, company, promised):
            promised.wait_for(20)
            with failing(server, calls, error):
                require_refused(server, company)
            promised.wait_for(len(promised.receipts) + 20)
        require_recovered(server, place, company, promised)
        # As after a power cut: nothing of it was in memory alone.
        server.kill9()
        server.start()
        require_recovered(server, place, company, promised)
