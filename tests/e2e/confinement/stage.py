"""A member's workspace on the disk of a host where others' secrets lie, and runs in it by whoever is meant."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tarimba.harnesses.service import profile
from tarimba.identity.seats import Seat
from tarimba.workspaces import places, running
from tarimba.workspaces.launching import Wish, seated
from tarimba.workspaces.running import syscalls
from tarimba.workspaces.running.plan import LAYERS, Plan

HERE: Final = Path(__file__).parent
STRANGER: Final = 54_321
GROUPS: Final = ("on_paths", "covering", "namespaces", "host", "processes", "kernel", "sockets", "rights")
SECRET: Final = b"belongs to another\n"
_SPACE, _TEAM, _AGENT, _ANA, _BIA = (f"01a22dde-0000-7000-8000-00000000000{number}" for number in range(5))
_START: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from tarimba.workspaces.running.keeper import start; from tarimba.workspaces.running.plan import Plan; "
    "start(Plan.from_json(open(sys.argv[2], 'rb').read()))"
)


def interpreter() -> Path:
    """One that everybody on this machine may run: this one, else the system's."""
    here = Path(sys.executable).resolve()
    for found in (here, Path("/usr/bin/python3").resolve()):
        if all(folder.stat().st_mode & 0o001 for folder in (found, *found.parents)):
            return found
    raise AssertionError(f"{here} is in a private folder and there is no /usr/bin/python3")


