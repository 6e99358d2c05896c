"""Taking a backup while everything goes on: the database of one moment, then the files, each whole.

The files come after the database: what changes meanwhile may be newer in them. What a backup may not hold is left out
of it: the master key, and secrets as they lie before agents.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import tarimba
from tarimba.backup.archive import DATA, DATABASE, Writer, written
from tarimba.backup.model import FORMAT, About, Item, Manifest, SpaceState
from tarimba.backup.walking import Found, folders_of, walk
from tarimba.clock import rfc3339
from tarimba.identity.hosting import host_principal
from tarimba.identity.spaces import list_spaces
from tarimba.kernel import Kernel
from tarimba.receipts.merkle import Frontier
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx, copying, migrate
from tarimba.vault import Vault

# Walked whole, and of which the folders alone: their content is made anew from the database.
WHOLE: Final = ("spaces",)
DERIVED: Final = ("effective-skills", "effective-files")
_IN_MEMORY: Final = 8 * 1024 * 1024
_CHUNK: Final = 1024 * 1024
_MAC: Final = "backup"
_STATES: Final = """
SELECT h.space_id, h.size, h.frontier,
  (SELECT c.note FROM log_checkpoint c WHERE c.space_id = h.space_id ORDER BY c.size DESC LIMIT 1)
FROM space_head h ORDER BY h.space_id
"""
_COLD: Final = "SELECT name, size, digest FROM log_cold ORDER BY space_id, first_seq"


def take(kernel: Kernel, path: Path) -> Manifest:
    """Writes a backup of the whole installation to `path`, a new file that only its owner can read.

    Each space gets a receipt first, which is in the backup too. Raises `FileExistsError`, `OSError`, 503 `unavailable`,
    and `DatabaseError` for a damaged database.
    """
    about = About(
        format=FORMAT,
        version=tarimba.__version__,
        revision=migrate.HEAD,
        database="sqlite" if kernel.database.is_sqlite else "postgresql",
        key_check=kernel.vault.check_value,
        made_at=rfc3339(kernel.clock.now_us()),
    )
    with written(path, about) as writer:
        for space in list_spaces(kernel):
            _record(kernel, host_principal(space).actor, space.space_id)
        with _copied(kernel, writer.folder / DATABASE) as file:
            with file.open("rb") as stream:
                writer.add(Item(DATABASE, "file", file.stat().st_size, 0o600), stream)
            states = tuple(states_in(file))
            for item in _cold_files(file):
                writer.leave_out(item)
        _add_files(writer, kernel.settings.data)
        return writer.finish(_closing(kernel.vault, about, writer, states))


@contextmanager
def _copied(kernel: Kernel, file: Path) -> Iterator[Path]:
    """The database of this moment as a file, until the block ends: the rest of the backup may need its room."""
    copying.to_file(kernel.database, file)
    yield file
    file.unlink()


def states_in(file: Path) -> Iterator[SpaceState]:
    """How the logs in a database file stand."""
    with closing(sqlite3.connect(file)) as copy:
        for space_id, size, frontier, note in copy.execute(_STATES):
            root = Frontier.from_bytes(bytes(frontier)).root().hex()
            yield SpaceState(space_id=space_id, size=size, root=root, checkpoint=note)


def _cold_files(file: Path) -> Iterator[Item]:
    """What lies in cold storage, by name and SHA-256: it is kept there, and a restored log reads it from there."""
    with closing(sqlite3.connect(file)) as copy:
        for name, size, digest in copy.execute(_COLD):
            yield Item(path=f"cold/{name}", kind="file", size=size, sha256=digest, why="cold")


def mac_of(vault: Vault, manifest: Manifest) -> str:
    """What only who has the master key can write under a manifest."""
    return vault.mac(_MAC, manifest.signed_text())


def _record(kernel: Kernel, actor: Actor, space_id: str) -> None:
    def leave(tx: Tx) -> None:
        record(tx, Receipt("backup", actor, "cli", detail={"what": "all"}))

    kernel.writer.commit(space_id, leave)


def _closing(
    vault: Vault, about: About, writer: Writer, states: tuple[SpaceState, ...]
) -> Callable[[str], Manifest]:
    def close(digest: str) -> Manifest:
        told = Manifest(
            about=about, spaces=states, files=writer.files, bytes=writer.bytes, left_out=writer.left_out,
            list_sha256=digest,
        )  # fmt: skip
        return told.model_copy(update={"mac": mac_of(vault, told)})

    return close


def _add_files(writer: Writer, data: Path) -> None:
    for name in DERIVED:
        for item in folders_of(data / name, DATA + name):
            writer.add(item)
    for name in WHOLE:
        for found in walk(data / name, DATA + name):
            _add(writer, found)


def _add(writer: Writer, found: Found) -> None:
    if found.item.why:
        writer.leave_out(found.item)
    elif found.handle is None:
        writer.add(found.item)
    else:
        _add_file(writer, found.item, found.handle)


def _add_file(writer: Writer, item: Item, handle: int) -> None:
    """Adds what the file held when it was opened, however it grows or shrinks while it is read.

    Left out is what can't be read; raises `OSError` for what can't be written, or the backup would lack it in silence.
    """
    with (
        tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(writer.folder)) as held,
        os.fdopen(handle, "rb", closefd=False) as stream,
    ):
        left = item.size
        while left:
            try:
                chunk = stream.read(min(_CHUNK, left))
            except OSError:
                writer.leave_out(replace(item, why="unreadable"))
                return
            if not chunk:
                break
            left -= held.write(chunk)
        size = held.tell()
        held.seek(0)
        writer.add(replace(item, size=size), held)
