"""Trees of mounts and where they go: detached copies with their attributes, attached below one folder alone."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Final

from tarimba.workspaces.running import syscalls
from tarimba.workspaces.running.plan import Mounted, Plan

# A link at the end is refused as one on the way is: with O_NOFOLLOW it would be what is opened.
_PLACE: Final = os.O_PATH
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


INERT: Final = syscalls.NOSUID | syscalls.NODEV
FIXED: Final = INERT | syscalls.RDONLY


class NotRunError(Exception):
    """Why nothing was run, as a sentence for a person."""


@contextmanager
def step(what: str) -> Iterator[None]:
    """Names what was being done when the kernel refused it."""
    try:
        yield
    except OSError as error:
        raise NotRunError(f"This machine can't {what}: {error.strerror}.") from error


def tree(source: str, attributes: int) -> int:
    """A detached copy of what is mounted at a path of the host and below it, with attributes for all of it."""
    with step(f"bind {source}"):
        made = syscalls.clone_tree(source)
        syscalls.set_attributes(made, attributes)
    return made


def source_of(bind: Mounted) -> int:
    """A detached copy of what is bound. Raises `OSError`, also for a link on the way to its inner path."""
    if not bind.inner:
        return syscalls.clone_tree(bind.source)
    top = os.open(bind.source, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        place = syscalls.open_inside(top, bind.inner, _PLACE)
    finally:
        os.close(top)
    try:
        return syscalls.clone_of(place)
    finally:
        os.close(place)


def bound(bind: Mounted, plan: Plan) -> int:
    """What is bound with its attributes. Raises `NotRunError`."""
    with step(f"bind {bind.target}"):
        made = source_of(bind)
        syscalls.set_attributes(made, attributes_of(bind, plan))
    return made


def attributes_of(bind: Mounted, plan: Plan) -> int:
    """What the mount of a bind, and each that lies below it, refuses."""
    return FIXED if bind.read_only and "read_only" in plan.layers else INERT


def is_folder(handle: int) -> bool:
    return stat.S_ISDIR(os.fstat(handle).st_mode)


def attach(held: int, root: int, path: str, owner: tuple[int, int] | None = None) -> None:
    """Mounts a tree over `path` below `root`, making what is missing there as `owner`.

    No link is followed on the way: whoever writes below `root` decides nothing about where it goes.
    """
    with step(f"mount something at /{path}"):
        with _acting_as(owner):
            target = _target(root, path, is_folder(held))
        try:
            if is_folder(target) != is_folder(held):
                kind = "a directory" if is_folder(held) else "a file"
                raise NotRunError(f"What stands at /{path} is in the way: {kind} is mounted there.")
            syscalls.attach(held, target)
        finally:
            os.close(target)


def make_folder(root: int, path: str) -> int:
    """A descriptor of the folder at `path` below `root`, made with all above it where missing. Close it."""
    here = os.dup(root)
    for name in PurePosixPath(path).parts:
        there = _folder(here, name)
        os.close(here)
        here = there
    return here


@contextmanager
def _acting_as(owner: tuple[int, int] | None) -> Iterator[None]:
    if owner is None:
        yield
        return
    syscalls.act_on_files_as(*owner)
    try:
        yield
    finally:
        syscalls.act_on_files_as(os.geteuid(), os.getegid())


def _target(root: int, path: str, folder: bool) -> int:
    pure = PurePosixPath(path)
    try:
        return syscalls.open_inside(root, path, _PLACE)
    except FileNotFoundError:
        parent = make_folder(root, str(pure.parent))
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise NotRunError(f"A link stands in the way of /{path}, where something is mounted.") from error
    try:
        os.close(_folder(parent, pure.name) if folder else os.open(pure.name, _NEW, 0o600, dir_fd=parent))
        return syscalls.open_inside(parent, pure.name, _PLACE)
    finally:
        os.close(parent)


def _folder(parent: int, name: str) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY
    try:
        return syscalls.open_inside(parent, name, flags)
    except FileNotFoundError:
        os.mkdir(name, 0o755, dir_fd=parent)
    return syscalls.open_inside(parent, name, flags)
