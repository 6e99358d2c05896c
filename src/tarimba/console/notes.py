"""Notes: the list, one note with its versions and who was given it, writing, editing, retiring."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from tarimba.console.choosing import agent_of
from tarimba.console.forms import changes_of, day_of, draft_of, findings, moment_of
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal
from tarimba.identity.naming import names_of
from tarimba.identity.rules import may
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import KINDS, VISIBILITIES, Draft, Filter, Note, Question, Read
from tarimba.receipts import search as receipts
from tarimba.receipts.search import Question as LogQuestion

_SHOWN: Final = 30
_FOUND: Final = 30
_GIVEN: Final = 20
_STATUSES: Final = ("active", "retired")


def _list(kernel: Kernel, visit: Visit) -> Shown:
    wanted = _filter(kernel, visit)
    text = visit.query.line("text")
    if text:
        read = notes.search(kernel, visit.principal, Question(text, limit=_FOUND))
        shown = tuple(note for note in read.notes if _passes(note, wanted))
    else:
        cursor = visit.query.line("cursor") or None
        read = notes.list_notes(kernel, visit.principal, wanted, cursor=cursor, limit=_SHOWN)
        shown = read.notes
    values = {
        "notes": shown,
        "following": read.next_cursor,
        "wanted": wanted,
        "text": text,
        "names": names_of(kernel, visit.principal),
        "kinds": KINDS,
        "visibilities": VISIBILITIES,
        "statuses": _STATUSES,
    }
    return Html("notes.html", values)


def _filter(kernel: Kernel, visit: Visit) -> Filter:
    query = visit.query
    return Filter(
        status=query.choice("status", _STATUSES) or None,
        visibility=query.choice("visibility", VISIBILITIES) or None,
        kind=query.choice("kind", KINDS) or None,
        tag=query.line("tag") or None,
        source_id=agent_of(kernel, visit, query) or None,
    )


def _passes(note: Note, wanted: Filter) -> bool:
    """What a search found, narrowed to the other filters: it finds active notes alone."""
    is_kept = wanted.status in {None, note.status} and wanted.visibility in {None, note.visibility}
    is_asked = wanted.kind in {None, note.kind} and wanted.source_id in {None, note.source_id}
    return is_kept and is_asked and (wanted.tag is None or wanted.tag in note.tags)


def _one(kernel: Kernel, visit: Visit) -> Shown:
    return _note_page(kernel, visit, notes.versions(kernel, visit.principal, visit.path["note_id"]))


def _note_page(
    kernel: Kernel, visit: Visit, read: Read, draft: Draft | None = None, refusal: Refusal | None = None
) -> Html:
    """The chain of a note at the version that is asked for; with what a person had typed when that was refused."""
    asked = visit.path["note_id"]
    head = read.notes[-1]
    note = next((one for one in read.notes if one.note_id == asked), head)
    text = draft or head
    values: dict[str, Any] = {
        "note": note,
        "head": head,
        "is_head": note.note_id == head.note_id,
        "is_altered": notes.is_altered(kernel, visit.principal, note.note_id),
        "steps": list(reversed(list(pairwise(read.notes)))),
        "first": read.notes[0],
        "given": _given(kernel, visit, note.note_id),
        "outcomes": notes.outcomes(kernel, visit.principal, note.note_id),
        "names": names_of(kernel, visit.principal),
        "text": text,
        "until": day_of(text.valid_until),
        "kinds": KINDS,
        "visibilities": VISIBILITIES,
        "may_write": may(visit.principal, "write_notes") and head.status == "active",
        "refusal": refusal,
        "marks": findings(draft, refusal),
    }
    return Html("note.html", values, 200 if refusal is None else refusal.status)


def _given(kernel: Kernel, visit: Visit, note_id: str) -> list[Any] | None:
    """The last reads that gave this version to an agent; None for who may not ask the log."""
    if not may(visit.principal, "receipts"):
        return None
    question = LogQuestion(note_id=note_id, action="block.read")
    found = [one.document for one in receipts.search(kernel, visit.principal, question, limit=_GIVEN).items]
    return [
        {"id": one["id"], "agent": str(one.get("agent") or ""), "at": moment_of(one.get("at"))}
        for one in found
    ]


def _new(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    draft = draft_of(visit.form) if visit.form.values else Draft(KINDS[0], "", "")
    values = {
        "text": draft,
        "agent": visit.form.line("agent") or visit.query.line("agent"),
        "until": day_of(draft.valid_until),
        "names": names_of(kernel, visit.principal),
        "kinds": KINDS,
        "visibilities": VISIBILITIES,
        "refusal": refusal,
        "marks": findings(draft, refusal),
    }
    return Html("note_new.html", values, 200 if refusal is None else refusal.status)


def _new_page(kernel: Kernel, visit: Visit) -> Shown:
    return _new(kernel, visit)


def _create(kernel: Kernel, visit: Visit) -> Shown:
    try:
        source_id = agent_of(kernel, visit, visit.form) or None
        made = notes.create(kernel, visit.principal, draft_of(visit.form), source_id=source_id)
    except Refusal as refusal:
        if refusal.status >= 500 or refusal.code == "scope_missing":
            raise
        return _new(kernel, visit, refusal)
    return Redirect(f"/notes/{made.kept.note_id}", "notes.done_created")


def _edit(kernel: Kernel, visit: Visit) -> Shown:
    note_id = visit.path["note_id"]
    try:
        made = notes.edit(kernel, visit.principal, note_id, changes_of(visit.form))
    except Refusal as refusal:
        if refusal.status >= 500 or refusal.code in {"scope_missing", "not_found"}:
            raise
        read = notes.versions(kernel, visit.principal, note_id)
        return _note_page(kernel, visit, read, draft_of(visit.form), refusal)
    return Redirect(f"/notes/{made.kept.note_id}", "notes.done_edited")


def _retire_page(kernel: Kernel, visit: Visit) -> Shown:
    read = notes.get(kernel, visit.principal, visit.path["note_id"])
    return Html("note_retire.html", {"note": read.notes[0], "names": names_of(kernel, visit.principal)})


def _retire(kernel: Kernel, visit: Visit) -> Shown:
    notes.retire(kernel, visit.principal, visit.path["note_id"])
    return Redirect(f"/notes/{visit.path['note_id']}", "notes.done_retired")


PAGES: Final = (
    Page("GET", "/notes", _list, "read_notes"),
    Page("GET", "/notes/new", _new_page, "write_notes"),
    Page("POST", "/notes/new", _create, "write_notes"),
    Page("GET", "/notes/{note_id}", _one, "read_notes"),
    Page("POST", "/notes/{note_id}", _edit, "write_notes"),
    Page("GET", "/notes/{note_id}/retire", _retire_page, "write_notes"),
    Page("POST", "/notes/{note_id}/retire", _retire, "write_notes"),
)
