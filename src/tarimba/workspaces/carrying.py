"""What a member's workspaces hold, file by file and row by row, for the member to take along."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog
from sqlalchemy import Connection, select

from tarimba.clock import rfc3339
from tarimba.confined import PASSING, Confined, Entry, EscapedError, IrregularError
from tarimba.errors import Refusal
from tarimba.storage.tables import memory_version, workspace, workspace_project
from tarimba.workspaces import secret_store
from tarimba.workspaces.secret_delivery import FOLDER as SECRETS

FILE_MAX: Final = 1024 * 1024 * 1024
_CHUNK: Final = 64 * 1024
_log = structlog.get_logger("tarimba.confined")
_WORKSPACES: Final = ("workspace", "workspace-*")
# What administrators share and give is bound there: it is none of the member's.
_NOT_THEIRS: Final = frozenset({".shared", SECRETS})


@dataclass(frozen=True, slots=True)
class Carried:
    """A file, `path` relative to the home. Its `chunks` are to be used before the next one; None where it is left out.

    What is not UTF-8 in a path is there as surrogates. `why` is a word for that: `large`, `deep`, `irregular`,
    `unreadable`. `changed_at` is in seconds.
    """

    path: str
    chunks: Iterator[bytes] | None
    changed_at: float = 0.0
    why: str = ""


def files_of(home: Path, shared_root: str) -> Iterator[Carried]:
    """Every file in the workspaces of a home, nothing followed. What is no plain file is named and left out."""
    for workspace_folder in (one for pattern in _WORKSPACES for one in sorted(home.glob(pattern))):
        with suppress(NotADirectoryError, FileNotFoundError), Confined.at(workspace_folder) as tree:
            for path, entry in _walk(tree, shared_root):
                shown = f"{workspace_folder.name}/{path}"
                if isinstance(entry, str):
                    yield Carried(shown, None, why=entry)
                else:
                    yield _carried(tree, shown, path, entry)


def versions_of(connection: Connection, space_id: str, workspace_id: str) -> Iterator[dict[str, Any]]:
    """The kept versions of the member's standing notes, oldest first."""
    columns = memory_version.c
    query = select(memory_version).where(columns.space_id == space_id, columns.workspace_id == workspace_id)
    for row in connection.execute(query.order_by(columns.project, columns.version)):
        yield {
            "project": row.project,
            "version": row.version,
            "origin": row.origin,
            "created_at": rfc3339(row.created_at),
            "content": row.content,
        }


def projects_of(connection: Connection, space_id: str, workspace_id: str) -> Iterator[dict[str, Any]]:
    columns = workspace_project.c
    query = select(workspace_project).where(
        columns.space_id == space_id, columns.workspace_id == workspace_id
    )
    for row in connection.execute(query.order_by(columns.ordinal)):
        yield {"project": row.project, "name": row.name, "created_at": rfc3339(row.created_at)}


def workspaces_of(connection: Connection, space_id: str, person_id: str) -> dict[tuple[str, str], str]:
    """The workspace's id by subscription and agent."""
    columns = workspace.c
    query = select(workspace).where(columns.space_id == space_id, columns.person_id == person_id)
    return {
        (row.subscription_id, row.source_id): row.workspace_id
        for row in connection.execute(query.order_by(columns.ordinal))
    }


def secrets_of(connection: Connection, space_id: str, person_id: str) -> Iterator[dict[str, Any]]:
    """The member's own, by name: their values are the agent's alone."""
    for one in secret_store.of_person(connection, space_id, person_id):
        yield {
            "name": one.name,
            "subscription_id": one.subscription_id,
            "source_id": one.source_id,
            "changed_at": rfc3339(one.changed_at),
        }


def _walk(tree: Confined, shared_root: str) -> Iterator[tuple[str, Entry | str]]:
    """What is no folder, and of a folder that can't be gone into why not."""
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            found = tree.entries(above)
        except (OSError, Refusal) as error:
            yield above, _why(error)
            continue
        folders = []
        for entry in found:
            path = f"{above}/{entry.name}" if above else entry.name
            if entry.name.startswith(PASSING) or path in _NOT_THEIRS or path == shared_root:
                continue
            if entry.kind == "directory":
                folders.append(path)
            else:
                yield path, entry
        waiting += reversed(folders)


def _why(error: OSError | Refusal) -> str:
    if isinstance(error, EscapedError | IrregularError):
        return "irregular"
    is_long = isinstance(error, Refusal) and error.code == "invalid_input"
    return "deep" if is_long else "unreadable"


def _carried(tree: Confined, shown: str, path: str, entry: Entry) -> Carried:
    if entry.kind != "file":
        return Carried(shown, None, why="irregular")
    if entry.size > FILE_MAX:
        return Carried(shown, None, why="large")
    try:
        handle = tree.opened(path)
    except (OSError, Refusal) as error:
        return Carried(shown, None, why=_why(error))
    return Carried(shown, _chunks(handle), os.fstat(handle).st_mtime)


def _chunks(handle: int) -> Iterator[bytes]:
    """The bytes up to the largest size. The handle is closed at the end, or when nobody goes on."""
    try:
        left = FILE_MAX
        while left > 0 and (chunk := os.read(handle, min(_CHUNK, left))):
            left -= len(chunk)
            yield chunk
    except OSError as error:
        # What was sent can't be taken back: the file is as long as its disk let it be read.
        _log.error("workspace.fault", error=errno.errorcode.get(error.errno or 0, "unknown"))
    finally:
        os.close(handle)
