"""A directory that nothing leaves: paths are resolved beneath an open handle, and a link or a mount makes them fail.

What the server does inside a workspace goes through `Confined`: an agent writes there at the same moment, and a
component that it swaps for a link must never redirect a read or a write of a process with more rights. The kernel
decides (`openat2`, Linux 5.6 or newer); where it can't, everything is refused and nothing weaker takes its place.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Literal, Self

from tarimba.errors import Refusal, invalid
from tarimba.openat2 import (
    CREATE,
    EXCHANGE,
    FOLDER,
    NOREPLACE,
    READ,
    EscapedError,
    IrregularError,
    UnconfinedError,
    open_beneath,
    rename,
    told,
)

__all__ = [
    "Confined",
    "Entry",
    "EscapedError",
    "IrregularError",
    "UnconfinedError",
    "exchange",
    "move",
    "remove",
    "steps_of",
]

PATH_MAX: Final = 1024
DEPTH_MAX: Final = 32
# Begins the names of what is being written or taken away; nobody else's name may.
PASSING: Final = ".tarimba-"
_NAME_MAX: Final = 255
# What one removal touches at most: somebody may go on filling what is being emptied.
REMOVED_MAX: Final = 100_000
_LISTED_MAX: Final = 1_000

Kind = Literal["file", "directory", "other"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory. `size` is in bytes, 0 unless it is a file; `links` counts its names."""

    name: str
    kind: Kind
    size: int
    links: int


