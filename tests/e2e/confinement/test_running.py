"""A run as a process: what it passes on, what it leaves behind, and that it does not happen where it can't be held."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tarimba.errors import Refusal
from tarimba.workspaces import living, places
from tarimba.workspaces.launching import Wish, seated
from tarimba.workspaces.mounts import binds, points
from tarimba.workspaces.running import syscalls
from tarimba.workspaces.running.plan import LAYERS, Mounted, Plan
from tests.e2e.confinement.stage import (
    SECRET,
    STRANGER,
    Stage,
    begin,
    code,
    ended,
    interpreter,
    reached,
    staged,
)

SHELL = ("/bin/sh", "-c")
NOT_RUN = 125


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return code(reached(tmp_path_factory.mktemp("packages")))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return staged(reached(tmp_path), os.geteuid())


def outcome(
    stage: Stage, packages: Path, plan: Plan, before: Callable[[], object] | None = None
) -> tuple[int, str, str]:
    return ended(begin(stage, plan, packages, preexec_fn=before))


def test_exit_codes_are_those_of_the_command(stage: Stage, packages: Path) -> None:
    plans = {
        7: stage.plan(*SHELL, "exit 7"),
        137: stage.plan(*SHELL, "kill -9 $$"),
        127: stage.plan("no-such-command"),
        126: stage.plan("/workspace"),
    }
    assert {wanted: outcome(stage, packages, plan)[0] for wanted, plan in plans.items()} == {
        one: one for one in plans
    }


def test_standard_streams_are_the_callers_by_name_too(stage: Stage, packages: Path, tmp_path: Path) -> None:
    written = tmp_path / "out"
    with written.open("wb") as out:
        written.chmod(0o666)
        plan = stage.plan(*SHELL, "cat; echo more >> /dev/stdout; echo wrong > /dev/stderr")
        process = begin(stage, plan, packages, stdin=subprocess.PIPE, stdout=out)
        _, errors = process.communicate(b"said\n", timeout=60)
    assert (process.returncode, errors, written.read_bytes()) == (0, b"wrong\n", b"said\nmore\n")


def test_a_signal_reaches_the_command(stage: Stage, packages: Path) -> None:
    process = begin(
        stage,
        stage.plan(*SHELL, "trap 'echo told; exit 5' TERM; echo ready; while :; do sleep 1; done"),
        packages,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    assert ended(process)[:2] == (5, "told\n")


@pytest.mark.promise("workspace-ends-with-caller")
def test_everything_ends_when_the_caller_is_killed(stage: Stage, packages: Path) -> None:
    plan = stage.plan(*SHELL, "(trap '' TERM HUP; while :; do sleep 1; done) & echo ready; wait")
    process = begin(stage, plan, packages)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.kill()
    # The last holder of the pipe is gone when it ends.
    assert process.stdout.read() == b""
    process.communicate()


def test_what_it_starts_in_the_background_ends_with_it(stage: Stage, packages: Path) -> None:
    plan = stage.plan(*SHELL, "(while :; do sleep 1; done) & exit 3")
    assert outcome(stage, packages, plan) == (3, "", "")


NETWORK = """
import json, socket, sys
def reach(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError as error:
        return type(error).__name__
    return "reached"
server = socket.create_server(("127.0.0.1", 0))
devices = [name for _, name in socket.if_nameindex()]
told = {"host": reach(int(sys.argv[1])), "own": reach(server.getsockname()[1]), "devices": devices}
print(json.dumps(told))
"""


def test_without_a_network_there_is_a_loopback_alone(stage: Stage, packages: Path) -> None:
    told = {}
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = (str(interpreter()), "-c", NETWORK, str(server.getsockname()[1]))
        for has_network in (True, False):
            plan = replace(stage.plan(*command), has_network=has_network)
            told[has_network] = json.loads(outcome(stage, packages, plan)[1])
    assert (told[True]["host"], told[True]["own"]) == ("reached", "reached")
    assert (told[False]["host"], told[False]["own"]) == ("ConnectionRefusedError", "reached")
    assert told[False]["devices"] == ["lo"]


@pytest.mark.promise("workspace-recursive")
def test_what_lies_below_a_read_only_mount_is_read_only_too(stage: Stage, packages: Path) -> None:
    shared = next(bind for bind in stage.plan("true").binds if bind.target.endswith(".claude-user/skills"))
    below = Path(shared.source) / "refunds"

    def mount_below() -> None:
        _own_mounts()
        tree = syscalls.new_filesystem("tmpfs", {"mode": "777"}, 0)
        syscalls.attach_at(tree, str(below))

    attempt = stage.plan(
        *SHELL, "stat -f -c %T .claude-user/skills/refunds; echo x > .claude-user/skills/refunds/mine"
    )
    done, output, errors = outcome(stage, packages, attempt, mount_below)
    assert (output, "Read-only" in errors, done) == ("tmpfs\n", True, 2)
    # A bind that is not read-only shows that the attempt can succeed.
    assert outcome(stage, packages, replace(attempt, layers=LAYERS - {"read_only"}), mount_below)[0] == 0


@pytest.mark.promise("workspace-never-unprotected")
def test_where_it_can_not_be_held_nothing_is_run(stage: Stage, packages: Path) -> None:
    missing = {"landlock": 444, "attributes": 442, "trees": 428, "moves": 429, "file systems": 430}
    found = {
        name: outcome(stage, packages, _marking(stage), _without(number)) for name, number in missing.items()
    }
    found["namespaces"] = outcome(stage, packages, _marking(stage), _no_namespaces)
    for name, (done, output, errors) in found.items():
        assert (name, done, output) == (name, NOT_RUN, "")
        assert "This machine can't " in errors
        assert errors.endswith("Nothing was run.\n")
    assert not (stage.workspace / "marked").exists()
    # Where nothing is missing it is.
    assert outcome(stage, packages, _marking(stage))[0] == 0
    assert (stage.workspace / "marked").exists()


def test_roots_workspace_on_a_disk_that_shows_it_to_nobody_else_is_said_and_held_all_the_same(
    stage: Stage, packages: Path
) -> None:
    shared = next(bind for bind in stage.plan("true").binds if bind.target.endswith(".shared"))

    def mount_old_kind() -> None:
        _own_mounts()
        # A file system that knows nothing of other numbers; where it needs root's, one that does.
        kind = "tmpfs" if os.getuid() else "ramfs"
        syscalls.attach_at(syscalls.new_filesystem(kind, {"mode": "755"}, 0), shared.source)

    plan = stage.plan(
        *SHELL, "id -u; echo x > AGENT.md || echo x > .shared/mine || cat /proc/1/environ || exit 8"
    )
    done, output, errors = outcome(stage, packages, plan, mount_old_kind)
    assert (done, output) == (8, "1000\n")
    assert ("The workspace belongs to root" in errors) == (os.geteuid() == 0)


def test_a_folder_as_standard_output_is_refused(stage: Stage, packages: Path) -> None:
    handle = os.open(stage.data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        done = ended(begin(stage, _marking(stage), packages, stdout=handle))[0]
    finally:
        os.close(handle)
    # The interpreter itself refuses most of them.
    assert done in {1, NOT_RUN}
    assert not (stage.workspace / "marked").exists()


@pytest.mark.promise("workspace-links")
@pytest.mark.parametrize("path", ["memory", ".claude-user", ".shared", ".claude/skills", ".mcp.json"])
def test_a_link_in_the_place_of_what_is_mounted_leads_nowhere(
    stage: Stage, packages: Path, path: str
) -> None:
    outside = stage.data / "keys"
    before = stage.state()
    plan = _marking(stage)
    place = stage.workspace / path
    place.rename(stage.workspace / "aside")
    place.symlink_to(outside)
    with pytest.raises(Refusal, match="something else stands"):
        _marking(stage)
    # A plan that was made before: between the look and the mount the agent may leave it too.
    done, _, errors = outcome(stage, packages, plan)
    assert (done, errors.endswith("Nothing was run.\n")) == (NOT_RUN, True)
    assert not (stage.workspace / "marked").exists()
    assert stage.state() == before
    assert (outside / "master").read_bytes() == SECRET


SWAPS = """
import os, sys
from tarimba.confined import exchange
folder = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
print("swapping", flush=True)
while True:
    exchange(folder, sys.argv[2], folder, sys.argv[3])
"""


@pytest.mark.promise("workspace-links")
@pytest.mark.parametrize("rounds", [3, pytest.param(100, marks=pytest.mark.nightly)])
def test_a_folder_that_changes_places_with_a_link_all_the_time_leads_nowhere(
    stage: Stage, packages: Path, rounds: int
) -> None:
    before = stage.state()
    (stage.workspace / "link").symlink_to(stage.data / "keys")
    plan = stage.plan(*SHELL, "cat memory/master && exit 9; echo x > memory/agents; true")
    swapping = [sys.executable, "-c", SWAPS, str(stage.workspace), "memory", "link"]
    with subprocess.Popen(swapping, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"swapping\n"
        codes = {outcome(stage, packages, plan)[0] for _ in range(rounds)}
        other.kill()
    assert codes <= {0, NOT_RUN}
    assert stage.state() == before


def test_software_is_read_where_it_lies_and_nothing_of_the_installation_is(
    stage: Stage, packages: Path
) -> None:
    tool = stage.top / "tools/bin/tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho works\necho x > $0\n")
    tool.chmod(0o755)
    for folder in (tool.parent, tool.parent.parent):
        folder.chmod(0o755)
    binds = (Mounted(str(stage.top / "tools"), "/opt/tools", read_only=True),)
    plan = stage.plan("/opt/tools/bin/tool")
    done, output, errors = outcome(stage, packages, replace(plan, software=(*plan.software, *binds)))
    assert (done, output, "Read-only" in errors) == (2, "works\n", True)
    # Below the folder for temporary files too, of which the command has its own.
    plan = seated(stage.data, stage.seat, Wish((str(tool),), software=(stage.top / "tools",)), {})
    done, output, errors = outcome(stage, packages, plan)
    assert (done, output, "Read-only" in errors) == (2, "works\n", True)
    for wrong in (
        Path("/tmp"),
        stage.top,
        stage.data,
        stage.workspace,
        Path("/proc"),
        Path("/"),
        Path("/etc/ssh"),
        Path("relative"),
    ):
        with pytest.raises(Refusal, match="--with"):
            seated(stage.data, stage.seat, Wish(("true",), software=(wrong,)), {})


def _marking(stage: Stage) -> Plan:
    return stage.plan(*SHELL, "echo > marked")


def _own_mounts() -> None:
    """Namespaces of mounts, and of users for whom is not root, in the process that is about to start the run."""
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.NEWNS | (syscalls.NEWUSER if uid else 0))
    if uid:
        _number(uid, gid)
    syscalls.private()


def _number(uid: int, gid: int) -> None:
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")


def _no_namespaces() -> None:
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.NEWUSER)
    _number(uid, gid)
    Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="ascii")


def _without(number: int) -> Callable[[], None]:
    """A kernel that lacks one system call, as the process that is about to start the run sees it."""
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050026), (0x06, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)

    def filtered() -> None:
        syscalls.prctl(syscalls.NO_NEW_PRIVS, 1)
        syscalls.filter_calls(program)

    return filtered


@pytest.mark.promise("workspace-held")
def test_a_run_keeps_others_with_other_mounts_out_until_it_has_ended(stage: Stage, packages: Path) -> None:
    home = places.home(stage.data, stage.seat)
    present = points(stage.seat, binds(stage.data, stage.seat))
    held = living.begin(home, present)
    plan = replace(stage.plan(*SHELL, "ls -l /proc/self/fd; read -r _"), held=held)
    process = begin(stage, plan, packages, stdin=subprocess.PIPE, pass_fds=held)
    for handle in held:
        os.close(handle)
    assert process.stdout is not None
    assert process.stdout.readline()
    living.require_alike(home, present)
    with pytest.raises(Refusal, match="end it first"):
        living.require_alike(home, {"workspace": ["CLAUDE.md"]})
    done, output, _ = ended(process)
    assert done == 1, "the end of its input"
    assert ".lock" not in output
    living.require_alike(home, {"workspace": ["CLAUDE.md"]})


@pytest.mark.promise("workspace-confined")
def test_a_file_can_not_be_held_against_who_opens_it(stage: Stage, packages: Path) -> None:
    script = "import fcntl; fcntl.fcntl(open('/workspace/note', 'w'), fcntl.F_SETLEASE, fcntl.F_WRLCK)"
    done, _, errors = outcome(stage, packages, stage.plan(str(interpreter()), "-c", script))
    assert done == 1
    assert "PermissionError" in errors


@pytest.mark.promise("workspace-confined")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_pipe_with_a_name_stays_its_owners(tmp_path: Path, packages: Path) -> None:
    stage = staged(reached(tmp_path), STRANGER)
    named = tmp_path / "pipe"
    os.mkfifo(named)
    with open(os.open(named, os.O_RDWR), "rb", buffering=0) as pipe:  # noqa: PTH123 - a descriptor
        assert ended(begin(stage, stage.plan("true"), packages, stdin=pipe))[0] == 0
    assert named.stat().st_uid == 0
