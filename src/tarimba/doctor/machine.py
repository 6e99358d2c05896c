"""What this machine offers: the program's own versions, its clock, and what confines agents."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

import tarimba
from tarimba.doctor.model import Finding, ok, warn
from tarimba.openat2 import FOLDER, UnconfinedError, open_beneath

# adjtimex(2): nobody keeps this clock in step.
_UNSYNCHRONISED: Final = 5
_TIMEX_BYTES: Final = 512
# The same numbers on every architecture of Linux but Alpha.
_MOUNT_SETATTR: Final = 442
_LANDLOCK_CREATE: Final = 444
_LANDLOCK_VERSION: Final = 1
# In a process of its own: what is unshared stays so. Its exit code is the number of the error.
_UNSHARE: Final = (
    "import ctypes, sys; libc = ctypes.CDLL(None, use_errno=True); "
    "sys.exit(ctypes.get_errno() if libc.unshare(0x10000000) else 0)"
)
_RUN: Final = "`tarimba workspace run` does not work here"


def machine() -> Iterator[Finding]:
    """The checks of the machine. They change nothing on it."""
    yield _version()
    yield _clock()
    if sys.platform != "linux":
        said = f"This is no Linux: workspaces of agents can't be kept apart, and {_RUN}."
        yield warn("kernel.openat2", said)
        return
    yield _openat2()
    yield _user_namespaces()
    yield _mount_setattr()
    yield _landlock()
    yield _seccomp()


def _version() -> Finding:
    said = f"Tarimba {tarimba.__version__} on Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}."
    return ok("version", said)


def _clock() -> Finding:
    check, call = "clock.synchronised", getattr(ctypes.CDLL(None, use_errno=True), "adjtimex", None)
    state = -1 if call is None else call(ctypes.create_string_buffer(_TIMEX_BYTES))
    if state < 0:
        return warn(
            check,
            "This system does not tell whether its clock is kept in step: see to it that one service does.",
        )
    if state == _UNSYNCHRONISED:
        return warn(
            check,
            "Nobody keeps this machine's clock in step: run chrony, systemd-timesyncd or another client of NTP, or "
            "receipts tell a wrong time.",
        )
    return ok(check, "The kernel says that its clock is kept in step.")


def _openat2() -> Finding:
    check, here = "kernel.openat2", os.open("/", FOLDER)
    try:
        os.close(open_beneath(here, ".", os.O_PATH | os.O_CLOEXEC))
    except (UnconfinedError, OSError):
        return warn(
            check,
            "openat2 is missing (Linux 5.6) or forbidden: no files of workspaces are written here.",
        )
    finally:
        os.close(here)
    return ok(check, "openat2: files of workspaces are reached through no link.")


def _user_namespaces() -> Finding:
    check = "kernel.user_namespaces"
    number = subprocess.run([sys.executable, "-I", "-c", _UNSHARE], check=False).returncode  # noqa: S603 - our own words
    if number:
        why = errno.errorcode.get(number, str(number))
        return warn(
            check,
            f"A namespace of users can't be made ({why}): {_RUN}. See user.max_user_namespaces, "
            "kernel.apparmor_restrict_unprivileged_userns and what a container engine forbids.",
        )
    return ok(check, "Namespaces of users can be made.")


def _mount_setattr() -> Finding:
    check, libc = "kernel.mount_setattr", ctypes.CDLL(None, use_errno=True)
    # Of no descriptor, and nothing is asked for: only whether the kernel knows the call.
    libc.syscall(ctypes.c_long(_MOUNT_SETATTR), -1, b"", 0, None, ctypes.c_size_t(0))
    if ctypes.get_errno() == errno.ENOSYS:
        return warn(check, f"mount_setattr and idmapped mounts are missing (Linux 5.12): {_RUN}.")
    if ctypes.get_errno() == errno.EPERM:
        return warn(check, f"A filter of system calls forbids mount_setattr: {_RUN}.")
    return ok(check, "mount_setattr, by which mounts become read-only and owners are exchanged.")


def _landlock() -> Finding:
    libc = ctypes.CDLL(None, use_errno=True)
    number, flags = ctypes.c_long(_LANDLOCK_CREATE), ctypes.c_uint(_LANDLOCK_VERSION)
    version = libc.syscall(number, None, ctypes.c_size_t(0), flags)
    if version < 0:
        return warn(
            "kernel.landlock", f"Landlock is missing (Linux 5.13, `lsm=...,landlock`) or forbidden: {_RUN}."
        )
    return ok("kernel.landlock", f"Landlock, version {version} of its interface.")


def _seccomp() -> Finding:
    if not os.path.exists("/proc/sys/kernel/seccomp/actions_avail"):  # noqa: PTH110 - a file of the kernel
        return warn("kernel.seccomp", f"Filters of system calls are missing: {_RUN}.")
    return ok("kernel.seccomp", "Filters of system calls can be set.")
