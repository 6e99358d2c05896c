"""One at a time in a member's home: locks on the host's side, which the agent can't reach and so can't keep."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

HOW: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def alone(home: Path, about: Literal["runs", "secrets", "sessions"]) -> Iterator[None]:
    """Waits for whoever does the same in this home, in any process of this machine; a killed one holds nothing.

    Raises `FileNotFoundError` where there is no such home.
    """
    handle = os.open(home / f".{about}.lock", HOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