@dataclass(frozen=True, slots=True)
class Stage:
    """`top` holds all of it, `data` is the data folder of an installation. `uid` is whom the workspace belongs to."""

    top: Path
    data: Path
    seat: Seat
    uid: int

    @property
    def workspace(self) -> Path:
        return places.folder(self.data, self.seat)

    def plan(self, *command: str, layers: frozenset[str] = LAYERS, is_root: bool = False) -> Plan:
        software = () if interpreter().is_relative_to("/usr") else (Path(sys.base_prefix).resolve(),)
        wish = Wish(command, variables=("GIVEN=1",), software=software, is_root=is_root)
        return replace(seated(self.data, self.seat, wish, {}), layers=layers)

    def host_paths(self) -> list[str]:
        """What must not be read: an example of each kind."""
        others = places.home(self.data, replace(self.seat, person_id=_BIA))
        own = places.home(self.data, self.seat)
        here = [
            self.data,
            self.data / "keys/master",
            self.data / "tarimba.db",
            others / "workspace/memory/MEMORY.md",
        ]
        theirs = [
            "/etc/shadow",
            "/etc/ssh",
            "/root",
            "/home",
            "/var/lib",
            "/boot",
            "/run/systemd",
            "/dev/mem",
        ]
        return [*map(str, [*here, own / "config.json", own / "managed", HERE]), *theirs]

    def state(self) -> str:
        """A digest of all that the agent must not change, names, modes, owners, times and bytes."""
        found = hashlib.sha256()
        for path in sorted(self.data.rglob("*")):
            if not path.is_relative_to(self.workspace):
                status = path.lstat()
                parts = (
                    path,
                    status.st_mode,
                    status.st_uid,
                    status.st_gid,
                    status.st_mtime_ns,
                    status.st_nlink,
                )
                found.update(repr(parts).encode())
                found.update(path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
        return found.hexdigest()


def staged(top: Path, uid: int, harness: str = "claude-code") -> Stage:
    """Everything belongs to `uid`, which is root's only where this process is root."""
    data = top / "data"
    seat = Seat(_SPACE, _TEAM, _AGENT, "billing", profile(harness), _ANA)
    stage = Stage(top, data, seat, uid)
    other = places.home(data, replace(seat, person_id=_BIA)) / "workspace/memory/MEMORY.md"
    home, inner = places.home(data, seat), (_SPACE, _TEAM, _AGENT)
    for path, content in {
        data / "keys/master": SECRET,
        data / "tarimba.db": SECRET,
        other: SECRET,
        places.config(data, seat): b"{}",
        home / "managed/AGENT.md": b"rules\n",
        home / "managed/memory/FILE_DELIVERY.md": b"rules\n",
        home / ".secrets/TOKEN": b"its own\n",
        data.joinpath("effective-skills", *inner, "refunds/SKILL.md"): b"theirs\n",
        data.joinpath("effective-files", *inner, "tenant/prices.csv"): b"theirs\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o600 if b"another" in content else 0o644)
    for folder in (
        seat.profile.own_root,
        seat.profile.shared_root,
        ".shared",
        ".secrets",
        "memory",
        "public",
    ):
        (home / "workspace" / folder).mkdir(parents=True)
    config = (seat.profile.config,) if seat.profile.configures_inside else ()
    for stub in ("AGENT.md", "memory/FILE_DELIVERY.md", *config):
        (home / "workspace" / stub).parent.mkdir(parents=True, exist_ok=True)
        (home / "workspace" / stub).touch()
    if os.geteuid() == 0:
        for path in [top, *top.rglob("*")]:
            os.chown(path, uid, uid)
    return stage


def reached(folder: Path) -> Path:
    """A folder that other users reach too."""
    for path in (folder, *folder.parents[:3]):
        if path.stat().st_uid == os.geteuid():
            path.chmod(0o755)
    return folder


def code(top: Path) -> Path:
    """The folder of packages with all that a run needs, where whoever runs it may read it."""
    package = top / "code/tarimba/workspaces"
    shutil.copytree(
        Path(running.__file__).parent, package / "running", ignore=shutil.ignore_patterns("*.pyc")
    )
    for made in (package, package.parent):
        (made / "__init__.py").touch()
    return top / "code"


def begin(
    stage: Stage, plan: Plan, packages: Path, uid: int | None = None, **more: Any
) -> subprocess.Popen[bytes]:
    """Starts a run as `uid`, where this process may; else, and for None, as itself."""
    written = stage.top / f"plan-{os.urandom(6).hex()}"
    written.write_bytes(plan.as_json())
    written.chmod(0o644)
    command = [str(interpreter()), "-I", "-c", _START, str(packages), str(written)]
    whom: dict[str, Any] = (
        {"user": uid, "group": uid, "extra_groups": []} if uid is not None and os.geteuid() == 0 else {}
    )
    given: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    return subprocess.Popen(command, cwd="/", env={"HOST_SECRET": "1"}, **given | whom | more)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    """Exit code, output and errors."""
    output, errors = process.communicate(timeout=120)
    return process.returncode, (output or b"").decode(), errors.decode()


def attacked(stage: Stage, packages: Path, uid: int | None, plan: Plan) -> dict[str, Any]:
    """What the attacks came to, by name, as the last line of the run says it."""
    leaked = os.open(stage.data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        done, output, errors = ended(begin(stage, plan, packages, uid, pass_fds=(leaked,)))
    finally:
        os.close(leaked)
    assert done == 0, errors
    found: dict[str, Any] = json.loads(output.splitlines()[-1])
    return found


def attack(
    stage: Stage,
    abstract: str,
    groups: Sequence[str] = GROUPS,
    *,
    layers: frozenset[str] = LAYERS,
    is_root: bool = False,
) -> Plan:
    """The plan of a run that tries everything."""
    at, shared = "/workspace", stage.seat.profile.shared_root
    given = {
        "groups": groups,
        "own": at,
        "own_skills": f"{at}/{stage.seat.profile.own_root}",
        "files": [
            f"{at}/{shared}/refunds/SKILL.md",
            f"{at}/.shared/tenant/prices.csv",
            f"{at}/AGENT.md",
            f"{at}/memory/FILE_DELIVERY.md",
            f"{at}/.secrets/TOKEN",
            f"{at}/{stage.seat.profile.config}",
        ],
        "folders": [f"{at}/{shared}", f"{at}/{shared}/refunds", f"{at}/.shared", f"{at}/.secrets"],
        "held": [
            at,
            *(f"{at}/{one}" for one in ("memory", ".claude-user", shared, ".claude", ".shared", ".secrets")),
        ],
        "host_paths": stage.host_paths(),
        "host_pid": os.getpid(),
        "abstract": abstract if syscalls.landlock_version() >= 6 else "",
        "other_uid": 1 if is_root else 0,
    }
    script = (HERE / "attacks.py").read_text(encoding="utf-8")
    return stage.plan(str(interpreter()), "-c", script, json.dumps(given), layers=layers, is_root=is_root)


@contextmanager
def listening() -> Iterator[str]:
    """An abstract socket of the host; its name."""
    name = f"tarimba-{os.urandom(6).hex()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        yield name
