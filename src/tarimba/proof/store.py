"""SQL of what is kept about proofs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, update

from tarimba.clock import DAY
from tarimba.errors import Refusal
from tarimba.ids import new_id
from tarimba.proof.model import Check, SigningKey
from tarimba.proof.witness_store import drop_without_checkpoint
from tarimba.receipts.checkpoint import PublicKey, SignedCheckpoint
from tarimba.receipts.checkpoint import read as read_checkpoints
from tarimba.receipts.merkle import Frontier
from tarimba.storage import Tx
from tarimba.storage.dialects import insert_new
from tarimba.storage.tables import (
    log_check,
    log_checkpoint,
    log_cosignature,
    note_version,
    signing_key,
    space_head,
)

CHECKS_KEPT: Final = 20
_COLUMNS: Final = log_check.c


def checks(connection: Connection, space_id: str, limit: int = CHECKS_KEPT) -> list[Check]:
    """Newest first."""
    query = (
        select(log_check).where(_COLUMNS.space_id == space_id).order_by(_COLUMNS.ordinal.desc()).limit(limit)
    )
    return [_check(row) for row in connection.execute(query)]


def check(connection: Connection, space_id: str, check_id: str) -> Check | None:
    mine = (_COLUMNS.space_id == space_id, _COLUMNS.check_id == check_id)
    row = connection.execute(select(log_check).where(*mine)).first()
    return None if row is None else _check(row)


def add_check(tx: Tx, asked_by: str) -> str:
    """A check that begins. Of the older ones the newest stay. Returns its id."""
    check_id = new_id()
    row = {"space_id": tx.space_id, "check_id": check_id, "asked_by": asked_by, "asked_at": tx.now}
    row |= {"size": size(tx.connection, tx.space_id)}
    tx.write(insert(log_check).values(**row, done=0, ordinal=tx.next_ordinal()))
    old = checks(tx.connection, tx.space_id, CHECKS_KEPT + 1)[CHECKS_KEPT:]
    if old:
        gone = (_COLUMNS.space_id == tx.space_id, _COLUMNS.check_id.in_([one.check_id for one in old]))
        tx.write(delete(log_check).where(*gone))
    return check_id


def reach(tx: Tx, check_id: str, done: int) -> None:
    tx.write(_of(tx, check_id).values(done=done))


def finish(tx: Tx, check_id: str, report: Mapping[str, Any]) -> None:
    tx.write(
        _of(tx, check_id).values(done=report["receipts"], finished_at=tx.now, report=json.dumps(dict(report)))
    )


def _of(tx: Tx, check_id: str) -> Any:
    return update(log_check).where(_COLUMNS.space_id == tx.space_id, _COLUMNS.check_id == check_id)


def _check(row: Row[Any]) -> Check:
    report = None if row.report is None else json.loads(row.report)
    return Check(row.check_id, row.asked_by, row.asked_at, row.size, row.done, row.finished_at, report)


def signing_keys(connection: Connection, space_id: str) -> list[SigningKey]:
    """Newest first."""
    mine = select(signing_key).where(signing_key.c.space_id == space_id)
    return [_key(row) for row in connection.execute(mine.order_by(signing_key.c.ordinal.desc()))]


def secret_of(connection: Connection, space_id: str) -> tuple[SigningKey, bytes] | None:
    """The key in force with its wrapped secret."""
    mine = (signing_key.c.space_id == space_id, signing_key.c.retired_at.is_(None))
    row = connection.execute(select(signing_key).where(*mine)).first()
    return None if row is None else (_key(row), bytes(row.secret))


def add_key(tx: Tx, public: PublicKey, wrapped: bytes) -> SigningKey:
    row = {"space_id": tx.space_id, "key_id": public.key_id, "public": public.raw, "secret": wrapped}
    tx.write(insert(signing_key).values(**row, created_at=tx.now, ordinal=tx.next_ordinal()))
    return SigningKey(public, tx.now, None)


def retire_keys(tx: Tx) -> None:
    """The secrets go; the public parts stay."""
    mine = (signing_key.c.space_id == tx.space_id, signing_key.c.retired_at.is_(None))
    tx.write(update(signing_key).where(*mine).values(retired_at=tx.now, secret=None))


def head(connection: Connection, space_id: str) -> tuple[Frontier, bytes]:
    """The tree of the log as the head has it, and the seal. Raises `ValueError` for a damaged head."""
    columns = (space_head.c.frontier, space_head.c.seal)
    row = connection.execute(select(*columns).where(space_head.c.space_id == space_id)).one()
    return Frontier.from_bytes(bytes(row.frontier)), bytes(row.seal)


def size(connection: Connection, space_id: str) -> int:
    """How many receipts the log has."""
    return connection.scalar(select(space_head.c.size).where(space_head.c.space_id == space_id)) or 0


def last_checkpoint(connection: Connection, space_id: str) -> SignedCheckpoint | None:
    """The largest. Raises 409 for one that is damaged."""
    mine = select(log_checkpoint.c.note).where(log_checkpoint.c.space_id == space_id)
    note = connection.scalar(mine.order_by(log_checkpoint.c.size.desc()).limit(1))
    return None if note is None else _checkpoint(note)


def last_cosigned(connection: Connection, space_id: str) -> SignedCheckpoint | None:
    """The largest that a witness cosigned, without what it said. Raises 409 for one that is damaged."""
    of = (log_checkpoint.c.space_id == log_cosignature.c.space_id) & (
        log_checkpoint.c.size == log_cosignature.c.size
    )
    mine = (
        select(log_checkpoint.c.note).join(log_cosignature, of).where(log_checkpoint.c.space_id == space_id)
    )
    note = connection.scalar(mine.order_by(log_checkpoint.c.size.desc()).limit(1))
    return None if note is None else _checkpoint(note)


def _checkpoint(note: str) -> SignedCheckpoint:
    found = read_checkpoints(note)
    if len(found) != 1:
        raise Refusal(
            "conflict",
            "A stored checkpoint is damaged: run `tarimba receipts verify` with one kept elsewhere.",
        )
    return found[0]


def spaces_due(connection: Connection, before: int) -> list[str]:
    """The spaces with new receipts whose last checkpoint was made before that moment, or that have none."""
    last = (
        select(log_checkpoint.c.space_id, func.max(log_checkpoint.c.size).label("size"))
        .add_columns(func.max(log_checkpoint.c.made_at).label("made_at"))
        .group_by(log_checkpoint.c.space_id)
        .subquery()
    )
    query = select(space_head.c.space_id).outerjoin(last, last.c.space_id == space_head.c.space_id)
    is_older = and_(last.c.made_at < before, last.c.size < space_head.c.size)
    due = or_(and_(last.c.size.is_(None), space_head.c.size > 0), is_older)
    return list(connection.scalars(query.where(due).limit(100)))


def add_checkpoint(tx: Tx, made: SignedCheckpoint, key_id: str) -> bool:
    """Keeps it; of an earlier day the last one stays, and the last that a witness cosigned.

    False when there is one of this size.
    """
    columns = log_checkpoint.c
    mine = columns.space_id == tx.space_id
    before = tx.first(
        select(columns.size, columns.made_at).where(mine).order_by(columns.size.desc()).limit(1)
    )
    row = {"space_id": tx.space_id, "size": made.size, "made_at": tx.now, "key_id": key_id, "note": made.note}
    if not tx.write(insert_new(tx.connection, log_checkpoint, row)):
        return False
    if before is not None and before.made_at // DAY < tx.now // DAY:
        day = before.made_at // DAY * DAY
        same_day = (columns.made_at >= day, columns.made_at < day + DAY)
        seen = select(func.max(columns.size)).join(
            log_cosignature,
            (log_cosignature.c.space_id == columns.space_id) & (log_cosignature.c.size == columns.size),
        )
        stay = [before.size, tx.scalar(seen.where(mine, *same_day)) or 0]
        tx.write(delete(log_checkpoint).where(mine, *same_day, columns.size.not_in(stay)))
        drop_without_checkpoint(tx)
    return True


def versions(connection: Connection, space_id: str, note_ids: list[str]) -> list[tuple[str, str, int]]:
    """(id, content hash, place in the log at which it began) of these note versions."""
    columns = note_version.c
    query = select(columns.note_id, columns.content_hash, columns.seq_from)
    query = query.where(columns.space_id == space_id, columns.note_id.in_(note_ids))
    return [(row.note_id, row.content_hash, row.seq_from) for row in connection.execute(query)]


def _key(row: Row[Any]) -> SigningKey:
    return SigningKey(PublicKey(f"tarimba/{row.space_id}", bytes(row.public)), row.created_at, row.retired_at)
