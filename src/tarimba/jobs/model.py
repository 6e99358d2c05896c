"""The values of the job core: a job while somebody has it, and what its handler says in the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tarimba.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Job:
    """A job with its lease. `payload` holds ids, codes and numbers; `holder` is the id of this one taking."""

    space_id: str
    job_id: str
    kind: str
    payload: Mapping[str, Any]
    attempts: int
    holder: str


@dataclass(frozen=True, slots=True)
class Later:
    """Not done: again after `wait_us`, with this payload (progress) if given, for this reason (a code)."""

    wait_us: int
    payload: Mapping[str, Any] | None = None
    problem: str | None = None


# None: the handler ended the job itself, in the transaction of its effect, or found that another one has it.
Handler = Callable[[Kernel, Job], Later | None]


class LeaseLostError(Exception):
    """Another worker has the job, or it is gone: nothing of this transaction may stay."""
