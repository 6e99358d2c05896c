"""Forms that several pages have: the text of a note."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tarimba.clock import DAY, SECOND, from_datetime
from tarimba.console.fields import Fields
from tarimba.errors import Refusal, invalid
from tarimba.notes.model import KINDS, VISIBILITIES, Changes, Draft

# What one finding marks is shown; of a text with many the first are enough.
_MARKS_MAX: Final = 50


def draft_of(form: Fields) -> Draft:
    """A note as a form says it, not checked yet. Raises 422 for a day that is none."""
    return Draft(
        form.choice("kind", KINDS, KINDS[0]),
        form.line("title"),
        form.text("body").strip(),
        tags_of(form.line("tags")),
        form.choice("visibility", VISIBILITIES, "source"),
        valid_until=end_of(form.line("valid_until")),
    )


def changes_of(form: Fields) -> Changes:
    """Every field of the form as a change."""
    draft = draft_of(form)
    return Changes(
        draft.kind,
        draft.title,
        draft.body,
        draft.tags,
        draft.visibility,
        draft.valid_until,
        clears_end=draft.valid_until is None,
    )


def tags_of(said: str) -> tuple[str, ...]:
    """Tags between spaces or commas."""
    return tuple(said.replace(",", " ").split())


def end_of(said: str, field: str = "valid_until") -> int | None:
    """The end of that day, in UTC, in microseconds; None where none is said. Raises 422."""
    if not said:
        return None
    try:
        day = datetime.strptime(said, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise invalid(field, "must be a day") from None
    return from_datetime(day) + DAY - SECOND


def day_of(at_us: int | None) -> str:
    """A moment as a field for days has it."""
    return "" if at_us is None else datetime.fromtimestamp(at_us // SECOND, UTC).strftime("%Y-%m-%d")


def moment_of(at: object) -> int | None:
    """The moment that a receipt says; None for what is none, in an altered log."""
    try:
        return from_datetime(datetime.fromisoformat(str(at)))
    except ValueError:
        return None


def findings(draft: Draft | None, refusal: Refusal | None) -> dict[str, list[tuple[str, str]]]:
    """The fields of a note in which something personal was found, each in its pieces (see `marked`)."""
    if draft is None:
        return {}
    texts = {"title": draft.title, "body": draft.body, "tags": " ".join(draft.tags)}
    found = {name: marked(text, name, refusal) for name, text in texts.items()}
    return {name: pieces for name, pieces in found.items() if any(kind for _, kind in pieces)}


def marked(text: str, field: str, refusal: Refusal | None) -> list[tuple[str, str]]:
    """The text of a field in pieces, each with the kind of personal data that was found in it, or nothing.

    Positions are those of the text as it would be stored: white space at its ends does not count.
    """
    found = _findings(refusal, field)
    pieces, at = [], 0
    for one in found[:_MARKS_MAX]:
        start, end = max(int(one["start"]), at), int(one["end"])
        if start > at:
            pieces.append((text[at:start], ""))
        if end > start:
            pieces.append((text[start:end], str(one["kind"])))
            at = end
    if text[at:]:
        pieces.append((text[at:], ""))
    return pieces


def _findings(refusal: Refusal | None, field: str) -> list[Mapping[str, Any]]:
    found = (
        [] if refusal is None else [one for one in refusal.extra.get("findings", ()) if one["field"] == field]
    )
    return sorted(found, key=lambda one: (one["start"], one["end"]))
