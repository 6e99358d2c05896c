"""The files of a member's own skills: every path beneath an open handle, every change whole or undone.

The agent may write there at the same moment. What is taken away or replaced is put aside until its receipt is kept,
and then emptied by so many names at a time: a directory that an agent goes on filling must not hold a request up.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from tarimba.confined import PASSING, Confined, Entry, EscapedError, UnconfinedError, remove
from tarimba.disk_faults import told
from tarimba.errors import Refusal, not_found
from tarimba.skills.model import FILE_BYTES_MAX, FILE_NAME
from tarimba.skills.seats import Seat

TEXT_MAX: Final = 256 * 1024
FILES_MAX: Final = 500
DEPTH_MAX: Final = 8
# All that one list reads to tell texts from the rest.
_READ_MAX: Final = 16 * 1024 * 1024
# Where in the workspace things wait to be emptied: no harness looks for skills there.
GONE: Final = f"{PASSING}gone"
# How many of them one change looks at, and how many names it takes out in all.
_GONE_MAX: Final = 50
_EMPTIED_MAX: Final = 2_000


@dataclass(frozen=True, slots=True)
class Piece:
    """One file. `hash` is empty, and `is_text` False, where it was too large to be read or is no plain file."""

    path: str
    size: int
    hash: str
    is_text: bool


@contextmanager
def reading(workspace: Path, root: str) -> Iterator[Confined]:
    """The own skills' directory. Raises 404 when there is none, and what `told` says."""
    with told():
        try:
            home = Confined.at(workspace)
        except FileNotFoundError:
            raise not_found("skill") from None
        with home, home.beneath(root) as folder:
            yield folder


class Held(Confined):
    """The own skills' directory while nobody else changes it through the server. `gone` takes what is put aside."""

    def __init__(self, handle: int, gone: Confined) -> None:
        super().__init__(handle)
        self.gone = gone


@contextmanager
def changing(data: Path, seat: Seat) -> Iterator[Held]:
    """The own skills' directory, made on the way. Raises 503 while somebody else changes it through the server."""
    root, scaffold = seat.profile.own_root, seat.profile.scaffold
    # The host may have its data folder behind a link; nobody else chooses where it leads.
    with told(), Confined.at(data.resolve()) as top, top.beneath(seat.home, make=True) as home:
        _lock(home)
        with suppress(FileExistsError):
            home.mkdir("workspace")
        # Opened by its path, which is the host's: the workspace may be a volume of its own.
        with (
            Confined.at(data / seat.home / "workspace") as workspace,
            workspace.beneath(root, make=True) as folder,
            _gone(workspace) as gone,
        ):
            for path, content in scaffold.items():
                with suppress(FileExistsError):
                    workspace.replace(path, content.encode(), is_new=True)
            with Held(os.dup(folder.fileno()), gone) as held:
                yield held


