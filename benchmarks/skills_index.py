"""Milliseconds for an index of 1,000 skills on disk: when nothing is known, when nothing changed, when one did.

Run alone: python -m benchmarks.skills_index
"""

from __future__ import annotations

import base64
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.identity import hosting
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tarimba.skills.index_cache import IndexCache
from tarimba.skills.indexing import compose
from tarimba.skills.seats import Called

SKILLS = 1_000
REPEATS = 21
_SEAT = Called(subscription="team", member="ana")
_SPACE = """
[space]
slug = "index"
name = "Index"
language = "en"
[[vendor]]
slug = "north"
[[agent]]
slug = "billing"
vendor = "north"
harness = "ganglion"
[[agent.key]]
name = "bench"
scopes = ["agent_memory"]
[[person]]
slug = "ana"
email = "ana@acme.example"
roles = ["member"]
[[subscription]]
slug = "team"
members = ["ana"]
"""
_SKILL = """---
name: skill-{number:04}
description: Use when a customer asks for procedure {number} and the ledger of the month is still open.
---

# Procedure {number}

{body}
"""


def measure() -> dict[str, Any]:
    """Medians in milliseconds, without receipts: `cold_ms` nothing known, `warm_ms` nothing new, `one_ms` one new."""
    with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
        master = SecretStr(base64.b64encode(os.urandom(32)).decode())
        with open_kernel(Settings(data=Path(folder), master_key=master)) as kernel:
            return _measured(kernel)


def _measured(kernel: Kernel) -> dict[str, Any]:
    applied = hosting.apply_text(kernel, _SPACE)
    principal = authenticate(kernel, str(applied.agent_keys["billing"]["bench"]), "http")
    seat, _ = compose(kernel, principal, _SEAT)
    own = seat.workspace(kernel) / seat.profile.own_root
    for number in range(SKILLS):
        _write(own, number, "Close the period first. " * 60)

    def cold() -> None:
        known = kernel.indexes
        object.__setattr__(kernel, "indexes", IndexCache())
        compose(kernel, principal, _SEAT)
        object.__setattr__(kernel, "indexes", known)

    def warm() -> None:
        compose(kernel, principal, _SEAT)

    def one() -> None:
        _write(own, 500, f"Close it at {time.perf_counter()}.")
        compose(kernel, principal, _SEAT)

    cold_ms, _, warm_ms, one_ms = _median(cold), _median(warm), _median(warm), _median(one)
    _, found = compose(kernel, principal, _SEAT)
    return {
        "skills": len(found.own) + found.left_out,
        "bytes": len(found.text.encode()),
        "cold_ms": cold_ms,
        "warm_ms": warm_ms,
        "one_ms": one_ms,
    }


def _write(own: Path, number: int, body: str) -> None:
    path = own / f"skill-{number:04}" / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_SKILL.format(number=number, body=body), encoding="utf-8")


def _median(run: Callable[[], None]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1000)
    return round(statistics.median(times), 2)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
