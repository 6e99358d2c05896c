"""The detectors as others use them: what is personal in a note's fields, in an id, in a turn."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version as installed
from itertools import chain, islice
from types import MappingProxyType
from typing import Final, Protocol
from unicodedata import unidata_version

from tarimba.ids import is_id
from tarimba.personal_data.joins import joins, parts_of
from tarimba.personal_data.model import FieldFinding, Finding, Strictness, Told, Verdict, merged
from tarimba.personal_data.names import Names
from tarimba.personal_data.phones import flagged_number
from tarimba.personal_data.reading import Reading, readings
from tarimba.personal_data.structured import Structured
from tarimba.telemetry import Telemetry

RULES: Final = "7"
"""Raised by whoever changes what a rule does with what its pattern found; patterns and words speak for themselves.

When the version changes, stored notes are scanned again.
"""

FINDINGS_MAX: Final = 100
"""A field with so many findings is refused, and more of them would tell its writer nothing. Masking has no limit."""

Pardon = Callable[[str, Finding], bool]
"""Whether a space vouches that a finding in a text is none: its vocabulary covers it."""

_NOBODY: Final[Mapping[str, Sequence[Finding]]] = MappingProxyType({})
_RUN: Final = re.compile(r"(?<![0-9A-Za-z])(?:[A-Za-z]{1,12})?(\d{10,15})(?![0-9A-Za-z])")


class Layer(Protocol):
    """One way to find personal data in the readings of a text."""

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> str:
        """Changes whenever what the layer knows changes."""
        ...

    def find(self, readings: Sequence[Reading], /) -> Iterator[Finding]: ...


class Remote(Protocol):
    """The detectors of another process, asked once for all the texts of a check."""

    @property
    def version(self) -> str:
        """Changes whenever its answers may. Raises 503 `detectors_unavailable`."""
        ...

    def find(self, texts: Sequence[str], language: str, strictness: Strictness, /) -> Told:
        """Raises 503 `detectors_unavailable` unless it has looked at every text."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Detectors:
    """Layers composed: the first one to report a stretch of text names its kind."""

    layers: tuple[Layer, ...]
    rules: str
    """A digest of the rules and of the packages that check digits."""
    remote: Remote | None = None
    """Also asked, after the layers, in the place of a model of our own. Not for ids: those are judged here."""
    telemetry: Telemetry = field(default_factory=Telemetry, compare=False)

    @classmethod
    def local(cls, *, model: bool = True) -> Detectors:
        """The detectors that need nothing but this package; without its model where another process has one."""
        return cls.of(Structured(), Names(model=model))

    @classmethod
    def of(cls, *layers: Layer) -> Detectors:
        """These layers, the ones that name kinds best first."""
        return cls(layers, _version(layers))

    def beside(self, remote: Remote) -> Detectors:
        """These layers and the detectors of another process."""
        return replace(self, remote=remote)

    def watched(self, telemetry: Telemetry) -> Detectors:
        """The same, which count and trace how long they take."""
        return replace(self, telemetry=telemetry)

    @property
    def version(self) -> str:
        """What verdicts depend on; stored with what they let pass. Raises 503 `detectors_unavailable`."""
        return self.rules if self.remote is None else _both(self.rules, self.remote.version)

    def close(self) -> None:
        """Lets go of the connections to another process."""
        if self.remote is not None:
            self.remote.close()

    def check(
        self,
        fields: Mapping[str, str | Sequence[str]],
        *,
        allow: frozenset[str] = frozenset(),
        pardon: Pardon | None = None,
        known: Mapping[str, Sequence[Finding]] = _NOBODY,
        language: str = "pt",
        strictness: Strictness = "recall",
    ) -> Verdict:
        """The verdict for the fields of a note, each alone and joined with its neighbours.

        A sequence is a list of tags, reported as `tags[0]` ... `allow` holds kinds that the space permits, `known`
        by the field what the space itself has found: neither `allow` nor `pardon` touches that.
        Raises 503 `detectors_unavailable`.
        """
        with self._timed():
            return self._checked(fields, allow, pardon, known, language, strictness)

    def _checked(
        self,
        fields: Mapping[str, str | Sequence[str]],
        allow: frozenset[str],
        pardon: Pardon | None,
        known: Mapping[str, Sequence[Finding]],
        language: str,
        strictness: Strictness,
    ) -> Verdict:
        parts = parts_of(fields)
        rows = tuple(joins(parts))
        told = self._told(
            [*(part.text for part in parts), *(join.text for join in rows)], language, strictness
        )
        alone = {part: self._counted(part.text, told, strictness, pardon) for part in parts}
        found = {part: list(findings) for part, findings in alone.items()}
        for join in rows:
            for finding in self._counted(join.text, told, strictness, pardon):
                pieces = tuple(join.pieces(finding))
                # What one field shows alone needs no neighbour: the seam would only accuse an innocent one.
                if not any(_overlaps(piece, alone[part]) for part, piece in pieces):
                    for part, piece in pieces:
                        found[part].append(piece)
        verdict: list[FieldFinding] = []
        for part in parts:
            kept = [finding for finding in merged(found[part]) if finding.kind not in allow]
            # What was found twice is told once, or its number would tell who knows it.
            whole = merged([*kept, *known.get(part.field, ())])
            verdict += (FieldFinding(part.field, one.kind, one.start, one.end) for one in whole)
        return Verdict(tuple(verdict), told.version)

    def spans(self, text: str, *, language: str = "pt") -> tuple[Finding, ...]:
        """What to mask in a text: in order, without overlaps. Raises 503 `detectors_unavailable`."""
        return merged(self.spans_of([text], language=language)[text])

    def spans_of(
        self, texts: Sequence[str], *, language: str = "pt", pardon: Pardon | None = None
    ) -> dict[str, tuple[Finding, ...]]:
        """By the text what to mask in it, overlapping as it was reported. Raises 503 `detectors_unavailable`."""
        with self._timed():
            told = self._told(texts, language)
            return {text: tuple(self._reported(text, told, pardon)) for text in dict.fromkeys(texts)}

    def findings(self, text: str) -> tuple[Finding, ...]:
        """What the layers of this process find, overlapping as they report it."""
        return tuple(self._found(text))

    def flags(self, value: str) -> bool:
        """Whether an id that a caller chose is personal data: a telephone, an address, a document.

        An id has no cue words, so a bare number counts if it can be somebody's. A UUID is nobody's: without a cue it
        is no PIX key, and the digits in it are what chance made of them.
        """
        if is_id(value.lower()):
            return False
        if any(flagged_number(run[1]) for run in _RUN.finditer(value)):
            return True
        return next(self._found(value), None) is not None

    @contextmanager
    def _timed(self) -> Iterator[None]:
        with self.telemetry.metrics.detector_seconds.time(), self.telemetry.tracing.span("detectors.check"):
            yield

    def _told(self, texts: Sequence[str], language: str, strictness: Strictness = "recall") -> Told:
        if self.remote is None:
            return Told(_NOBODY, self.rules)
        told = self.remote.find(list(dict.fromkeys(texts)), language, strictness)
        return replace(told, version=_both(self.rules, told.version))

    def _reported(self, text: str, told: Told, pardon: Pardon | None) -> Iterator[Finding]:
        for finding in chain(self._found(text), told.findings.get(text, ())):
            if pardon is None or not pardon(text, finding):
                yield finding

    def _counted(self, text: str, told: Told, strictness: Strictness, pardon: Pardon | None) -> list[Finding]:
        reported = self._reported(text, told, pardon)
        return list(islice((one for one in reported if one.sure or strictness == "recall"), FINDINGS_MAX))

    def _found(self, text: str) -> Iterator[Finding]:
        read = readings(text)
        for layer in self.layers:
            yield from layer.find(read)


def _both(ours: str, theirs: str) -> str:
    return hashlib.sha256(f"{ours}\n{theirs}".encode()).hexdigest()[:16]


def _version(layers: Sequence[Layer]) -> str:
    packages = [f"{name} {installed(name)}" for name in ("python-stdnum", "phonenumbers")]
    text = "\n".join([RULES, unidata_version, *packages, *(layer.signature for layer in layers)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _overlaps(piece: Finding, others: Sequence[Finding]) -> bool:
    return any(
        piece.kind == other.kind and piece.start < other.end and other.start < piece.end for other in others
    )
