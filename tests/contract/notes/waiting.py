"""Asking as an agent, deciding as a person, and looking at what waits."""

from __future__ import annotations

from typing import Any

from tarimba.notes import service
from tarimba.notes.deciding import Decided, Decision
from tarimba.notes.model import Changes, Draft, Note
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal
from tests.contract.notes.world import World


def ask(world: World, who: str = "billing", title: str = "Void invoices in the ledger", **fields: Any) -> str:
    """The proposal that an agent's write ends in."""
    draft = Draft(**{"kind": "procedure", "title": title, "body": "Close the period first.", **fields})
    made = service.create(world.kernel, world.caller(who), draft).proposal_id
    assert made is not None
    return made


def ask_edit(world: World, who: str, note: Note, **changes: Any) -> str:
    done = service.edit(world.kernel, world.caller(who), note.note_id, Changes(**changes))
    assert (done.status, done.note) == (202, None)
    assert done.proposal_id is not None
    return done.proposal_id


def ask_retire(world: World, who: str, note: Note) -> str:
    done = service.retire(world.kernel, world.caller(who), note.note_id)
    assert (done.status, done.note) == (202, None)
    assert done.proposal_id is not None
    return done.proposal_id


def decide(
    world: World, proposal_id: str, who: str = "reviewer", *, approves: bool = True, **fields: Any
) -> Decided:
    decision = Decision(proposal_id, approves, fields.pop("changes", Changes()), fields.pop("reason", None))
    return service.decide(world.kernel, world.caller(who), decision, **fields).decided[0]


def approve(world: World, proposal_id: str, who: str = "reviewer", **changes: Any) -> Note:
    note = decide(world, proposal_id, who, changes=Changes(**changes)).note
    assert note is not None
    return note


def reject(world: World, proposal_id: str, who: str = "reviewer", reason: str | None = None) -> Proposal:
    return decide(world, proposal_id, who, approves=False, reason=reason).proposal


def look(world: World, proposal_id: str) -> Proposal:
    with world.kernel.database.read() as connection:
        found = proposals.find(connection, world.space_id, proposal_id)
    assert found is not None
    return found


def head(world: World, note: Note) -> Note:
    """The newest version of a note."""
    return service.versions(world.kernel, world.caller("owner"), note.note_id).notes[-1]
