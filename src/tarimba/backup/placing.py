"""Putting a settled copy in the place that it is for: all of it, or nothing that a server would take.

While things change places a mark stands in the data folder, and no command opens what is there. A killed restore
leaves either what was there before or that mark, and running it again does everything anew. On PostgreSQL the rows go
in with one transaction, the last step.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Final

from tarimba.backup.archive import sync_folder
from tarimba.backup.staging import Staged
from tarimba.backup.taking import DERIVED, WHOLE
from tarimba.settings import Settings
from tarimba.storage import Database, DatabaseError, copying
from tarimba.storage.alone import is_served
from tarimba.storage.interrupted import mark_of

_ENDINGS: Final = ("", "-wal", "-shm", "-journal")
_ALONE_SECONDS: Final = 2.0
_IN_USE: Final = "Something has the database open: stop every server and worker first."


@dataclass(frozen=True, slots=True)
class Site:
    """Where a restore goes. `file` is the SQLite file, None on PostgreSQL."""

    data: Path
    url: str
    file: Path | None

    @classmethod
    def of(cls, settings: Settings) -> Site:
        is_file = settings.url.startswith("sqlite:///")
        file = Path(settings.url.removeprefix("sqlite:///")) if is_file else None
        return cls(settings.data, settings.url, file)

    @property
    def is_interrupted(self) -> bool:
        """Whether an earlier restore died while it put things in their places."""
        return mark_of(self.data).exists()


def require_free(site: Site, *, replaces: bool) -> None:
    """Raises `DatabaseError` when something is there that was not given up, or somebody has it open."""
    if not replaces and not site.is_interrupted:
        taken = [name for name in (*WHOLE, *DERIVED) if _has_something(site.data / name)]
        if taken or not _is_empty(site):
            raise DatabaseError(
                "There is something here already: restore into an empty place, or give --replace to put the backup in "
                "the place of what is here."
            )
    if site.file is None:
        _require_nobody(site)
    elif site.file.exists():
        _require_alone(site.file)


def place(staged: Staged, site: Site, moment: str) -> list[Path]:
    """Puts the copy in its place. Returns what was moved aside, named after the `moment`.

    Raises `DatabaseError` and `OSError`; the mark stands then, and a further restore begins anew.
    """
    replaces = site.is_interrupted or not _is_empty(site)
    _mark(site)
    aside = [*_aside(site, moment)]
    for name in (*WHOLE, *DERIVED):
        if (staged.data / name).exists():
            (staged.data / name).rename(site.data / name)
    sync_folder(site.data)
    if site.file is None:
        _fill(staged.database, site, replaces=replaces)
    else:
        staged.database.rename(site.file)
        sync_folder(site.file.parent)
    _unmark(site)
    return aside


def _fill(file: Path, site: Site, *, replaces: bool) -> None:
    database = Database(site.url)
    try:
        copying.from_file(file, database, replaces=replaces)
    finally:
        database.close()


def _aside(site: Site, moment: str) -> Iterator[Path]:
    """Moves what is there out of the way. What is moved aside holds whatever was erased too late to be overwritten."""
    for name in (*WHOLE, *DERIVED):
        if (site.data / name).exists():
            aside = _free(site.data / f"{name}.replaced-{moment}")
            (site.data / name).rename(aside)
            yield aside
    if site.file is None:
        return
    for ending in _ENDINGS:
        file = site.file.with_name(site.file.name + ending)
        if file.exists():
            aside = _free(site.file.with_name(f"{site.file.name}.replaced-{moment}{ending}"))
            file.rename(aside)
            yield aside


def _free(wanted: Path) -> Path:
    """A name that nothing has: a restore that died is run again within the second, and what it moved aside stays."""
    others = (wanted.with_name(f"{wanted.name}-{number}") for number in count(2))
    return next(one for one in (wanted, *islice(others, 1000)) if not one.exists())


def _require_alone(file: Path) -> None:
    """Only who has a file of SQLite for themselves may take its log of changes away."""
    if is_served(file):
        raise DatabaseError(_IN_USE)
    try:
        with closing(sqlite3.connect(file, isolation_level=None, timeout=_ALONE_SECONDS)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError:
        raise DatabaseError(_IN_USE) from None
    except sqlite3.DatabaseError:
        # It can't be read any more, which may be why a backup is restored: it is moved aside as it is.
        return


def _require_nobody(site: Site) -> None:
    """On PostgreSQL, before a file is touched: what serves must not lose its files under it."""
    database = Database(site.url)
    try:
        with database.read() as connection:
            copying.require_alone(connection)
    finally:
        database.close()


def _is_empty(site: Site) -> bool:
    if site.file is not None and not site.file.exists():
        return True
    database = Database(site.url)
    try:
        return copying.is_empty(database)
    except (DatabaseError, sqlite3.DatabaseError):
        return False
    finally:
        database.close()


def _has_something(folder: Path) -> bool:
    return folder.is_symlink() or (folder.exists() and any(folder.iterdir()))


def _mark(site: Site) -> None:
    mark = mark_of(site.data)
    mark.write_text("A restore puts things in their places.\n", encoding="ascii")
    for folder in (mark.parent, site.data):
        sync_folder(folder)


def _unmark(site: Site) -> None:
    mark = mark_of(site.data)
    mark.unlink()
    sync_folder(mark.parent)
