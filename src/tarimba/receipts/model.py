"""What a receipt is: who did or read what, when and through which door, in ids and counts only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Via = Literal["http", "mcp", "cli", "console", "worker"]

READS = frozenset(
    "block.read notes.search notes.list note.read note.versions proposal.read context.read "
    "context.task_section history.read skill.index graph.read member_memory.read member_file.read "
    "workspace.read".split()
)
ACTS = frozenset(
    "note.create note.edit note.retire note.open note.outcome proposal.create proposal.approve "
    "proposal.reject distill.request distill.finish settings.change vocabulary.change "
    "known_customer.remove pii.overrule pii.rescan key.create key.revoke agent.change person.change person.token "
    "secret.change turns.record subject.token export import erase.requested erase.scrubbed forget receipts.search "
    "receipts.cool "
    "skill.publish skill.remove skill.apply file.publish file.remove member_skill.write member_memory.write "
    "graph.write webhook.change workspace.change evolution.round skill.refuse login backup "
    "restore".split()
)
KINDS: Mapping[str, str] = MappingProxyType({**dict.fromkeys(READS, "read"), **dict.fromkeys(ACTS, "admin")})


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acted: an agent by its key, a person by a token, or the system (the CLI, an admin key, a job)."""

    type: Literal["agent", "person", "system"]
    id: str
    key_id: str | None = None

    def as_json(self) -> dict[str, str]:
        shown = {"type": self.type, "id": self.id}
        return shown | {"key_id": self.key_id} if self.key_id else shown


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt before it has a place in the log.

    `objects` are ids that stand at the top level (`note_id`, `source_id` ...); `detail` holds counts, hashes
    and settings. `agent` is the source whose notes or prompt are concerned.
    """

    action: str
    actor: Actor
    via: Via
    agent: str | None = None
    objects: Mapping[str, str] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, receipt_id: str, space_id: str, at: str) -> dict[str, Any]:
        """The document whose canonical bytes are the leaf."""
        document: dict[str, Any] = {
            "v": 1,
            "id": receipt_id,
            "space_id": space_id,
            "at": at,
            "kind": KINDS[self.action],
            "action": self.action,
            "via": self.via,
            "actor": self.actor.as_json(),
            **self.objects,
            "detail": dict(self.detail),
        }
        return document | {"agent": self.agent} if self.agent else document


@dataclass(frozen=True, slots=True)
class Recorded:
    """A receipt with its place: what the answer's `Tarimba-Receipt` header says."""

    id: str
    seq: int
    leaf: str

    @property
    def header(self) -> str:
        return f"{self.id}; seq={self.seq}; leaf={self.leaf}"