def _lock(home: Confined) -> None:
    """Held on the folder above, which the agent can't reach: it could keep a lock of its own for ever."""
    try:
        fcntl.flock(home.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refusal(
            "unavailable", "These skills are being changed at this moment. Try again.", retry_after=1
        ) from None


@contextmanager
def _gone(workspace: Confined) -> Iterator[Confined]:
    """Where things wait to be emptied; in the end some of it is, and the directory itself when nothing is left."""
    try:
        gone = workspace.beneath(GONE, make=True)
    except (EscapedError, NotADirectoryError):
        # The name is the server's own: what the agent put in its place is no loss.
        workspace.unlink(GONE)
        gone = workspace.beneath(GONE, make=True)
    with gone:
        try:
            yield gone
        finally:
            _empty(gone)
            with suppress(OSError):
                os.rmdir(GONE, dir_fd=workspace.fileno())


def _empty(gone: Confined) -> None:
    """A part of what waits. What can't be taken out harms nobody there: the request is done without it."""
    with suppress(OSError, Refusal):
        with os.scandir(gone.fileno()) as entries:
            names = [entry.name for entry in islice(entries, _GONE_MAX)]
        for name in names:
            with suppress(OSError, Refusal):
                remove(gone.fileno(), name, _EMPTIED_MAX // len(names))


def pieces(folder: Confined, skill: str) -> tuple[list[Piece], bool]:
    """The files of a skill by path, at most 500, and whether there are more.

    Raises `FileNotFoundError` when there is no such directory.
    """
    found: list[Piece] = []
    left = _READ_MAX
    walked = _walk(folder, skill, DEPTH_MAX)
    for path, entry in islice(walked, FILES_MAX):
        piece = _piece(folder, skill, path, entry, left)
        left -= piece.size if piece.hash else 0
        found.append(piece)
    return sorted(found, key=lambda one: one.path), next(walked, None) is not None


def has_room(folder: Confined, skill: str) -> bool:
    """Whether one more file of the skill would be listed."""
    return sum(1 for _ in islice(_walk(folder, skill, DEPTH_MAX), FILES_MAX)) < FILES_MAX


def is_irregular(folder: Confined, path: str) -> bool:
    """Whether a link, a pipe or a file with a second name stands there. Raises 409 for a folder."""
    found = standing(folder, path)
    if found is not None and found.kind == "directory":
        raise Refusal("conflict", "A folder stands at this path: delete it by its path, then write the file.")
    return found is not None and (found.kind == "other" or found.links != 1)


def content(folder: Confined, path: str) -> bytes | None:
    """The bytes that stand there, up to 1 MiB; None for nothing. Raises 409 for what is no plain file, and 413."""
    try:
        return folder.read(path, FILE_BYTES_MAX)
    except FileNotFoundError:
        return None


@contextmanager
def written(folder: Held, path: str, data: bytes, before: bytes | None) -> Iterator[None]:
    """Puts `data` there, and `before` again when what follows fails."""
    above = path.rpartition("/")[0]
    stood = standing(folder, path.split("/", maxsplit=1)[0])
    folder.beneath(above, make=True).close()
    folder.replace(path, data, is_new=before is None)
    try:
        yield
    except BaseException:
        if before is not None:
            folder.replace(path, before)
        elif stood is None:
            folder.rename(path.split("/", maxsplit=1)[0], secrets.token_hex(8), into=folder.gone)
        else:
            folder.unlink(path)
        raise


@contextmanager
def replaced(folder: Held, path: str, data: bytes) -> Iterator[None]:
    """Puts a file in the place of what is none, in one step, and that back when what follows fails."""
    aside = secrets.token_hex(8)
    folder.gone.replace(aside, data, is_new=True)
    folder.gone.exchange(aside, path, into=folder)
    try:
        yield
    except BaseException:
        folder.gone.exchange(aside, path, into=folder)
        raise


@contextmanager
def removed(folder: Held, path: str) -> Iterator[None]:
    """Takes a file, a skill or a link out of sight, for good when what follows succeeds."""
    aside = secrets.token_hex(8)
    folder.rename(path, aside, into=folder.gone)
    try:
        yield
    except BaseException:
        folder.gone.rename(aside, path, into=folder)
        raise


def text_of(data: bytes) -> str | None:
    """The text of a file, None if it is none."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def standing(folder: Confined, name: str) -> Entry | None:
    try:
        return folder.look(name)
    except FileNotFoundError:
        return None


def _walk(folder: Confined, skill: str, depth: int) -> Iterator[tuple[str, Entry]]:
    """(path inside the skill, entry) of all that is no directory; SKILL.md comes first wherever a list must end."""
    yield from _in_turn(folder, skill, folder.entries(skill), depth)


def _in_turn(
    folder: Confined, skill: str, entries: Iterable[Entry], depth: int
) -> Iterator[tuple[str, Entry]]:
    for entry in sorted(entries, key=lambda one: (one.kind == "directory", one.name != FILE_NAME, one.name)):
        if entry.kind != "directory":
            yield entry.name, entry
        elif depth > 1 and not entry.name.startswith(PASSING):
            below = f"{skill}/{entry.name}"
            try:
                found = folder.entries(below)
            except (OSError, EscapedError):
                # One row for what can't be looked into: the rest of the list is there all the same.
                yield entry.name, entry
                continue
            for path, inner in _in_turn(folder, below, found, depth - 1):
                yield f"{entry.name}/{path}", inner


def _piece(folder: Confined, skill: str, path: str, entry: Entry, left: int) -> Piece:
    if entry.kind != "file" or entry.size > min(TEXT_MAX, left):
        return Piece(path, entry.size, "", is_text=False)
    try:
        data = folder.read(f"{skill}/{path}", TEXT_MAX)
    except UnconfinedError:
        raise
    except (OSError, Refusal):
        # Gone, grown, closed or no plain file since it was listed: a row that says no more.
        return Piece(path, entry.size, "", is_text=False)
    return Piece(path, len(data), hashlib.sha256(data).hexdigest(), text_of(data) is not None)
