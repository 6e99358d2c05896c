"""What a verification found: findings in sentences, with the first bad place, and what could not be checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Self

FINDINGS_OF_A_KIND: Final = 20
UNCHECKED: Final = MappingProxyType(
    {
        "tree": "the tree and its seal, because stored rows are missing or overlap.",
        "seal": "the seal of the log's head: that needs the key of the space.",
        "notes": "the texts of the note versions: they were not given.",
        "backup": "whether the whole database was put back to an earlier state: only a checkpoint kept elsewhere "
        "tells.",
        "signature": "who signed the kept checkpoints: give the public key that you were told with --key.",
    }
)
"""What a verification may have to leave out, by its code."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong at `seq`, or somewhere from `seq` to `last_seq` where the log can't tell closer."""

    code: str
    seq: int
    sentence: str
    last_seq: int | None = None

    def as_json(self) -> dict[str, Any]:
        shown = {"code": self.code, "seq": self.seq, "sentence": self.sentence}
        return shown if self.last_seq is None else shown | {"last_seq": self.last_seq}


@dataclass(frozen=True, slots=True)
class Report:
    """What the verifier read, what is wrong and what it could not check.

    `findings` are at most 20 of each kind, first ones first; `counts` has the true number of each kind. `notices` are
    sentences on what was found to be in order besides.
    """

    space_id: str
    receipts: int
    versions: int
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    unchecked_codes: tuple[str, ...]
    seconds: float
    notices: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.findings

    @property
    def unchecked(self) -> tuple[str, ...]:
        """What could not be checked, in sentences."""
        return tuple(UNCHECKED[code] for code in self.unchecked_codes)

    @property
    def first_bad_seq(self) -> int | None:
        """The first position known to be wrong; where only ranges are known, the first of them begins here."""
        exact = [finding.seq for finding in self.findings if finding.last_seq is None]
        return min(exact or (finding.seq for finding in self.findings), default=None)

    @property
    def per_second(self) -> int:
        return round(self.receipts / max(self.seconds, 1e-6))

    def lines(self) -> list[str]:
        """The report for a person, one sentence a line."""
        read = (
            f"{self.receipts} receipts and {self.versions} note versions read ({self.per_second} receipts/s)."
        )
        verdict = "Nothing wrong was found." if self.ok else f"The first bad seq is {self.first_bad_seq}."
        hidden = sum(self.counts.values()) - len(self.findings)
        more = [f"{hidden} more findings of these kinds are not listed."] if hidden else []
        found = [finding.sentence for finding in self.findings]
        left = [f"Not checked: {what}" for what in self.unchecked]
        return [read, verdict, *found, *more, *self.notices, *left]

    def joined(self, more: Findings) -> Self:
        """The same report, with what was found besides."""
        findings = sorted((*self.findings, *more.in_order()), key=lambda finding: (finding.seq, finding.code))
        return replace(self, findings=tuple(findings), counts=Counter(self.counts) + more.counts)

    def told(self, notices: Iterable[str], unchecked_codes: Iterable[str]) -> Self:
        """The same report, with what else is to be said."""
        return replace(
            self,
            notices=(*self.notices, *notices),
            unchecked_codes=(*self.unchecked_codes, *unchecked_codes),
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "space_id": self.space_id,
            "receipts": self.receipts,
            "versions": self.versions,
            "first_bad_seq": self.first_bad_seq,
            "findings": [finding.as_json() for finding in self.findings],
            "counts": dict(self.counts),
            "unchecked": list(self.unchecked),
            "unchecked_codes": list(self.unchecked_codes),
            "notices": list(self.notices),
            "seconds": round(self.seconds, 3),
            "receipts_per_second": self.per_second,
        }


class Findings:
    """What was found: all of it counted, the first of each kind kept."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._kept: list[Finding] = []

    def add(self, code: str, seq: int, sentence: str, last_seq: int | None = None) -> None:
        self.counts[code] += 1
        if self.counts[code] <= FINDINGS_OF_A_KIND:
            self._kept.append(Finding(code, seq, sentence, last_seq))

    def in_order(self) -> tuple[Finding, ...]:
        return tuple(sorted(self._kept, key=lambda finding: (finding.seq, finding.code)))
