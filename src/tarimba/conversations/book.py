"""Conversations and tasks of one agent while a batch is recorded: read once, changed in memory, stored once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tarimba.conversations import store
from tarimba.conversations.people import People
from tarimba.conversations.reading import Item, Named
from tarimba.conversations.rules import LEVELS, link_after_event, link_after_proof
from tarimba.ids import new_id
from tarimba.notes.model import Evidence
from tarimba.notes.service import settle_evidence
from tarimba.storage import Tx
from tarimba.vault import SpaceKey

_READ: Final = (
    "conversation_ref", "kind", "mac", "caller_id", "profile_id", "link", "level", "started_at", "last_at", "ended_at",
    "ended", "succeeded", "ordinal",
)  # fmt: skip


@dataclass(slots=True)
class Talk:
    """A conversation or task as its row has it."""

    conversation_ref: str
    kind: str
    mac: str
    caller_id: str
    profile_id: str | None
    link: str
    level: str
    started_at: int
    last_at: int
    ended_at: int | None
    ended: int | None
    succeeded: int | None
    ordinal: int


class Book:
    """The conversations that some items name."""

    def __init__(self, tx: Tx, key: SpaceKey, source_id: str, items: Sequence[Item]) -> None:
        self._tx = tx
        self._key = key
        self._source_id = source_id
        macs = {named.mac for item in items for named in (item.conversation, item.task) if named}
        macs |= {mac for item in items for mac in item.aliases}
        self._talks = {place: _talk(row) for place, row in store.conversations(tx, source_id, macs).items()}
        self._stored = {talk.conversation_ref for talk in self._talks.values()}
        self._new_aliases: dict[str, str] = {}
        self._find_by_alias(macs)

    def talk(self, named: Named | None) -> Talk | None:
        """The conversation or task of that id, which begins if it was not known."""
        if named is None:
            return None
        known = self._talks.get((named.kind, named.mac))
        if known is None:
            known = self._talks[named.kind, named.mac] = self._begun(named)
        known.last_at = self._tx.now
        return known

    def also_known(self, talk: Talk, macs: Iterable[str]) -> None:
        """Further ids of a conversation; an id that another one has keeps it."""
        for mac in macs:
            if (talk.kind, mac) not in self._talks:
                self._talks[talk.kind, mac] = talk
                self._new_aliases[mac] = talk.conversation_ref

    def heard(self, talk: Talk, profile_id: str | None, *, is_named: bool, is_claimed: bool) -> None:
        """An event came in it, of a customer if there is a profile."""
        if profile_id is not None and (talk.profile_id is None or talk.link == "none"):
            talk.profile_id = profile_id
        talk.link = "unconfirmed" if is_claimed else link_after_event(talk.link, is_named=is_named)

    def told(self, talk: Talk, profile_id: str, *, is_proven: bool) -> None:
        """Somebody said in it who the customer is."""
        if is_proven or talk.profile_id is None:
            talk.profile_id = profile_id
        talk.link = link_after_proof(is_proven=is_proven)

    def verified(self, talk: Talk, profile_id: str, level: str) -> None:
        """The customer was verified in it; the lowest level takes that back."""
        talk.level = level
        if level != LEVELS[0]:
            self.told(talk, profile_id, is_proven=True)

    def end(self, talk: Talk, at: int, *, succeeded: bool | None) -> None:
        """The first end counts."""
        if talk.ended is None:
            talk.ended_at, talk.ended = at, self._tx.next_ordinal()
            talk.succeeded = None if succeeded is None else int(succeeded)

    def flush(self, people: People) -> None:
        """Stores what has changed."""
        rows = []
        for talk in {id(talk): talk for talk in self._talks.values()}.values():
            talk.profile_id = people.root(talk.profile_id)
            if talk.conversation_ref not in self._stored or talk.last_at == self._tx.now:
                rows.append(asdict(talk))
        whole = {"space_id": self._tx.space_id, "source_id": self._source_id}
        new = [whole | row for row in rows if row["conversation_ref"] not in self._stored]
        store.add_conversations(self._tx, new)
        changed = [row for row in rows if row["conversation_ref"] in self._stored]
        store.change_conversations(self._tx, changed)
        store.add_aliases(self._tx, self._source_id, self._new_aliases)

    def _find_by_alias(self, macs: set[str]) -> None:
        by_ref = {talk.conversation_ref: talk for talk in self._talks.values()}
        missing = macs - {mac for _, mac in self._talks}
        for mac, row in store.by_alias(self._tx, self._source_id, missing).items() if missing else ():
            talk = by_ref.setdefault(row.conversation_ref, _talk(row))
            self._talks[talk.kind, mac] = talk
            self._stored.add(talk.conversation_ref)

    def _begun(self, named: Named) -> Talk:
        now = self._tx.now
        return Talk(
            conversation_ref=new_id(),
            kind=named.kind,
            mac=named.mac,
            caller_id=self._caller_id(named),
            profile_id=None,
            link="none",
            level=LEVELS[0],
            started_at=now,
            last_at=now,
            ended_at=None,
            ended=None,
            succeeded=None,
            ordinal=self._tx.next_ordinal(),
        )

    def _caller_id(self, named: Named) -> str:
        """The id, or in the place of personal data the surrogate that notes also have for it."""
        if not named.flagged:
            return named.caller_id
        field = f"{named.kind}_id"
        evidence = Evidence(**{field: named.caller_id})
        settled = settle_evidence(self._tx, self._key, evidence, frozenset({field}))
        assert settled is not None
        return str(getattr(settled, field))


def _talk(row: Any) -> Talk:
    return Talk(**{name: getattr(row, name) for name in _READ})
