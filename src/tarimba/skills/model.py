"""What is said of one SKILL.md: its verdict, what was read and every deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Verdict = Literal["ok", "repaired", "quarantined"]
"""`ok` as it stands; `repaired`: loaded, each deviation named; `quarantined`: not loaded, and why."""

Language = Literal["pt", "en", "es"]

FILE_NAME: Final = "SKILL.md"
FILE_BYTES_MAX: Final = 1_048_576
NAME_MAX: Final = 64
DESCRIPTION_MAX: Final = 1024
RESERVED: Final = frozenset({"shared-content"})
"""Names that nobody publishes or writes: the package's own documents have them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One deviation or warning. `line` counts from 1 in the file, 0 where no line is meant; `rule` is a stable code."""

    line: int
    rule: str
    message: str
    fix: str

    def as_json(self) -> dict[str, Any]:
        return {"line": self.line, "rule": self.rule, "message": self.message, "fix": self.fix}


@dataclass(frozen=True, slots=True)
class Reading:
    """What one SKILL.md says.

    Unless it is quarantined: `name` is legal (see `format.checked_name`), `description` one line of 1..1024 characters,
    `body` what stands behind the closing fence with LF, byte for byte otherwise. Quarantined: as far as it could be
    read, "" where not. Problems may be warnings: a file that is `ok` can have some.
    """

    verdict: Verdict
    name: str
    description: str
    body: str
    problems: tuple[Problem, ...]

    @property
    def is_loaded(self) -> bool:
        return self.verdict != "quarantined"
