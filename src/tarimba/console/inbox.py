"""The Inbox: proposals and drafts of skills that wait for a person: read, edited in place, decided one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from tarimba.console.choosing import agent_of
from tarimba.console.forms import changes_of, day_of, draft_of, findings
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal
from tarimba.evolution import service as evolution
from tarimba.evolution.model import Draft as SkillDraft
from tarimba.evolution.model import DraftFilter
from tarimba.identity.naming import names_of
from tarimba.identity.rules import may
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import KINDS, VISIBILITIES, Draft
from tarimba.notes.service import Decision
from tarimba.proposals import service as proposals
from tarimba.proposals.model import STATUSES, Proposal, ProposalFilter

_SHOWN: Final = 30
_DRAFTS: Final = 30


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the list: where it leads, and what it says."""

    path: str
    title: str
    kind: str
    agent: str
    created_at: int


def _list(kernel: Kernel, visit: Visit) -> Shown:
    status = visit.query.choice("status", STATUSES, "pending")
    agent = agent_of(kernel, visit, visit.query)
    names = names_of(kernel, visit.principal)
    lines, following = _proposals(kernel, visit, status, agent, names)
    if status == "pending" and not visit.query.line("cursor"):
        lines = _drafts(kernel, visit, agent, names) + lines
    values = {
        "lines": lines,
        "status": status,
        "agent": agent,
        "names": names,
        "following": following,
        "statuses": STATUSES,
    }
    return Html("inbox.html", values)


def _proposals(
    kernel: Kernel, visit: Visit, status: str, agent: str, names: Any
) -> tuple[list[_Line], str | None]:
    if not may(visit.principal, "read_proposals"):
        return [], None
    wanted = ProposalFilter(status, agent or None)
    cursor = visit.query.line("cursor") or None
    read = proposals.list_proposals(kernel, visit.principal, wanted, cursor=cursor, limit=_SHOWN)
    return [_line(one, names) for one in read.proposals], read.next_cursor


def _line(one: Proposal, names: Any) -> _Line:
    return _Line(
        f"/inbox/{one.proposal_id}", one.text.title, one.act, names.agent(one.source_id), one.created_at
    )


def _drafts(kernel: Kernel, visit: Visit, agent: str, names: Any) -> list[_Line]:
    if not may(visit.principal, "evolution"):
        return []
    page = evolution.list_drafts(
        kernel, visit.principal, DraftFilter("pending", agent or None), limit=_DRAFTS
    )
    return [
        _Line(f"/inbox/skill/{one.draft_id}", one.name, "skill", names.agent(one.source_id), one.created_at)
        for one in page.drafts
    ]


def _one(kernel: Kernel, visit: Visit) -> Shown:
    read = notes.read_proposal(kernel, visit.principal, visit.path["proposal_id"])
    return _proposal_page(kernel, visit, read, None, None)


def _proposal_page(
    kernel: Kernel, visit: Visit, read: Any, draft: Draft | None, refusal: Refusal | None
) -> Html:
    """The proposal; with `draft` and `refusal` as a person had changed it when that was refused."""
    one: Proposal = read.proposal
    old = _old(kernel, visit, one)
    text = draft or one.text
    values = {
        "one": one,
        "review": read.review,
        "old": old,
        "text": text,
        "until": day_of(text.valid_until),
        "names": names_of(kernel, visit.principal),
        "kinds": KINDS,
        "visibilities": VISIBILITIES,
        "may_decide": one.status == "pending" and may(visit.principal, "decide"),
        "refusal": refusal,
        "marks": findings(draft, refusal),
    }
    return Html("proposal.html", values, 200 if refusal is None else refusal.status)


def _old(kernel: Kernel, visit: Visit, one: Proposal) -> Any:
    """The version that the proposal would change, if it still is there."""
    if one.edits_note_id is None:
        return None
    try:
        return notes.get(kernel, visit.principal, one.edits_note_id).notes[0]
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        return None


def _approve(kernel: Kernel, visit: Visit) -> Shown:
    proposal_id = visit.path["proposal_id"]
    read = notes.read_proposal(kernel, visit.principal, proposal_id)
    changed = None if read.proposal.act == "retire" else draft_of(visit.form)
    decision = Decision(proposal_id, approves=True)
    if changed is not None:
        decision = replace(decision, changes=changes_of(visit.form))
    try:
        notes.decide(kernel, visit.principal, decision)
    except Refusal as refusal:
        if refusal.status >= 500 or refusal.code == "scope_missing":
            raise
        return _proposal_page(kernel, visit, read, changed, refusal)
    return Redirect(_next(kernel, visit), "inbox.done_approved")


