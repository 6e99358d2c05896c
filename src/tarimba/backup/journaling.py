"""Keeping the journal: what the log says was erased, revoked or removed is added to the file within a second or two.

Read from the log, so that it does not matter which process did it. Which customer was forgotten no receipt tells: that
is added by the job that forgets, before it does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import structlog
from sqlalchemy import Connection, func, select

from tarimba import journal
from tarimba.kernel import Kernel
from tarimba.receipts.cold import ColdLog
from tarimba.receipts.reading import LogReader
from tarimba.receipts.tree import WIDTH
from tarimba.receipts.verify import parsed
from tarimba.storage.tables import receipt_bundle, space_head

_ALWAYS: Final = frozenset("erase.requested key.revoke skill.remove file.remove".split())
ACTIONS: Final = _ALWAYS | frozenset("person.token person.change secret.change webhook.change".split())
# What a detail says when something ended.
_ENDED: Final = frozenset({"revoke", "remove", "rotate"})
_ROWS: Final = 200
_ACT: Final = b'"kind":"admin"'
Acts = list[tuple[int, dict[str, Any]]]
_log = structlog.get_logger("tarimba.journal")


class Journal:
    """Adds to the file of this process, if it has one. Several processes may: a line twice does no harm."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        # By space: up to which receipt the log is in the file.
        self._reached: dict[str, int] | None = None

    def piece(self) -> bool:
        """Whether there is more to add at once."""
        path = self._kernel.settings.erasure_file
        if path is None:
            return False
        try:
            if self._reached is None:
                self._reached = _reached_in(self._kernel, path)
            return self._go_on(path, self._reached)
        except OSError as error:
            _log.error("journal.not_written", error=type(error).__name__)
            return False

    def _go_on(self, path: Path, reached: dict[str, int]) -> bool:
        more = False
        with self._kernel.database.read() as connection:
            sizes = connection.execute(select(space_head.c.space_id, space_head.c.size)).all()
            for space_id, size in sizes:
                start = reached.get(space_id, 0)
                if start >= size:
                    continue
                acts, end = self._acts(connection, space_id, start)
                found = [entry_of(space_id, seq, document) for seq, document in acts]
                entries = [entry for entry in found if entry is not None]
                if entries:
                    journal.add(path, entries)
                reached[space_id] = end
                more |= end < size
        return more

    def _acts(self, connection: Connection, space_id: str, start: int) -> tuple[Acts, int]:
        """The acts of a piece of the log from `start` on, each with its place, and where the next piece begins."""
        tile = ColdLog(self._kernel.cold, connection, space_id).tile(start // WIDTH)
        if tile is None:
            return _acts(connection, space_id, start)
        first = start // WIDTH * WIDTH
        return list(_acts_in(tile.lines, first, start)), first + len(tile.lines)


def _acts(connection: Connection, space_id: str, start: int) -> tuple[Acts, int]:
    """The acts of some stored rows from `start` on, each with its place, and where the next piece begins."""
    columns = receipt_bundle.c
    mine = columns.space_id == space_id
    first = select(func.max(columns.first_seq)).where(mine, columns.first_seq <= start).scalar_subquery()
    query = select(columns.first_seq, columns.entries).where(
        mine, columns.first_seq >= func.coalesce(first, 0)
    )
    acts: Acts = []
    end = start
    for first_seq, stored in connection.execute(query.order_by(columns.first_seq).limit(_ROWS)):
        lines = bytes(stored).split(b"\n")
        end = max(end, first_seq + len(lines))
        acts += _acts_in(lines, first_seq, start)
    return acts, end


def _acts_in(lines: Iterable[bytes], first_seq: int, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Most of a log is reads, which are told by their bytes: they are not even parsed."""
    for seq, line in enumerate(lines, first_seq):
        document = parsed(line) if seq >= start and _ACT in line else None
        if document is not None:
            yield seq, document


def entry_of(space_id: str, seq: int, document: dict[str, Any]) -> dict[str, Any] | None:
    """The line of a receipt, if that ended something: its action and the ids that it names."""
    action, detail = str(document.get("action")), document.get("detail")
    if action not in ACTIONS:
        return None
    told = detail if isinstance(detail, dict) else {}
    is_disabled = told.get("disabled") is True
    is_end = action in _ALWAYS or told.get("change") in _ENDED or is_disabled
    if not is_end and not told.get("roles_removed") and not told.get("members_removed"):
        return None
    ids = {name: value for name, value in document.items() if name.endswith("_id") and name != "space_id"}
    entry = {"space_id": space_id, "seq": seq, "at": document.get("at"), "what": action, "ids": ids}
    return entry | {"disabled": True} if is_disabled else entry


def is_in_log(kernel: Kernel, entry: Mapping[str, Any]) -> bool:
    """Whether the log has the very receipt that the line was made of.

    The place alone does not tell: a log that goes on from a backup gives the places of the lost part again.
    """
    space_id, seq = str(entry.get("space_id")), int(entry["seq"])
    with kernel.database.read() as connection:
        document = LogReader(connection, space_id, kernel.cold).read(seq).document
    found = entry_of(space_id, seq, document)
    return found is not None and all(found[name] == entry.get(name) for name in ("what", "at", "ids"))


def _reached_in(kernel: Kernel, path: Path) -> dict[str, int]:
    """Where to go on: what a crash kept out of the file is added then, and whatever the log has since a restore."""
    if not path.exists():
        return {}
    lines: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in journal.read(path):
        if isinstance(entry.get("seq"), int):
            lines[str(entry.get("space_id"))].append(entry)
    reached: dict[str, int] = {}
    for space_id, entries in lines.items():
        entries.sort(key=lambda entry: int(entry["seq"]), reverse=True)
        newest = next((entry for entry in entries if is_in_log(kernel, entry)), None)
        if newest is not None:
            reached[space_id] = int(newest["seq"]) + 1
    return reached
