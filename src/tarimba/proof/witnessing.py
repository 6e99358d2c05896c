"""Witnesses outside: whom an owner names by their public keys, and what they say of the checkpoints of the space.

A cosignature is taken from whoever brings it: its own signature tells whose it is. It leaves no receipt, or each
checkpoint that is cosigned would be a reason for the next one.
"""

from __future__ import annotations

from typing import Final

from tarimba.clock import SECOND
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.proof import store, witness_store
from tarimba.proof.model import Witness
from tarimba.receipts.checkpoint import SignedCheckpoint
from tarimba.receipts.checkpoint import read as read_checkpoints
from tarimba.receipts.cosignature import Cosignature, WitnessKey, cosignature_of
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey

WITNESSES_MAX: Final = 20
# A witness's clock may be ahead of ours by so much.
_AHEAD_SECONDS: Final = 300


def witnesses(kernel: Kernel, principal: Principal) -> list[Witness]:
    """Oldest first, each with the largest checkpoint that it cosigned. Raises 403."""
    allow(principal, "checkpoints")
    with kernel.database.read() as connection:
        return witness_store.witnesses(connection, principal.space_id)


def add(kernel: Kernel, principal: Principal, key: str, once_key: OnceKey | None = None) -> Done:
    """Takes the cosignatures of the witness with that public key. Ids: `key_id`.

    Raises 403, 409 for one that is there or a twenty-first, and 422.
    """
    found = checked_key(key, "key")
    named = {"key_id": found.key_id}

    def work(tx: Tx) -> Done:
        receipt = settle(tx, principal, found)
        if receipt is None:
            raise Refusal("conflict", "key: there is a witness with it in this space already.")
        return done(201, receipt, **named)

    return commit_change(kernel, principal, "settings", once_key, work)


def settle(tx: Tx, by: Principal, key: WitnessKey) -> Recorded | None:
    """Adds a witness, and leaves the receipt of that; None where it is there. Raises 409 for a twenty-first."""
    there = witness_store.witnesses(tx.connection, tx.space_id)
    if any(one.key.key_id == key.key_id for one in there):
        return None
    if len(there) >= WITNESSES_MAX:
        raise Refusal("conflict", f"The space has {WITNESSES_MAX} witnesses: remove one first.")
    witness_store.add(tx, key, by.id)
    change = {"setting": "witness", "change": "add"}
    return leave(tx, by, "settings.change", {"key_id": key.key_id}, change)


def remove(kernel: Kernel, principal: Principal, key_id: str, once_key: OnceKey | None = None) -> Done:
    """Takes no more cosignatures of the witness; those that it gave stay. Ids: `key_id`. Raises 403 and 404."""
    named = {"key_id": key_id}

    def work(tx: Tx) -> Done:
        if not witness_store.remove(tx, key_id):
            raise not_found("witness")
        receipt = leave(tx, principal, "settings.change", named, {"setting": "witness", "change": "remove"})
        return done(200, receipt, **named)

    return commit_change(kernel, principal, "settings", once_key, work)


def take(kernel: Kernel, principal: Principal, note: str) -> tuple[int, list[Cosignature]]:
    """Keeps what the space's witnesses say in a checkpoint that was cosigned. Returns its size and what was taken.

    Raises 403, 404 for a checkpoint that is not kept here, and 422 for a note that is none, or that none of the
    witnesses cosigned.
    """
    allow(principal, "checkpoints")
    found = read_checkpoints(note)
    if len(found) != 1:
        raise invalid("note", "must be one signed checkpoint with the lines of its witnesses")
    with kernel.database.read() as connection:
        kept = witness_store.note_of(connection, principal.space_id, found[0].size)
        known = witness_store.witnesses(connection, principal.space_id)
    if kept is None or _body(kept) != _body(found[0].note):
        raise not_found("checkpoint")
    latest = kernel.clock.now_us() // SECOND + _AHEAD_SECONDS
    said = [one for witness in known if (one := cosignature_of(found[0], witness.key)) and one.at <= latest]
    if not said:
        raise invalid("note", "must be cosigned by a witness of the space, at a time that is not to come")

    def keep(tx: Tx) -> None:
        for one in said:
            witness_store.keep(tx, found[0].size, one)

    kernel.writer.commit(principal.space_id, keep)
    return found[0].size, said


def cosigned(kernel: Kernel, space_id: str, signed: SignedCheckpoint) -> SignedCheckpoint:
    """The checkpoint with the lines of its witnesses behind the log's own."""
    with kernel.database.read() as connection:
        lines = witness_store.lines(connection, space_id, signed.size)
    return SignedCheckpoint(signed.origin, signed.size, signed.root, signed.note + "".join(lines))


def newest_cosigned(kernel: Kernel, principal: Principal) -> SignedCheckpoint:
    """The largest checkpoint that a witness cosigned, with its lines. Raises 403 and 404."""
    allow(principal, "checkpoints")
    with kernel.database.read() as connection:
        found = store.last_cosigned(connection, principal.space_id)
    if found is None:
        raise not_found("cosigned checkpoint")
    return cosigned(kernel, principal.space_id, found)


def checked_key(said: str, field: str) -> WitnessKey:
    """The public key of a witness in the field of that name. Raises 422."""
    try:
        return WitnessKey.parse(said)
    except ValueError:
        raise invalid(field, "must be the public key of a witness, `<name>+<key id>+<base64>`") from None


def _body(note: str) -> str:
    return note.partition("\n\n")[0]
