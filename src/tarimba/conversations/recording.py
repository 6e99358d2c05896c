"""Recording a batch part by part: masked without a transaction, then committed in some milliseconds.

A part is recorded whole or not at all, with a receipt of counts; an item that came before is a duplicate and is not
masked again, so a request that broke off halfway is simply sent again and goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tarimba.conversations import store
from tarimba.conversations.book import Book, Talk
from tarimba.conversations.model import Counts, Ignored, Refused
from tarimba.conversations.people import People
from tarimba.conversations.reading import Batch, Item, Reader
from tarimba.conversations.rules import shows_handle
from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record as leave_receipt
from tarimba.storage import Tx
from tarimba.vault import SpaceKey

ITEMS_MAX: Final = 500
PART_ITEMS: Final = 100
# Some two seconds of masking.
PART_CHARACTERS: Final = 250_000
# One request holds a thread for a minute or two at most.
CHARACTERS_MAX: Final = 8_000_000
PART_ROWS: Final = 500
_ATTEMPTS: Final = 3
_MARKS: Final = frozenset({"conversation.ended", "task.ended"})
_HEARTBEAT: Final = "heartbeat"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch; `receipt` is the last part's, None when nothing was to be recorded."""

    counts: Counts
    refused: tuple[Refused, ...]
    ignored: Ignored
    receipt: Recorded | None


def record(kernel: Kernel, principal: Principal, sent: Sequence[Any]) -> Outcome:
    """Records the items of a batch that break no rule. Raises 403, 413, and 503 `detectors_unavailable`.

    Nothing of a part is stored before all its texts are masked; at 503 the parts before it are stored.
    """
    allow(principal, "track")
    key = kernel.keys.of(principal.space_id)
    done: set[int] = set()
    counts, receipt, attempts = Counts(), None, 0
    while attempts < _ATTEMPTS:
        space = personal_data.known_by(kernel, principal.space_id)
        batch = _read(kernel, key, space, sent)
        try:
            for part in _parts([item for item in batch.items if item.index not in done]):
                commit = _Commit(principal, key, space, *_masked(kernel, principal, space, part))
                more, receipt = kernel.writer.commit(principal.space_id, commit.run)
                counts, attempts = _sum(counts, more), 0
                done.update(item.index for item in part)
        except personal_data.MovedError:
            attempts += 1
            continue
        return Outcome(counts, batch.refused, batch.ignored, receipt)
    raise Refusal("unavailable", "What the space knows changes too fast to mask turns by it.", retry_after=1)


def _read(kernel: Kernel, key: SpaceKey, space: Knowledge, sent: Sequence[Any]) -> Batch:
    """The items, once it is known of all their ids and codes together which are personal data."""
    first = Reader(key)
    batch = first.read(sent)
    if sum(map(_length, batch.items)) > CHARACTERS_MAX:
        raise Refusal("too_large", f"The texts of a batch must have at most {CHARACTERS_MAX} characters.")
    flagged = personal_data.flagged(kernel, space, first.asked)
    return Reader(key, flagged).read(sent) if flagged else batch


def _masked(
    kernel: Kernel, principal: Principal, space: Knowledge, part: Sequence[Item]
) -> tuple[list[Item], int]:
    """The items that did not come before, with every text masked, all looked at together; and how many did."""
    assert principal.source_id is not None
    keys = {item.key_mac for item in part if item.kind != _HEARTBEAT}
    with kernel.database.read() as connection:
        seen = store.known_keys(connection, principal.space_id, principal.source_id, keys)
    items = [item for item in part if item.key_mac not in seen]
    texts = [text for item in items for text in item.texts.values()]
    masked = iter(personal_data.mask(kernel, space, texts))
    ready = []
    for item in items:
        found = {name: next(masked) for name in item.texts}
        counts: Counter[str] = Counter()
        for one in found.values():
            counts.update(one.counts)
        clean = {name: one.text for name, one in found.items()}
        ready.append(replace(item, texts=clean, masked=counts))
    return ready, len(part) - len(ready)


