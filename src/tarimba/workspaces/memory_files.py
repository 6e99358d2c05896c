"""The memory files on the disk: read through no link, replaced in one step, and put back when that was not right.

The agent writes there at the same moment. What a person's text takes the place of is looked at once more after the two
have changed places, so nothing that the agent wrote in between is lost unseen.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import structlog

from tarimba.confined import PASSING, Confined
from tarimba.disk_faults import told
from tarimba.errors import Refusal
from tarimba.identity.seats import Seat
from tarimba.workspaces import places

FOLDER: Final = "memory"
CUSTOM: Final = "MEMORY_CUSTOM.md"
TEXT_MAX: Final = 256 * 1024
# An agent may write more than a person: that much is still shown and kept.
READ_MAX: Final = 1024 * 1024
# Seconds after which what a process left in the middle of a write is nobody's any more.
_LEFT_FOR: Final = 3600
_SWEPT_MAX: Final = 1_000
_log = structlog.get_logger("tarimba.workspaces")


class ChangedMeanwhileError(Exception):
    """What was there a moment ago is not what was replaced; it is back in its place."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is at the place of a file. `data` is None where nothing is, or what is there was not read."""

    data: bytes | None
    is_unread: bool = False

    @property
    def is_absent(self) -> bool:
        return self.data is None and not self.is_unread


@contextmanager
def reading(data: Path, seat: Seat) -> Iterator[Confined | None]:
    """The workspace, None where it is not on this disk yet. Raises what `told` says."""
    with told(), ExitStack() as stack:
        tree: Confined | None = None
        with suppress(FileNotFoundError):
            tree = stack.enter_context(Confined.at(places.folder(data, seat)))
        yield tree


@contextmanager
def still(data: Path, seat: Seat) -> Iterator[Confined | None]:
    """As `reading`, while nobody changes the workspace through the server. Makes nothing. Raises 503 too."""
    with ExitStack() as stack:
        with told(), suppress(FileNotFoundError):
            _lock(stack.enter_context(Confined.at(places.home(data, seat))))
        yield stack.enter_context(reading(data, seat))


@contextmanager
def changing(data: Path, seat: Seat) -> Iterator[Confined]:
    """The memory directory, made on the way, while nobody else changes the workspace through the server.

    Raises 503 while somebody does, and what `told` says.
    """
    where = places.folder(data, seat)
    # The host may have its data folder behind a link; nobody else chooses where it leads.
    with told(), Confined.at(data.resolve()) as top, top.beneath(seat.home, make=True) as home:
        _lock(home)
        with suppress(FileExistsError):
            home.mkdir(where.name)
        # Opened by its path, which is the host's: the workspace may be a volume of its own.
        with Confined.at(where) as workspace, workspace.beneath(FOLDER, make=True) as folder:
            yield folder


def content(folder: Confined, path: str) -> bytes | None:
    """The bytes of a file, None where none is. Raises 409 for what is no plain file, 413 above 1 MiB."""
    try:
        return folder.read(path, READ_MAX)
    except FileNotFoundError:
        return None


def standing(folder: Confined, name: str, *, is_any: bool) -> Standing:
    """What is there. With `is_any` also what can't be read: a link, a pipe, a file above 1 MiB. Raises 409, 413."""
    try:
        return Standing(content(folder, name))
    except Refusal:
        if not is_any:
            raise
    if folder.look(name).kind == "directory":
        raise Refusal("conflict", "A folder stands in the place of the file: the agent must move it away.")
    return Standing(None, is_unread=True)


@contextmanager
def written(folder: Confined, name: str, data: bytes, before: Standing) -> Iterator[None]:
    """Puts `data` there, and what was there again when what follows fails. Raises `ChangedMeanwhileError`."""
    aside = PASSING + secrets.token_hex(8)
    try:
        folder.replace(aside, data, mode=_mode(folder, name, before), is_new=True)
        _put(folder, name, aside, before)
        yield
    except BaseException:
        # The failure that is told is the first one.
        try:
            _put_back(folder, name, aside, before, data)
        except (OSError, Refusal) as failed:
            _log.error("workspace.not_put_back", error=type(failed).__name__)
        raise
    # What is left there after this is taken away by a later write.
    with suppress(OSError, Refusal):
        folder.unlink(aside)
    _sweep(folder)


def readable(data: bytes) -> str:
    r"""The text that people see and versions keep: bytes that no text holds stand as `\xNN`, so none is lost."""
    return data.decode(errors="backslashreplace").replace("\0", "\\x00")


def is_text(data: bytes) -> bool:
    """Whether the bytes are the text that is shown of them."""
    return readable(data).encode() == data


def _lock(home: Confined) -> None:
    """Held on the folder above, which the agent can't reach: it could keep a lock of its own for ever."""
    try:
        fcntl.flock(home.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refusal(
            "unavailable", "This workspace is being changed at this moment. Try again.", retry_after=1
        ) from None


def _put(folder: Confined, name: str, aside: str, before: Standing) -> None:
    """Lets the new file take its place, if what it takes the place of is what was seen."""
    if before.is_absent:
        try:
            folder.rename(aside, name)
        except FileExistsError:
            raise ChangedMeanwhileError from None
        return
    try:
        folder.exchange(aside, name)
    except FileNotFoundError:
        raise ChangedMeanwhileError from None
    if not _is_as_seen(folder, aside, before):
        folder.exchange(aside, name)
        raise ChangedMeanwhileError


def _is_as_seen(folder: Confined, aside: str, before: Standing) -> bool:
    if before.is_unread:
        return folder.look(aside).kind != "directory"
    return before.data is not None and _holds(folder, aside, before.data)


def _put_back(folder: Confined, name: str, aside: str, before: Standing, data: bytes) -> None:
    """What was there stands there again, whatever came of the change; only what was to be written is thrown away."""
    if _holds(folder, name, data):
        if before.is_absent:
            folder.rename(name, aside)
        elif _is_as_seen(folder, aside, before):
            folder.exchange(aside, name)
    if _holds(folder, aside, data):
        folder.unlink(aside)


def _holds(folder: Confined, name: str, data: bytes) -> bool:
    try:
        return content(folder, name) == data
    except Refusal:
        return False


def _mode(folder: Confined, name: str, before: Standing) -> int:
    """That of the file whose place is taken, else what every file of a member has."""
    if before.data is None:
        return 0o600
    try:
        found = os.stat(name, dir_fd=folder.fileno(), follow_symlinks=False)
    except FileNotFoundError:
        raise ChangedMeanwhileError from None
    return stat.S_IMODE(found.st_mode) & 0o777


def _sweep(folder: Confined) -> None:
    """Takes away what killed processes left of their writes. What can't be taken out harms nobody there."""
    with suppress(OSError, Refusal), os.scandir(folder.fileno()) as entries:
        now = os.fstat(folder.fileno()).st_mtime
        ours = (entry for entry in islice(entries, _SWEPT_MAX) if entry.name.startswith(PASSING))
        for entry in ours:
            if now - entry.stat(follow_symlinks=False).st_mtime > _LEFT_FOR:
                folder.unlink(entry.name)
