"""Starts a run: a fresh process with nothing of the caller's in its memory, which opens the namespaces and waits.

The keeper is the process that was asked and stays outside. The first process inside makes the mounts and dies with the
keeper. The command is its child, in a user namespace below with no rights, and dies with the first.
"""

from __future__ import annotations

import os
import platform
import signal
import stat
import sys
from pathlib import Path
from typing import Final, NoReturn

from tarimba.workspaces.running import numbering, shifting, syscalls
from tarimba.workspaces.running.inside import AWAITED, become, first, told, wait_for
from tarimba.workspaces.running.mounting import NotRunError, step
from tarimba.workspaces.running.plan import Plan

_NAMESPACES: Final = (
    syscalls.NEWUSER | syscalls.NEWPID | syscalls.NEWIPC | syscalls.NEWUTS | syscalls.NEWCGROUP
)
_ASKED: Final = "give it namespaces of its own (are user namespaces allowed?)"
_START: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from tarimba.workspaces.running.keeper import main; main(int(sys.argv[2]))"
)


def start(plan: Plan, interpreter: str = sys.executable) -> NoReturn:
    """Puts the run in the place of this process. The plan crosses in memory alone: it may hold secrets."""
    handle = os.memfd_create("plan", 0)
    os.write(handle, plan.as_json())
    os.lseek(handle, 0, os.SEEK_SET)
    for one in (handle, *plan.held):
        os.set_inheritable(one, True)
    packages = str(Path(__file__).resolve().parents[3])
    os.execve(interpreter, [interpreter, "-I", "-c", _START, packages, str(handle)], {})  # noqa: S606


def start_unconfined(plan: Plan) -> NoReturn:
    """Puts the command in the place of this process, as the owner of the workspace and with nothing else held back."""
    os.umask(0o077)
    os.chdir(plan.folder)
    if os.geteuid() == 0 and plan.uid != 0:
        os.setgroups([])
        os.setresgid(plan.gid, plan.gid, plan.gid)
        os.setresuid(plan.uid, plan.uid, plan.uid)
    become(plan)


def main(handle: int) -> NoReturn:
    """Ends with the exit code of the command, or with 125 and a sentence when it could not be confined."""
    with told():
        with os.fdopen(handle, "rb") as file:
            plan = Plan.from_json(file.read())
        machine = _checked()
        signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
        plan, shifted = shifting.away_from_root(plan)
        _give_pipes(plan)
        _separate(plan)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writing)
            first(plan, machine, reading, shifted)
        os.close(reading)
        # The other end stays open for as long as this process lives.
        os._exit(wait_for(child))


def _checked() -> str:
    """The kind of machine. Raises `NotRunError` for one that this can't be done on, or a descriptor that leads out."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in syscalls.ARCHITECTURES:
        raise NotRunError("A command is confined on Linux alone, on x86_64 or aarch64.")
    for standard in range(3):
        try:
            mode = os.fstat(standard).st_mode
        except OSError:
            raise NotRunError("The standard input, output and error must be open.") from None
        if stat.S_ISDIR(mode):
            raise NotRunError("A directory is open as standard input, output or error: it would lead out.")
    return machine


def _give_pipes(plan: Plan) -> None:
    """Pipes among the standard three can be opened by name (`/dev/stderr`) by who owns them alone."""
    for standard in range(3):
        if os.geteuid() == 0 and _is_pipe(standard):
            os.fchown(standard, plan.uid, plan.gid)


def _is_pipe(handle: int) -> bool:
    """Whether it is a pipe without a name: one with a name is a file of the host's and stays its owner's."""
    made = os.pipe()
    pipes = os.fstat(made[0]).st_dev
    for end in made:
        os.close(end)
    found = os.fstat(handle)
    return stat.S_ISFIFO(found.st_mode) and found.st_dev == pipes


def _separate(plan: Plan) -> None:
    """Namespaces of its own for this process's children, in which the users are numbered as they are here."""
    flags = _NAMESPACES | (0 if plan.has_network else syscalls.NEWNET)
    if os.geteuid() == 0:
        with step(_ASKED):
            numbering.unshare(flags, _numbers("uid"), _numbers("gid"))
        return
    if (plan.uid, plan.gid) != (os.geteuid(), os.getegid()):
        raise NotRunError("The workspace belongs to another user: run this as its owner or as root.")
    with step(_ASKED):
        syscalls.unshare(flags)
    with step("number its users"):
        numbering.put("/proc/self/setgroups", "deny")
        numbering.put("/proc/self/uid_map", f"{plan.uid} {plan.uid} 1")
        numbering.put("/proc/self/gid_map", f"{plan.gid} {plan.gid} 1")


def _numbers(kind: str) -> str:
    """Every number that there is here, as itself."""
    rows = Path(f"/proc/self/{kind}_map").read_text(encoding="ascii").splitlines()
    return "".join(f"{row.split()[0]} {row.split()[0]} {row.split()[2]}\n" for row in rows)
