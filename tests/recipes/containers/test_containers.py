"""Real containers with the mounts that are printed: runc as root and as nobody in particular, and podman."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tarimba.workspaces.mount_forms import arguments, oci
from tarimba.workspaces.mounts import Bind, binds
from tarimba.workspaces.running import syscalls
from tests.e2e.confinement.stage import STRANGER, Stage, reached, staged

pytestmark = [pytest.mark.nightly, pytest.mark.promise("workspace-mounts")]

AT = "/workspace"
SKILLS = f"{AT}/.claude-user/skills"
FILES = (
    f"{SKILLS}/refunds/SKILL.md",
    f"{AT}/.shared/tenant/prices.csv",
    f"{AT}/AGENT.md",
    f"{AT}/memory/FILE_DELIVERY.md",
)
HELD = (f"{AT}/memory", f"{AT}/.claude-user", SKILLS, f"{AT}/.shared")
ATTEMPTS = (
    *(attempt for path in FILES for attempt in (
        f"echo x > {path}", f"echo x >> {path}", f"rm -f {path}", f"mv {path} {AT}/taken", f"ln {path} {AT}/linked",
        f"echo x > {AT}/own && mv {AT}/own {path}", f"chmod 666 {path}", f"touch {path}",
    )),
    *(f"mv {path} {path}-aside" for path in HELD),
    *(attempt for path in (SKILLS, f"{AT}/AGENT.md") for attempt in (
        f"mount -o remount,rw,bind {path}", f"mount -o remount,rw {path}", f"umount {path}", f"umount -l {path}",
        f"unshare -U -r -m mount -o remount,rw,bind {path}", f"unshare -U -r -m umount {path}",
    )),
    f"mkdir {SKILLS}/mine", f"ln -s /etc/passwd {SKILLS}/mine", f"mkfifo {SKILLS}/mine", f"mknod {AT}/disk b 8 0",
    f"rmdir {SKILLS}/refunds", f"cat {AT}/../data/keys/master",
)  # fmt: skip
WORKS = f"echo mine > {AT}/.claude/skills/mine && cat {AT}/AGENT.md && cat {AT}/.secrets/TOKEN"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A root of one static program beside the stage of a host."""

    stage: Stage
    folder: Path

    @property
    def binds(self) -> tuple[Bind, ...]:
        return binds(self.stage.data, self.stage.seat)


def bundled(top: Path, uid: int) -> Bundle:
    busybox = shutil.which("busybox")
    assert busybox, "the nightly run installs it: scripts/system-packages nightly"
    bundle = Bundle(staged(top, uid), top / "bundle")
    root = bundle.folder / "rootfs"
    for name in ("bin", "proc", "dev", "sys", "tmp", "etc", "workspace"):
        (root / name).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    for name in (
        "sh",
        "cat",
        "chmod",
        "chroot",
        "echo",
        "ln",
        "mkdir",
        "mkfifo",
        "mknod",
        "mount",
        "mv",
        "rm",
        "rmdir",
        "touch",
        "umount",
        "unshare",
    ):
        (root / "bin" / name).symlink_to("busybox")
    for path in (bundle.folder, *bundle.folder.rglob("*")):
        os.chown(path, uid, uid, follow_symlinks=False)
    return bundle


def script(attempts: Sequence[str]) -> str:
    """One line of an attempt's number and its exit code each, and that of what must work."""
    lines = [f"({attempt}) >/dev/null 2>&1; echo {number} $?" for number, attempt in enumerate(attempts)]
    return "\n".join([*lines, f"({WORKS}) >/dev/null 2>&1; echo works $?"])


def came_to(output: str, attempts: Sequence[str]) -> tuple[list[str], bool]:
    """The attempts that succeeded, and whether what must work did."""
    codes = dict(line.split() for line in output.splitlines())
    assert len(codes) == len(attempts) + 1, output
    return [attempts[int(name)] for name, code in codes.items() if name != "works" and code == "0"], codes[
        "works"
    ] == "0"


