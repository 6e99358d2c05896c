"""What holds for notes whatever stores them: limits, who reads and changes what, caps, hashes. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from tarimba import text
from tarimba.errors import Refusal
from tarimba.notes.model import ID_MAX, Caution, Draft, Evidence, Note, Stored
from tarimba.receipts.canonical import canonical

LONG_BODY_WORDS: Final = 120
_SECOND: Final = 1_000_000


def gated(draft: Draft, title_max: int, body_max: int) -> Draft:
    """The draft as it would be stored. Raises `GateError` naming field and rule."""
    return Draft(
        kind=draft.kind,
        title=text.clean(draft.title, field="title", max_length=title_max, one_line=True),
        body=text.clean(draft.body, field="body", max_length=body_max),
        tags=text.tags(draft.tags),
        visibility=draft.visibility,
        evidence=gated_evidence(draft.evidence),
        valid_until=draft.valid_until,
    )


def gated_evidence(evidence: Evidence | None) -> Evidence | None:
    """The evidence as it would be stored: None when it holds no id. Raises `GateError`."""
    if evidence is None or not evidence.as_json():
        return None
    ids = {
        name: text.clean(value, field=f"evidence.{name}", max_length=ID_MAX)
        for name, value in evidence.as_json().items()
    }
    return Evidence(**ids)


def cautions(draft: Draft) -> tuple[Caution, ...]:
    """What to tell a writer whose note was stored."""
    if len(draft.body.split()) <= LONG_BODY_WORDS:
        return ()
    detail = f"The body has more than {LONG_BODY_WORDS} words. Several small notes help agents more."
    return (Caution("long_body", "body", detail),)


def content_hash(fields: Mapping[str, Any], salt: str) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON of every wire field but `status`, and the note's salt."""
    bound = {name: value for name, value in fields.items() if name != "status"}
    return hashlib.sha256(canonical({**bound, "salt": salt})).hexdigest()


def may_read(pools: frozenset[int] | None, stored: Stored) -> bool:
    """Whether a reader of `pools` (None: of everything) reads this version.

    Its own visibility AND the head's must allow it: what was open once is closed with the head.
    """
    if stored.chain_status not in ("active", "retired"):
        return False
    return pools is None or {stored.pool, stored.owner.pool(stored.note.visibility)} <= pools


def is_decided(stored: Stored) -> bool:
    """Whether a person stands behind the note: approved, written or opened by one."""
    return stored.note.origin != "agent" or stored.note.visibility != "source"


def changed_fields(old: Note, draft: Draft) -> list[str]:
    """The names of the fields that an edit changes, in order of the alphabet."""
    names = ("body", "kind", "tags", "title", "valid_until", "visibility")
    return [name for name in names if getattr(old, name) != getattr(draft, name)]


def is_expired(note: Note | Draft, now: int) -> bool:
    """Whether the end of the note has passed (microseconds)."""
    return note.valid_until is not None and note.valid_until <= now


def require_on(enabled: bool) -> None:
    """Raises 409 `agent_memory_off`."""
    if not enabled:
        raise Refusal("agent_memory_off", "The agent memory is off in this space. A person can turn it on.")


def seconds_left(leaving: int, window: int, now: int) -> int:
    """Whole seconds, at least 1, until an event at `leaving` is out of the rolling window (microseconds)."""
    return max(1, -(-(leaving + window - now) // _SECOND))


def limited(seconds: int, what: str) -> Refusal:
    """429 `rate_limited`."""
    return Refusal("rate_limited", f"The agent has used up its {what} of the last hour.", retry_after=seconds)


def full(active_max: int) -> Refusal:
    """409 `agent_memory_full`."""
    detail = f"The agent has {active_max} active notes, as many as it may. Retire one that helps no more."
    return Refusal("agent_memory_full", detail)


def awaits_person(what: str) -> Refusal:
    """501: the act would be a proposal to a person, and proposals do not exist yet."""
    detail = f"{what} needs a person's decision, and proposals are not available yet. Nothing was stored."
    return Refusal("not_implemented", detail)


def later(valid_until: int | None, now: int) -> None:
    """Raises 422 for an end that has passed: such a note would never be read."""
    if valid_until is not None and valid_until <= now:
        raise Refusal("invalid_input", "valid_until: must be later than now")
