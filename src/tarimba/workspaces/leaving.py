"""A member's workspaces taken out: their rows a part at a time, and their folders on this host's disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from sqlalchemy import Connection, Table, delete, select, tuple_

from tarimba.confined import PASSING, Confined, remove
from tarimba.ids import is_id
from tarimba.storage import Tx
from tarimba.storage.schema import metadata
from tarimba.storage.tables import workspace
from tarimba.workspaces import secret_store

_WORKSPACE: Final = "workspace_id"
_MEMBERS: Final = "subscriptions/*/agents/*/members"
_ASIDE: Final = f"{PASSING}erased-"
# Names that one call takes out at most, of each folder.
_EMPTIED: Final = 20_000


def workspace_ids(connection: Connection, space_id: str, person_id: str) -> list[str]:
    """Of all the workspaces of a person, whether still a member there or not."""
    mine = (workspace.c.space_id == space_id, workspace.c.person_id == person_id)
    return list(connection.scalars(select(workspace.c.workspace_id).where(*mine)))


def erase_rows(tx: Tx, person_id: str, limit: int) -> tuple[int, bool]:
    """Deletes up to `limit` rows of a person's workspaces, then these and their own secrets.

    Returns how many rows went, and whether more are left. The receipt is the caller's to leave, in this transaction.
    """
    ids = workspace_ids(tx.connection, tx.space_id, person_id)
    gone = 0
    for table in _tables():
        gone += _delete_some(tx, table, ids, limit - gone)
        if gone >= limit:
            return gone, True
    mine = (workspace.c.space_id == tx.space_id, workspace.c.person_id == person_id)
    gone += tx.write(delete(workspace).where(*mine))
    return gone + secret_store.remove_of_person(tx, person_id), False


def take_out(data: Path, space_id: str, person_id: str) -> bool:
    """Takes the person's folders out of this host's disk, out of sight first. Whether more of them is left.

    Raises `OSError` and what `Confined` raises; what could not be taken out is tried again by the next call.
    """
    more = False
    for members in _folders(data, space_id, person_id):
        with Confined.at(members) as folder:
            with suppress(FileNotFoundError):
                folder.rename(person_id, f"{_ASIDE}{person_id}-{token_hex(8)}")
            # Those of an erasure before this one too, if that was interrupted.
            mine = f"{_ASIDE}{person_id}-"
            with os.scandir(folder.fileno()) as entries:
                left = [entry.name for entry in entries if entry.name.startswith(mine)]
            more |= False in [remove(folder.fileno(), name, _EMPTIED) for name in left]
    return more


def homes(data: Path, space_id: str, person_id: str) -> list[tuple[str, str, Path]]:
    """(subscription id, agent id, folder) of each place on this disk where the person has something."""
    found = []
    for members in _folders(data, space_id, person_id):
        home = members / person_id
        if home.is_dir() and not home.is_symlink():
            found.append((members.parents[2].name, members.parent.name, home))
    return found


def _folders(data: Path, space_id: str, person_id: str) -> Iterator[Path]:
    if is_id(space_id) and is_id(person_id):
        yield from sorted((data / "spaces" / space_id).glob(_MEMBERS))


def _tables() -> list[Table]:
    """All that hang on a workspace, the last first: a new one is emptied without being named here."""
    return [
        table
        for table in reversed(metadata.sorted_tables)
        if table is not workspace and _WORKSPACE in table.c
    ]


def _delete_some(tx: Tx, table: Table, ids: list[str], limit: int) -> int:
    key = list(table.primary_key.columns)
    mine = (table.c.space_id == tx.space_id, table.c[_WORKSPACE].in_(ids))
    rows = [tuple(row) for row in tx.all(select(*key).where(*mine).limit(limit))] if ids else []
    if rows:
        tx.write(delete(table).where(tuple_(*key).in_(rows)))
    return len(rows)
