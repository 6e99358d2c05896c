"""User namespaces whose numbers their creator may not choose: a process that stays outside writes them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Final, NoReturn

from tarimba.workspaces.running import syscalls

_FAILED: Final = 1
_READY: Final = b"."


def unshare(flags: int, uids: str, gids: str) -> None:
    """Takes this process into new namespaces of users and others, with these maps. Raises `OSError`."""
    reading, writing = os.pipe()
    me = os.getpid()
    child = _forked(lambda: _map(reading, writing, me, (uids, gids)))
    os.close(reading)
    try:
        syscalls.unshare(flags | syscalls.NEWUSER)
        os.write(writing, _READY)
    finally:
        os.close(writing)
        status = os.waitpid(child, 0)[1]
    if status != 0:
        raise PermissionError(errno.EPERM, "its users can't be numbered")


def users_only(uids: str, gids: str) -> int:
    """A descriptor of a user namespace with these maps, and no process in it. Raises `OSError`."""
    told, telling = os.pipe()
    awaited, awaiting = os.pipe()
    child = _forked(lambda: _stay(telling, awaited, awaiting))
    os.close(telling)
    try:
        if not os.read(told, 1):
            raise PermissionError(errno.EPERM, "there is no user namespace")
        _write_maps(child, (uids, gids))
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        for handle in (told, awaited, awaiting):
            os.close(handle)
        os.waitpid(child, 0)


def put(path: str, text: str, folder: int | None = None) -> None:
    """Writes a file of `/proc` with one call, as the kernel wants it."""
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


def _forked(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        _end(act)
    return child


def _end(act: Callable[[], None]) -> NoReturn:
    try:
        act()
    except OSError:
        os._exit(_FAILED)
    os._exit(0)


def _map(ready: int, writing: int, process: int, maps: tuple[str, str]) -> None:
    os.close(writing)
    if os.read(ready, 1):
        _write_maps(process, maps)


def _stay(telling: int, awaited: int, awaiting: int) -> None:
    os.close(awaiting)
    syscalls.unshare(syscalls.NEWUSER)
    os.write(telling, _READY)
    os.read(awaited, 1)


def _write_maps(process: int, maps: tuple[str, str]) -> None:
    for kind, text in zip(("uid", "gid"), maps, strict=True):
        put(f"/proc/{process}/{kind}_map", text)