def _reject(kernel: Kernel, visit: Visit) -> Shown:
    proposal_id, reason = visit.path["proposal_id"], visit.form.line("reason") or None
    try:
        notes.decide(kernel, visit.principal, Decision(proposal_id, approves=False, reason=reason))
    except Refusal as refusal:
        if refusal.status >= 500 or refusal.code == "scope_missing":
            raise
        read = notes.read_proposal(kernel, visit.principal, proposal_id)
        return _proposal_page(kernel, visit, read, None, refusal)
    return Redirect(_next(kernel, visit), "inbox.done_rejected")


def _go_on(kernel: Kernel, visit: Visit) -> Shown:
    return Redirect(_next(kernel, visit, visit.query.line("after")))


def _next(kernel: Kernel, visit: Visit, after: str = "") -> str:
    """The oldest that still waits, or the next younger than one that is passed over; the list when none does."""
    read = proposals.list_proposals(kernel, visit.principal, ProposalFilter("pending"), limit=_SHOWN)
    ids = [one.proposal_id for one in reversed(read.proposals)]
    younger = ids[ids.index(after) + 1 :] if after in ids else ids
    return f"/inbox/{younger[0]}" if younger else "/inbox"


def _many(kernel: Kernel, visit: Visit) -> Shown:
    """Several proposals decided at once, as they stand: one change of the block."""
    chosen = visit.form.all("proposal")
    approves = visit.form.choice("decision", ("approve", "reject"), "approve") == "approve"
    if not chosen:
        return Redirect("/inbox", "inbox.done_nothing")
    notes.decide_all(kernel, visit.principal, [Decision(one, approves=approves) for one in chosen])
    return Redirect("/inbox", "inbox.done_many")


def _check(kernel: Kernel, visit: Visit) -> Shown:
    """What a write of the form would say, while somebody types."""
    draft = draft_of(visit.form)
    origin = visit.form.choice("origin", ("human", "agent", "distilled"), "human")
    checked = notes.check(kernel, visit.principal, draft, origin)
    values = {"checked": checked, "marks": findings(draft, checked.refusal)}
    return Html("check_part.html", values)


def _skill(kernel: Kernel, visit: Visit) -> Shown:
    draft = evolution.read(kernel, visit.principal, visit.path["draft_id"])
    return _skill_page(kernel, visit, draft, None)


def _skill_page(kernel: Kernel, visit: Visit, draft: SkillDraft, refusal: Refusal | None) -> Html:
    values = {
        "draft": draft,
        "names": names_of(kernel, visit.principal),
        "may_decide": draft.state == "pending" and may(visit.principal, "decide_skill"),
        "refusal": refusal,
    }
    return Html("skill_draft.html", values, 200 if refusal is None else refusal.status)


def _decide_skill(kernel: Kernel, visit: Visit) -> Shown:
    draft_id = visit.path["draft_id"]
    applies = visit.form.choice("decision", ("apply", "refuse")) == "apply"
    try:
        (evolution.apply if applies else evolution.refuse)(kernel, visit.principal, draft_id)
    except Refusal as refusal:
        if refusal.code not in {"conflict", "not_implemented"}:
            raise
        draft = evolution.read(kernel, visit.principal, draft_id)
        return _skill_page(kernel, visit, draft, refusal)
    return Redirect("/inbox", "inbox.done_applied" if applies else "inbox.done_refused")


PAGES: Final = (
    Page("GET", "/inbox", _list, ("read_proposals", "evolution")),
    Page("POST", "/inbox", _many, "decide"),
    Page("POST", "/inbox/check", _check, ("decide", "write_notes")),
    Page("GET", "/inbox/next", _go_on, "read_proposals"),
    Page("GET", "/inbox/{proposal_id}", _one, "read_proposals"),
    Page("POST", "/inbox/{proposal_id}/approve", _approve, "decide"),
    Page("POST", "/inbox/{proposal_id}/reject", _reject, "decide"),
    Page("GET", "/inbox/skill/{draft_id}", _skill, "evolution"),
    Page("POST", "/inbox/skill/{draft_id}", _decide_skill, "decide_skill"),
)
