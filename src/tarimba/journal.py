"""The journal of what was taken back or erased: lines of ids in a file that outlives the database.

A backup is older than the erasures after it. Whoever restores one applies these again, so they are kept where neither
the database nor its backups are. A line holds ids and commitments, never text, and is added durably.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

FORGOTTEN: Final = "forget"


def add(path: Path, entries: Iterable[Mapping[str, Any]]) -> None:
    """Adds lines, whole, whoever else does at this moment. Raises `OSError`; what was added then may be there twice."""
    text = "".join(json.dumps(dict(entry), sort_keys=True) + "\n" for entry in entries).encode()
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "r+b", buffering=0) as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        # A line that a crash cut off must not take the next one with it.
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            text = b"\n" + text
        left = memoryview(text)
        while left:
            left = left[stream.write(left) :]
        os.fsync(handle)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The entries in their order; a line that a crash cut off is passed over. Raises `OSError`."""
    with path.open("rb") as stream:
        for line in stream:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                yield entry
