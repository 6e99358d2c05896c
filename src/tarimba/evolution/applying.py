"""Writing a SKILL.md into an agent's own skills, and nowhere else: folders are opened one by one, no link is followed.

What stood there is kept beside the skills. The file is there whole or not at all: it is written under another name,
brought to disk, renamed, and read back. The agent may write in these folders at the same moment, and so may a second
server.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tarimba.ids import new_id

FILE: Final = "SKILL.md"
SKILLS: Final = "skills"
BEFORE: Final = "skills-before"
_SIZE_MAX: Final = 1024 * 1024
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NO_LINK: Final = os.O_NOFOLLOW | os.O_CLOEXEC
_LINKED: Final = frozenset({errno.ELOOP, errno.ENOTDIR})


class WorkspaceError(Exception):
    """Nothing was written, or what was written is taken out again. `sentence` says why and names no path.

    `is_ours` is whether the machine failed, and not what stands in the workspace.
    """

    def __init__(self, sentence: str, *, is_ours: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.is_ours = is_ours


@dataclass(frozen=True, slots=True)
class Written:
    """What a write changed. `before` names the file that keeps what stood there; None when nothing did."""

    is_changed: bool
    before: str | None = None


@dataclass(frozen=True, slots=True)
class OwnSkills:
    """The skills of one agent's workspace: `<root>/<space>/<agent>/skills`. The agent's folder must be there."""

    root: Path
    space: str
    agent: str

    def write(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> Written:
        """Puts `content` into the skill of that name; changes nothing when it stands there already.

        Raises `WorkspaceError`, also when `is_sound` says no to what is read back.
        """
        with self._opened(name) as (skill, kept):
            stands = _read(skill)
            if stands == content:
                return Written(is_changed=False)
            before = None if stands is None else _keep(kept, name, stands)
            _replace(skill, content)
            back = _read(skill)
            if back != content or not is_sound(back):
                _put_back(skill, kept, before)
                raise WorkspaceError("The skill did not read back as it was written.", is_ours=True)
            return Written(is_changed=True, before=before)

    def undo(self, name: str, content: bytes, written: Written) -> None:
        """Takes out what `write` put there, if it still stands. Raises `WorkspaceError`."""
        if written.is_changed:
            with self._opened(name) as (skill, kept):
                if _read(skill) == content:
                    _put_back(skill, kept, written.before)

    @contextmanager
    def _opened(self, name: str) -> Iterator[tuple[int, int]]:
        """Handles of the skill's folder, locked, and of the one that keeps what stood there."""
        with ExitStack() as stack, _told():
            folder = _entered(stack, os.open(self.root, _FOLDER))
            for step in (self.space, self.agent):
                folder = _entered(stack, os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=folder))
            skills = _entered(stack, _made(folder, SKILLS))
            kept = _entered(stack, _made(folder, BEFORE))
            skill = _entered(stack, _made(skills, name))
            fcntl.flock(skill, fcntl.LOCK_EX)
            yield skill, kept


@contextmanager
def _told() -> Iterator[None]:
    """What the system refuses, as a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise WorkspaceError("The agent has no folder in TARIMBA_WORKSPACES.") from None
        if error.errno in _LINKED:
            raise WorkspaceError(
                "A link or a file stands in the workspace where a folder or a skill belongs."
            ) from None
        raise WorkspaceError(
            "The workspace can't be written: see whether its disk is full or not ours to write.", is_ours=True
        ) from None


def _entered(stack: ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor


def _made(folder: int, name: str) -> int:
    """The folder of that name inside, which begins if it is not there."""
    with suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=folder)
        os.fsync(folder)
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)


def _read(skill: int) -> bytes | None:
    """What stands there; None for nothing. A device or a pipe is never waited for."""
    try:
        descriptor = os.open(FILE, os.O_RDONLY | os.O_NONBLOCK | _NO_LINK, dir_fd=skill)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise WorkspaceError("Something that is no file stands in the place of the skill.")
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(_SIZE_MAX + 1)
    if len(content) > _SIZE_MAX:
        raise WorkspaceError("What stands in the place of the skill is larger than a skill may be.")
    return content


def _keep(kept: int, name: str, content: bytes) -> str:
    """A copy of what stands there: the agent can't change it through the file that it still has open."""
    before = f"{name}.{new_id()}.md"
    _write(kept, before, content)
    os.fsync(kept)
    return before


def _replace(skill: int, content: bytes) -> None:
    passing = f".{FILE}.{new_id()}"
    try:
        _write(skill, passing, content)
        os.rename(passing, FILE, src_dir_fd=skill, dst_dir_fd=skill)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(passing, dir_fd=skill)
        raise
    os.fsync(skill)


def _put_back(skill: int, kept: int, before: str | None) -> None:
    if before is None:
        os.unlink(FILE, dir_fd=skill)
    else:
        os.rename(before, FILE, src_dir_fd=kept, dst_dir_fd=skill)
        os.fsync(kept)
    os.fsync(skill)


def _write(folder: int, name: str, content: bytes) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o644, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(descriptor)
