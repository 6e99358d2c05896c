"""Proposals as JSON, the one form for answers and exports."""

from __future__ import annotations

from typing import Any

from tarimba.clock import rfc3339
from tarimba.proposals.model import Proposal, Text


def proposal_json(one: Proposal) -> dict[str, Any]:
    """The proposal as the wire shows it: times in RFC 3339 with zone, lists never null."""
    return {
        "proposal_id": one.proposal_id,
        "source_id": one.source_id,
        "act": one.act,
        "edits_note_id": one.edits_note_id,
        **text_json(one.text),
        "evidence": one.evidence.as_json() if one.evidence else None,
        "origin": one.origin,
        "status": one.status,
        "note_id": one.note_id,
        "created_at": rfc3339(one.created_at),
        "created_by": one.created_by,
        "decided_at": _moment(one.decided_at),
        "decided_by": one.decided_by,
        "reason": one.reason,
        "problem": one.problem,
        "problem_kinds": list(one.problem_kinds),
        "similar_note_ids": list(one.similar_note_ids),
        "edited": one.edited,
    }


def text_json(text: Text) -> dict[str, Any]:
    """What a note would say, in the names of a note's fields."""
    return {
        "kind": text.kind,
        "title": text.title,
        "body": text.body,
        "tags": list(text.tags),
        "visibility": text.visibility,
        "valid_until": _moment(text.valid_until),
    }


def _moment(at_us: int | None) -> str | None:
    return None if at_us is None else rfc3339(at_us)
