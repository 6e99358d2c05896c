"""Notes as JSON, the one form for answers, exports and hashes."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from tarimba.clock import from_datetime, rfc3339
from tarimba.notes.model import Caution, Note

# What `fromisoformat` takes besides (week dates, moments without zone) is no RFC 3339.
_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)


def note_json(note: Note) -> dict[str, Any]:
    """The note as the wire shows it: 15 members, times in RFC 3339 with zone."""
    return {
        "note_id": note.note_id,
        "source_id": note.source_id,
        "kind": note.kind,
        "title": note.title,
        "body": note.body,
        "tags": list(note.tags),
        "visibility": note.visibility,
        "evidence": note.evidence.as_json() if note.evidence else None,
        "origin": note.origin,
        "version": note.version,
        "supersedes_note_id": note.supersedes_note_id,
        "status": note.status,
        "valid_until": rfc3339(note.valid_until) if note.valid_until is not None else None,
        "created_at": rfc3339(note.created_at),
        "created_by": note.created_by,
    }


def caution_json(caution: Caution) -> dict[str, str]:
    return {"code": caution.code, "field": caution.field, "detail": caution.detail}


def moment(written: str) -> int:
    """Microseconds of an RFC 3339 moment with zone. Raises `ValueError`, also for years before 1970."""
    if _MOMENT.fullmatch(written) is None:
        raise ValueError("not an RFC 3339 moment with time zone")
    try:
        at = from_datetime(datetime.fromisoformat(written.upper()))
    except OverflowError as error:
        raise ValueError("beyond the calendar") from error
    if at < 0:
        raise ValueError("before 1970")
    return at
