"""Looking at the agent's own skills on disk, and reading only those that changed since they were last read.

The agent writes there at any moment, so nothing is followed out of the workspace and nothing is trusted to be small.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tarimba.confined import PASSING, Confined, EscapedError, IrregularError
from tarimba.errors import Refusal
from tarimba.skills.format import is_legal, read
from tarimba.skills.index import is_shown
from tarimba.skills.model import FILE_BYTES_MAX, FILE_NAME, Language
from tarimba.skills.report import Report
from tarimba.skills.roots import OwnSkill

# More directories than anybody reads: what follows in the alphabet is not looked at.
OWN_MAX: Final = 2_000
_NAMES_MAX: Final = 50_000
Stamp = tuple[int, ...]
_MISSING: Final[Stamp] = ()
_LINK: Final[Stamp] = (0,)
# What was read of the kind that no file has, by language: what is wrong, and what to do.
_Words = Mapping[Language, tuple[str, str]]
_FOLDER: Final[_Words] = MappingProxyType(
    {
        "en": ("SKILL.md is a folder.", "Delete the folder, or the whole skill, and write the file."),
        "es": ("SKILL.md es una carpeta.", "Elimine la carpeta, o toda la skill, y escriba el archivo."),
        "pt": ("SKILL.md é uma pasta.", "Exclua a pasta, ou a skill inteira, e escreva o arquivo."),
    }
)
_LINKED: Final[_Words] = MappingProxyType(
    {
        "en": (
            "SKILL.md, or the folder of the skill, is a link or a mount.",
            "Write SKILL.md again: a file takes its place. If the folder is the link, delete the skill first.",
        ),
        "es": (
            "SKILL.md, o la carpeta de la skill, es un enlace o un punto de montaje.",
            "Escriba SKILL.md de nuevo: un archivo lo sustituye. Si el enlace es la carpeta, elimine antes la skill.",
        ),
        "pt": (
            "SKILL.md, ou a pasta da skill, é um link ou um ponto de montagem.",
            "Escreva SKILL.md de novo: um arquivo tomará o seu lugar. Se o link é a pasta, exclua antes a skill.",
        ),
    }
)
_SPECIAL: Final[_Words] = MappingProxyType(
    {
        "en": (
            "SKILL.md has a second name, or is no regular file.",
            "Write it again: a file takes its place.",
        ),
        "es": (
            "SKILL.md tiene un segundo nombre o no es un archivo normal.",
            "Escríbalo de nuevo: un archivo ocupará su lugar.",
        ),
        "pt": (
            "SKILL.md tem um segundo nome ou não é um arquivo comum.",
            "Escreva-o de novo: um arquivo tomará o seu lugar.",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Seen:
    """The own skills by directory, each with the stamp that its SKILL.md had when it was read.

    `left_out` counts the directories above the limit, of the first 50,000 names.
    """

    stamps: Mapping[str, Stamp]
    skills: Mapping[str, OwnSkill]
    left_out: int = 0


NOTHING: Final = Seen({}, {})


def look(workspace: Path, root: str, language: Language, known: Seen = NOTHING) -> Seen:
    """What is there now; `known` itself when nothing changed. Raises 501 where the machine can't confine a read.

    No workspace and no root are no skills, nor is a root that can't be read, or that a link stands in the place of.
    """
    try:
        with Confined.at(workspace) as home, home.beneath(root) as folder:
            names, links = _listed(folder.fileno())
            stamps = {
                name: _LINK if name in links else _stamp(folder.fileno(), name) for name in names[:OWN_MAX]
            }
            left_out = max(len(names) - OWN_MAX, 0)
            if (stamps, left_out) == (known.stamps, known.left_out):
                return known
            skills = {name: _kept(folder, name, stamps, known, language) for name in stamps}
            return Seen(stamps, skills, left_out)
    except (OSError, EscapedError):
        # The agent owns the directory: what it does to it must not cost it the administrators' skills.
        return NOTHING


def is_full(folder: Confined) -> bool:
    """Whether a further skill would be one that is left out, or there is more than is looked at."""
    with os.scandir(folder.fileno()) as entries:
        is_crowded = sum(1 for _ in islice(entries, _NAMES_MAX)) == _NAMES_MAX
    return is_crowded or len(_listed(folder.fileno())[0]) >= OWN_MAX


def _listed(folder: int) -> tuple[list[str], frozenset[str]]:
    """The directories and links in order, and which are links."""
    with os.scandir(folder) as entries:
        found = list(islice(entries, _NAMES_MAX))
    links = frozenset(entry.name for entry in found if entry.is_symlink())
    folders = {entry.name for entry in found if entry.is_dir(follow_symlinks=False)}
    return sorted(name for name in folders | links if not name.startswith(PASSING)), links


def _stamp(folder: int, name: str) -> Stamp:
    """Differs after any change of the file: its owner can set every time but that of the change of the inode."""
    try:
        found = os.stat(f"{name}/{FILE_NAME}", dir_fd=folder, follow_symlinks=False)
    except OSError:
        return _MISSING
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode


def _kept(
    folder: Confined, name: str, stamps: Mapping[str, Stamp], known: Seen, language: Language
) -> OwnSkill:
    if known.stamps.get(name) == stamps[name]:
        return known.skills[name]
    return _read(folder, name, language)


def _read(folder: Confined, directory: str, language: Language) -> OwnSkill:
    if not _is_text(directory) or not is_shown(directory):
        return _unloaded(directory, "name-unsavable", language)
    try:
        data = folder.read(f"{directory}/{FILE_NAME}", FILE_BYTES_MAX)
    except FileNotFoundError:
        return _unloaded(directory, "file-name", language)
    except Refusal as refusal:
        return _refused(folder, directory, refusal, language)
    except OSError:
        return _unloaded(directory, "unreadable", language)
    return judged(directory, data, language)


def _refused(folder: Confined, directory: str, refusal: Refusal, language: Language) -> OwnSkill:
    """What stands where the file should be, and what mends it."""
    if isinstance(refusal, IrregularError):
        words = _FOLDER if _is_folder(folder, f"{directory}/{FILE_NAME}") else _SPECIAL
        return _unloaded(directory, "unreadable", language, words)
    if refusal.code == "too_large":
        return _unloaded(directory, "file-too-large", language)
    return _unloaded(directory, "outside", language, _LINKED)


def _is_folder(folder: Confined, path: str) -> bool:
    try:
        return folder.look(path).kind == "directory"
    except (OSError, Refusal):
        return False


def judged(directory: str, data: bytes, language: Language) -> OwnSkill:
    """What the bytes of a SKILL.md in this directory come to."""
    found = read(data, directory=directory, language=language)
    return OwnSkill(
        directory,
        found.name if is_legal(found.name) else directory,
        found.description,
        found.verdict,
        hashlib.sha256(data).hexdigest(),
        len(data),
        found.problems,
    )


def _unloaded(directory: str, rule: str, language: Language, words: _Words | None = None) -> OwnSkill:
    report = Report(language)
    report.tell(0, rule)
    problems = report.problems
    if words is not None:
        message, fix = words[language]
        problems = tuple(replace(problem, message=message, fix=fix) for problem in problems)
    # Bytes that are no text can't be named in an answer.
    shown = directory if _is_text(directory) else directory.encode(errors="replace").decode()
    return OwnSkill(shown, shown, "", "quarantined", "", 0, problems)


def _is_text(directory: str) -> bool:
    try:
        directory.encode()
    except UnicodeEncodeError:
        return False
    return True