def run_runc(
    bundle: Bundle, shell: str, mounts: Sequence[dict[str, Any]], before: Callable[[], None] | None = None
) -> str:
    """The output of a shell in a container by runc, as the owner of the bundle."""
    uid = bundle.stage.uid
    whom: dict[str, Any] = {"user": uid, "group": uid, "extra_groups": []} if uid else {}
    config = bundle.folder / "config.json"
    config.unlink(missing_ok=True)
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "XDG_RUNTIME_DIR": str(bundle.folder)}
    given: dict[str, Any] = {"cwd": bundle.folder, "env": environment} | whom
    subprocess.run(["runc", "spec", *(["--rootless"] if uid else [])], check=True, **given)
    made = json.loads(config.read_text(encoding="utf-8"))
    made["mounts"] += mounts
    made["process"] |= {"terminal": False, "args": ["/bin/sh", "-c", shell]}
    config.write_text(json.dumps(made), encoding="utf-8")
    name = f"tarimba-{os.urandom(6).hex()}"
    command = ["runc", "--root", str(bundle.folder / "state"), "run", name]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=before, check=False, **given)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


@pytest.mark.parametrize("uid", [0, STRANGER], ids=["root", "rootless"])
def test_runc_changes_nothing_that_is_read_only(tmp_path: Path, uid: int) -> None:
    bundle = bundled(reached(tmp_path), uid)
    before = bundle.stage.state()
    done, works = came_to(run_runc(bundle, script(ATTEMPTS), oci(bundle.binds)), ATTEMPTS)
    assert (done, works) == ([], True)
    assert bundle.stage.state() == before
    # The same attempts where the same mounts are not read-only.
    free = [replace(bind, read_only=False) for bind in bundle.binds]
    done, _ = came_to(run_runc(bundle, script(ATTEMPTS), oci(free)), ATTEMPTS)
    assert {f"echo x > {FILES[0]}", f"touch {FILES[2]}", f"mkdir {SKILLS}/mine"} <= set(done)


def test_runc_lets_nobody_write_below_a_read_only_mount_but_where_it_is_not_told(tmp_path: Path) -> None:
    bundle = bundled(reached(tmp_path), 0)
    skills = next(bind.source for bind in bundle.binds if str(bind.target) == SKILLS)

    def mount_below() -> None:
        syscalls.unshare(syscalls.NEWNS)
        syscalls.private()
        syscalls.attach_at(syscalls.new_filesystem("tmpfs", {"mode": "777"}, 0), str(skills / "refunds"))

    attempts = (f"echo x > {SKILLS}/refunds/mine",)
    told = oci(bundle.binds)
    assert came_to(run_runc(bundle, script(attempts), told, mount_below), attempts)[0] == []
    for mount in told:
        mount["options"] = [option for option in mount["options"] if option != "rro"]
    assert came_to(run_runc(bundle, script(attempts), told, mount_below), attempts)[0] == list(attempts)


@pytest.fixture
def short() -> Iterator[Path]:
    """podman takes no path above 50 characters."""
    with tempfile.TemporaryDirectory(prefix="p") as folder:
        yield Path(folder)


def test_podman_changes_nothing_that_is_read_only(tmp_path: Path, short: Path) -> None:
    bundle = bundled(reached(tmp_path), 0)
    archive = bundle.folder / "root.tar"
    subprocess.run(["tar", "-C", str(bundle.folder / "rootfs"), "-cf", str(archive), "."], check=True)
    podman = [
        "podman", "--storage-driver", "vfs", "--root", str(short / "store"),
        "--runroot", str(short / "run"), "--cgroup-manager", "cgroupfs", "--runtime", "runc",
    ]  # fmt: skip
    subprocess.run([*podman, "import", str(archive), "local/busybox:1"], check=True, capture_output=True)
    before = bundle.stage.state()
    # Its own limits are above those of some machines.
    limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--network", "none", "--rm"]
    command = [
        *podman,
        "run",
        *limits,
        *arguments("podman", bundle.binds),
        "local/busybox:1",
        "/bin/sh",
        "-c",
    ]
    done = subprocess.run([*command, script(ATTEMPTS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert came_to(done.stdout, ATTEMPTS) == ([], True)
    assert bundle.stage.state() == before
