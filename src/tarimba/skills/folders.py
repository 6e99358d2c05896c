"""Skills on a disk: which files are meant to be one, and what each says. Follows no link that leaves its place."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from tarimba.skills.format import read
from tarimba.skills.model import FILE_BYTES_MAX, FILE_NAME, Language, Reading
from tarimba.skills.report import Report

FILES_MAX: Final = 200
BYTES_MAX: Final = 10_485_760
"""What a skill may hold when it is published."""

_DEPTH_MAX: Final = 8
_FOLDERS_MAX: Final = 100_000


@dataclass(frozen=True, slots=True)
class Found:
    """One file that is, or was meant to be, a skill. `data` is empty where it could not be read."""

    path: Path
    reading: Reading
    data: bytes

    @property
    def directory(self) -> str:
        """The name of the directory that the file lies in."""
        return self.path.absolute().parent.name


def found_in(path: Path, *, is_recursive: bool = False, language: Language = "en") -> Iterator[Found]:
    """The skills of a path, by name: a file, a skill's directory, a directory of skills, or (recursive) all below it.

    Raises OSError when the path itself cannot be read.
    """
    if not path.is_dir():
        # A missing one is the caller's error, not a verdict.
        path.lstat()
        yield _file(path, language)
        return
    own = list(_skill(path, language))
    yield from own
    if is_recursive or not own:
        depth = _DEPTH_MAX if is_recursive else 1
        yield from islice(_below(path, depth, language), _FOLDERS_MAX)


def _below(folder: Path, depth: int, language: Language) -> Iterator[Found]:
    for child in sorted(_children(folder)):
        if child.is_dir():
            yield from _skill(child, language)
            if depth > 1 and not child.is_symlink():
                yield from _below(child, depth - 1, language)


def _skill(folder: Path, language: Language) -> Iterator[Found]:
    """The files of a directory that is meant to be a skill; a link to elsewhere than its neighbours is refused."""
    files = _named_so(folder)
    if files and _leaves(folder, folder.absolute().parent):
        yield _refused(folder / FILE_NAME, "outside", language)
        return
    yield from (_file(file, language) for file in files)


def _leaves(path: Path, root: Path) -> bool:
    """Whether the path is a link that ends outside of the directory, or nowhere."""
    if not path.is_symlink():
        return False
    try:
        return not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        # Links that lead around a circle.
        return True


def _children(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except PermissionError:
        # What nobody may list holds no file to judge.
        return []


def _named_so(folder: Path) -> list[Path]:
    """The files whose name is SKILL.md, in whatever letters."""
    children = _children(folder)
    return sorted(child for child in children if child.name.lower() == "skill.md" and not child.is_dir())


def _file(path: Path, language: Language) -> Found:
    if _leaves(path, path.absolute().parent):
        return _refused(path, "outside", language)
    data = _bytes(path.resolve())
    if data is None:
        return _refused(path, "unreadable", language)
    found = Found(
        path, read(data, directory=path.absolute().parent.name, file=path.name, language=language), data
    )
    return _judged(found, language)


def _bytes(path: Path) -> bytes | None:
    """A regular file's bytes, at most one more than a skill may have; None if it is none or cannot be read."""
    try:
        # Opening a pipe would wait for its other end.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(FILE_BYTES_MAX + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None


def _judged(found: Found, language: Language) -> Found:
    """With what the files beside it add: links that leave the skill, and more than may be published."""
    report = Report(language)
    root = found.path.absolute().parent.resolve()
    files = size = 0
    for path in islice(_files(root), FILES_MAX + 1):
        files, size = files + 1, size + path.lstat().st_size
        if _leaves(path, root):
            report.tell(0, "outside")
            break
    if files > FILES_MAX or size > BYTES_MAX:
        report.tell(0, "too-many-files")
    problems = found.reading.problems + report.problems
    verdict = "quarantined" if report.verdict == "quarantined" else found.reading.verdict
    return replace(found, reading=replace(found.reading, verdict=verdict, problems=problems))


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        at = Path(folder)
        yield from (at / name for name in names)
        yield from (at / name for name in folders if (at / name).is_symlink())


def _refused(path: Path, rule: str, language: Language) -> Found:
    report = Report(language)
    report.tell(0, rule)
    return Found(path, Reading("quarantined", "", "", "", report.problems), b"")
