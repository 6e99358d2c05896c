"""SQL of the known customers: MACs in, MACs out. No decisions about values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from sqlalchemy import Connection, and_, delete, func, insert, select

from tarimba.storage import Tx
from tarimba.storage.known_macs import owners_of
from tarimba.storage.tables import known_customer

_NEW: Final = insert(known_customer)


@dataclass(frozen=True, slots=True)
class Owners:
    """Which customers have which MACs, while an import runs."""

    of: defaultdict[str, set[str]]

    @classmethod
    def load(cls, tx: Tx, macs: Collection[str]) -> Self:
        """The owners of these MACs that are there."""
        of: defaultdict[str, set[str]] = defaultdict(set)
        for mac, customer_id in owners_of(tx.connection, tx.space_id, macs):
            of[mac].add(customer_id)
        return cls(of)

    def customer(self, macs: Mapping[str, str]) -> str | None:
        """The customer behind the MACs (to their kinds): by a handle, and by the name only if that is all there is."""
        handles = [mac for mac, kind in macs.items() if kind != "name"]
        for mac in handles or macs:
            if self.of[mac]:
                return min(self.of[mac])
        return None

    def add(self, mac: str, customer_id: str) -> bool:
        """Whether it is new that this customer has this MAC."""
        if customer_id in self.of[mac]:
            return False
        self.of[mac].add(customer_id)
        return True


def add(tx: Tx, rows: Sequence[tuple[str, str, str]]) -> None:
    """Stores rows of MAC, kind and customer."""
    if rows:
        whole = {"space_id": tx.space_id, "created_at": tx.now}
        tx.write(_NEW, [{**whole, "mac": mac, "kind": kind, "customer_id": who} for mac, kind, who in rows])


def remove(tx: Tx, macs: Sequence[str]) -> Counter[str]:
    """Deletes every entry with one of these MACs. Returns how many, by kind."""
    mine = and_(known_customer.c.space_id == tx.space_id, known_customer.c.mac.in_(macs))
    found = Counter(row.kind for row in tx.all(select(known_customer.c.kind).where(mine)))
    if found:
        tx.write(delete(known_customer).where(mine))
    return found


def count(connection: Connection, space_id: str) -> tuple[int, dict[str, int]]:
    """Customers, and entries by kind."""
    mine = known_customer.c.space_id == space_id
    by_kind = select(known_customer.c.kind, func.count()).where(mine).group_by(known_customer.c.kind)
    people = select(func.count(known_customer.c.customer_id.distinct())).where(mine)
    entries = {str(row[0]): int(row[1]) for row in connection.execute(by_kind)}
    return int(connection.scalar(people) or 0), dict(sorted(entries.items()))
