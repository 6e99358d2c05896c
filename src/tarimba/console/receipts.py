"""Receipts: finding them, one with its proof, what a conversation had been given, and verifying the whole log."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Final

from tarimba.clock import from_datetime
from tarimba.console.choosing import actor_of, agent_of
from tarimba.console.forms import end_of, moment_of
from tarimba.console.page import Download, Html, Page, Redirect, Shown, Visit
from tarimba.conversations import service as conversations
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.naming import Names, names_of
from tarimba.identity.rules import may
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.service import Delivered
from tarimba.proof import service as proof
from tarimba.receipts import proving, search, telling
from tarimba.receipts.model import ACTS, READS
from tarimba.receipts.proving import Proof
from tarimba.receipts.reading import Stored
from tarimba.receipts.search import Question
from tarimba.receipts.telling import Claim, Origin, Reading, Spoken

_SHOWN: Final = 30
# What a finding names in its sentence: notes and keys.
_IDS: Final = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_ID_MAX: Final = 512
_ACTIONS: Final = (*sorted(READS), *sorted(ACTS))
_KINDS: Final = ("read", "admin")
_SUBJECTS: Final = ("conversation", "task")
_SEQ_MAX: Final = 2**53


@dataclass(frozen=True, slots=True)
class _Line:
    """A receipt as a list shows it. `action` is empty where something else than a receipt is stored."""

    path: str
    seq: int
    at: int | None
    action: str
    actor: str
    agent: str
    via: str


@dataclass(frozen=True, slots=True)
class _Given:
    """A note version that was delivered: what is kept of it, and who wrote and approved it by its receipts.

    `note` is None where it is not kept any more.
    """

    note_id: str
    kept: Delivered | None
    origin: Origin | None

    @property
    def is_vouched(self) -> bool:
        return self.origin is not None and self.origin.kept is not None and self.origin.kept.ok


def _list(kernel: Kernel, visit: Visit) -> Shown:
    asked = _asked(visit)
    names = names_of(kernel, visit.principal)
    cursor = visit.query.line("cursor") or None
    refusal, lines, following = None, [], None
    try:
        page = search.search(kernel, visit.principal, _question(kernel, visit), cursor=cursor, limit=_SHOWN)
        lines, following = [_line(one, names) for one in page.items], page.next_cursor
    except Refusal as refused:
        if refused.status != 422:
            raise
        refusal = refused
    values: dict[str, Any] = {
        "lines": lines,
        "following": following,
        "asked": asked,
        "is_asked": any(asked.values()),
        "names": names,
        "actions": _ACTIONS,
        "kinds": _KINDS,
        "refusal": refusal,
        "last": next(iter(proof.checks(kernel, visit.principal)), None),
    }
    return Html("receipts.html", values, 200 if refusal is None else refusal.status)


def _asked(visit: Visit) -> dict[str, str]:
    """What the form says, as it says it."""
    fields = ("conversation", "task", "agent", "note", "actor", "action", "kind", "from", "to")
    return {name: visit.query.line(name) for name in fields}


def _question(kernel: Kernel, visit: Visit) -> Question:
    query = visit.query
    note = query.line("note")
    if note and not is_id(note):
        raise invalid("note", "must be the id of a note")
    return Question(
        conversation_id=_caller_id(visit, "conversation"),
        task_id=_caller_id(visit, "task"),
        source_id=agent_of(kernel, visit, query) or None,
        note_id=note or None,
        kind=query.choice("kind", _KINDS) or None,
        action=query.choice("action", _ACTIONS) or None,
        actor=actor_of(kernel, visit) or None,
        start=_begin_of(query.line("from")),
        end=end_of(query.line("to"), "to"),
    )


def _caller_id(visit: Visit, name: str) -> str | None:
    said = visit.query.line(name)
    if len(said) > _ID_MAX:
        raise invalid(name, f"must have at most {_ID_MAX} characters")
    return said or None


def _begin_of(said: str) -> int | None:
    """The first moment of a day, in UTC. Raises 422."""
    if not said:
        return None
    try:
        return max(0, from_datetime(datetime.strptime(said, "%Y-%m-%d").replace(tzinfo=UTC)))
    except ValueError:
        raise invalid("from", "must be a day") from None


def _line(stored: Stored, names: Names) -> _Line:
    said = stored.document
    actor = said.get("actor")
    who = str(actor.get("id", "")) if isinstance(actor, dict) else ""
    return _Line(
        f"/receipts/{said['id']}" if is_id(str(said.get("id"))) else f"/receipts/at/{stored.seq}",
        stored.seq,
        moment_of(said.get("at")),
        str(said.get("action", "")),
        names.actor(who),
        names.agent(str(said.get("agent") or "")),
        str(said.get("via", "")),
    )


def _one(kernel: Kernel, visit: Visit) -> Shown:
    proved, _ = proving.prove(kernel, visit.principal, visit.path["receipt_id"])
    return _receipt_page(kernel, visit, proved)


def _at(kernel: Kernel, visit: Visit) -> Shown:
    said = visit.path["seq"]
    if not (said.isascii() and said.isdigit() and int(said[:17]) < _SEQ_MAX):
        raise not_found("receipt")
    proved, _ = proving.prove_at(kernel, visit.principal, int(said))
    return _receipt_page(kernel, visit, proved)


def _receipt_page(kernel: Kernel, visit: Visit, proved: Proof) -> Html:
    names = names_of(kernel, visit.principal)
    document = proved.stored.document
    detail = document.get("detail")
    about = detail if isinstance(detail, dict) else {}
    given = about.get("notes")
    values: dict[str, Any] = {
        "line": _line(proved.stored, names),
        "proof": proved,
        "document": json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False),
        "objects": _objects(document, names),
        "notes": [one for one in given if is_id(str(one))] if isinstance(given, list | dict) else [],
        "is_preview": about.get("preview") is True,
    }
    return Html("receipt.html", values)


def _objects(document: Mapping[str, Any], names: Names) -> list[tuple[str, str, str]]:
    """(what it is, its id or name, where it leads) of the things a receipt names."""
    found = []
    for name, value in document.items():
        if not name.endswith("_id") or name == "space_id" or not isinstance(value, str):
            continue
        path = {"note_id": f"/notes/{value}", "proposal_id": f"/inbox/{value}"}.get(name, "")
        shown = names.agent(value) if name == "source_id" else value
        found.append((name, shown, path if is_id(value) else ""))
    return found


def _conversation(kernel: Kernel, visit: Visit) -> Shown:
    subject = visit.query.choice("kind", _SUBJECTS, "conversation")
    said = _caller_id(visit, "id")
    if said is None:
        raise invalid("id", "must name a conversation or a task")
    names = names_of(kernel, visit.principal)
    question = Question(conversation_id=said) if subject == "conversation" else Question(task_id=said)
    answers = conversations.answers_of(
        kernel, visit.principal, "task" if subject == "task" else "conversation", said
    )
    spoken = [Spoken(one.source_id, one.at, one.read_receipt_id) for one in answers]
    told = telling.tell(kernel, visit.principal, question, spoken, visit.query.line("cursor") or None)
    given = _given(kernel, visit, told.readings)
    values: dict[str, Any] = {
        "subject": subject,
        "said": said,
        "answers": len(answers),
        "readings": [(_line(one.proof.stored, names), one, _notes(one)) for one in told.readings],
        "given": given,
        "are_all_proved": all(one.proof.ok for one in told.readings),
        "wrong": [one for one in given.values() if one.kept is not None and not one.is_vouched],
        "following": told.next_cursor,
        "names": names,
    }
    return Html("conversation.html", values)


def _notes(reading: Reading) -> list[str]:
    """The versions that a read gave out, in their order."""
    detail = reading.proof.stored.document.get("detail")
    given = detail.get("notes") if isinstance(detail, dict) else None
    return [str(one) for one in given] if isinstance(given, list) else []


def _given(kernel: Kernel, visit: Visit, readings: tuple[Reading, ...]) -> dict[str, _Given]:
    """Every version that these reads gave out, as it was, with its receipts."""
    ids = list(dict.fromkeys(note_id for one in readings for note_id in _notes(one)))
    if not ids or not may(visit.principal, "read_notes"):
        return {}
    kept = notes.delivered(kernel, visit.principal, ids)
    claims = [Claim(note_id, one.content_hash, one.seq_from) for note_id, one in kept.items()]
    origins = telling.origins(kernel, visit.principal, claims)
    return {note_id: _Given(note_id, kept.get(note_id), origins.get(note_id)) for note_id in ids}


def _bundle(kernel: Kernel, visit: Visit) -> Shown:
    """What the filters find, with all that an outsider needs to verify it."""
    document, _ = proof.bundle(kernel, visit.principal, _question(kernel, visit))
    return Download(json.dumps(document, indent=1).encode(), "receipts.json", "application/json")


def _verify(kernel: Kernel, visit: Visit) -> Shown:
    found = proof.checks(kernel, visit.principal)
    values = {
        "checks": found,
        "names": names_of(kernel, visit.principal),
        "keys": proof.public_keys(kernel, visit.principal),
        "checkpoint": proof.cosigned(kernel, visit.principal.space_id, proof.latest(kernel, visit.principal)),
        "witnesses": proof.witnesses(kernel, visit.principal),
    }
    return Html("log_checks.html", values)


def _verify_now(kernel: Kernel, visit: Visit) -> Shown:
    return Redirect(f"/receipts/verify/{proof.order(kernel, visit.principal)}")


def _check(kernel: Kernel, visit: Visit) -> Shown:
    check = proof.check(kernel, visit.principal, visit.path["check_id"])
    if visit.is_part and not check.is_open:
        return Redirect(f"/receipts/verify/{check.check_id}")
    report = check.report or {}
    values = {
        "check": check,
        "findings": [(one, _IDS.findall(one["sentence"])) for one in report.get("findings", ())],
        # Reports of earlier versions have no codes: their sentences are shown as they are.
        "unchecked": list(zip_longest(report.get("unchecked_codes", ()), report.get("unchecked", ()))),
        "names": names_of(kernel, visit.principal),
    }
    return Html("log_check_part.html" if visit.is_part else "log_check.html", values)


PAGES: Final = (
    Page("GET", "/receipts", _list, "receipts"),
    Page("GET", "/receipts/conversation", _conversation, "receipts"),
    Page("GET", "/receipts/bundle", _bundle, "receipts"),
    Page("GET", "/receipts/verify", _verify, "receipts"),
    Page("POST", "/receipts/verify", _verify_now, "receipts"),
    Page("GET", "/receipts/verify/{check_id}", _check, "receipts"),
    Page("GET", "/receipts/at/{seq}", _at, "receipts"),
    Page("GET", "/receipts/{receipt_id}", _one, "receipts"),
)
