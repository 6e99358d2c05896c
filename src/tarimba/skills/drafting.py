"""From what somebody sent to what would be published: read, judged, written anew, without a transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tarimba.errors import Refusal, invalid
from tarimba.harnesses import service as harnesses
from tarimba.personal_data.detectors import Detectors
from tarimba.skills import paths
from tarimba.skills.format import checked_name, other_keys, read, write
from tarimba.skills.lint import warnings
from tarimba.skills.model import (
    DESCRIPTION_MAX,
    FILE_BYTES_MAX,
    FILE_NAME,
    Language,
    Problem,
    Reading,
    Verdict,
)
from tarimba.skills.records import File
from tarimba.skills.report import Report
from tarimba.skills.zips import BYTES_MAX, Unpacked, unpack

# Bytes of text in which secrets are looked for: about four seconds.
LOOKED_AT_MAX: Final = 4 * 1024 * 1024
_NOTHING_READ: Final = Reading("ok", "", "", "", ())
# The file is published under another name than the one that it declares: then the publisher is asked.
_RENAMED: Final = frozenset({"name-slug", "name-missing", "comment"})


@dataclass(frozen=True, slots=True)
class Offer:
    """What somebody wants to publish: an archive, or the text of SKILL.md alone. `name` confirms the name.

    `harnesses` are those that will read it; problems are told in `language`.
    """

    name: str = ""
    archive: bytes | None = None
    text: bytes | None = None
    language: Language = "en"
    harnesses: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Told:
    """A deviation or a warning, and the file that it is about."""

    path: str
    problem: Problem

    def as_json(self) -> dict[str, Any]:
        return {"path": self.path, **self.problem.as_json()}


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be published. `contents` are the bytes by their hash; `is_whole` when nothing else belongs to it.

    `ignored` counts the files of an archive that are of a system and nobody's.
    """

    name: str
    description: str
    verdict: Verdict
    problems: tuple[Told, ...]
    files: tuple[File, ...]
    contents: Mapping[str, bytes]
    is_whole: bool
    ignored: int = 0


def draft(offer: Offer, detectors: Detectors) -> Draft:
    """What is to be published. Raises 413, 422 (the problems of a file are members of the refusal) and 503."""
    if (offer.archive is None) == (offer.text is None):
        raise invalid(
            "file, body", "send exactly one: a zip archive as `file`, or the text of SKILL.md as `body`"
        )
    unpacked = Unpacked("", {FILE_NAME: offer.text or b""}, 0)
    if offer.archive is not None:
        unpacked = unpack(offer.archive)
    sent = _skill_file(unpacked.files)
    reading = _named(sent, offer, unpacked.folder)
    written = write(reading.name, reading.description, reading.body)
    if len(written) > FILE_BYTES_MAX:
        raise invalid(FILE_NAME, f"must have at most {FILE_BYTES_MAX} bytes as it is written anew")
    files, contents = _files(unpacked.files, sent, written)
    found = [*reading.problems, *_cautions(sent, reading.description, offer)]
    told = [Told(FILE_NAME, problem) for problem in found]
    told += _looked_at(unpacked.files, reading, detectors, offer.language)
    return Draft(
        reading.name,
        reading.description,
        reading.verdict,
        tuple(told),
        files,
        contents,
        offer.archive is not None,
        unpacked.ignored,
    )


def digest(data: bytes) -> str:
    """The SHA-256 of bytes, by which they are kept."""
    return hashlib.sha256(data).hexdigest()


def require_size(files: Iterable[File]) -> None:
    """Raises 413 when the files of a skill are too large together."""
    if sum(file.size for file in files) > BYTES_MAX:
        raise Refusal("too_large", f"The files of a skill must have at most {BYTES_MAX} bytes in all.")


def _skill_file(files: Mapping[str, bytes]) -> bytes:
    found = files.get(FILE_NAME)
    if found is not None:
        return found
    if any(paths.folded(path) == FILE_NAME.casefold() for path in files):
        raise invalid("file", "the archive has a file named other than SKILL.md, in exactly these letters")
    raise invalid("file", "the archive has no SKILL.md at its top, nor in the one folder that wraps it")


def _named(sent: bytes, offer: Offer, folder: str) -> Reading:
    """What the file says under the name that it will have. Raises 422."""
    # It will lie in a directory of its own name, whatever somebody's folder was called.
    reading = read(sent, directory="", language=offer.language)
    if not reading.name:
        reading = read(sent, directory=offer.name or folder, language=offer.language)
    if not reading.is_loaded:
        told = [problem.as_json() for problem in reading.problems]
        raise Refusal("invalid_input", "SKILL.md can't be loaded: see `problems`.", extra={"problems": told})
    checked_name(reading.name)
    if offer.name and offer.name != reading.name:
        raise invalid("name", "is not the name in SKILL.md")
    if not offer.name and any(problem.rule in _RENAMED for problem in reading.problems):
        raise _ask(reading)
    return reading


def _ask(reading: Reading) -> Refusal:
    told = [problem.as_json() for problem in reading.problems]
    words = "name: SKILL.md has no legal one. Send the `name` of this answer to publish it under that."
    return Refusal("invalid_input", words, extra={"name": reading.name, "problems": told})


def _looked_at(
    files: Mapping[str, bytes], reading: Reading, detectors: Detectors, language: Language
) -> list[Told]:
    """Warnings about every text that comes with the skill. Raises 422 for secrets: many would read them."""
    told: list[Told] = []
    secrets: list[dict[str, Any]] = []
    room = LOOKED_AT_MAX
    for number, (path, data) in enumerate(files.items(), 1):
        if not _is_text(data):
            continue
        room -= len(data)
        if room < 0:
            report = Report(language)
            report.tell(0, "not-looked-at")
            told += [Told(path, problem) for problem in report.problems]
            continue
        of = reading if path == FILE_NAME else _NOTHING_READ
        found = warnings(data, of, detectors, language=language)
        told += [Told(path, problem) for problem in found]
        secrets += [{"file": number, **one.as_json()} for one in found if one.rule == "secret"]
    if secrets:
        words = "There are secrets in the files: see `problems`, where `file` counts them by path from 1."
        raise Refusal("invalid_input", words, extra={"problems": secrets})
    return told


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def _files(
    files: Mapping[str, bytes], sent: bytes, written: bytes
) -> tuple[tuple[File, ...], dict[str, bytes]]:
    contents: dict[str, bytes] = {}
    made: list[File] = []
    for path, data in sorted({**files, FILE_NAME: written}.items()):
        mark = digest(data)
        original = digest(sent) if path == FILE_NAME and sent != written else ""
        contents[mark] = data
        made.append(File(path, mark, len(data), original))
    if sent != written:
        contents[digest(sent)] = sent
    return tuple(made), contents


def _cautions(sent: bytes, description: str, offer: Offer) -> Sequence[Problem]:
    """What the publisher may not expect: keys that go, and a limit that some harness counts in bytes."""
    report = Report(offer.language)
    keys = other_keys(sent)
    if keys:
        report.tell(0, "keys-left-out", keys=", ".join(keys))
    size = len(description.encode())
    counting = [name for name in sorted(offer.harnesses) if _counts_bytes(name)]
    if size > DESCRIPTION_MAX and counting:
        report.tell(0, "description-bytes", size=str(size), harnesses=", ".join(counting))
    return report.problems


def _counts_bytes(harness: str) -> bool:
    # An agent of old data may have one that is not shipped.
    return harness in harnesses.shipped() and harnesses.profile(harness).counts_bytes
