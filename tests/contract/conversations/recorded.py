"""Turns as agents record them, put straight into the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select, update

from tarimba.clock import SECOND
from tarimba.conversations.neighbour import CustomerHandle
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.tables import agent, conversation, handle, profile, space_setting, turn

ANA = CustomerHandle("email", "ana@example.com")
RUI = CustomerHandle("email", "rui@example.com")


@dataclass(frozen=True)
class Recorder:
    """Records for one space."""

    kernel: Kernel
    space_id: str

    def say(
        self, source_id: str, text: str | None, customer: CustomerHandle | None = ANA, **fields: Any
    ) -> str:
        """One turn: its id. `conversation` and `task` are the caller's ids; other fields are columns of the turn."""
        named = {name: fields.pop(name, None) for name in ("conversation", "task")}

        def work(tx: Tx) -> str:
            profile_id = self._profile(tx, source_id, customer)
            refs = {
                f"{kind}_ref": self._conversation(tx, source_id, kind, caller_id, profile_id)
                for kind, caller_id in named.items()
                if caller_id is not None
            }
            row = {"space_id": tx.space_id, "turn_id": new_id(), "ordinal": tx.next_ordinal(), "text": text}
            row |= {"source_id": source_id, "profile_id": profile_id, "kind": "message", "role": "customer"}
            row |= {"channel": "chat", "occurred_at": tx.now, "recorded_at": tx.now, **refs, **fields}
            tx.write(insert(turn), [row])
            record(tx, Receipt("turns.record", Actor("system", "cli"), "cli"))
            return str(row["turn_id"])

        return self.kernel.writer.commit(self.space_id, work)

    def settle(self, source_id: str, caller_id: str, kind: str = "conversation", **fields: Any) -> None:
        """Changes the row of a conversation; `ended=True` ends it now."""

        def work(tx: Tx) -> None:
            if fields.pop("ended", False):
                fields.update(ended=tx.next_ordinal(), ended_at=tx.now)
            mine = (conversation.c.space_id == tx.space_id, conversation.c.source_id == source_id)
            mac = self.kernel.keys.of(tx.space_id).commit(caller_id)
            named = (conversation.c.kind == kind, conversation.c.mac == mac)
            assert tx.write(update(conversation).where(*mine, *named).values(**fields)) == 1

        self.kernel.writer.commit(self.space_id, work)

    def merge(self, source_id: str, one: CustomerHandle, other: CustomerHandle) -> None:
        """An agent tells that `other` is the customer `one`: its turns stay where they are."""

        def work(tx: Tx) -> None:
            first, second = self._profile(tx, source_id, one), self._profile(tx, source_id, other)
            mine = (profile.c.space_id == tx.space_id, profile.c.profile_id == second)
            tx.write(update(profile).where(*mine).values(merged_into=first))

        self.kernel.writer.commit(self.space_id, work)

    def open_across_vendors(self) -> None:
        """Lets agents read what agents of other vendors recorded."""

        def work(tx: Tx) -> None:
            row = {"space_id": tx.space_id, "name": "conversations.across_vendors", "value": "true"}
            tx.write(insert(space_setting), [row])
            record(tx, Receipt("settings.change", Actor("system", "cli"), "cli"))

        self.kernel.writer.commit(self.space_id, work)

    def _profile(self, tx: Tx, source_id: str, customer: CustomerHandle | None) -> str | None:
        if customer is None:
            return None
        of = (agent.c.space_id == tx.space_id, agent.c.source_id == source_id)
        vendor_id = tx.scalar(select(agent.c.vendor_id).where(*of))
        mac = self.kernel.customers.customer(tx.space_id, customer)
        mine = (handle.c.space_id == tx.space_id, handle.c.mac == mac, handle.c.vendor_id == vendor_id)
        found = tx.scalar(select(handle.c.profile_id).where(*mine))
        if found is not None:
            return str(found)
        made = {"space_id": tx.space_id, "profile_id": new_id(), "created_at": tx.now}
        tx.write(insert(profile), [made | {"last_at": tx.now}])
        tx.write(insert(handle), [made | {"mac": mac, "type": customer.type, "vendor_id": vendor_id}])
        return str(made["profile_id"])

    def _conversation(self, tx: Tx, source_id: str, kind: str, caller_id: str, profile_id: str | None) -> str:
        mac = self.kernel.keys.of(tx.space_id).commit(caller_id)
        key = {"space_id": tx.space_id, "kind": kind, "mac": mac, "source_id": source_id}
        mine = [conversation.c[name] == value for name, value in key.items()]
        found = tx.scalar(select(conversation.c.conversation_ref).where(*mine))
        if found is not None:
            return str(found)
        made = {
            "conversation_ref": new_id(),
            "caller_id": caller_id,
            "profile_id": profile_id,
            "link": "none",
        }
        times = {"level": "V0", "started_at": tx.now, "last_at": tx.now, "ordinal": tx.next_ordinal()}
        tx.write(insert(conversation), [key | made | times])
        return str(made["conversation_ref"])


def minutes(count: int) -> int:
    return count * 60 * SECOND
