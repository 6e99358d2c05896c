"""Durable sessions: `sessions/durable/<session key>.jsonl` of a workspace, to which lines are only ever added.

A line is one write and is on disk before it is acknowledged. What a crash tore is mended by the next append. The agent
may write there at the same moment, so every path is beneath an open handle.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from tarimba.confined import Confined
from tarimba.disk_faults import told
from tarimba.errors import invalid, not_found
from tarimba.identity.seats import Seat
from tarimba.openat2 import READ
from tarimba.workspaces import places
from tarimba.workspaces.locks import alone
from tarimba.workspaces.session_lines import (
    APART_MAX,
    LINE_MAX,
    Line,
    Message,
    line_of,
    mark_in,
    mark_of,
    parsed,
    session_key,
)

ROOT: Final = "sessions/durable"
SUFFIX: Final = ".jsonl"
APART: Final = ".apart"
_APPEND: Final = READ | os.O_RDWR | os.O_APPEND
_PAGE_BYTES: Final = 1024 * 1024
_STEP: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where a member's sessions with an agent lie: the host's folder of it, and the workspace inside."""

    home: Path
    workspace: Path

    @classmethod
    def of(cls, data: Path, seat: Seat) -> Shelf:
        """Those of the main workspace, or of the project that the seat names."""
        return cls(places.home(data, seat), places.folder(data, seat))


