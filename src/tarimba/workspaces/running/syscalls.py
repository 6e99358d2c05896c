"""The system calls of Linux that Python's library lacks, each raising `OSError` as its own calls do.

Numbers above 423 are the same on every architecture but Alpha.
"""

from __future__ import annotations

import ctypes
import os
from typing import Final

# unshare(2)
NEWNS: Final = 0x00020000
NEWCGROUP: Final = 0x02000000
NEWUTS: Final = 0x04000000
NEWIPC: Final = 0x08000000
NEWUSER: Final = 0x10000000
NEWPID: Final = 0x20000000
NEWNET: Final = 0x40000000
# mount(2), umount2(2)
_REC_PRIVATE: Final = 0x4000 | 0x40000
_DETACH: Final = 2
# mount_setattr(2), fsmount(2)
RDONLY: Final = 0x01
NOSUID: Final = 0x02
NODEV: Final = 0x04
NOEXEC: Final = 0x08
_IDMAP: Final = 0x00100000
# openat2(2)
_NO_MAGICLINKS: Final = 0x02
_NO_SYMLINKS: Final = 0x04
_BENEATH: Final = 0x08
# prctl(2)
PDEATHSIG: Final = 1
DUMPABLE: Final = 4
SECCOMP: Final = 22
CAPBSET_READ: Final = 23
CAPBSET_DROP: Final = 24
SECUREBITS: Final = 28
NO_NEW_PRIVS: Final = 38
CAP_AMBIENT: Final = 47

_OPEN_TREE: Final = 428
_MOVE_MOUNT: Final = 429
_FSOPEN: Final = 430
_FSCONFIG: Final = 431
_FSMOUNT: Final = 432
_CLOSE_RANGE: Final = 436
_OPENAT2: Final = 437
_MOUNT_SETATTR: Final = 442
_LANDLOCK_CREATE: Final = 444
_LANDLOCK_ADD: Final = 445
_LANDLOCK_RESTRICT: Final = 446
# These two are older than the common numbers.
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}
_KEYCTL: Final = {"x86_64": 250, "aarch64": 219}
ARCHITECTURES: Final = frozenset(_PIVOT_ROOT)

_CWD: Final = -100
_SYMLINK_NOFOLLOW: Final = 0x100
_EMPTY_PATH: Final = 0x1000
_RECURSIVE: Final = 0x8000
_CLONE: Final = 1
_CLOEXEC: Final = os.O_CLOEXEC
_FROM_TO_EMPTY: Final = 0x04 | 0x40
_SET_FLAG: Final = 0
_SET_STRING: Final = 1
_CREATE: Final = 6
_FSMOUNT_CLOEXEC: Final = 1
_JOIN_SESSION: Final = 1
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


class _How(ctypes.Structure):
    """`struct open_how` of openat2(2)."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class _MountAttr(ctypes.Structure):
    """`struct mount_attr` of mount_setattr(2)."""

    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


class _Path(ctypes.Structure):
    """`struct landlock_path_beneath_attr`, which has no padding."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


