"""The system calls of Linux that `tarimba.confined` stands on, and what they refuse as words.

A path is resolved by the kernel beneath an open directory, through no link and no mount; names change places in one
step. Python's own library offers neither.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import Final

import structlog

from tarimba.errors import Refusal

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# A pipe is not waited for, and a terminal does not become ours.
READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
NOREPLACE: Final = 1
EXCHANGE: Final = 2
_ATTEMPTS: Final = 100
# The same number on every architecture of Linux but Alpha.
_NUMBER: Final = 437
_NO_XDEV: Final = 0x01
_NO_MAGICLINKS: Final = 0x02
_NO_SYMLINKS: Final = 0x04
_BENEATH: Final = 0x08
_RESOLVE: Final = _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS | _NO_XDEV
# The call is not there, or a filter of system calls answers in its place.
_MISSING: Final = frozenset({errno.ENOSYS, errno.EPERM})
_ESCAPED: Final = frozenset({errno.ELOOP, errno.EXDEV})
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_log = structlog.get_logger("tarimba.confined")


class EscapedError(Refusal):
    """A path met a link, a mount, or left the directory."""

    def __init__(self) -> None:
        super().__init__("conflict", "A link or a mount stands in the way in this directory.")


class IrregularError(Refusal):
    """What stands there is no plain file of its own: a pipe, a device, or a file with a second name."""

    def __init__(self) -> None:
        super().__init__("conflict", "What stands there is no regular file with one name.")


class HeldError(Refusal):
    """Somebody has a lease on the file, or exchanges what is on the way again and again."""

    def __init__(self) -> None:
        super().__init__("conflict", "The agent holds the file: try again when its turn is over.")


class UnconfinedError(Refusal):
    """This machine can't resolve paths beneath a directory."""

    def __init__(self) -> None:
        super().__init__(
            "not_implemented",
            "This machine's kernel or file system lacks openat2 or renameat2, or a filter forbids them: nothing is "
            "touched.",
        )


class _How(ctypes.Structure):
    """`struct open_how` of openat2(2)."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_beneath(folder: int, path: str, flags: int) -> int:
    """A descriptor of what lies beneath `folder`. Raises the errors of this module and `OSError`."""
    if sys.platform != "linux":
        # The number means another call there.
        raise UnconfinedError
    how = _How(flags, 0, _RESOLVE)
    size = ctypes.c_size_t(ctypes.sizeof(how))
    number = 0
    # EAGAIN: something was renamed meanwhile, so the kernel can't tell whether the path stayed inside; or a lease.
    for _ in range(_ATTEMPTS):
        found = int(_LIBC.syscall(ctypes.c_long(_NUMBER), folder, os.fsencode(path), ctypes.byref(how), size))
        if found >= 0:
            return found
        number = ctypes.get_errno()
        if number not in {errno.EAGAIN, errno.EINTR}:
            break
    raise told(number)


def told(number: int) -> Exception:
    """What a number of the system means here."""
    if number in _MISSING:
        return UnconfinedError()
    if number in _ESCAPED:
        # Which path it was would tell what a person typed.
        _log.warning("workspace.escaped", error=errno.errorcode[number])
        return EscapedError()
    if number == errno.EAGAIN:
        return HeldError()
    return IrregularError() if number == errno.ENXIO else OSError(number, os.strerror(number))


def rename(here: int, old: str, there: int, new: str, flags: int = 0) -> None:
    """`renameat2` of single names in two open directories: it follows nothing."""
    call = getattr(_LIBC, "renameat2", None)
    if call is None:
        raise UnconfinedError
    if call(here, os.fsencode(old), there, os.fsencode(new), flags) == 0:
        return
    number = ctypes.get_errno()
    # EINVAL: a file system without exchange, such as NFS.
    is_lacking = number == errno.ENOSYS or (number == errno.EINVAL and flags)
    raise UnconfinedError if is_lacking else OSError(number, os.strerror(number))


def sync_all(folder: int) -> None:
    """Brings everything that was written to the file system of an open directory to its disk."""
    if _LIBC.syncfs(folder) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
