"""Bundles: the receipts that answer a question, with all that an outsider needs to verify them.

With reads come the receipts that vouch for the notes that they gave out, and those of their proposals and approvals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.proof import checkpoints, signing, store, witnessing
from tarimba.receipts import proving, search, telling
from tarimba.receipts.checkpoint import SignedCheckpoint
from tarimba.receipts.model import Recorded
from tarimba.receipts.reading import Stored
from tarimba.receipts.search import Question
from tarimba.receipts.telling import Claim
from tarimba.receipts.tree import LogTree
from tarimba.vault import SpaceKey

RECEIPTS_MAX: Final = 500
_NOTES_MAX: Final = 500


def bundle(kernel: Kernel, principal: Principal, question: Question) -> tuple[dict[str, Any], Recorded]:
    """The document that `receipts.bundle` describes: the newest 500 receipts of the question; `more` if there are more.

    Raises what a search and a checkpoint raise.
    """
    page = search.search(kernel, principal, question, limit=RECEIPTS_MAX)
    found = {one.seq: one for one in (*page.items, *_vouching(kernel, principal.space_id, page.items))}
    made = _checkpoint(kernel, principal.space_id, max(found, default=0))
    keys = signing.public_keys(kernel, principal)
    document = {
        "v": 1,
        "origin": made.origin,
        "checkpoint": made.note,
        "keys": [str(one.public) for one in keys],
        "receipts": _proved(kernel, principal.space_id, found, made),
        "revealed": _revealed(kernel.keys.of(principal.space_id), question),
        "more": page.next_cursor is not None,
    }
    return document, page.recorded


def _checkpoint(kernel: Kernel, space_id: str, newest: int) -> SignedCheckpoint:
    """The last one that a witness cosigned if it reaches the newest of the receipts, else one of the log as it is."""
    with kernel.database.read() as connection:
        seen = store.last_cosigned(connection, space_id)
    if seen is not None and seen.size > newest:
        return witnessing.cosigned(kernel, space_id, seen)
    return checkpoints.make(kernel, space_id)


def proof(kernel: Kernel, principal: Principal, receipt_id: str) -> tuple[dict[str, Any], Recorded]:
    """The proof of one receipt up to a signed checkpoint. Raises 403, 404, 409 and 503."""
    proved, recorded = proving.prove(kernel, principal, receipt_id)
    made = checkpoints.make(kernel, principal.space_id)
    stored = proved.stored
    (row,) = _proved(kernel, principal.space_id, {stored.seq: stored}, made)
    shown = {"id": receipt_id, "seq": stored.seq, "leaf": stored.leaf.hex(), "proof": row["proof"]}
    return {**shown, "size": made.size, "root": made.root.hex(), "checkpoint": made.note}, recorded


def _vouching(kernel: Kernel, space_id: str, items: Iterable[Stored]) -> list[Stored]:
    """The receipts of the notes that these reads gave out."""
    ids = list(dict.fromkeys(note_id for one in items for note_id in _given(one)))[:_NOTES_MAX]
    if not ids:
        return []
    with kernel.database.read() as connection:
        claims = [Claim(*row) for row in store.versions(connection, space_id, ids)]
    origins = telling.traced(kernel, space_id, claims).values()
    found = [
        one
        for origin in origins
        for one in (None if origin.kept is None else origin.kept.stored, origin.proposed, origin.approved)
    ]
    return [one for one in found if one is not None]


def _given(stored: Stored) -> list[str]:
    """The notes that a read of any kind gave out."""
    detail = stored.document.get("detail")
    notes = detail.get("notes") if isinstance(detail, dict) else None
    is_read = stored.document.get("kind") == "read"
    return [str(one) for one in notes] if is_read and isinstance(notes, list) else []


def _proved(
    kernel: Kernel, space_id: str, found: dict[int, Stored], made: SignedCheckpoint
) -> list[dict[str, Any]]:
    with kernel.database.read() as connection:
        tree = LogTree(connection, space_id, kernel.cold)
        return [
            {
                "seq": seq,
                "receipt": found[seq].document,
                "proof": [one.hex() for one in tree.inclusion(seq, made.size)],
            }
            for seq in sorted(found)
        ]


def _revealed(key: SpaceKey, question: Question) -> list[dict[str, str]]:
    asked = [said for said in (question.conversation_id, question.task_id) if said is not None]
    return [{"value": said, "k": key.reveal(said).hex()} for said in asked]