class Confined:
    """A handle on a directory; every path is relative to it, of plain names between slashes.

    Methods raise `EscapedError`, `IrregularError`, `UnconfinedError`, 422 for a path that is none, and `OSError`:
    `FileNotFoundError` and its like for what stands there, anything else (a full disk) for a failure of the machine.
    Reading never creates. Close it, or use it as a context.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def at(cls, path: Path) -> Confined:
        """The directory at a path that nobody but the host chose; its last component is no link."""
        return cls(os.open(path, FOLDER | os.O_NOFOLLOW))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._handle)

    def fileno(self) -> int:
        return self._handle

    def beneath(self, path: str, *, make: bool = False, mode: int = 0o700) -> Confined:
        """A handle on a directory inside. `make` creates what is missing on the way, with `mode`."""
        steps = steps_of(path)
        if not make:
            return Confined(open_beneath(self._handle, "/".join(steps), FOLDER))
        handle = os.dup(self._handle)
        for step in steps:
            handle = _descend(handle, step, mode)
        return Confined(handle)

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a regular file with one name. Raises 413 above `limit` bytes. Waits for no pipe."""
        handle = self.opened(path)
        try:
            with os.fdopen(handle, "rb", closefd=False) as stream:
                content = stream.read(limit + 1)
        finally:
            os.close(handle)
        if len(content) > limit:
            raise Refusal("too_large", f"The file is larger than {limit} bytes.")
        return content

    def opened(self, path: str, flags: int = READ) -> int:
        """A descriptor of a regular file with one name, for who goes through it piece by piece and closes it."""
        handle = open_beneath(self._handle, "/".join(steps_of(path)), flags)
        try:
            # Before it is made a stream: that fails for a directory, and leaves its handle open.
            _require_regular(os.fstat(handle))
        except BaseException:
            os.close(handle)
            raise
        return handle

    def replace(self, path: str, data: bytes, *, mode: int | None = None, is_new: bool = False) -> None:
        """Puts a file there, whole or not at all, and brings it to disk. The directory must be there.

        `mode` None keeps that of the file that stands there, else 0600. The owner is that of the file, else of the
        directory, where this process may give files away. `is_new` raises `FileExistsError` if something is there.
        """
        with self._parent(path) as (folder, name):
            before = _standing(folder, name)
            if is_new and before is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            owner = before or os.fstat(folder)
            kept = 0o600 if before is None else stat.S_IMODE(before.st_mode) & 0o777
            passing = _passing()
            try:
                _write(folder, passing, data, kept if mode is None else mode, owner)
                rename(folder, passing, folder, name, NOREPLACE if is_new else 0)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(passing, dir_fd=folder)
                raise
            os.fsync(folder)

    def entries(self, path: str = "") -> list[Entry]:
        """What is in a directory, sorted by name; nothing is followed."""
        with self._folder(path) as folder:
            found = [_entry(folder, name) for name in sorted(_names(folder))]
        return [entry for entry in found if entry is not None]

    def look(self, path: str) -> Entry:
        """One entry, not followed. Raises `FileNotFoundError`."""
        with self._parent(path) as (folder, name):
            return _seen(name, os.stat(name, dir_fd=folder, follow_symlinks=False))

    def mkdir(self, path: str, mode: int = 0o700) -> None:
        """Makes one directory; it belongs to the owner of the one it is in. Raises `FileExistsError`."""
        with self._parent(path) as (folder, name):
            os.close(_made(folder, name, mode))

    def unlink(self, path: str) -> None:
        """Takes out one name that is no directory."""
        with self._parent(path) as (folder, name):
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def rmtree(self, path: str) -> None:
        """Takes out a directory with everything in it, however deep; its name is gone at once.

        Of more than 100,000 names in it, or where it is being filled, the rest stays under a name of the server's own.
        """
        with self._parent(path) as (folder, name):
            passing = _passing()
            os.close(open_beneath(folder, name, FOLDER))
            rename(folder, name, folder, passing, NOREPLACE)
            remove(folder, passing)
            os.fsync(folder)

    def rename(
        self, source: str, target: str, *, replaces: bool = False, into: Confined | None = None
    ) -> None:
        """Gives something another name, inside or in the directory `into`, which is on the same mount.

        Without `replaces`, raises `FileExistsError` if that is taken.
        """
        home = into or self
        with self._parent(source) as (here, old), home._parent(target) as (there, new):  # noqa: SLF001 - of our kind
            rename(here, old, there, new, 0 if replaces else NOREPLACE)
            os.fsync(here)
            os.fsync(there)

    def exchange(self, one: str, other: str, *, into: Confined | None = None) -> None:
        """Makes two things change places in one step: both names are there at every moment.

        The other is in the directory `into`, if that is given.
        """
        home = into or self
        with self._parent(one) as (here, old), home._parent(other) as (there, new):  # noqa: SLF001 - of our kind
            rename(here, old, there, new, EXCHANGE)
            os.fsync(here)
            os.fsync(there)

    @contextmanager
    def _folder(self, path: str) -> Iterator[int]:
        handle = open_beneath(self._handle, "/".join(steps_of(path)) if path else ".", FOLDER)
        try:
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        """The directory that holds the last name of a path, and that name."""
        *folders, name = steps_of(path)
        with self._folder("/".join(folders)) as handle:
            yield handle, name


def exchange(here: int, old: str, there: int, new: str) -> None:
    """Two names in two open directories change places, in one step."""
    rename(here, old, there, new, EXCHANGE)


def move(here: int, old: str, there: int, new: str) -> None:
    """Moves a name from one open directory to another. Raises `FileExistsError` if the new name is taken."""
    rename(here, old, there, new, NOREPLACE)


def remove(folder: int, name: str, limit: int = REMOVED_MAX) -> bool:
    """Takes out whatever has that name, with all in it. Whether it is gone: it ends after some `limit` names.

    Holds two handles however deep it is: the deep is moved up.
    """
    seen = _entry(folder, name)
    if seen is None or seen.kind != "directory":
        os.unlink(name, dir_fd=folder)
        return True
    top = open_beneath(folder, name, FOLDER)
    try:
        while limit > 0 and (names := _some(top, limit)):
            for inner in names:
                limit -= _remove_one(top, inner, max(limit, 1))
    finally:
        os.close(top)
    return _is_taken_out(folder, name)


