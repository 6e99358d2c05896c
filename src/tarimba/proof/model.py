"""The values of the slice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """A verification of the whole log. `size` is how long the log was when it was asked for, `done` how far it is.

    `report` is that of `receipts.verify.Report.as_json` once it has finished.
    """

    check_id: str
    asked_by: str
    asked_at: int
    size: int
    done: int
    finished_at: int | None
    report: Mapping[str, Any] | None

    @property
    def is_open(self) -> bool:
        return self.finished_at is None
