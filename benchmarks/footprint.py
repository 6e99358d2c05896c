"""What an operator waits for and pays in memory: `--help`, a start until healthy, resident memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.load import median

_SYNCS = 200


def help_seconds(repeats: int) -> float:
    """Wall seconds of `tarimba --help`, the median."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "tarimba.cli", "--help"], check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return round(median(taken), 3)


def import_ms(repeats: int) -> float:
    """What `import tarimba.client` costs in a fresh process, milliseconds, the median: what an agent's start pays."""
    code = (
        "import time; start = time.perf_counter(); import tarimba.client; print(time.perf_counter() - start)"
    )
    taken = []
    for _ in range(repeats):
        told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        taken.append(float(told.stdout) * 1000)
    return round(median(taken), 1)


def disk() -> dict[str, Any]:
    """What one durable write costs here, milliseconds: no receipt can be faster."""
    with tempfile.NamedTemporaryFile() as file:
        taken = []
        for _ in range(_SYNCS):
            os.write(file.fileno(), b"x" * 4096)
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - start) * 1000)
    return {"fdatasync_p50_ms": round(median(taken), 3), "fdatasync_p99_ms": round(sorted(taken)[-3], 3)}


def size_mib(directory: Path) -> float:
    """Files of a directory in MiB."""
    return round(sum(file.stat().st_size for file in directory.rglob("*") if file.is_file()) / 2**20, 1)
