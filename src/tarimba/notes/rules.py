"""What holds for notes whatever stores them: limits, who reads and changes what, caps, hashes. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tarimba import text
from tarimba.errors import Refusal, invalid
from tarimba.notes.model import KINDS, VISIBILITIES, Caution, Draft, Evidence, Note, Stored
from tarimba.receipts.canonical import canonical

LONG_BODY_WORDS: Final = 120
# Two texts that share so much say the same: an inflected word has up to four terms, so chance stays far below.
SIMILAR: Final = 70
_SECOND: Final = 1_000_000
_SENTENCE_END: Final = re.compile(r"[.!?;:]+\s|\n")
_FORBIDS: Final = re.compile(
    r"\b(?:never|not|cannot|\w+n['’]t|avoid|nunca|jamais|jamás|não|nao|evite|evitar)\b", re.IGNORECASE
)
_SPANISH_NO: Final = re.compile(r"\bno\b", re.IGNORECASE)
_INSISTS: Final = re.compile(r"\b(?:always|must|sempre|deve|siempre|debe)\b", re.IGNORECASE)
_OPERATION: Final = re.compile(r"[a-z][a-z0-9]*(?:[_.][a-z0-9]+)+")


def gated(draft: Draft, title_max: int, body_max: int) -> Draft:
    """The draft as it would be stored. Raises `GateError` naming field and rule."""
    if draft.kind not in KINDS:
        raise text.GateError("kind", "kind")
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
        name: text.caller_id(value, field=f"evidence.{name}") for name, value in evidence.as_json().items()
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
    """Whether a person stands behind the note: approved, written, opened or brought in by one."""
    note = stored.note
    return note.origin != "agent" or note.visibility != "source" or note.created_by != note.source_id


def is_widened(old: Note, draft: Draft) -> bool:
    """Whether more agents would read the note."""
    return VISIBILITIES.index(draft.visibility) > VISIBILITIES.index(old.visibility)


def changed_fields(old: Note | Draft, draft: Draft) -> list[str]:
    """The names of the fields that an edit changes, in order of the alphabet."""
    names = ("body", "kind", "tags", "title", "valid_until", "visibility")
    return [name for name in names if getattr(old, name) != getattr(draft, name)]


def likeness(left: frozenset[int], right: frozenset[int]) -> int:
    """How much of their words two texts share, 0 to 100: Dice's coefficient of their terms, rounded down."""
    whole = len(left) + len(right)
    return 200 * len(left & right) // whole if whole else 0


@dataclass(frozen=True, slots=True)
class Instruction:
    """A sentence that says what to do, or what not to do; a word is the tuple of the terms that stand for it."""

    forbids: bool
    words: frozenset[tuple[int, ...]]


def instructions(
    texts: Iterable[str], language: str, words_of: Callable[[str], Iterable[tuple[int, ...]]]
) -> list[Instruction]:
    """The sentences of a note. `no` forbids in Spanish only: in Portuguese it is a preposition."""
    found = []
    for sentence in (part for whole in texts for part in _SENTENCE_END.split(whole)):
        forbids = _FORBIDS.search(sentence) or (language == "es" and _SPANISH_NO.search(sentence))
        words = frozenset(words_of(_INSISTS.sub(" ", _FORBIDS.sub(" ", sentence))))
        if words:
            found.append(Instruction(bool(forbids), words))
    return found


def is_opposed(left: Iterable[Instruction], right: Sequence[Instruction]) -> bool:
    """Whether one note forbids what the other tells to do: at least two words in common, and half of them."""
    return any(one.forbids != other.forbids and _in_common(one, other) for one in left for other in right)


def _in_common(one: Instruction, other: Instruction) -> bool:
    terms = {term for word in other.words for term in word}
    shared = sum(not terms.isdisjoint(word) for word in one.words)
    return shared >= 2 and 2 * shared >= min(len(one.words), len(other.words))


def operations(written: Draft | Note) -> frozenset[str]:
    """What a note names as one names a tool: its tags, and words of its text such as `post_credit`."""
    named = _OPERATION.findall(f"{written.title} {written.body}".lower())
    return frozenset(written.tags) | frozenset(named)


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


def require_fit(draft: Draft, old: Note | None, title_max: int, body_max: int) -> None:
    """Raises 422 for a text that is longer than allowed now; what does not change may stay as long as it is."""
    for field, most in (("title", title_max), ("body", body_max)):
        text_now = getattr(draft, field)
        if len(text_now) > most and (old is None or text_now != getattr(old, field)):
            raise invalid(field, f"is longer than allowed (limit {most})")


def later(valid_until: int | None, now: int) -> None:
    """Raises 422 for an end that has passed: such a note would never be read."""
    if valid_until is not None and valid_until <= now:
        raise Refusal("invalid_input", "valid_until: must be later than now")
