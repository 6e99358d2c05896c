"""Landlock: what a command and all that it starts may open, whatever path or descriptor leads there.

Rights are only ever given, to a directory and all below it, mounts included, so what is bound read-only inside the
workspace is not taken out here: its mount is what refuses. A rule holds for the directory itself and not for the path
by which it was opened, so what is given here is the workspace alone.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from tarimba.workspaces.running import syscalls

EXECUTE: Final = 1 << 0
WRITE_FILE: Final = 1 << 1
READ_FILE: Final = 1 << 2
READ_DIR: Final = 1 << 3
MAKE_CHAR: Final = 1 << 6
MAKE_BLOCK: Final = 1 << 11
REFER: Final = 1 << 13
TRUNCATE: Final = 1 << 14
IOCTL_DEV: Final = 1 << 15
# How many rights a version of the interface knows, and from which one it scopes signals and abstract sockets.
_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_SCOPES_FROM: Final = 6
_SCOPES: Final = 0b11
_OF_FILES: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_READ: Final = EXECUTE | READ_FILE | READ_DIR
_DEVICE: Final = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV


def restrict(writable: Iterable[str], devices: Iterable[str]) -> None:
    """Gives reading of all that the root holds, writing below `writable`, and the use of `devices`.

    What the three standard descriptors stand for stays open to them by name too (`/dev/stdout`). For good, and for
    every process that follows. Raises `OSError` where the kernel has no Landlock.
    """
    version = syscalls.landlock_version()
    handled = (1 << _RIGHTS.get(version, 16)) - 1
    scopes = version >= _SCOPES_FROM
    ruleset = syscalls.landlock_ruleset(handled, _SCOPES if scopes else 0, 24 if scopes else 8)
    everything = handled & ~(MAKE_CHAR | MAKE_BLOCK)
    try:
        _allow(ruleset, "/", _READ & handled)
        for path in writable:
            _allow(ruleset, path, everything)
        for path in devices:
            _allow(ruleset, path, _DEVICE & handled)
        _allow_standard(ruleset, handled)
        syscalls.landlock_enforce(ruleset)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    with _opened(path) as place:
        is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
        syscalls.landlock_allow(ruleset, place, rights if is_folder else rights & _OF_FILES)


def _allow_standard(ruleset: int, handled: int) -> None:
    for handle in range(3):
        mode = os.fstat(handle).st_mode
        if stat.S_ISREG(mode) or stat.S_ISCHR(mode):
            syscalls.landlock_allow(ruleset, handle, _as_opened(handle) & handled)


def _as_opened(handle: int) -> int:
    """No more than the descriptor gives already."""
    mode = fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE
    return {os.O_RDONLY: READ_FILE, os.O_WRONLY: WRITE_FILE | TRUNCATE}.get(mode, _DEVICE) | IOCTL_DEV


@contextmanager
def _opened(path: str) -> Iterator[int]:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)
