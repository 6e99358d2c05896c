"""Idempotency: the same request by the same actor happens once.

Looked up before the caps and written with the change, under the lock of the space: two that arrive at once, or
one that comes again after a crash, find the first. Kept for a day: ids and MACs, never text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Connection, delete, insert, select

from tarimba.clock import DAY
from tarimba.errors import Refusal
from tarimba.storage.tables import idempotency
from tarimba.storage.transactions import Tx
from tarimba.vault import SpaceKey

KEPT_FOR = DAY


@dataclass(frozen=True, slots=True)
class OnceKey:
    """Which request this is: MACs of the caller's key and of the body, under the key of the space."""

    actor: str
    route: str
    key_mac: str
    body_mac: str

    @classmethod
    def of(cls, key: SpaceKey, actor: str, route: str, header: str, body: bytes) -> OnceKey:
        body_text = body.decode("latin-1")
        return cls(actor, route, key.mac("idempotency-key", header), key.mac("idempotency-body", body_text))


@dataclass(frozen=True, slots=True)
class Done:
    """What a change left: the status of its answer, the ids it made, the place of its receipt.

    The answer is built from these and from what is stored, the first time and every later time.
    """

    status: int
    ids: Mapping[str, str] = field(default_factory=dict)
    seq: int | None = None
    replayed: bool = False


def once(tx: Tx, key: OnceKey | None, work: Callable[[], Done]) -> Done:
    """Runs `work` unless this request was done before. Raises 409 when the key came with another body."""
    if key is None:
        return work()
    tx.write(delete(idempotency).where(*_same_space(tx), idempotency.c.created_at <= tx.now - KEPT_FOR))
    row = tx.first(select(idempotency).where(*_same_space(tx), *_same_request(key)))
    if row is None:
        done = work()
        tx.write(insert(idempotency).values(**_row(tx, key, done)))
        return done
    if row.body_mac != key.body_mac:
        raise Refusal("conflict", "This Idempotency-Key was used with another body. Use a new key.")
    return Done(row.status, json.loads(row.result), row.receipt_seq, replayed=True)


def is_known(connection: Connection, space_id: str, key: OnceKey) -> bool:
    """Whether the key came before, with whatever body: for bodies that are long to read. `once` decides."""
    query = select(idempotency.c.status).where(idempotency.c.space_id == space_id, *_same_request(key))
    return connection.execute(query).first() is not None


def _same_space(tx: Tx) -> tuple[ColumnElement[bool], ...]:
    return (idempotency.c.space_id == tx.space_id,)


def _same_request(key: OnceKey) -> tuple[ColumnElement[bool], ...]:
    columns = idempotency.c
    return columns.actor == key.actor, columns.route == key.route, columns.key_mac == key.key_mac


def _row(tx: Tx, key: OnceKey, done: Done) -> dict[str, object]:
    return {
        "space_id": tx.space_id,
        "actor": key.actor,
        "route": key.route,
        "key_mac": key.key_mac,
        "body_mac": key.body_mac,
        "status": done.status,
        "result": json.dumps(dict(done.ids)),
        "receipt_seq": done.seq,
        "created_at": tx.now,
    }
