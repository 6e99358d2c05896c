"""What proved receipts answer: which notes an agent had been given in a conversation, and who vouched for each.

Pure, and free of the server like the verifier of a bundle, whose receipts these are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """A receipt in brief: what was done, when, by whom and at which place of the log."""

    seq: int
    at: str
    action: str
    by: str

    def as_json(self) -> dict[str, Any]:
        return {"seq": self.seq, "at": self.at, "action": self.action, "by": self.by}

    def __str__(self) -> str:
        return f"by {self.by} at {self.at} (seq {self.seq})"


@dataclass(frozen=True, slots=True)
class Given:
    """A note version that was given out: the act that vouches for its text, and those of its proposal.

    `kept` is None where no receipt of the bundle names the version: it may have been erased since.
    """

    note_id: str
    content_hash: str | None
    kept: Act | None
    proposed: Act | None
    approved: Act | None

    def as_json(self) -> dict[str, Any]:
        acts = {"kept": self.kept, "proposed": self.proposed, "approved": self.approved}
        shown = {name: None if act is None else act.as_json() for name, act in acts.items()}
        return {"note_id": self.note_id, "content_hash": self.content_hash, **shown}

    def __str__(self) -> str:
        said = [
            f"proposed {self.proposed}" if self.proposed else "",
            f"approved {self.approved}" if self.approved else "",
            # What was proposed is stored by whoever approves it: that is said once.
            f"{_VERBS.get(self.kept.action, 'stored')} {self.kept}"
            if self.kept and not self.approved
            else "",
        ]
        how = "; ".join(one for one in said if one) or "no receipt of this bundle says who wrote it"
        bound = f" (content hash {self.content_hash})" if self.content_hash else ""
        return f"note {self.note_id}{bound}: {how}"


@dataclass(frozen=True, slots=True)
class Handed:
    """A read, and the notes that it gave out in their order."""

    act: Act
    agent: str
    notes: tuple[Given, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "read": self.act.as_json(),
            "agent": self.agent,
            "notes": [one.as_json() for one in self.notes],
        }


@dataclass(frozen=True, slots=True)
class Answered:
    """What was given out under an id of the caller's own: a conversation or a task."""

    value: str
    reads: tuple[Handed, ...]

    def as_json(self) -> dict[str, Any]:
        return {"value": self.value, "reads": [one.as_json() for one in self.reads]}

    def lines(self) -> list[str]:
        """The answer for a person, a read a line and its notes below it."""
        if not self.reads:
            return [f"{self.value}: no receipt of this bundle names it in a read."]
        return [f"{self.value}: what the agents had been given, in order:", *self._told()]

    def _told(self) -> Iterator[str]:
        for one in self.reads:
            said = f"agent {one.agent} had {len(one.notes)} notes by {one.act.action}"
            yield f"  seq {one.act.seq}: at {one.act.at} {said}."
            yield from (f"    {note}" for note in one.notes)


_VERBS: Final = MappingProxyType(
    {"note.create": "written", "note.edit": "edited", "note.open": "opened", "import": "imported"}
)


def answer(value: str, places: Sequence[int], receipts: Sequence[Document]) -> Answered:
    """What the reads at these places gave out, as far as the proved receipts tell."""
    wanted = frozenset(places)
    proposals = _proposals(receipts)
    vouching = _vouching(receipts)
    reads = [one for one in receipts if one["seq"] in wanted and one.get("kind") == "read"]
    return Answered(value, tuple(_handed(one, vouching, proposals) for one in reads))


def _handed(
    read: Document, vouching: Mapping[str, tuple[Document, str]], proposals: Mapping[Any, Act]
) -> Handed:
    notes = detail_of(read).get("notes")
    ids = [str(one) for one in notes] if isinstance(notes, list) else []
    return Handed(
        _act(read), str(read.get("agent") or ""), tuple(_given(one, vouching, proposals) for one in ids)
    )


def _given(note_id: str, vouching: Mapping[str, tuple[Document, str]], proposals: Mapping[Any, Act]) -> Given:
    if note_id not in vouching:
        return Given(note_id, None, None, None, None)
    receipt, digest = vouching[note_id]
    proposal = str(receipt.get("proposal_id"))
    proposed, approved = (proposals.get((proposal, f"proposal.{verb}")) for verb in ("create", "approve"))
    return Given(note_id, digest, _act(receipt), proposed, approved)


def _vouching(receipts: Sequence[Document]) -> dict[str, tuple[Document, str]]:
    """By the id of a note version, the first act that bound its text to the log, and the hash of that."""
    found: dict[str, tuple[Document, str]] = {}
    for one in receipts:
        detail = detail_of(one)
        many = detail.get("notes")
        pairs = list(many.items()) if isinstance(many, dict) else []
        for note_id, digest in [*pairs, (one.get("note_id"), detail.get("content_hash"))]:
            if isinstance(note_id, str) and isinstance(digest, str):
                found.setdefault(note_id, (one, digest))
    return found


def _proposals(receipts: Sequence[Document]) -> dict[Any, Act]:
    named = [one for one in receipts if isinstance(one.get("proposal_id"), str)]
    return {(one["proposal_id"], one.get("action")): _act(one) for one in named}


def _act(receipt: Document) -> Act:
    actor = receipt.get("actor")
    who = f"{actor.get('type')} {actor.get('id')}" if isinstance(actor, dict) else "nobody"
    return Act(int(receipt["seq"]), str(receipt.get("at")), str(receipt.get("action")), who)


def detail_of(receipt: Document) -> Document:
    """The detail of a receipt; empty where an altered one has none."""
    detail = receipt.get("detail")
    return detail if isinstance(detail, dict) else {}
