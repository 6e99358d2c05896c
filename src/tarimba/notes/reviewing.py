"""What a reviewer sees beside a proposal: notes like it and against it, the block, who reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from tarimba.blocks import rules as blocks
from tarimba.blocks.model import Block, Candidate
from tarimba.blocks.service import candidates_of
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.notes import neighbours, rules, store
from tarimba.notes.model import Draft, Note, Owner, Stored
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal, Text
from tarimba.receipts.model import Recorded

AGAINST_MAX: Final = 5
# Behind every note that there is.
_YOUNGEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class BlockChange:
    """The block of the agent before and after, at the space's default budget and without tags.

    `fits` is whether the note would stand in it; `gained` and `lost` are other notes that would come or go.
    """

    max_tokens: int
    tokens_before: int
    tokens_after: int
    fits: bool
    gained: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """`readers` counts the agents that read the note, or would."""

    similar: tuple[Note, ...]
    contradictions: tuple[Note, ...]
    block: BlockChange
    readers: int


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A proposal as it is read; what waits for a person comes to a person with its review."""

    proposal: Proposal
    review: Review | None
    receipt: Recorded


def read(kernel: Kernel, principal: Principal, proposal_id: str) -> Reviewed:
    """One proposal. Raises 403, and 404 for what does not exist and for another agent's: no difference."""
    found = proposals.readable(kernel, principal, proposal_id)
    made = None
    if principal.kind == "person" and found.status == "pending":
        with kernel.database.read() as connection:
            made = review(kernel, connection, principal, found)
    shown = () if made is None else (*made.similar, *made.contradictions)
    detail = {"status": found.status, "notes": list(dict.fromkeys(note.note_id for note in shown))}
    return Reviewed(found, made, proposals.leave_read(kernel, principal, detail, found))


def review(kernel: Kernel, connection: Connection, principal: Principal, about: Proposal) -> Review | None:
    """Computed afresh for each look, since notes change while a proposal waits. None once the agent is gone."""
    space_id = principal.space_id
    owner = store.owner(connection, space_id, about.source_id)
    if owner is None:
        return None
    near = neighbours.neighbours(kernel, connection, space_id, about.source_id, about.text)
    return Review(
        similar=_others(near, about),
        contradictions=_against(kernel, connection, principal, owner, about),
        block=_block_change(kernel, connection, principal, owner, about),
        readers=store.readers(connection, space_id, owner, about.text.visibility),
    )


def _others(found: Sequence[Stored], about: Proposal) -> tuple[Note, ...]:
    return tuple(one.note for one in found if one.note.note_id != about.edits_note_id)


def _against(
    kernel: Kernel, connection: Connection, principal: Principal, owner: Owner, about: Proposal
) -> tuple[Note, ...]:
    """Notes about the same tool, operation or tag that tell the opposite."""
    text = about.text
    terms = frozenset(kernel.words.weighted(text.title, text.body, text.tags))
    now = kernel.writer.now(principal.space_id)
    near = neighbours.sharing(connection, principal.space_id, owner, terms, now)
    told, named = _told(kernel, principal, text), rules.operations(_draft(text))
    against = [
        note
        for note in _others(near, about)
        if named & rules.operations(note) and rules.is_opposed(told, _told(kernel, principal, note))
    ]
    return tuple(against[:AGAINST_MAX])


def _told(kernel: Kernel, principal: Principal, text: Text | Note) -> list[rules.Instruction]:
    return rules.instructions((text.title, text.body), principal.language, kernel.words.query_terms)


def _draft(text: Text) -> Draft:
    return Draft(text.kind, text.title, text.body, text.tags, text.visibility)


def _block_change(
    kernel: Kernel, connection: Connection, principal: Principal, owner: Owner, about: Proposal
) -> BlockChange:
    budget = space_settings.load(connection, principal.space_id).block_tokens_default
    frame = blocks.frame_tokens(principal.language, kernel.tokenizer)
    now = kernel.writer.now(principal.space_id)
    there = candidates_of(connection, principal.space_id, owner.pools, now)
    proposed = _candidate(kernel, about, there)

    def block(candidates: Sequence[Candidate]) -> Block:
        return blocks.assemble(candidates, frozenset(), budget, principal.language, frame)

    kept = [one for one in there if one.note_id != about.edits_note_id]
    before = block(there)
    after = block(kept if about.act == "retire" else [*kept, proposed])
    own = {proposed.note_id, about.edits_note_id}
    return BlockChange(
        max_tokens=budget,
        tokens_before=before.tokens,
        tokens_after=after.tokens,
        fits=proposed.note_id in after.notes,
        gained=tuple(note for note in after.notes if note not in before.notes and note not in own),
        lost=tuple(note for note in before.notes if note not in after.notes and note not in own),
    )


def _candidate(kernel: Kernel, about: Proposal, there: Sequence[Candidate]) -> Candidate:
    """The note as it would stand among the others, under the proposal's own id."""
    text = about.text
    line = blocks.render_line(text.kind, text.title, text.body)
    tokens = blocks.line_tokens(line, kernel.tokenizer)
    new = Candidate(about.proposal_id, text.kind, 1, _YOUNGEST, text.tags, line, tokens)
    old = next((one for one in there if one.note_id == about.edits_note_id), None)
    return new if old is None else replace(new, version=old.version + 1, age=old.age)
