"""SQL of proposals, and rows as values. No decisions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, func, insert, select, update

from tarimba.notes.model import Evidence
from tarimba.proposals.model import STATUSES, Proposal, ProposalFilter, Text
from tarimba.storage import Tx
from tarimba.storage.tables import proposal, space

# Of an agent that was erased: nothing shows it, and the job of the erasure deletes it.
ERASED: Final = "erased"
_OPEN: Final = ("drafting", "pending")

_C: Final = proposal.c
_IN_SPACE: Final = _C.space_id == bindparam("of")
_OF_AGENT: Final = (_IN_SPACE, _C.source_id == bindparam("by"))
# Neither erased nor of an import that is not complete.
_IS_SHOWN: Final = _C.status.in_(STATUSES)
_SHOWN: Final = select(proposal).where(_IN_SPACE, _IS_SHOWN)
_ONE: Final = _SHOWN.where(_C.proposal_id == bindparam("which"))
_NEWEST: Final = _SHOWN.where(_C.ordinal < bindparam("before")).order_by(_C.ordinal.desc())
_OLDEST: Final = _SHOWN.where(_C.ordinal > bindparam("after")).order_by(_C.ordinal)
_ABOUT: Final = (
    _SHOWN.where(_C.about_mac == bindparam("mac"), _C.source_id == bindparam("by"), _C.status.in_(_OPEN))
    .order_by(_C.ordinal.desc())
    .limit(1)
)
_WAITING_ABOUT: Final = (
    select(proposal)
    .where(_IN_SPACE, _C.status == "pending", _C.act == bindparam("wanted"))
    .where(_C.edits_note_id == bindparam("note"))
    .order_by(_C.ordinal)
    .limit(1)
)
_COUNT: Final = select(func.count()).select_from(proposal).where(*_OF_AGENT, _IS_SHOWN)
_ERASE: Final = update(proposal).where(*_OF_AGENT, _C.status != ERASED).values(status=ERASED)
_ERASED: Final = select(_C.proposal_id).where(*_OF_AGENT, _C.status == ERASED).limit(bindparam("most"))
_REJECTED: Final = (_C.status == "rejected", _C.scrubbed_at.is_(None))
# One look at the index for each space.
_LONGEST: Final = (
    select(func.min(_C.decided_at)).where(_C.space_id == space.c.space_id, *_REJECTED).scalar_subquery()
)
_WITH_REJECTED: Final = select(space.c.space_id, _LONGEST.label("since")).where(_LONGEST.is_not(None))
_DUE: Final = (
    select(_C.proposal_id)
    .where(_IN_SPACE, *_REJECTED, _C.decided_at <= bindparam("until"))
    .order_by(_C.decided_at)
    .limit(bindparam("most"))
)


def add(tx: Tx, one: Proposal, about_mac: str | None) -> None:
    """Stores a proposal as it is."""
    row = {
        "space_id": tx.space_id,
        "proposal_id": one.proposal_id,
        "source_id": one.source_id,
        "act": one.act,
        "edits_note_id": one.edits_note_id,
        "origin": one.origin,
        "created_at": one.created_at,
        "created_by": one.created_by,
        "about_mac": about_mac,
        "scrubbed_at": one.scrubbed_at,
        "ordinal": one.ordinal,
        **_changing_columns(one),
    }
    tx.write(insert(proposal), [row])


def settle(tx: Tx, one: Proposal) -> None:
    """Stores what a change of state may change."""
    mine = (_C.space_id == tx.space_id, _C.proposal_id == one.proposal_id)
    tx.write(update(proposal).where(*mine).values(**_changing_columns(one)))


def _changing_columns(one: Proposal) -> dict[str, object]:
    return {
        "kind": one.text.kind,
        "title": one.text.title,
        "body": one.text.body,
        "tags": json.dumps(one.text.tags),
        "visibility": one.text.visibility,
        "valid_until": one.text.valid_until,
        "evidence": json.dumps(one.evidence.as_json()) if one.evidence else None,
        "status": one.status,
        "note_id": one.note_id,
        "decided_at": one.decided_at,
        "decided_by": one.decided_by,
        "reason": one.reason,
        "problem": one.problem,
        "problem_kinds": json.dumps(one.problem_kinds),
        "similar_note_ids": json.dumps(one.similar_note_ids),
        "edited": int(one.edited),
        "detectors": one.detectors,
    }


def find(connection: Connection, space_id: str, proposal_id: str) -> Proposal | None:
    """One proposal, or None."""
    row = connection.execute(_ONE, {"of": space_id, "which": proposal_id}).first()
    return _proposal(row) if row else None


def newest(
    connection: Connection, space_id: str, wanted: ProposalFilter, before: int, limit: int
) -> list[Proposal]:
    """Proposals that were made before the ordinal `before`, newest first."""
    query = _NEWEST.where(*_conditions(wanted)).limit(limit)
    return [_proposal(row) for row in connection.execute(query, {"of": space_id, "before": before})]


def after(
    connection: Connection, space_id: str, source_id: str | None, after_ordinal: int, limit: int
) -> list[Proposal]:
    """Proposals that were made after the ordinal, oldest first: of one agent, or of the whole space."""
    query = _OLDEST.where(*_conditions(ProposalFilter(source_id=source_id))).limit(limit)
    return [_proposal(row) for row in connection.execute(query, {"of": space_id, "after": after_ordinal})]


def open_about(connection: Connection, space_id: str, about_mac: str, source_id: str) -> Proposal | None:
    """The distillation of this conversation or task for this agent that is drafting or pending."""
    row = connection.execute(_ABOUT, {"of": space_id, "mac": about_mac, "by": source_id}).first()
    return _proposal(row) if row else None


def waiting_about(connection: Connection, space_id: str, act: str, note_id: str) -> Proposal | None:
    """The oldest pending proposal of this act on this version."""
    row = connection.execute(_WAITING_ABOUT, {"of": space_id, "wanted": act, "note": note_id}).first()
    return _proposal(row) if row else None


def count_of(tx: Tx, source_id: str) -> int:
    """Proposals of an agent that are not erased."""
    return int(tx.scalar(_COUNT, {"of": tx.space_id, "by": source_id}) or 0)


def mark_erased(tx: Tx, source_id: str) -> None:
    """From now on nothing shows the proposals of an agent."""
    tx.write(_ERASE, [{"of": tx.space_id, "by": source_id}])


def delete_of(tx: Tx, source_id: str, most: int) -> int:
    """Deletes up to `most` erased proposals of an agent. Returns how many."""
    rows = tx.all(_ERASED, {"of": tx.space_id, "by": source_id, "most": most})
    ids = [row.proposal_id for row in rows]
    if ids:
        tx.write(delete(proposal).where(_C.space_id == tx.space_id, _C.proposal_id.in_(ids)))
    return len(ids)


def spaces_with_rejected(connection: Connection) -> list[tuple[str, int]]:
    """Each space that keeps rejected text, with the time of its longest past decision."""
    return [(row.space_id, row.since) for row in connection.execute(_WITH_REJECTED)]


def scrub(tx: Tx, until: int, most: int) -> int:
    """Deletes text and reason of up to `most` proposals that were rejected by then. Returns how many."""
    ids = [row.proposal_id for row in tx.all(_DUE, {"of": tx.space_id, "until": until, "most": most})]
    if ids:
        empty = {"title": "", "body": "", "tags": "[]", "reason": None, "scrubbed_at": tx.now}
        mine = (_C.space_id == tx.space_id, _C.proposal_id.in_(ids))
        tx.write(update(proposal).where(*mine).values(**empty))
    return len(ids)


def _conditions(wanted: ProposalFilter) -> list[ColumnElement[bool]]:
    columns = ((_C.status, wanted.status), (_C.source_id, wanted.source_id))
    return [column == value for column, value in columns if value is not None]


def _proposal(row: Row[Any]) -> Proposal:
    tags: Sequence[str] = json.loads(row.tags)
    return Proposal(
        proposal_id=row.proposal_id,
        source_id=row.source_id,
        act=row.act,
        edits_note_id=row.edits_note_id,
        text=Text(row.kind, row.title, row.body, tuple(tags), row.visibility, row.valid_until),
        evidence=Evidence(**json.loads(row.evidence)) if row.evidence else None,
        origin=row.origin,
        status=row.status,
        note_id=row.note_id,
        created_at=row.created_at,
        created_by=row.created_by,
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        reason=row.reason,
        problem=row.problem,
        problem_kinds=tuple(json.loads(row.problem_kinds or "[]")),
        similar_note_ids=tuple(json.loads(row.similar_note_ids or "[]")),
        edited=bool(row.edited),
        detectors=row.detectors,
        ordinal=row.ordinal,
        scrubbed_at=row.scrubbed_at,
    )
