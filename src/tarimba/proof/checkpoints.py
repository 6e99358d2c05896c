"""Signed checkpoints: made at least every minute that has new receipts, announced, and added to a file.

A head is signed only when its seal is ours and when it grew out of the last checkpoint: whoever rewinds or forks the
log can't have that signed, as long as that checkpoint is known.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import Connection

from tarimba.clock import SECOND
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.proof import store
from tarimba.proof.signing import origin_of, signer
from tarimba.receipts.checkpoint import SignedCheckpoint, sign
from tarimba.receipts.merkle import Frontier, verify_consistency
from tarimba.receipts.seal import seal
from tarimba.receipts.tree import LogTree
from tarimba.storage import Tx
from tarimba.webhooks.service import announce

# Below the minute that is promised: a tick of the upkeep may be late.
EVERY: Final = 50 * SECOND
_log = structlog.get_logger("tarimba.proof")


def upkeep(kernel: Kernel) -> bool:
    """Makes the checkpoints that are due. Never says that more is waiting."""
    with kernel.database.read() as connection:
        due = store.spaces_due(connection, kernel.clock.now_us() - EVERY)
    for space_id in due:
        try:
            make(kernel, space_id)
        except Refusal as refusal:
            _log.error("checkpoint.refused", space_id=space_id, code=refusal.code)
    return False


def make(kernel: Kernel, space_id: str) -> SignedCheckpoint:
    """A checkpoint of the log as it is now, kept and announced if it is a new one.

    Raises 409 where the head is not one that may be signed, 404 for an empty log, and `unavailable`.
    """
    key, secret = signer(kernel, space_id)
    with kernel.database.read() as connection:
        frontier = _signable(kernel, connection, space_id)
        last = store.last_checkpoint(connection, space_id)
    if last is not None and last.size == frontier.size and last.root == frontier.root():
        return last
    made = sign(origin_of(space_id), frontier.size, frontier.root(), secret)

    def keep(tx: Tx) -> bool:
        if not store.add_checkpoint(tx, made, key.public.key_id):
            return False
        data: dict[str, str | int | None] = {"size": made.size, "root": made.root.hex()}
        data |= {"key_id": key.public.key_id, "checkpoint": made.note}
        announce(tx, "receipts.checkpoint", space_id, data)
        return True

    if kernel.writer.commit(space_id, keep) and kernel.settings.checkpoint_file is not None:
        _append(kernel.settings.checkpoint_file, made.note)
    return made


def latest(kernel: Kernel, principal: Principal) -> SignedCheckpoint:
    """The last one that was made; the first is made now. Raises 403, and what making one raises."""
    allow(principal, "checkpoints")
    with kernel.database.read() as connection:
        found = store.last_checkpoint(connection, principal.space_id)
    return make(kernel, principal.space_id) if found is None else found


def consistency(kernel: Kernel, principal: Principal, old_size: int, new_size: int) -> list[bytes]:
    """The hashes that show the log of `old_size` a prefix of that of `new_size`. Raises 403 and 422."""
    allow(principal, "checkpoints")
    with kernel.database.read() as connection:
        frontier, _ = store.head(connection, principal.space_id)
        if not 0 < old_size <= new_size <= frontier.size:
            raise invalid("from", "must be 1 or more and at most `to`, and `to` at most the size of the log")
        return LogTree(connection, principal.space_id, kernel.cold).consistency(old_size, new_size)


def _signable(kernel: Kernel, connection: Connection, space_id: str) -> Frontier:
    """The head, if it may be signed."""
    try:
        frontier, sealed = store.head(connection, space_id)
    except ValueError:
        raise _refused("is damaged") from None
    if frontier.size == 0:
        raise not_found("checkpoint")
    if seal(kernel.keys.of(space_id), frontier.size, frontier.root()) != sealed:
        raise _refused("is not the one that was sealed")
    last = store.last_checkpoint(connection, space_id)
    if last is not None and not _grew(LogTree(connection, space_id, kernel.cold), last, frontier):
        raise _refused("did not grow out of its last checkpoint: it was altered or put back")
    return frontier


def _grew(tree: LogTree, last: SignedCheckpoint, frontier: Frontier) -> bool:
    if last.size > frontier.size:
        return False
    proof = tree.consistency(last.size, frontier.size)
    return verify_consistency(last.size, frontier.size, last.root, frontier.root(), proof)


def _refused(why: str) -> Refusal:
    return Refusal("conflict", f"The log {why}. Nothing is signed: run `tarimba receipts verify`.")


def _append(path: Path, note: str) -> None:
    """Adds the note, durable. A file that can't be written is told of and does not stop the server."""
    try:
        with path.open("ab") as stream:
            stream.write(f"{note}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        _log.error("checkpoint.not_written", error=type(error).__name__)
