"""Asking the detectors something harmless, to see that they answer and how long that takes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel

# A number that is kept free for fiction and an address of a domain for examples: nobody's, and found all the same.
TEXT: Final = "Call +1 202 555 0143 or write to somebody@example.com."


@dataclass(frozen=True, slots=True)
class Probe:
    """`is_remote`: another process was asked too. `kinds` were found; `problem` says why there is no answer."""

    is_remote: bool
    milliseconds: int
    version: str = ""
    kinds: tuple[str, ...] = ()
    problem: str = ""


def probe(kernel: Kernel, principal: Principal) -> Probe:
    """One check of a text of ours, as a note is checked. Stores nothing. Raises 403."""
    allow(principal, "settings")
    is_remote, began = kernel.detectors.remote is not None, time.monotonic()
    try:
        verdict = kernel.detectors.check({"body": TEXT}, language=principal.language)
    except Refusal as refusal:
        return Probe(is_remote, _since(began), problem=refusal.detail)
    return Probe(is_remote, _since(began), verdict.version, verdict.kinds)


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
