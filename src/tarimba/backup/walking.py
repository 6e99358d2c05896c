"""Going through a folder that others write in: every thing in it once, nothing followed, nothing from outside.

Agents write in their workspaces at this moment. Down to the workspace the names are the host's; from there on the
kernel resolves each step beneath an open handle, and what is no plain file of one name is named and left out.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tarimba.backup.model import Item, Kind
from tarimba.confined import PASSING
from tarimba.errors import Refusal
from tarimba.ids import is_id
from tarimba.openat2 import FOLDER, READ, UnconfinedError, open_beneath

# <space>/subscriptions/<subscription>/agents/<agent>/members/<member>: a workspace in it may be a volume of its own.
_HOSTS: Final = 7
# Every level holds a handle.
_DEPTH_MAX: Final = 128
# Delivered anew from what is stored, where it is wrapped: in clear it must be nowhere else.
_SECRETS: Final = ".secrets"


@dataclass(frozen=True, slots=True)
class Found:
    """A thing in the folder. A file is open (`handle`) until the next one is asked for; `item.why` says it can't be."""

    item: Item
    handle: int | None = None


def walk(root: Path, under: str) -> Iterator[Found]:
    """Everything in `root`, a folder before what is in it; paths begin with `under`. Nothing where it is missing.

    Raises `UnconfinedError` where the machine can't look without following.
    """
    try:
        top = os.open(root, FOLDER | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        yield Found(_item(under, "folder", os.fstat(top)))
        yield from _inside(top, under, 0)
    finally:
        os.close(top)


def folders_of(root: Path, under: str) -> Iterator[Item]:
    """The folders alone that the host made for agents in subscriptions: what is in them follows from the database."""
    if root.is_dir() and not root.is_symlink():
        yield _item(under, "folder", root.stat())
    for pattern in ("*", "*/*", "*/*/*"):
        for found in sorted(root.glob(pattern)):
            relative = found.relative_to(root)
            if found.is_dir() and all(is_id(part) for part in relative.parts):
                yield _item(f"{under}/{relative}", "folder", found.stat())


def _inside(folder: int, above: str, depth: int) -> Iterator[Found]:
    for name in sorted(os.listdir(folder)):
        if name.startswith(PASSING) or (depth == _HOSTS and name == _SECRETS):
            continue
        path = f"{above}/{name}"
        with suppress(FileNotFoundError):
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
            yield from _one(folder, name, path, seen, depth)


def _one(folder: int, name: str, path: str, seen: os.stat_result, depth: int) -> Iterator[Found]:
    if stat.S_ISLNK(seen.st_mode):
        item = _item(path, "link", seen)
        yield Found(replace(item, target=os.readlink(name, dir_fd=folder), mode=0o777))
        return
    kind = _kind(seen)
    if kind == "other":
        yield _left(path, "irregular")
        return
    try:
        handle = _opened(folder, name, depth, is_folder=kind == "folder")
    except FileNotFoundError:
        # It was taken away since it was listed.
        return
    except UnconfinedError:
        raise
    except (OSError, Refusal) as error:
        yield _left(path, "irregular" if isinstance(error, Refusal) else "unreadable")
        return
    try:
        yield from _told(handle, path, depth)
    finally:
        os.close(handle)


def _told(handle: int, path: str, depth: int) -> Iterator[Found]:
    seen = os.fstat(handle)
    if stat.S_ISDIR(seen.st_mode):
        yield Found(_item(path, "folder", seen))
        if depth == _DEPTH_MAX:
            yield _left(f"{path}/", "deep")
        else:
            yield from _inside(handle, path, depth + 1)
    elif seen.st_nlink != 1:
        yield _left(path, "irregular")
    else:
        yield Found(_item(path, "file", seen), handle)


def _opened(folder: int, name: str, depth: int, *, is_folder: bool) -> int:
    flags = FOLDER if is_folder else READ
    if depth <= _HOSTS:
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)
    return open_beneath(folder, name, flags)


def _kind(seen: os.stat_result) -> str:
    if stat.S_ISDIR(seen.st_mode):
        return "folder"
    return "file" if stat.S_ISREG(seen.st_mode) else "other"


def _item(path: str, kind: Kind, seen: os.stat_result) -> Item:
    size = seen.st_size if kind == "file" else 0
    mode = stat.S_IMODE(seen.st_mode) & 0o777
    return Item(path, kind, size, mode, seen.st_uid, seen.st_gid, int(seen.st_mtime))


def _left(path: str, why: str) -> Found:
    return Found(Item(path=path, kind="file", why=why))
