"""A disk that is full, closed or broken, and a kill at any moment: the old text or the new one, whole, and said so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tarimba.workspaces.memory_files import CUSTOM
from tests.contract.memory_files.replacing import replace
from tests.contract.memory_files.room import Room, sha
from tests.contract.memory_files.seats import TREE

pytestmark = pytest.mark.promise("memory-files")

HERE = Path(__file__).parent
FULL = "unavailable: The disk of the workspace is full"
CLOSED = "unavailable: The workspace is not ours to use"
BROKEN = "unavailable: The disk of the workspace fails"
FAULTS = [
    ("write:error=ENOSPC:when=1", FULL),
    # The directory can't be brought to the disk after the two have changed places.
    ("fsync:error=EIO:when=3", BROKEN),
    ("renameat2:error=EACCES:when=2", CLOSED),
    *(
        pytest.param(fault, told, marks=pytest.mark.nightly)
        for fault, told in (
            ("fsync:error=EIO:when=1", BROKEN),
            ("fsync:error=EIO:when=3+", BROKEN),
            ("fchmod:error=EPERM:when=1", CLOSED),
            ("renameat2:error=ENOSPC:when=1", FULL),
            ("openat2:error=EACCES:when=1", CLOSED),
            ("openat2:error=EIO:when=4+", BROKEN),
        )
    ),
]
MODULE = "tests.contract.memory_files"


def run(module: str, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-m", f"{MODULE}.{module}", *arguments]
    return subprocess.run(command, cwd=HERE.parents[2], capture_output=True, text=True, check=False)


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize(("fault", "told"), FAULTS)
def test_a_fault_of_the_disk_is_told_and_leaves_the_old_text_whole(
    tmp_path: Path, fault: str, told: str
) -> None:
    folder = tmp_path / TREE / "memory"
    folder.mkdir(parents=True)
    (folder / CUSTOM).write_bytes(b"old" * 1000)
    calls = fault.partition(":")[0]
    # A filter of system calls keeps the tracer away from all others.
    tracer = (
        "strace",
        "-qq",
        "-f",
        "--seccomp-bpf",
        "-o",
        str(tmp_path / "trace"),
        "-e",
        f"trace={calls}",
        "-e",
        f"inject={fault}",
    )
    done = run("writing", str(tmp_path), before=tracer)
    assert done.stdout.startswith(told), done.stdout + done.stderr
    assert "workspace.fault" in done.stderr
    assert (folder / CUSTOM).read_bytes() == b"old" * 1000
    replace(tmp_path, b"new" * 1000)
    assert (folder / CUSTOM).read_bytes() == b"new" * 1000


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize("times", [50, pytest.param(1_000, marks=pytest.mark.nightly)])
def test_a_kill_while_replacing_leaves_one_of_the_two_texts_whole(tmp_path: Path, times: int) -> None:
    done = run("replacing", str(tmp_path), str(times))
    assert done.returncode == 0, done.stderr
    seen, left = done.stdout.split()
    # Both texts were there at some kill, and some kill came between the first and the last step of a write.
    assert (seen, int(left) > 0) == ("3", True)


@pytest.mark.parametrize(
    "moment", [4, 9, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1, 12) if n not in {4, 9})]
)
def test_a_kill_of_the_server_at_any_moment_loses_nobodys_text(room: Room, moment: int) -> None:
    room.note("First.\n")
    room.agent_writes(f"memory/{CUSTOM}", "The agent's.\n")
    settings = room.api.kernel.settings
    given = (
        str(settings.data),
        settings.url,
        room.company.bearers["member"],
        sha("The agent's.\n"),
        str(moment),
    )
    environment = {**os.environ, **room.api.place.environment}
    command = [sys.executable, "-m", f"{MODULE}.dying", *given]
    done = subprocess.run(command, cwd=HERE.parents[2], env=environment, check=False)
    assert done.returncode in {-signal.SIGKILL, 0}
    now = room.memory().json()["text"]
    assert now in {"The agent's.\n", "Second.\n"}
    kept = {room.memory(f"/versions/{one['version']}").json()["text"] for one in room.versions()}
    assert {"First.\n", "The agent's.\n", now} <= kept
    # And the next write goes its way.
    assert room.note("Third.\n", now).status_code == 200
    assert done.returncode == -signal.SIGKILL
