"""What the detectors say: findings in one text, findings in the fields of a note, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

STRUCTURED_KINDS: Final = frozenset(
    {
        "ar_dni", "bank_account", "birth_date", "cnh", "cnpj", "cns", "cpf", "credit_card", "email", "es_nie",
        "es_nif", "iban", "passport", "phone", "pis", "pix_key", "rg", "titulo_eleitor", "uk_nino", "us_itin",
        "us_ssn", "vehicle_plate",
    }
)  # fmt: skip

KINDS: Final = STRUCTURED_KINDS | {"name", "cvv", "password", "secret"}
"""Everything that a finding can be, credentials included."""

Strictness = Literal["recall", "precision"]
"""What is worse: to miss somebody (a model can write a note again), or to refuse a clean note (of a person)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of personal data. Offsets are code points of the ORIGINAL text, the end exclusive.

    `layer` is for logs and metrics only: on the wire it would let a caller probe for known customers. What is not
    `sure` counts only where missing somebody is worse than refusing a clean note.
    """

    kind: str
    start: int
    end: int
    layer: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Told:
    """What the detectors of another process say: findings by their text, and what those depend on."""

    findings: Mapping[str, Sequence[Finding]]
    version: str


@dataclass(frozen=True, slots=True)
class FieldFinding:
    """One finding as the wire shows it: `field` is `title`, `body`, `tags[0]` ..., never a value."""

    field: str
    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for the fields of one note; `version` names the rules that gave it."""

    findings: tuple[FieldFinding, ...]
    version: str

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds found, sorted, each once."""
        return tuple(sorted({finding.kind for finding in self.findings}))


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a space adds to the detectors, as far as a verdict depends on it.

    `version` rises with any change, `scan` with those that make stored notes suspect; `allow` are kinds that may stand.
    """

    space_id: str
    language: str
    version: int = 0
    scan: int = 0
    has_customers: bool = False
    allow: frozenset[str] = frozenset()

    def stamp(self, detectors: str) -> str:
        """What is stored with a note that passed: the detectors' version and what the space added to it."""
        return "-".join([detectors, str(self.scan), *sorted(self.allow)])


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in order of position and without overlaps: overlapping ones become one span.

    The span covers all of them, and its kind is the one that was reported first.
    """
    ranked = sorted(enumerate(findings), key=lambda pair: (pair[1].start, pair[1].end))
    out: list[tuple[int, Finding]] = []
    for rank, finding in ranked:
        if out and finding.start < out[-1][1].end:
            out[-1] = _union(out[-1], (rank, finding))
        else:
            out.append((rank, finding))
    return tuple(finding for _, finding in out)


def _union(left: tuple[int, Finding], right: tuple[int, Finding]) -> tuple[int, Finding]:
    rank, first = min(left, right, key=lambda pair: pair[0])
    end = max(left[1].end, right[1].end)
    sure = left[1].sure or right[1].sure
    return rank, Finding(first.kind, left[1].start, end, first.layer, sure)