class _Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`; an older kernel takes the first members of it."""

    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Caps(ctypes.Structure):
    """Two sets of 32: effective, permitted, inheritable of each."""

    _fields_ = (("bits", ctypes.c_uint32 * 6),)


def _call(number: int, *arguments: object) -> int:
    return _checked(int(_LIBC.syscall(ctypes.c_long(number), *arguments)))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def unshare(flags: int) -> None:
    _checked(_LIBC.unshare(flags))


def prctl(option: int, *values: int) -> int:
    four = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)][:4]
    return _checked(_LIBC.prctl(option, *four))


def private() -> None:
    """Keeps every mount of this namespace from the others, and theirs from it."""
    _checked(_LIBC.mount(None, b"/", None, ctypes.c_ulong(_REC_PRIVATE), None))


def unmount_here() -> None:
    """Takes away what is mounted at the working directory, with all that lies below."""
    _checked(_LIBC.umount2(b".", _DETACH))


def pivot_here(machine: str) -> None:
    """Makes the working directory the root; the root before lies over it until `unmount_here`."""
    _call(_PIVOT_ROOT[machine], b".", b".")


def clone_tree(source: str) -> int:
    """A detached copy of a path's mounts, all below included, as a descriptor. Its last component is no link."""
    flags = _CLONE | _CLOEXEC | _RECURSIVE | _SYMLINK_NOFOLLOW
    return _call(_OPEN_TREE, _CWD, os.fsencode(source), ctypes.c_uint(flags))


def clone_of(place: int) -> int:
    """The same of what a descriptor stands for."""
    flags = _CLONE | _CLOEXEC | _RECURSIVE | _EMPTY_PATH
    return _call(_OPEN_TREE, place, b"", ctypes.c_uint(flags))


def set_attributes(tree: int, attributes: int, *, recursive: bool = True) -> None:
    attr = _MountAttr(attributes, 0, 0, 0)
    flags = _EMPTY_PATH | (_RECURSIVE if recursive else 0)
    size = ctypes.c_size_t(ctypes.sizeof(attr))
    _call(_MOUNT_SETATTR, tree, b"", ctypes.c_uint(flags), ctypes.byref(attr), size)


def shift(tree: int, users: int) -> None:
    """Shows the files of a detached tree with the numbers of a user namespace, given as a descriptor of it."""
    attr = _MountAttr(_IDMAP, 0, 0, users)
    size = ctypes.c_size_t(ctypes.sizeof(attr))
    _call(_MOUNT_SETATTR, tree, b"", ctypes.c_uint(_EMPTY_PATH | _RECURSIVE), ctypes.byref(attr), size)


def act_on_files_as(uid: int, gid: int) -> None:
    """Whom this process is when it opens and makes files; without the rights of root unless it is root."""
    _LIBC.setfsgid(gid)
    _LIBC.setfsuid(uid)


def attach(tree: int, target: int) -> None:
    """Mounts a detached tree over what a descriptor of the same kind stands for."""
    _call(_MOVE_MOUNT, tree, b"", target, b"", ctypes.c_uint(_FROM_TO_EMPTY))


def attach_at(tree: int, path: str) -> None:
    _call(_MOVE_MOUNT, tree, b"", _CWD, os.fsencode(path), ctypes.c_uint(0x04))


def new_filesystem(kind: str, options: dict[str, str], attributes: int) -> int:
    """A detached mount of a file system of its own, as a descriptor. An option without a value is a flag."""
    context = _call(_FSOPEN, kind.encode(), ctypes.c_uint(_FSMOUNT_CLOEXEC))
    try:
        for name, value in options.items():
            how, given = (_SET_STRING, value.encode()) if value else (_SET_FLAG, None)
            _call(_FSCONFIG, context, ctypes.c_uint(how), name.encode(), given, 0)
        _call(_FSCONFIG, context, ctypes.c_uint(_CREATE), None, None, 0)
        return _call(_FSMOUNT, context, ctypes.c_uint(_FSMOUNT_CLOEXEC), ctypes.c_uint(attributes))
    finally:
        os.close(context)


def open_inside(folder: int, path: str, flags: int) -> int:
    """A descriptor of what lies beneath `folder`, through no link; mounts are crossed."""
    how = _How(flags | _CLOEXEC, 0, _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS)
    size = ctypes.c_size_t(ctypes.sizeof(how))
    return _call(_OPENAT2, folder, os.fsencode(path), ctypes.byref(how), size)


def close_from(first: int) -> None:
    _call(_CLOSE_RANGE, ctypes.c_uint(first), ctypes.c_uint(0xFFFFFFFF), ctypes.c_uint(0))


def new_session_keyring(machine: str) -> None:
    """Leaves the keys of the session behind that this process began in."""
    _call(_KEYCTL[machine], ctypes.c_ulong(_JOIN_SESSION), None)


def no_capabilities() -> None:
    header = _CapHeader(0x20080522, 0)
    _checked(_LIBC.capset(ctypes.byref(header), ctypes.byref(_Caps())))


def landlock_version() -> int:
    """The version of Landlock's interface. Raises `OSError` where there is none."""
    return _call(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))


def landlock_ruleset(handled: int, scoped: int, size: int) -> int:
    attr = _Ruleset(handled, 0, scoped)
    return _call(_LANDLOCK_CREATE, ctypes.byref(attr), ctypes.c_size_t(size), ctypes.c_uint(0))


def landlock_allow(ruleset: int, place: int, allowed: int) -> None:
    attr = _Path(allowed, place)
    _call(_LANDLOCK_ADD, ruleset, ctypes.c_uint(1), ctypes.byref(attr), ctypes.c_uint(0))


def landlock_enforce(ruleset: int) -> None:
    _call(_LANDLOCK_RESTRICT, ruleset, ctypes.c_uint(0))


def filter_calls(program: bytes) -> None:
    """Hands the kernel a program of classic BPF that judges each system call from here on."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    held = Program(len(program) // 8, program)
    prctl(SECCOMP, 2, ctypes.addressof(held))