def _remove_one(top: int, name: str, limit: int) -> int:
    """Takes out one name, or so many of those in it. How many names it touched, at least 1."""
    seen = _entry(top, name)
    if seen is None:
        return 1
    if seen.kind != "directory":
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=top)
        return 1
    handle = open_beneath(top, name, FOLDER)
    try:
        names = _some(handle, limit)
        for inner in names:
            entry = _entry(handle, inner)
            if entry is not None and entry.kind == "directory":
                rename(handle, inner, top, _passing(), NOREPLACE)
            elif entry is not None:
                os.unlink(inner, dir_fd=handle)
    finally:
        os.close(handle)
    _is_taken_out(top, name)
    return len(names) + 1


def _is_taken_out(folder: int, name: str) -> bool:
    """Takes out a directory unless something is in it: more than was listed, or put there since."""
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise
        return False
    return True


def _some(folder: int, limit: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in islice(entries, min(limit, _LISTED_MAX))]


def steps_of(path: str) -> list[str]:
    """The names of a relative path. Raises 422 for what is none."""
    steps = path.split("/")
    if _is_long(steps):
        raise invalid("path", f"at most {PATH_MAX} bytes and {DEPTH_MAX} names of {_NAME_MAX} bytes")
    if "\0" in path or any(step in {"", ".", ".."} for step in steps):
        raise invalid("path", "names between slashes, relative, without `.` and `..`")
    return steps


def _is_long(steps: list[str]) -> bool:
    try:
        sizes = [len(os.fsencode(step)) for step in steps]
    except UnicodeEncodeError:
        raise invalid("path", "text that UTF-8 can hold") from None
    return len(sizes) > DEPTH_MAX or max(sizes) > _NAME_MAX or sum(sizes) + len(sizes) > PATH_MAX


def _names(folder: int) -> list[str]:
    return os.listdir(folder)


def _descend(handle: int, step: str, mode: int) -> int:
    """The directory of that name in `handle`, made if it is missing. `handle` is closed."""
    try:
        try:
            return open_beneath(handle, step, FOLDER)
        except FileNotFoundError:
            with suppress(FileExistsError):
                return _made(handle, step, mode)
        return open_beneath(handle, step, FOLDER)
    finally:
        os.close(handle)


def _made(folder: int, name: str, mode: int) -> int:
    os.mkdir(name, mode, dir_fd=folder)
    handle = open_beneath(folder, name, FOLDER)
    # Something with content is not what was made just now: whoever put it in its place gets no rights by it.
    if not _names(handle):
        _give(handle, os.fstat(folder))
        os.fchmod(handle, mode)
    os.fsync(folder)
    return handle


def _write(folder: int, name: str, data: bytes, mode: int, owner: os.stat_result) -> None:
    handle = os.open(name, CREATE, 0o600, dir_fd=folder)
    with os.fdopen(handle, "wb", buffering=0) as stream:
        left = memoryview(data)
        while left:
            left = left[stream.write(left) :]
        _give(handle, owner)
        os.fchmod(handle, mode)
        os.fsync(handle)


def _give(handle: int, owner: os.stat_result) -> None:
    mine = os.fstat(handle)
    if os.geteuid() == 0 and (mine.st_uid, mine.st_gid) != (owner.st_uid, owner.st_gid):
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _standing(folder: int, name: str) -> os.stat_result | None:
    """What the name stands for now, if anything. Raises `IrregularError` for what is no file."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise told(errno.ELOOP)
    # A second name is no harm here: the name is what is replaced, never the file behind it.
    if not stat.S_ISREG(found.st_mode):
        raise IrregularError
    return found


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        raise IrregularError


def _entry(folder: int, name: str) -> Entry | None:
    """None when it was taken away since it was listed."""
    try:
        return _seen(name, os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _seen(name: str, found: os.stat_result) -> Entry:
    if stat.S_ISDIR(found.st_mode):
        return Entry(name, "directory", 0, found.st_nlink)
    is_file = stat.S_ISREG(found.st_mode)
    return Entry(name, "file" if is_file else "other", found.st_size if is_file else 0, found.st_nlink)


def _passing() -> str:
    return PASSING + secrets.token_hex(8)
