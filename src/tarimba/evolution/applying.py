"""Writing a SKILL.md into an agent's own skills, and nowhere else.

What stood there is kept beside the skills. The file is there whole or not at all, and it is read back. The agent may
write in these folders at the same moment, and so may a second server.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tarimba.confined import Confined
from tarimba.errors import Refusal
from tarimba.ids import new_id
from tarimba.skills.model import FILE_BYTES_MAX, FILE_NAME

SKILLS: Final = "skills"
BEFORE: Final = "skills-before"


@dataclass(frozen=True, slots=True)
class Written:
    """What a write changed. `before` names the file that keeps what stood there; None when nothing did."""

    is_changed: bool
    before: str | None = None


@dataclass(frozen=True, slots=True)
class OwnSkills:
    """The skills of one agent's workspace: `<root>/<space>/<agent>/skills`. The agent's folder must be there.

    Methods raise 409 `conflict` for what stands in the workspace, 501 where the machine can't confine a write, and
    503 `unavailable` when it fails.
    """

    root: Path
    space: str
    agent: str

    def write(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> Written:
        """Puts `content` into the skill of that name; changes nothing when it stands there already.

        What `is_sound` says no to when it is read back is taken out again: 503.
        """
        with self._opened(name) as (skill, kept):
            stands = _read(skill)
            if stands == content:
                return Written(is_changed=False)
            before = None if stands is None else _keep(kept, name, stands)
            skill.replace(FILE_NAME, content)
            back = _read(skill)
            if back != content or not is_sound(back):
                _put_back(skill, kept, before)
                raise Refusal("unavailable", "The skill did not read back as it was written.")
            return Written(is_changed=True, before=before)

    def undo(self, name: str, content: bytes, written: Written) -> None:
        """Takes out what `write` put there, if it still stands."""
        if written.is_changed:
            with self._opened(name) as (skill, kept):
                if _read(skill) == content:
                    _put_back(skill, kept, written.before)

    @contextmanager
    def _opened(self, name: str) -> Iterator[tuple[Confined, Confined]]:
        """The skill's folder, locked, and the one that keeps what stood there."""
        with (
            _told(),
            Confined.at(self.root) as root,
            root.beneath(f"{self.space}/{self.agent}") as home,
            home.beneath(BEFORE, make=True) as kept,
            home.beneath(f"{SKILLS}/{name}", make=True) as skill,
        ):
            fcntl.flock(skill.fileno(), fcntl.LOCK_EX)
            yield skill, kept


@contextmanager
def _told() -> Iterator[None]:
    """What the system refuses, as a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise Refusal("conflict", "The agent has no folder in TARIMBA_WORKSPACES.") from None
    except (NotADirectoryError, IsADirectoryError):
        raise Refusal("conflict", "In the workspace a file stands in the place of a folder.") from None
    except OSError:
        raise Refusal(
            "unavailable",
            "The workspace can't be written: see whether its disk is full or not ours to write.",
        ) from None


def _read(skill: Confined) -> bytes | None:
    """What stands there; None for nothing."""
    try:
        return skill.read(FILE_NAME, FILE_BYTES_MAX)
    except FileNotFoundError:
        return None
    except Refusal as refusal:
        if refusal.code != "too_large":
            raise
        raise Refusal(
            "conflict", "What stands in the place of the skill is larger than a skill may be."
        ) from None


def _keep(kept: Confined, name: str, content: bytes) -> str:
    """A copy of what stands there: the agent can't change it through the file that it still has open."""
    before = f"{name}.{new_id()}.md"
    kept.replace(before, content, is_new=True)
    return before


def _put_back(skill: Confined, kept: Confined, before: str | None) -> None:
    if before is None:
        skill.unlink(FILE_NAME)
        return
    skill.replace(FILE_NAME, kept.read(before, FILE_BYTES_MAX))
    kept.unlink(before)