def _parts(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Items that are committed together."""
    part: list[Item] = []
    size = rows = 0
    for item in items:
        length, touched = _length(item), _rows(item)
        is_full = len(part) == PART_ITEMS or size + length > PART_CHARACTERS or rows + touched > PART_ROWS
        if part and is_full:
            yield part
            part, size, rows = [], 0, 0
        part.append(item)
        size += length
        rows += touched
    if part:
        yield part


def _length(item: Item) -> int:
    """In characters of all its texts."""
    return sum(map(len, item.texts.values()))


def _rows(item: Item) -> int:
    """How many rows an item reads or writes: any two of its handles may have a link."""
    return 1 + len(item.aliases) + 2 * len(item.handles) + len(item.handles) * (len(item.handles) - 1) // 2


def _sum(one: Counts, other: Counts) -> Counts:
    masked = Counter(one.masked) + Counter(other.masked)
    return Counts(one.accepted + other.accepted, one.duplicates + other.duplicates, masked)


class _Commit:
    """One part, under the lock of the space: masked items, and how many more are known to have come before."""

    def __init__(
        self, principal: Principal, key: SpaceKey, space: Knowledge, items: Sequence[Item], again: int
    ) -> None:
        assert principal.source_id is not None
        assert principal.vendor_id is not None
        self._vendor_id = principal.vendor_id
        self._principal = principal
        self._source_id = principal.source_id
        self._key = key
        self._space = space
        self._items = items
        self._again = again

    def run(self, tx: Tx) -> tuple[Counts, Recorded]:
        recheck(tx, self._principal)
        if tx.generation != self._principal.generation:
            personal_data.require_same(tx, self._space)
        new, again = self._new_ones(tx)
        known = self._take(tx, [item for item in new if item.kind != _HEARTBEAT])
        for item in new:
            if item.kind == _HEARTBEAT:
                self._beat(tx, item)
        masked: Counter[str] = Counter()
        for item in new:
            masked.update(item.masked)
        counts = Counts(len(new), self._again + again, masked)
        return counts, self._leave(tx, counts, known)

    def _new_ones(self, tx: Tx) -> tuple[list[Item], int]:
        """The items that did not come before, and how many did. Of several heartbeats the last counts."""
        keys = {item.key_mac for item in self._items if item.kind != _HEARTBEAT}
        seen = set(store.known_keys(tx.connection, tx.space_id, self._source_id, keys))
        new = []
        for item in self._items:
            if item.key_mac not in seen:
                new.append(item)
                if item.kind != _HEARTBEAT:
                    seen.add(item.key_mac)
        return new, len(self._items) - len(new)

    def _take(self, tx: Tx, items: Sequence[Item]) -> int:
        """Stores the items. Returns how many handles became a known customer's."""
        people = People(tx, self._vendor_id, self._source_id, (item.handles for item in items))
        book = Book(tx, self._key, self._source_id, items)
        rows = [self._row(tx, item, *_applied(tx, item, people, book)) for item in items]
        for row in rows:
            row["profile_id"] = people.root(row["profile_id"])
        known = people.flush()
        book.flush(people)
        people.settle_links()
        store.add_turns(tx, rows)
        return known

    def _row(
        self, tx: Tx, item: Item, talks: tuple[Talk | None, Talk | None], profile_id: str | None
    ) -> dict[str, Any]:
        conversation, task = talks
        texts = item.texts
        return {
            "space_id": tx.space_id,
            "turn_id": new_id(),
            "ordinal": tx.next_ordinal(),
            "source_id": self._source_id,
            "key_mac": item.key_mac,
            "kind": item.kind,
            "channel": item.channel,
            "conversation_ref": conversation.conversation_ref if conversation else None,
            "task_ref": task.conversation_ref if task else None,
            "profile_id": profile_id,
            "role": item.role,
            "speaker_mac": item.speaker_mac,
            "text": texts.get("text"),
            "operation": item.operation or texts.get("operation"),
            "result": texts.get("result"),
            "purpose": texts.get("purpose"),
            "objects": item.objects,
            "read_receipt_id": item.read_receipt_id,
            "occurred_at": tx.now if item.occurred_at is None else item.occurred_at,
            "recorded_at": tx.now,
        }

    def _beat(self, tx: Tx, item: Item) -> None:
        began = tx.now if item.occurred_at is None else item.occurred_at
        if store.known_keys(tx.connection, tx.space_id, self._source_id, [item.key_mac]):
            store.beat_again(tx, self._source_id, item.key_mac, began)
        else:
            store.add_turns(tx, [self._row(tx, item, (None, None), None)])

    def _leave(self, tx: Tx, counts: Counts, known: int) -> Recorded:
        detail: dict[str, Any] = {
            "accepted": counts.accepted,
            "duplicates": counts.duplicates,
            "masked": dict(sorted(counts.masked.items())),
        }
        if known:
            detail["known_customers"] = known
        by = self._principal
        return leave_receipt(
            tx, Receipt("turns.record", by.actor, by.via, agent=self._source_id, detail=detail)
        )


def _applied(
    tx: Tx, item: Item, people: People, book: Book
) -> tuple[tuple[Talk | None, Talk | None], str | None]:
    """What an item says of people and conversations. Returns what its row names of these."""
    talks = (book.talk(item.conversation), book.talk(item.task))
    if talks[0] is not None:
        book.also_known(talks[0], item.aliases)
    there = [talk for talk in talks if talk is not None]
    if item.kind in ("identify", "verify"):
        _prove(item, people, book, there)
    elif item.kind in _MARKS:
        for talk in there:
            at = tx.now if item.occurred_at is None else item.occurred_at
            book.end(talk, at, succeeded=item.succeeded)
    else:
        return talks, _heard(item, people, book, there)
    return (None, None), None


def _prove(item: Item, people: People, book: Book, there: Sequence[Talk]) -> None:
    """An identification or a verification, for the conversation and the task that it names."""
    if not item.handles:
        return
    is_proven = people.told(item.handles, item.method) if item.kind == "identify" else True
    if shows_handle(item.method) and is_proven:
        people.showed(item.handles)
    profile_id = people.one(item.handles[:1])
    for talk in there:
        if item.kind == "verify":
            book.verified(talk, profile_id, item.level)
        else:
            book.told(talk, profile_id, is_proven=is_proven)


def _heard(item: Item, people: People, book: Book, there: Sequence[Talk]) -> str | None:
    """An event, or a conversation handed on. Returns the customer's profile, as far as it is known."""
    own = people.one(item.handles) if item.handles else None
    is_claimed = bool(item.handles) and bool(there) and people.is_claimed(item.handles)
    for talk in there:
        is_named = not all(one.is_anonymous for one in item.handles)
        book.heard(talk, own, is_named=is_named, is_claimed=is_claimed and talk.link == "none")
    return own or next((talk.profile_id for talk in there if talk.profile_id is not None), None)
