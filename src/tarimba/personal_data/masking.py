"""Masking: texts about a customer with each finding as its kind in brackets. Nothing of what was masked is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.kernel import Kernel
from tarimba.personal_data import vocabulary
from tarimba.personal_data.credentials import find_credentials
from tarimba.personal_data.known_customers import known_in_texts
from tarimba.personal_data.model import Finding, Knowledge, merged
from tarimba.personal_data.vocabulary_rules import Vouched

_AT_ONCE: Final = 20_000
"""Code points that are looked at with one budget of time: as many as the longest note has."""
_OVERLAP: Final = 400


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without what was found in it, and how many findings of each kind that were."""

    text: str
    counts: Mapping[str, int]


def mask(kernel: Kernel, space: Knowledge, texts: Sequence[str]) -> list[Masked]:
    """Each text masked, in their order: what a space permits in notes is masked here all the same.

    Known customers are looked up too, and what lets somebody in. A word that the vocabulary covers stays. Raises 503
    `detectors_unavailable`: then nothing was looked at that may be stored.
    """
    pieces = [piece for number, text in enumerate(texts) for piece in _pieces(number, text)]
    found: list[list[Finding]] = [[] for _ in texts]
    vouched = Vouched(lambda: vocabulary.terms(kernel, space.space_id))
    for group in _groups(pieces):
        for piece, findings in zip(group, _findings(kernel, space, vouched, group), strict=True):
            found[piece.number] += (_moved(one, piece.start) for one in findings)
    return [_masked(text, findings) for text, findings in zip(texts, found, strict=True)]


def flagged(kernel: Kernel, space: Knowledge, values: Collection[str]) -> frozenset[str]:
    """Which of these ids and codes are personal data, name a known customer or let somebody in."""
    found = {value for value in values if kernel.detectors.flags(value)}
    found |= {value for value in values if next(find_credentials(value), None) is not None}
    if space.has_customers:
        with kernel.database.read() as connection:
            key = kernel.keys.of(space.space_id)
            found |= known_in_texts(connection, key, space.space_id, sorted(values)).keys()
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the text of that number, and where it begins."""

    number: int
    start: int
    text: str


def _pieces(number: int, text: str) -> Iterator[_Piece]:
    """A text in windows that share some characters, so that one of them holds each finding whole."""
    for start in range(0, max(len(text) - _OVERLAP, 1), _AT_ONCE - _OVERLAP):
        yield _Piece(number, start, text[start : start + _AT_ONCE])


def _groups(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    group: list[_Piece] = []
    size = 0
    for piece in pieces:
        if group and size + len(piece.text) > _AT_ONCE:
            yield group
            group, size = [], 0
        group.append(piece)
        size += len(piece.text)
    if group:
        yield group


def _findings(
    kernel: Kernel, space: Knowledge, vouched: Vouched, group: Sequence[_Piece]
) -> Iterator[list[Finding]]:
    texts = [piece.text for piece in group]
    told = kernel.detectors.spans_of(texts, language=space.language, pardon=vouched.pardons)
    known: Mapping[str, Sequence[Finding]] = {}
    if space.has_customers:
        with kernel.database.read() as connection:
            known = known_in_texts(connection, kernel.keys.of(space.space_id), space.space_id, texts)
    for text in texts:
        # What lets somebody in is named so, whatever else it looks like.
        yield [*find_credentials(text), *told[text], *known.get(text, ())]


def _moved(finding: Finding, by: int) -> Finding:
    return Finding(finding.kind, finding.start + by, finding.end + by, finding.layer, finding.sure)


def _masked(text: str, findings: Sequence[Finding]) -> Masked:
    parts: list[str] = []
    counts: Counter[str] = Counter()
    at = 0
    for finding in merged(findings):
        parts += (text[at : finding.start], f"[{finding.kind}]")
        counts[finding.kind] += 1
        at = finding.end
    return Masked("".join((*parts, text[at:])), counts)
