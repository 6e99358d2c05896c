"""The values of the slice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tarimba.clock import SECOND, rfc3339
from tarimba.receipts.checkpoint import PublicKey
from tarimba.receipts.cosignature import WitnessKey


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


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The public part of a key that signs checkpoints, in force until `retired_at` (microseconds)."""

    public: PublicKey
    created_at: int
    retired_at: int | None

    def as_json(self) -> dict[str, Any]:
        return {
            "key_id": self.public.key_id,
            "public_key": str(self.public),
            "created_at": rfc3339(self.created_at),
            "retired_at": None if self.retired_at is None else rfc3339(self.retired_at),
        }


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness outside, added at `added_at` (microseconds).

    `size` is the largest checkpoint that it cosigned, at `seen_at` (seconds) as it says; None for one that is silent.
    """

    key: WitnessKey
    added_at: int
    size: int | None
    seen_at: int | None

    def as_json(self) -> dict[str, Any]:
        return {
            "key_id": self.key.key_id,
            "public_key": str(self.key),
            "added_at": rfc3339(self.added_at),
            "size": self.size,
            "seen_at": None if self.seen_at is None else rfc3339(self.seen_at * SECOND),
        }
