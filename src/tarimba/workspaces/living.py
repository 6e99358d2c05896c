"""Which places a run that lives has mounted something at, so that no other run counts on different ones.

The kernel keeps a name from an agent only while something is mounted at it in the agent's own namespace; where it is
mounted in another's alone, it may be renamed, and the other's mount is gone with it. So runs in one workspace that live
at the same moment mount at the same places. Locks lie on the host's side, out of every agent's reach, and end with the
run, however it ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tarimba.errors import Refusal
from tarimba.workspaces.locks import HOW, alone

_DIGEST_BYTES: Final = 64


def begin(home: Path, wanted: Mapping[str, Iterable[str]]) -> tuple[int, ...]:
    """Descriptors that tell of a run for as long as one of them is open in it: places by the folder they are in.

    Raises 409 while a run with others lives.
    """
    made: list[int] = []
    try:
        with alone(home, "runs"):
            for folder, places in sorted(wanted.items()):
                made.append(_opened(home, folder))
                _join(made[-1], _digest(places))
    except BaseException:
        for handle in made:
            os.close(handle)
        raise
    return tuple(made)


def require_alike(home: Path, wanted: Mapping[str, Iterable[str]]) -> None:
    """Raises 409 while a run with other places lives in one of the folders."""
    for handle in begin(home, wanted):
        os.close(handle)


def _opened(home: Path, folder: str) -> int:
    return os.open(home / f".run-{folder}.lock", HOW, 0o600)


def _join(handle: int, digest: bytes) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if os.pread(handle, _DIGEST_BYTES, 0) != digest:
            raise Refusal(
                "conflict",
                "A run in this workspace lives that has other files and folders mounted: end it first.",
            ) from None
    else:
        os.pwrite(handle, digest, 0)
    fcntl.flock(handle, fcntl.LOCK_SH)


def _digest(places: Iterable[str]) -> bytes:
    return (
        hashlib.sha256("\0".join(sorted(set(places))).encode("utf-8", "surrogateescape")).hexdigest().encode()
    )
