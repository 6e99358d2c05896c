"""What the figures were taken on: the machine, the versions, the revision of the code."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sqlite3
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_PACKAGES = "fastapi starlette uvicorn uvloop httptools sqlalchemy psycopg pydantic toktok-rs".split()
_ROOT = Path(__file__).parents[1]


def describe() -> dict[str, Any]:
    """The machine by name, as it is now."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": _git("rev-parse", "HEAD"),
        "is_changed": bool(_git("status", "--porcelain", "--", "src", "benchmarks")),
        "cpu": _after("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory": _after("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        # On a quiet machine it is near 0 before the first measurement.
        "load_average": load_average(),
    }


def load_average() -> float:
    """Processes that wanted a core in the last minute, this one included."""
    return round(os.getloadavg()[0], 2)


def _after(file: str, label: str) -> str:
    for line in Path(file).read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == label:
            return value.strip()
    return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
