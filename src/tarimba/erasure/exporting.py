"""Exporting: every version of the notes and every proposal of an agent or of the whole space, to be imported again."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tarimba.clock import rfc3339
from tarimba.erasure.model import Export
from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.proposals import service as proposals
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record_read

VERSIONS_AT_ONCE = 200
PROPOSALS_AT_ONCE = 200


def export(kernel: Kernel, principal: Principal, source_id: str | None) -> Export:
    """All versions and statuses, the oldest chain first, as they are at the export's own place in the log.

    Then all proposals. Without `source_id` those of the whole space. Counts of outcomes are not part of it.
    Raises 403 and 404.
    """
    allow(principal, "export")
    if source_id is not None:
        _require_agent(kernel, principal.space_id, source_id)
    receipt = Receipt(
        action="export",
        actor=principal.actor,
        via=principal.via,
        agent=source_id,
        objects={"source_id": source_id} if source_id else {},
        detail={"whole_space": source_id is None},
    )
    recorded = record_read(kernel.writer, principal.space_id, receipt)
    exported_at = kernel.writer.now(principal.space_id)
    return Export(_pieces(kernel, principal.space_id, source_id, recorded.seq, exported_at), recorded)


def _require_agent(kernel: Kernel, space_id: str, source_id: str) -> None:
    owner = None
    if is_id(source_id):
        with kernel.database.read() as connection:
            owner = notes.owner(connection, space_id, source_id)
    if owner is None:
        raise not_found("agent")


def _pieces(
    kernel: Kernel, space_id: str, source_id: str | None, until: int, exported_at: int
) -> Iterator[bytes]:
    start = {"source_id": source_id, "exported_at": rfc3339(exported_at)}
    yield _json(start)[:-1] + b',"notes":['
    after, separator = (0, 0), b""
    while True:
        with kernel.database.read() as connection:
            page = notes.versions_after(connection, space_id, source_id, after, until, VERSIONS_AT_ONCE)
        if page:
            yield separator + b",".join(_json(notes.note_json(stored.note)) for stored in page)
            after, separator = (page[-1].age, page[-1].note.version), b","
        if len(page) < VERSIONS_AT_ONCE:
            break
    yield b'],"proposals":['
    yield from _proposals(kernel, space_id, source_id)
    yield b"]}"


def _proposals(kernel: Kernel, space_id: str, source_id: str | None) -> Iterator[bytes]:
    """Each as it is when its page is read: a decision that falls into the export may show or not."""
    after, separator = 0, b""
    while True:
        with kernel.database.read() as connection:
            page = proposals.after(connection, space_id, source_id, after, PROPOSALS_AT_ONCE)
        if page:
            yield separator + b",".join(_json(proposals.proposal_json(one)) for one in page)
            after, separator = page[-1].ordinal, b","
        if len(page) < PROPOSALS_AT_ONCE:
            return


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
