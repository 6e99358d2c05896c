"""What is worth a warning in a skill that reads well: it is read by agents, and by many. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tarimba import text as gate
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model import Finding, merged
from tarimba.personal_data.service import find_credentials
from tarimba.skills.model import RESERVED, Language, Problem, Reading
from tarimba.skills.report import Report

_PART_MAX: Final = 4096
_TITLE_WORDS: Final = 12
_HIDDEN_MAX: Final = 100
_HIDDEN_RULES: Final = {"bidi": "bidi", "tag_character": "tag-character", "zero_width": "zero-width"}
_SITUATION: Final = re.compile(
    r"\b(?:when|whenever|if|before|after|while|during|use|used|using|asks?|asked|needs?|wants?|must"
    r"|quando|se|ao|aos|antes|depois|durante|sempre|usar|pede|pedir|precisa|quer"
    r"|cuando|si|al|después|siempre|pide|necesita|quiere)\b",
    re.IGNORECASE,
)
_OVERRIDE: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|your|of|these|those|my)\s+){0,4}"
    r"(?:previous|prior|above|earlier|preceding|system|developer|existing)\s+(?:instructions?|prompts?|rules|messages?)"
    r"|\b(?:ignor[ea]|desconsider[ea]|esqueça|descarte|desobedeça)\s+(?:(?:todas|todos|as|os|suas|seus)\s+){0,3}"
    r"(?:instruções|regras|orientações|ordens|mensagens)(?:\s+(?:anteriores|acima|prévias|do\s+sistema|originais))"
    r"|\b(?:ignor[ea]|olvid[ea]|descarte|desobedezca)\s+(?:(?:todas|todos|las|los|sus|tus)\s+){0,3}"
    r"(?:instrucciones|reglas|órdenes|mensajes)(?:\s+(?:anteriores|previas|de\s+arriba|del\s+sistema|originales))",
    re.IGNORECASE,
)
_SHELL: Final = (
    r"(?:sudo\s+(?:-\w+\s+)?)?(?:/(?:usr/)?bin/)?(?:env\s+)?"
    r"(?:(?:ba|z|da|k|fi)?sh|python3?|perl|ruby|node|iex)\b"
)
_PIPED: Final = re.compile(
    r"\b(?:curl|wget|irm|iwr|invoke-webrequest|invoke-restmethod)\b[^\n|]{0,400}\|\s{0,8}" + _SHELL
    + r"|\b(?:ba|z|da|k)?sh\s+(?:-\w+\s+)?(?:<\s?\(|[\"']?\$\()\s?(?:curl|wget)\b"
    + r"|\beval\s+[\"']?\$\(\s?(?:curl|wget)\b",
    re.IGNORECASE,
)  # fmt: skip
# What a document puts in the place of a secret.
_PLACEHOLDER: Final = re.compile(
    r"[<>{}$()\[\]*]|\.{3}|…|^(?:your|my|the|a|some|this|sua|seu|tu|tus)(?:[ _-]|$)|your[-_]|x{3,}|environ|process\.env"
    r"|^(?:test|dummy|fake|placeholder|changeme|secret|password|token|key)[-_]?\d*$|example|exemplo|ejemplo"
    r"|^(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]*)$",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"(?:^|[@.])(?:example\.(?:com|org|net)|[\w-]+\.(?:example|test|invalid)|localhost)(?:\.?[a-z]{0,3})?$",
    re.IGNORECASE,
)
_OWN_KEYS: Final = re.compile(
    r"[ \t]*[\"']?(?:author|authors|homepage|license|licence|maintainer)[\"']?[ \t]*:"
)


# Behind `Basic` and `Bearer` stands a secret, or the next word of a sentence.
_WORDS_ALONE: Final = re.compile(r"(?:basic|bearer) +[a-z]+(?:[-/][a-z]+)*", re.IGNORECASE)
_CODE_FENCE: Final = re.compile(r"[ \t]{0,3}(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class _Part:
    """Some lines of the file: their text, the number of the first, and whether they are a program's."""

    first: int
    text: str
    is_code: bool


def warnings(
    data: bytes, reading: Reading, detectors: Detectors, *, language: Language = "en"
) -> tuple[Problem, ...]:
    """Warnings beyond those of the reading, by rule and then by line. Raises 503 `detectors_unavailable`."""
    report = Report(language)
    if reading.description and _is_title(reading.description):
        report.tell(_line_of_description(data), "description-title")
    if reading.name in RESERVED:
        report.tell(0, "name-reserved")
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    for line, rule in _seen(text):
        report.tell(line, rule)
    parts = list(_parts(text))
    for part in parts:
        _tell_of_secrets(part, report)
    _tell_of_people(parts, detectors, language, report)
    return report.problems


def _is_title(description: str) -> bool:
    """Whether an agent could not tell from it when to open the skill."""
    return len(description.split()) <= _TITLE_WORDS and _SITUATION.search(description) is None


def _line_of_description(data: bytes) -> int:
    lines = data[:_PART_MAX].splitlines()
    found = (
        at for at, line in enumerate(lines, 1) if line.lstrip().startswith((b"description", b'"description'))
    )
    return next(found, 0)


def _seen(text: str) -> Iterator[tuple[int, str]]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    # The mark at the beginning is a deviation of the format, told where that is read.
    for at, rule in islice(gate.hidden(text), _HIDDEN_MAX):
        if at > 0:
            yield bisect_right(starts, at), _HIDDEN_RULES[rule]
    for pattern, name in ((_OVERRIDE, "override"), (_PIPED, "pipe-to-shell")):
        for found in pattern.finditer(text):
            yield bisect_right(starts, found.start()), name


def _parts(text: str) -> Iterator[_Part]:
    """The text by paragraphs of bounded length, without the lines of the frontmatter that name its author."""
    lines: list[str] = []
    first, size, is_head, is_code = 1, 0, True, False
    for number, line in enumerate(text.split("\n"), 1):
        is_head = is_head and (number == 1 or line.rstrip() != "---")
        is_border = _CODE_FENCE.match(line) is not None
        if lines and (is_border or not line.strip() or size + len(line) > _PART_MAX):
            yield _Part(first, "\n".join(lines), is_code)
            lines, size = [], 0
        is_code = is_code != is_border
        first = first if lines else number
        lines.append("" if is_head and _OWN_KEYS.match(line) else line[:_PART_MAX])
        size += len(lines[-1]) + 1
    yield _Part(first, "\n".join(lines), is_code)


def _tell_of_secrets(part: _Part, report: Report) -> None:
    for finding in merged(find_credentials(part.text)):
        found = part.text[finding.start : finding.end]
        if not _PLACEHOLDER.search(found) and not _WORDS_ALONE.fullmatch(found):
            report.tell(_line(part, finding), "secret", kind=finding.kind)


def _tell_of_people(parts: list[_Part], detectors: Detectors, language: Language, report: Report) -> None:
    told = detectors.spans_of([part.text for part in parts], language=language)
    for part in parts:
        for finding in merged(told[part.text]):
            found = part.text[finding.start : finding.end]
            # In a program almost every word that could be somebody's name is nobody's.
            is_code = part.is_code and finding.kind == "name"
            if finding.sure and not is_code and not _EXAMPLE.search(found):
                report.tell(_line(part, finding), "personal-data", kind=finding.kind)


def _line(part: _Part, finding: Finding) -> int:
    return part.first + part.text.count("\n", 0, finding.start)