@dataclass(frozen=True, slots=True)
class Appended:
    """How many lines are new, and how long the file is now, in bytes."""

    lines: int
    size: int


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a session. `ends_at` is the offset where the next one begins, None at the end.

    `damaged` counts lines that are no message; a torn last one is not counted, as it may be under way.
    """

    messages: tuple[Message, ...]
    ends_at: int | None
    damaged: int


def key_of(seat: Seat, session_id: str) -> str:
    """Raises 422 for an id that is empty or longer than 512 characters."""
    if not 0 < len(session_id) <= 512:
        raise invalid("session", "must be a text of 1 to 512 characters")
    return session_key(seat.person_id, session_id)


def append(shelf: Shelf, key: str, messages: Sequence[Message], now: str) -> Appended:
    """Adds messages. When it returns they are on disk; when it raises, those before the fault may be.

    Raises 404 without a workspace, 409 for a link in the way, 413, 422, 503.
    """
    lines = [line_of(message, now) for message in messages]
    with _writing(shelf, key) as log:
        for line in lines:
            log.add(line)
        return log.kept()


def fold(shelf: Shelf, key: str, transcript: Iterable[Message], now: str) -> Appended:
    """Adds what a harness's transcript has and the session has not, in its order; the same again adds nothing.

    Equal messages are there as often as the longest transcript had them; what a transcript has dropped stays. Also
    after a crash in the middle. Raises as `append`.
    """
    with _writing(shelf, key) as log:
        kept, seen = Counter(log.marks()), Counter[str]()
        for message in transcript:
            mark = mark_of(message)
            seen[mark] += 1
            if seen[mark] > kept[mark]:
                log.add(line_of(message, now, mark))
        return log.kept()


def read(shelf: Shelf, key: str, after: int = 0, limit: int = 200) -> Page:
    """At most `limit` messages from the offset `after`, and of them so many as 1 MiB holds, but at least one.

    Raises 404 where there is no such session, 409, 422 for an offset at which no line begins.
    """
    with told(), _folder(shelf) as folder:
        handle = _found(folder, key)
        with os.fdopen(handle, "rb") as stream:
            if after:
                stream.seek(after - 1)
                if stream.read(1) != b"\n":
                    raise invalid("after", "must be where a line begins, as the page before told")
            messages: list[Message] = []
            damaged, at = 0, after
            for size, line in _lines(stream):
                found = None if line is None else parsed(line)
                if messages and (len(messages) == limit or at + size - after > _PAGE_BYTES):
                    return Page(tuple(messages), at, damaged)
                damaged += found is None
                messages += [] if found is None else [found]
                at += size
            return Page(tuple(messages), None, damaged)


def read_apart(shelf: Shelf, key: str, digest: str) -> bytes:
    """The JSON of a message that was too long for a line. Raises 404, 409."""
    if len(digest) != 64 or not digest.isalnum():
        raise not_found("message")
    with told(), _folder(shelf) as folder:
        return folder.read(f"{key}{APART}/{digest}.json", APART_MAX)


class _Log:
    """A session's file, open to be appended to while nobody else does so through the server."""

    def __init__(self, folder: Confined, key: str, handle: int) -> None:
        self._folder = folder
        self._key = key
        self._handle = handle
        self._lines = 0
        _mend(handle)

    def marks(self) -> Iterator[str]:
        """What tells the lines from each other, of those that are there."""
        with os.fdopen(os.dup(self._handle), "rb") as stream:
            stream.seek(0)
            for _, line in _lines(stream):
                mark = None if line is None else mark_in(line)
                if mark is not None:
                    yield mark

    def add(self, line: Line) -> None:
        if line.apart is not None:
            self._put_apart(line, line.apart)
        before = os.fstat(self._handle).st_size
        if os.write(self._handle, line.data) != len(line.data):
            # The disk took a part of it: no reader shall find that.
            os.ftruncate(self._handle, before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._lines += 1

    def kept(self) -> Appended:
        """When it is all on disk."""
        os.fsync(self._handle)
        return Appended(self._lines, os.fstat(self._handle).st_size)

    def _put_apart(self, line: Line, data: bytes) -> None:
        path = f"{self._key}{APART}"
        self._folder.beneath(path, make=True).close()
        # By its hash: what stands there already is the same.
        self._folder.replace(f"{path}/{line.apart_name}", data)


@contextmanager
def _writing(shelf: Shelf, key: str) -> Iterator[_Log]:
    with told():
        if not shelf.workspace.is_dir():
            raise not_found("workspace")
        with (
            alone(shelf.home, "sessions"),
            Confined.at(shelf.workspace) as workspace,
            workspace.beneath(ROOT, make=True) as folder,
        ):
            handle = _opened(folder, key)
            try:
                yield _Log(folder, key, handle)
            finally:
                os.close(handle)


def _opened(folder: Confined, key: str) -> int:
    name = f"{key}{SUFFIX}"
    try:
        return folder.opened(name, _APPEND)
    except FileNotFoundError:
        folder.replace(name, b"", is_new=True)
        return folder.opened(name, _APPEND)


@contextmanager
def _folder(shelf: Shelf) -> Iterator[Confined]:
    try:
        workspace = Confined.at(shelf.workspace)
    except FileNotFoundError:
        raise not_found("workspace") from None
    with workspace:
        try:
            folder = workspace.beneath(ROOT)
        except FileNotFoundError:
            raise not_found("session") from None
        with folder:
            yield folder


def _found(folder: Confined, key: str) -> int:
    try:
        return folder.opened(f"{key}{SUFFIX}")
    except FileNotFoundError:
        raise not_found("session") from None


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """(bytes with the line break, line) of each that is whole; None for the line where it is longer than one may be."""
    read_line = stream.readline
    while line := read_line(LINE_MAX + 1):
        size, is_long = len(line), not line.endswith(b"\n")
        while is_long and line and not line.endswith(b"\n"):
            line = read_line(_STEP)
            size += len(line)
        if not line:
            # The end came without a line break: torn, or being written at this moment.
            return
        yield size, None if is_long else line[:-1]


def _mend(handle: int) -> None:
    """Ends what a crash tore: a last line without its line break goes if it is no whole message, else it gets one."""
    size = os.fstat(handle).st_size
    if size == 0 or os.pread(handle, 1, size - 1) == b"\n":
        return
    start = max(size - LINE_MAX, 0)
    tail = os.pread(handle, size - start, start)
    at = tail.rfind(b"\n") + 1
    is_torn = (at > 0 or start == 0) and parsed(tail[at:]) is None
    if is_torn:
        os.ftruncate(handle, start + at)
    elif os.write(handle, b"\n") != 1:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
