"""Layer 3: the customers whom the space knows, as MACs of their names and handles.

Values come in by an import from a system of record, are hashed at once and are neither stored nor logged. A note
that names one of them is refused whatever the other layers think, and its finding looks like theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.errors import invalid
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.personal_data import known_store as store
from tarimba.personal_data.handles import Family, Handle, full_name, handle
from tarimba.personal_data.joins import Part, parts_of
from tarimba.personal_data.knowledge import bump
from tarimba.personal_data.model import Finding
from tarimba.personal_data.sightings import Candidate, Sightings, sightings
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx
from tarimba.storage.known_macs import known_among
from tarimba.storage.once import Done, OnceKey
from tarimba.vault import SpaceKey

LAYER: Final = "known"
CUSTOMERS_MAX: Final = 500
HANDLES_MAX: Final = 8
_BETWEEN: Final = "\n"


@dataclass(frozen=True, slots=True)
class Customer:
    """One customer as a system of record has it: a full name, and pairs of handle type and value."""

    name: str | None = None
    handles: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A value that was not taken: the place of its customer in the request, its field, and why."""

    index: int
    field: str
    detail: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import left; `added` are new entries by kind, `known` those that were there."""

    done: Done
    added: Mapping[str, int]
    known: int
    skipped: tuple[Skipped, ...]

    def as_json(self) -> dict[str, Any]:
        skipped = [{"index": one.index, "field": one.field, "detail": one.detail} for one in self.skipped]
        return {"added": dict(self.added), "known": self.known, "skipped": skipped}


@dataclass(frozen=True, slots=True)
class Counts:
    """How many customers are known, and entries by kind."""

    customers: int
    entries: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {"customers": self.customers, "entries": dict(self.entries)}


def add(
    kernel: Kernel, principal: Principal, customers: Sequence[Customer], once_key: OnceKey | None = None
) -> Taken:
    """Takes customers in; values that tell nobody apart are skipped and named. Raises 403.

    Stored notes are scanned again after it.
    """
    allow(principal, "known_customers")
    key = kernel.keys.of(principal.space_id)
    read = [_read(index, customer) for index, customer in enumerate(customers)]
    hashed = [_hashed(key, handles) for handles, _ in read]

    def work(tx: Tx) -> Done:
        added, known = _take(tx, hashed)
        counts = {f"added.{kind}": str(count) for kind, count in sorted(added.items())}
        return done(200, _imported(tx, principal, added, known), known=str(known), **counts)

    change = commit_change(kernel, principal, "known_customers", once_key, work)
    by_kind = {
        name.removeprefix("added."): int(value)
        for name, value in change.ids.items()
        if name.startswith("added.")
    }
    skipped = tuple(skip for _, skips in read for skip in skips)
    return Taken(change, by_kind, int(change.ids["known"]), skipped)


def remove(
    kernel: Kernel, principal: Principal, customer: Customer, once_key: OnceKey | None = None
) -> tuple[Done, int]:
    """Forgets these values, whoever has them. Returns how many entries went. Raises 403, and 422 for no value."""
    allow(principal, "known_customer_removal")
    handles, skipped = _read(0, customer)
    if skipped or not handles:
        raise invalid("name", "and `handles` must hold a value that could be known")
    macs = sorted(_hashed(kernel.keys.of(principal.space_id), handles))

    def work(tx: Tx) -> Done:
        removed = store.remove(tx, macs)
        if not removed:
            return done(200, None, removed="0")
        # Fewer known customers make no stored note suspect.
        bump(tx, suspects=False)
        detail = {"removed": dict(sorted(removed.items()))}
        receipt = leave(tx, principal, "known_customer.remove", {}, detail)
        return done(200, receipt, removed=str(removed.total()))

    change = commit_change(kernel, principal, "known_customer_removal", once_key, work)
    return change, int(change.ids["removed"])


def counts(kernel: Kernel, principal: Principal) -> Counts:
    """Numbers only: there is nothing else to show. Raises 403."""
    allow(principal, "known_customers")
    with kernel.database.read() as connection:
        return Counts(*store.count(connection, principal.space_id))


def known_in(
    connection: Connection, key: SpaceKey, space_id: str, fields: Mapping[str, str | Sequence[str]]
) -> dict[str, list[Finding]]:
    """By the field, where a note's fields, alone or one after another, name a known customer."""
    parts = parts_of(fields)
    seen = sightings(_BETWEEN.join(part.text for part in parts))
    candidates = candidates_of(key, seen)
    hits = known_among(connection, space_id, candidates) if candidates else {}
    spans = seen.spans({candidates[mac] for mac in hits})
    found: dict[str, list[Finding]] = {}
    for mac, kind in sorted(hits.items()):
        for start, end in spans[candidates[mac]]:
            for field, finding in _pieces(parts, Finding(kind, start, end, LAYER)):
                found.setdefault(field, []).append(finding)
    return found


