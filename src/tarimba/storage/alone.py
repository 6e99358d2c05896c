"""One server for one SQLite file: a second one is told so, instead of taking turns with the first at every write."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from tarimba.storage.engine import DatabaseError

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_TAKEN: Final = (
    "Another server has this SQLite file open: stop it first, or move to PostgreSQL, which several servers may share. "
    "Commands and `tarimba worker` may run beside a server."
)


@contextmanager
def serving_alone(url: str) -> Iterator[None]:
    """Holds the SQLite file of a database URL against other servers until the block ends. On PostgreSQL, nothing.

    The lock is the kernel's, on a file of its own beside the database (SQLite drops its locks when any descriptor of
    the database is closed): it ends with the process, however that ends, so none is ever stale. The file stays.
    Raises `DatabaseError` when another server has it, `OSError` where there can be no lock.
    """
    file = _file_of(url)
    if file is None:
        yield
        return
    descriptor = _locked(lock_file(file))
    try:
        yield
    finally:
        os.close(descriptor)


def is_served(file: Path) -> bool:
    """Whether a server holds this SQLite file now. Raises `OSError` where there can be no lock."""
    try:
        descriptor = os.open(lock_file(file), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def lock_file(file: Path) -> Path:
    """Beside the file itself, whatever links lead to it."""
    found = file.resolve()
    return found.with_name(f"{found.name}-serve")


def _file_of(url: str) -> Path | None:
    try:
        parts = make_url(url)
    except ArgumentError:
        # Said by whoever opens it.
        return None
    return Path(parts.database) if parts.get_backend_name() == "sqlite" and parts.database else None


def _locked(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise DatabaseError(_TAKEN) from None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
