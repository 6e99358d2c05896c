"""The listener: upkeep that reads what tasks have ended, and keeps what each of them came to. No text.

With the mode `off` nothing is kept: what ends meanwhile is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from tarimba.conversations import service as conversations
from tarimba.conversations.model import FinishedTask
from tarimba.evolution import record_store, rules
from tarimba.evolution.model import TaskRecord
from tarimba.identity import settings as space_settings
from tarimba.jobs import service as jobs
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.vault import SpaceKey

ROUND_JOB: Final = "evolution.round"
SPACES_AT_ONCE: Final = 10
TASKS_AT_ONCE: Final = 50
CHUNKS_AT_ONCE: Final = 40


def listen(kernel: Kernel) -> bool:
    """Keeps what some tasks of some spaces came to. Whether more may be waiting."""
    with kernel.database.read() as connection:
        behind = record_store.unread(connection, SPACES_AT_ONCE)
    found = [_hear(kernel, space_id, read_until) for space_id, read_until in behind]
    return len(behind) == SPACES_AT_ONCE or TASKS_AT_ONCE in found


def catch_up(kernel: Kernel, space_id: str) -> None:
    """Keeps what has ended in a space until now: all of it but after a long time without a listener."""
    for _ in range(CHUNKS_AT_ONCE):
        with kernel.database.read() as connection:
            read_until = record_store.read_until(connection, space_id)
        if _hear(kernel, space_id, read_until) < TASKS_AT_ONCE:
            return


def _hear(kernel: Kernel, space_id: str, read_until: int) -> int:
    """One chunk of a space. Returns how many tasks it had."""
    key = kernel.keys.of(space_id)
    with kernel.database.read() as connection:
        tasks = conversations.finished_tasks(connection, space_id, read_until, TASKS_AT_ONCE)
        is_on = space_settings.load(connection, space_id).evolution != "off"
        records = _records(connection, space_id, key, tasks) if is_on else []
    if tasks:
        kernel.writer.commit(space_id, lambda tx: _keep(tx, read_until, tasks[-1].ordinal, records))
    return len(tasks)


def _records(
    connection: Connection, space_id: str, key: SpaceKey, tasks: Sequence[FinishedTask]
) -> list[TaskRecord]:
    found = []
    for task in tasks:
        did = rules.folded(conversations.operations_of(connection, space_id, task))
        found.append(
            TaskRecord(
                source_id=task.source_id,
                task_mac=task.mac,
                signature=key.mac("evolution-signature", rules.signature(did)),
                operations=did,
                succeeded=rules.went_well(task.succeeded),
                duration_ms=max(task.ended_at - task.started_at, 0) // 1000,
            )
        )
    return found


def _keep(tx: Tx, read_until: int, until: int, records: Sequence[TaskRecord]) -> None:
    """Under the lock: what another process has kept meanwhile is not kept twice."""
    now, since = record_store.mark(tx)
    if now != read_until:
        return
    settings = space_settings.load(tx.connection, tx.space_id)
    if settings.evolution == "off":
        record_store.move_mark(tx, read_until=until)
        return
    record_store.add(tx, records)
    since += len(records)
    if settings.evolution in rules.DRAFTING and 0 < settings.evolution_every <= since:
        jobs.enqueue(tx, ROUND_JOB, {})
        since = 0
    record_store.move_mark(tx, read_until=until, tasks_since=since)
