"""The two processes of a run that live in it: the first one, which waits and tidies up, and the command's own."""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NoReturn

from tarimba.workspaces.running import call_filter, house, landlock, syscalls
from tarimba.workspaces.running.mounting import NotRunError, step
from tarimba.workspaces.running.numbering import put
from tarimba.workspaces.running.plan import Plan

NOT_RUN: Final = 125
_NOT_EXECUTABLE: Final = 126
_NOT_FOUND: Final = 127
PASSED_ON: Final = frozenset(
    {
        signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
        signal.SIGWINCH, signal.SIGCONT,
    }
)  # fmt: skip
AWAITED: Final = PASSED_ON | {signal.SIGCHLD}
# What a terminal sends goes to all that run in its foreground.
_OF_TERMINALS: Final = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGWINCH})
_OWN_NAMESPACES: Final = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time")
# No root by number, no capability with it, and both for good.
_SECUREBITS: Final = 0b11101111
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP_RUNNING: Final = 0x41


def first(plan: Plan, machine: str, alive: int, shifted: Sequence[int]) -> NoReturn:
    """Process 1. `alive` is a pipe whose other end its parent alone holds; `shifted` are trees that stand ready."""
    with told():
        # Else the terminal would tell it what the keeper passes on.
        os.setsid()
        with step("give it a namespace of mounts"):
            syscalls.unshare(syscalls.NEWNS)
        socket.sethostname("workspace")
        if not plan.has_network:
            _raise_loopback()
        syscalls.new_session_keyring(machine)
        proc = house.enter(plan, machine, shifted)
        _die_with(alive)
        # One is the command's own. The limit is that of this namespace, so nothing inside lifts it.
        _limit(proc, "user", 1)
        child = os.fork()
        if child == 0:
            _command(plan, machine, proc)
        os.close(proc)
        # It holds what it began with open for nobody, and waits.
        syscalls.close_from(3)
        os._exit(wait_for(child, whole_group=True))


def _die_with(alive: int) -> None:
    """Ends with the parent, from here on: the kernel forgets it with every change of whom a process is."""
    syscalls.prctl(syscalls.PDEATHSIG, signal.SIGKILL)
    if select.select([alive], [], [], 0)[0]:
        raise NotRunError("Whoever asked for it is gone.")


def wait_for(child: int, *, whole_group: bool = False) -> int:
    """Passes signals on until the child has ended; the exit code of it, 128 and the number for a signal."""
    while True:
        number = signal.sigwait(AWAITED)
        if number == signal.SIGCHLD:
            code = _reaped(child)
            if code is not None:
                return code
        elif whole_group and number in _OF_TERMINALS:
            _pass_on(-child, number)
        else:
            _pass_on(child, number)


def _pass_on(target: int, number: int) -> None:
    try:
        os.kill(target, number)
    except ProcessLookupError:
        # It has just ended, or has no group of its own yet: the signal is for nobody.
        return


def _reaped(child: int) -> int | None:
    """Takes in every process that has ended. The exit code of `child` when it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            found = code if code >= 0 else 128 - code


def become(plan: Plan) -> NoReturn:
    """The command in the place of this process; 127 where there is none, 126 where it can't be started."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(plan.command[0], plan.command, dict(plan.environment))  # noqa: S606 - the one that was asked for
    except (FileNotFoundError, NotADirectoryError):
        _end("There is no such command there.", _NOT_FOUND)
    except (OSError, ValueError) as error:
        _end(f"The command can't be started: {getattr(error, 'strerror', None) or error}.", _NOT_EXECUTABLE)


def _command(plan: Plan, machine: str, proc: int) -> NoReturn:
    with told():
        os.setsid()
        _leave_privileges(plan, proc)
        _close(plan, machine)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
        become(plan)


def _leave_privileges(plan: Plan, proc: int) -> None:
    """Becomes the agent, in a user namespace below that of the mounts: they are locked for whoever is in it."""
    with step("become the owner of the workspace"):
        if os.getuid() != plan.uid or os.getgid() != plan.gid:
            os.setgroups([])
            os.setresgid(plan.gid, plan.gid, plan.gid)
            os.setresuid(plan.uid, plan.uid, plan.uid)
            # Else its own files in /proc are root's.
            syscalls.prctl(syscalls.DUMPABLE, 1)
    with step("give it a user namespace"):
        syscalls.unshare(syscalls.NEWUSER | syscalls.NEWNS)
        put("self/setgroups", "deny", proc)
        put("self/uid_map", f"{plan.inside} {plan.uid} 1", proc)
        put("self/gid_map", f"{plan.inside} {plan.gid} 1", proc)
        for kind in _OWN_NAMESPACES:
            _limit(proc, kind, 0)
    os.setresgid(plan.inside, plan.inside, plan.inside)
    os.setresuid(plan.inside, plan.inside, plan.inside)


def _close(plan: Plan, machine: str) -> None:
    """Takes the rights of this process away, for good and for all that it starts."""
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    syscalls.close_from(3)
    with step("give up capabilities"):
        if "no_capabilities" in plan.layers:
            _drop_capabilities()
        syscalls.prctl(syscalls.NO_NEW_PRIVS, 1)
    if "landlock" in plan.layers:
        with step("restrict what it opens (Landlock)"):
            devices = [f"/dev/{name}" for name in house.DEVICES]
            landlock.restrict((*plan.writable, *plan.scratch, *house.WRITABLE), devices)
    with step("go to the workspace"):
        os.chdir(plan.folder)
    if "call_filter" in plan.layers:
        with step("filter system calls (seccomp)"):
            call_filter.restrict(machine)


def _drop_capabilities() -> None:
    for number in range(64):
        try:
            syscalls.prctl(syscalls.CAPBSET_READ, number)
        except OSError:
            break
        syscalls.prctl(syscalls.CAPBSET_DROP, number)
    syscalls.prctl(syscalls.CAP_AMBIENT, 4)
    syscalls.prctl(syscalls.SECUREBITS, _SECUREBITS)
    syscalls.no_capabilities()


def _limit(proc: int, kind: str, most: int) -> None:
    with step("forbid it namespaces of its own"):
        put(f"sys/user/max_{kind}_namespaces", str(most), proc)


def _raise_loopback() -> None:
    with step("give it a loopback device"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        fcntl.ioctl(opened, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP_RUNNING))


@contextmanager
def told() -> Iterator[None]:
    """Ends this process when the block can't be done: one sentence on the standard error, and the exit code."""
    try:
        yield
    except NotRunError as error:
        _end(str(error), NOT_RUN)
    except OSError as error:
        _end(f"This machine refused a step: {error.strerror}.", NOT_RUN)


def _end(sentence: str, code: int) -> NoReturn:
    print(f"{sentence} Nothing was run.", file=sys.stderr, flush=True)  # noqa: T201 - all that is left to speak through
    os._exit(code)
