"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `check` is a constant name; `sentence` says what is so, and what to do about it.

    It holds names, paths and numbers of the operator's own, and never a secret or a password.
    """

    check: str
    level: Level
    sentence: str

    def as_json(self) -> dict[str, Any]:
        return {"check": self.check, "level": self.level, "sentence": self.sentence}


def ok(check: str, sentence: str) -> Finding:
    return Finding(check, "ok", sentence)


def warn(check: str, sentence: str) -> Finding:
    """Something works today and may not tomorrow, or only part of the product does."""
    return Finding(check, "warn", sentence)


def fail(check: str, sentence: str) -> Finding:
    """A server would not start, would lose something, or gives away what it should guard."""
    return Finding(check, "fail", sentence)
