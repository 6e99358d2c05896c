"""The skills that come with the package, as the index and a member's list name them."""

from __future__ import annotations

import hashlib

from tarimba.errors import not_found
from tarimba.harnesses.service import Profile
from tarimba.skills.format import read
from tarimba.skills.index import Listed
from tarimba.skills.member_files import TEXT_MAX, Piece, text_of
from tarimba.skills.model import FILE_NAME, Language
from tarimba.skills.shipped import skills


def managed(profile: Profile, language: Language) -> tuple[Listed, ...]:
    """Those that agents of this harness get, by name."""
    found = []
    for name, files in skills(profile, language).items():
        data = files[FILE_NAME]
        reading = read(data, directory=name)
        mark = hashlib.sha256(data).hexdigest()
        found.append(Listed(name, reading.description, f"{profile.shared_root}/{name}/{FILE_NAME}", mark))
    return tuple(sorted(found, key=lambda one: one.name))


def pieces(profile: Profile, language: Language, name: str) -> list[Piece]:
    """The files of one of them, by path."""
    return [piece_of(path, data) for path, data in sorted(skills(profile, language)[name].items())]


def content(profile: Profile, language: Language, name: str, path: str) -> bytes:
    """Raises 404 for a file that is not there."""
    found = skills(profile, language)[name].get(path)
    if found is None:
        raise not_found("file")
    return found


def piece_of(path: str, data: bytes | None) -> Piece:
    """How a list names these bytes; None are none."""
    if data is None:
        return Piece(path, 0, "", is_text=False)
    is_text = len(data) <= TEXT_MAX and text_of(data) is not None
    return Piece(path, len(data), hashlib.sha256(data).hexdigest(), is_text)