def known_in_texts(
    connection: Connection, key: SpaceKey, space_id: str, texts: Sequence[str]
) -> dict[str, list[Finding]]:
    """By the text, where each one alone names a known customer: one query for all of them."""
    seen = {text: sightings(text) for text in dict.fromkeys(texts)}
    candidates: dict[str, Candidate] = {}
    for sighted in seen.values():
        candidates |= candidates_of(key, sighted)
    hits = known_among(connection, space_id, candidates) if candidates else {}
    kinds = {candidates[mac]: kind for mac, kind in hits.items()}
    found: dict[str, list[Finding]] = {}
    for text, sighted in seen.items() if kinds else ():
        for candidate, spans in sighted.spans(kinds.keys()).items():
            found.setdefault(text, []).extend(Finding(kinds[candidate], *span, LAYER) for span in spans)
    return found


def candidates_of(key: SpaceKey, seen: Sightings) -> dict[str, Candidate]:
    """What a text may name, by its MAC."""
    return {
        mac: (family, value)
        for family, values in seen.values.items()
        for mac, value in zip(key.macs(_purpose(family), values), values, strict=True)
    }


def _pieces(parts: Sequence[Part], whole: Finding) -> Iterator[tuple[str, Finding]]:
    at = 0
    for part in parts:
        start, end = max(whole.start, at), min(whole.end, at + len(part.text))
        if start < end:
            yield part.field, Finding(whole.kind, start - at, end - at, whole.layer)
        at += len(part.text) + len(_BETWEEN)


def _read(index: int, customer: Customer) -> tuple[list[Handle], list[Skipped]]:
    handles: list[Handle] = []
    skipped: list[Skipped] = []
    if customer.name is not None:
        name = full_name(customer.name)
        if name:
            handles.append(name)
        else:
            skipped.append(Skipped(index, "name", "must be a full name: one word alone is nobody's"))
    for place, (kind, written) in enumerate(customer.handles):
        found = handle(kind, written)
        if found:
            handles.append(found)
        else:
            skipped.append(Skipped(index, f"handles[{place}].value", "can't be a value of its type"))
    return handles, skipped


def known_mac(key: SpaceKey, one: Handle) -> str:
    """By what a handle or name is known in a space, wherever it comes from."""
    return _mac(key, one.family, one.value)


def _mac(key: SpaceKey, family: Family, value: str) -> str:
    return key.mac(_purpose(family), value)


def _purpose(family: Family) -> str:
    return f"known {family}"


def _hashed(key: SpaceKey, handles: Sequence[Handle]) -> dict[str, str]:
    """The kind of each MAC."""
    return {_mac(key, one.family, one.value): one.kind for one in handles}


def _take(tx: Tx, customers: Sequence[Mapping[str, str]]) -> tuple[Counter[str], int]:
    """New entries by kind, and how many were there already."""
    owners = store.Owners.load(tx, {mac for customer in customers for mac in customer})
    added: Counter[str] = Counter()
    rows = []
    known = 0
    for customer in customers:
        customer_id = owners.customer(customer) or new_id()
        for mac, kind in customer.items():
            if owners.add(mac, customer_id):
                rows.append((mac, kind, customer_id))
                added[kind] += 1
            else:
                known += 1
    store.add(tx, rows)
    return added, known


def _imported(tx: Tx, by: Principal, added: Counter[str], known: int) -> Recorded:
    if added:
        bump(tx, suspects=True)
    detail = {"known_customers": {"added": dict(sorted(added.items())), "known": known}}
    return leave(tx, by, "import", {}, detail)
