"""Asking for a distillation: a proposal that is being drafted and the job that will write it, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from tarimba import text
from tarimba.distill.model import About, Asked
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.identity.settings import SpaceSettings
from tarimba.ids import is_id
from tarimba.jobs import service as jobs
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Evidence
from tarimba.personal_data import service as personal_data
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal, Text
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once
from tarimba.vault import SpaceKey

JOB = "distill"


@dataclass(frozen=True, slots=True)
class _Request:
    """One request, checked: for which agent, about what, and whether the id is itself personal data."""

    principal: Principal
    source_id: str
    about: About
    is_flagged: bool
    key: SpaceKey
    settings: SpaceSettings


def distill(
    kernel: Kernel,
    principal: Principal,
    about: About,
    *,
    source_id: str | None = None,
    once_key: OnceKey | None = None,
) -> Asked:
    """The proposal that a worker will write from a conversation or a task; the one that is open already, if any.

    An agent asks for itself. Raises 403, 404, 409 `agent_memory_off`, 422, and 429: it counts as a write.
    """
    allow(principal, "distill")
    asked = _checked(kernel, principal, about, _for_whom(principal, source_id))

    def run(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, once_key, lambda: _ask(tx, asked))

    done = kernel.writer.commit(principal.space_id, run)
    with kernel.database.read() as connection:
        found = proposals.find(connection, principal.space_id, done.ids["proposal_id"])
    if found is None:
        raise not_found("proposal")
    assert done.seq is not None
    return Asked(found, Recorded(done.ids["receipt_id"], done.seq, done.ids["leaf"]), done.status)


def _for_whom(principal: Principal, source_id: str | None) -> str:
    if principal.kind != "agent":
        if source_id is None:
            raise invalid("source_id", "name the agent that shall learn from it")
        return source_id
    assert principal.source_id is not None
    if source_id not in (None, principal.source_id):
        raise Refusal("scope_missing", "An agent's key distils for its own agent only.")
    return principal.source_id


def _checked(kernel: Kernel, principal: Principal, about: About, source_id: str) -> _Request:
    space_id, owner = principal.space_id, None
    field = f"{about.kind}_id"
    try:
        caller_id = text.caller_id(about.caller_id, field=field)
    except text.GateError as error:
        raise Refusal("invalid_input", error.sentence) from error
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, space_id)
        if is_id(source_id):
            owner = notes.owner(connection, space_id, source_id)
    notes.require_on(settings.enabled)
    if owner is None:
        raise not_found("agent")
    is_flagged = bool(personal_data.flagged(kernel, personal_data.known_by(kernel, space_id), [caller_id]))
    key = kernel.keys.of(space_id)
    return _Request(principal, source_id, About(about.kind, caller_id), is_flagged, key, settings)


def _ask(tx: Tx, asked: _Request) -> Done:
    settings = asked.settings
    if tx.generation != asked.principal.generation:
        settings = space_settings.load(tx.connection, tx.space_id)
    notes.require_on(settings.enabled)
    evidence = _evidence(tx, asked)
    mac = asked.key.commit("\0".join([asked.about.kind, *evidence.as_json().values()]))
    found = proposals.open_about(tx, tx.space_id, mac, asked.source_id)
    made = found or _begin(tx, asked, settings, evidence, mac)
    receipt = _leave(tx, asked, made, is_new=found is None)
    ids = {"proposal_id": made.proposal_id, "receipt_id": receipt.id, "leaf": receipt.leaf}
    return Done(201, ids, receipt.seq)


def _evidence(tx: Tx, asked: _Request) -> Evidence:
    """The id as it is stored: a surrogate for one that is personal data, so that asking by either finds the same."""
    field = f"{asked.about.kind}_id"
    flagged = frozenset({field} if asked.is_flagged else ())
    settled = notes.settle_evidence(tx, asked.key, Evidence(**{field: asked.about.caller_id}), flagged)
    assert settled is not None
    return settled


def _begin(tx: Tx, asked: _Request, settings: SpaceSettings, evidence: Evidence, mac: str) -> Proposal:
    if asked.principal.kind == "agent":
        notes.take_write(tx, asked.source_id, settings)
    made = proposals.propose(
        tx,
        source_id=asked.source_id,
        act="create",
        text=Text(),
        evidence=evidence,
        origin="distilled",
        created_by=asked.principal.id,
        detectors="",
        status="drafting",
        about_mac=mac,
    )
    jobs.enqueue(tx, JOB, {"proposal_id": made.proposal_id})
    return made


def _leave(tx: Tx, asked: _Request, made: Proposal, *, is_new: bool) -> Recorded:
    receipt = Receipt(
        action="distill.request",
        actor=asked.principal.actor,
        via=asked.principal.via,
        agent=asked.source_id,
        objects={"proposal_id": made.proposal_id, "source_id": asked.source_id},
        detail={
            asked.about.kind: asked.key.commit(asked.about.caller_id),
            "status": made.status,
            "again": not is_new,
        },
    )
    return record(tx, receipt)
