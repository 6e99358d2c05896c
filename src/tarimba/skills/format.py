"""The one reader and the one writer of SKILL.md. Pure: `read` never raises and looks at each character a few times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from unicodedata import normalize

from tarimba.skills.frontmatter import READ_KEYS, Entry, entries, split
from tarimba.skills.model import DESCRIPTION_MAX, FILE_BYTES_MAX, FILE_NAME, NAME_MAX, Language, Reading
from tarimba.skills.names import (
    STRICT_HARNESSES,
    checked_name,
    is_legal,
    is_seen_everywhere,
    slug,
    strict_slug,
)
from tarimba.skills.report import Report
from tarimba.skills.scalars import NotTextError, has_anchor, scalar
from tarimba.skills.writing import fold, is_unprintable, write

__all__ = [
    "checked_name",
    "fold",
    "is_legal",
    "is_seen_everywhere",
    "other_keys",
    "read",
    "slug",
    "strict_slug",
    "write",
]

_LINE_END: Final = re.compile("\r\n?")


def read(data: bytes, *, directory: str, file: str = FILE_NAME, language: Language = "en") -> Reading:
    """What a file says, whatever it holds. `directory`: the name of the one it lies in, "" where there is none.

    Problems are told in `language`, in the order in which they were seen.
    """
    report = Report(language)
    text = _decoded(data, file, report)
    found = None if text is None else split(text, report)
    if found is None:
        return Reading(report.verdict, "", "", "", report.problems)
    keys = entries(found, report)
    for entry in keys:
        if entry.key not in READ_KEYS and has_anchor(entry):
            report.tell(entry.line, "anchor")
    name = _name(_only(keys, "name", report), directory, found.first, report)
    description = _description(_only(keys, "description", report), found.first - 1, report)
    return Reading(report.verdict, name, description, found.body, report.problems)


def other_keys(data: bytes) -> tuple[str, ...]:
    """The keys of a readable frontmatter that `write` leaves out, in their order."""
    report = Report()
    text = _decoded(data, FILE_NAME, report)
    found = None if text is None else split(text, report)
    keys = [] if found is None else entries(found, report)
    return tuple(dict.fromkeys(entry.key for entry in keys if entry.key not in READ_KEYS))


def _decoded(data: bytes, file: str, report: Report) -> str | None:
    """The text with LF and without a byte order mark; None (and told) if there is none to read."""
    if file != FILE_NAME:
        report.tell(0, "file-name")
    if len(data) > FILE_BYTES_MAX:
        report.tell(0, "file-too-large")
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        report.tell(data.count(b"\n", 0, error.start) + 1, "encoding")
        return None
    if (nul := text.find("\0")) >= 0:
        report.tell(text.count("\n", 0, nul) + 1, "nul")
        return None
    if text.startswith("\ufeff"):
        report.tell(1, "bom")
        text = text[1:]
    if "\r" in text:
        report.tell(1, "line-ends")
        text = _LINE_END.sub("\n", text)
    return text


def _only(keys: Sequence[Entry], key: str, report: Report) -> Entry | None:
    """The entry of a key; a second one is told, because two readers would take two different ones."""
    found = [entry for entry in keys if entry.key == key]
    if len(found) > 1:
        report.tell(found[1].line, "repeated-key", key=key)
    return found[0] if found else None


def _name(entry: Entry | None, directory: str, line: int, report: Report) -> str:
    """The declared name made legal, the directory's where none is declared, "" (and told) where none can be had."""
    line = line if entry is None else entry.line
    try:
        given = "" if entry is None else fold(scalar(entry, report))
    except NotTextError as error:
        if error.rule != "null":
            report.tell(line, "anchor" if error.rule == "anchor" else "name-kind")
            return ""
        given = ""
    wanted = given or directory
    near = wanted if is_legal(wanted) else slug(wanted)
    if near is None:
        report.tell(line, "name-too-long" if len(wanted) > NAME_MAX else "name-unsavable")
        return ""
    _tell_of_name(given, near, directory, line, report)
    return near


def _tell_of_name(given: str, near: str, directory: str, line: int, report: Report) -> None:
    if not given:
        report.tell(line, "name-missing", name=near)
    elif near != given:
        report.tell(line, "name-slug", name=near)
    if given and directory and normalize("NFC", given) != normalize("NFC", directory):
        report.tell(line, "name-directory")
    if not is_seen_everywhere(near):
        report.tell(line, "name-style", name=strict_slug(near), harnesses=", ".join(STRICT_HARNESSES))


def _description(entry: Entry | None, opening: int, report: Report) -> str:
    """The description on one line, cut where it is too long, "" (and told) where there is none."""
    if entry is None:
        report.tell(opening, "description-missing")
        return ""
    try:
        written = scalar(entry, report)
    except NotTextError as error:
        report.tell(entry.line, "anchor" if error.rule == "anchor" else "description-kind")
        return ""
    text = fold(written)
    if is_unprintable(written):
        report.tell(entry.line, "nul" if "\0" in written else "unprintable")
    if not text:
        report.tell(entry.line, "description-empty")
    if len(text) > DESCRIPTION_MAX:
        report.tell(entry.line, "description-long")
        text = _cut(text)
    return text


def _cut(text: str) -> str:
    """The text up to the last word that fits; a word that alone is too long is cut where it must."""
    kept = text[: DESCRIPTION_MAX + 1].rpartition(" ")[0] if " " in text[1 : DESCRIPTION_MAX + 1] else ""
    return kept or text[:DESCRIPTION_MAX]
