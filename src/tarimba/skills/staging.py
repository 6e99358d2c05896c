"""Building the directory of one skill where nobody looks yet: the same bytes, modes and times on every machine.

Files are 0644, directories 0755, whatever the umask: a script is run by naming its interpreter, as nobody can tell
what an archive from another system meant by its modes. Each time is that of the version's publishing, so that a
harness that looks for newer files sees a new version.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from tarimba.confined import steps_of
from tarimba.openat2 import CREATE, FOLDER, READ, open_beneath
from tarimba.skills.records import File
from tarimba.skills.rules import content_hash

FILE_MODE: Final = 0o644
FOLDER_MODE: Final = 0o755

Content = Iterable[tuple[str, bytes]]
"""Paths inside the skill, with what the files hold."""


class Tree(NamedTuple):
    """A directory as it should stand. `stamp` is the time of everything in it, in seconds of the Unix epoch."""

    name: str
    content_hash: str
    stamp: int


def stage(folder: int, name: str, content: Content, stamp: int, *, is_synced: bool) -> None:
    """Makes the directory `name` in the open directory `folder`. `is_synced` brings each file to disk at once.

    Raises 422 for a path that is none, and `OSError`.
    """
    os.mkdir(name, FOLDER_MODE, dir_fd=folder)
    root = open_beneath(folder, name, FOLDER)
    try:
        folders = {""}
        for path, data in content:
            *above, last = steps_of(path)
            folders.update("/".join(above[: depth + 1]) for depth in range(len(above)))
            inner = _descend(root, above)
            try:
                _write(inner, last, data, stamp, is_synced=is_synced)
            finally:
                os.close(inner)
        for path in sorted(folders, reverse=True):
            _seal(root, path, stamp, is_synced=is_synced)
    finally:
        os.close(root)


def restamp(folder: int, name: str, stamp: int) -> None:
    """Gives everything in a directory that already stands another time."""
    for _, _, files, inner in os.fwalk(name, topdown=False, dir_fd=folder):
        for file in files:
            os.utime(file, (stamp, stamp), dir_fd=inner, follow_symlinks=False)
        os.utime(inner, (stamp, stamp))


def stands(folder: int, tree: Tree) -> bool:
    """Whether a directory is as it was staged: paths, bytes, modes and times. Reads all of it."""
    try:
        found = _read(folder, tree)
        return found is not None and content_hash(found) == tree.content_hash
    except (OSError, UnicodeEncodeError):
        # What can't be read, or has a name that is no text, was not staged here.
        return False


def _read(folder: int, tree: Tree) -> list[File] | None:
    """The files of a staged directory; None where something else is among them."""
    found: list[File] = []
    folders, used = set(), {""}
    for path, _, names, inner in os.fwalk(tree.name, dir_fd=folder, onerror=_raise):
        below = path[len(tree.name) :].strip("/")
        folders.add(below)
        steps = below.split("/")
        seen = [os.stat(name, dir_fd=inner, follow_symlinks=False) for name in names]
        are_staged = all(_is_as_staged(one, stat.S_IFREG | FILE_MODE, tree.stamp) for one in seen)
        if not are_staged or not _is_as_staged(os.fstat(inner), stat.S_IFDIR | FOLDER_MODE, tree.stamp):
            return None
        if names:
            used.update("/".join(steps[:depth]) for depth in range(1, len(steps) + 1))
        found += [_hashed(inner, name, below) for name in names]
    return found if folders == used else None


def _raise(error: OSError) -> None:
    raise error


def _is_as_staged(seen: os.stat_result, mode: int, stamp: int) -> bool:
    return seen.st_mode == mode and seen.st_mtime == stamp


def _hashed(folder: int, name: str, below: str) -> File:
    handle = os.open(name, READ | os.O_NOFOLLOW, dir_fd=folder)
    with os.fdopen(handle, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return File(f"{below}/{name}" if below else name, digest, os.fstat(handle).st_size)


def _descend(root: int, steps: list[str]) -> int:
    handle = os.dup(root)
    for step in steps:
        with suppress(FileExistsError):
            os.mkdir(step, FOLDER_MODE, dir_fd=handle)
        deeper = open_beneath(handle, step, FOLDER)
        os.close(handle)
        handle = deeper
    return handle


def _write(folder: int, name: str, data: bytes, stamp: int, *, is_synced: bool) -> None:
    handle = os.open(name, CREATE, FILE_MODE, dir_fd=folder)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fchmod(handle, FILE_MODE)
        os.utime(handle, (stamp, stamp))
        if is_synced:
            os.fsync(handle)


def _seal(root: int, path: str, stamp: int, *, is_synced: bool) -> None:
    handle = open_beneath(root, path or ".", FOLDER)
    try:
        os.fchmod(handle, FOLDER_MODE)
        os.utime(handle, (stamp, stamp))
        if is_synced:
            os.fsync(handle)
    finally:
        os.close(handle)
