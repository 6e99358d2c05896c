"""A company with two vendors and its people, in a kernel over a real database."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, insert, select, text

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.service import authenticate
from tarimba.identity.tokens import mint_key, mint_token
from tarimba.ids import digest, new_id
from tarimba.kernel import Kernel
from tarimba.notes import service
from tarimba.notes.model import Draft, Note
from tarimba.receipts.merkle import Frontier
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.seal import seal
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.tables import (
    agent,
    agent_key,
    person,
    person_role,
    person_token,
    receipt_bundle,
    space,
    space_head,
    space_setting,
    vendor,
)

# Two agents of one vendor, one of another.
AGENTS = {"billing": "north", "support": "north", "courier": "south"}
ROLES = ("owner", "reviewer", "manager", "operator", "auditor", "member")
ALL_SCOPES = "agent_memory agent_memory:write context track"


@dataclass
class World:
    """One space. Callers are authenticated anew each time they are asked for."""

    kernel: Kernel
    space_id: str = field(default_factory=new_id)
    bearers: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def caller(self, name: str) -> Principal:
        return authenticate(self.kernel, self.bearers[name], "http")

    def set(self, **settings: Any) -> None:
        """Changes settings, by their short names."""

        def work(tx: Tx) -> None:
            for name, value in settings.items():
                full = f"agent_memory.{name}"
                mine = (space_setting.c.space_id == tx.space_id, space_setting.c.name == full)
                tx.write(space_setting.delete().where(*mine))
                row = {"space_id": tx.space_id, "name": full, "value": json.dumps(value)}
                tx.write(insert(space_setting), [row])
            tx.changed()
            record(tx, Receipt("settings.change", Actor("system", "cli"), "cli"))

        self.kernel.writer.commit(self.space_id, work)

    def add_key(self, name: str, agent_name: str | None, scopes: str = ALL_SCOPES) -> None:
        """A key for an agent, or for the space when there is no agent."""
        bearer, key_id = mint_key("test")
        row = {
            "space_id": self.space_id,
            "key_id": key_id,
            "source_id": self.sources[agent_name] if agent_name else None,
            "name": name,
            "scopes": scopes,
            "digest": digest(bearer),
            "created_at": 0,
            "ordinal": len(self.bearers),
        }
        with self.kernel.database.write() as connection:
            connection.execute(insert(agent_key).values(**row))
        self.bearers[name] = bearer

    def write(self, who: str, title: str = "Void invoices in the ledger", **fields: Any) -> Note:
        """Keeps a note as an agent, or as a person or key for the agent named by `owner`."""
        owner = fields.pop("owner", None)
        source_id = self.sources[owner] if owner else None
        draft = Draft(**{"kind": "procedure", "title": title, "body": "Close the period first.", **fields})
        return service.create(self.kernel, self.caller(who), draft, source_id=source_id).kept

    def count(self, table: Any, *conditions: Any) -> int:
        with self.kernel.database.read() as connection:
            return int(connection.scalar(select(func.count()).select_from(table).where(*conditions)) or 0)

    def receipts(self, action: str | None = None) -> list[dict[str, Any]]:
        """The log's entries, oldest first."""
        query = select(receipt_bundle.c.entries).where(receipt_bundle.c.space_id == self.space_id)
        with self.kernel.database.read() as connection:
            bundles = connection.scalars(query.order_by(receipt_bundle.c.first_seq)).all()
        entries = [json.loads(line) for bundle in bundles for line in bytes(bundle).split(b"\n")]
        return [entry for entry in entries if action in (None, entry["action"])]


def found_company(kernel: Kernel, **settings: Any) -> World:
    """The company with its memory on."""
    world = World(kernel)
    with kernel.database.write() as connection:
        _add_space(connection, world)
        _add_fleet(connection, world)
        _add_people(connection, world)
    for name in AGENTS:
        world.add_key(name, name)
    world.add_key("admin", None, "admin")
    world.set(enabled=True, **settings)
    return world


def _add_space(connection: Connection, world: World) -> None:
    number = int(connection.scalar(text("SELECT count(*) FROM space")) or 0) + 1
    wrapped = world.kernel.keys.mint(world.space_id)
    names = {"slug": world.space_id, "name": "Acme", "language": "en", "environment": "test"}
    row = {"space_id": world.space_id, "space_no": number, "hmac_key": wrapped, "created_at": 0, **names}
    connection.execute(insert(space).values(**row))
    empty = Frontier.empty()
    sealed = seal(world.kernel.keys.of(world.space_id), 0, empty.root())
    head = {"space_id": world.space_id, "frontier": empty.to_bytes(), "seal": sealed, "counter": 100}
    connection.execute(insert(space_head).values(**head))


def _add_fleet(connection: Connection, world: World) -> None:
    vendors = {name: new_id() for name in AGENTS.values()}
    for pool, (slug, vendor_id) in enumerate(vendors.items(), 1):
        row = {"space_id": world.space_id, "vendor_id": vendor_id, "slug": slug, "name": slug}
        connection.execute(insert(vendor).values(pool=pool, created_at=0, ordinal=pool, **row))
    for pool, (slug, vendor_name) in enumerate(AGENTS.items(), 11):
        world.sources[slug] = new_id()
        row = {"space_id": world.space_id, "source_id": world.sources[slug], "slug": slug, "name": slug}
        row |= {"vendor_id": vendors[vendor_name], "harness": "generic"}
        connection.execute(insert(agent).values(pool=pool, created_at=0, ordinal=pool, **row))


def _add_people(connection: Connection, world: World) -> None:
    for number, role in enumerate(ROLES):
        person_id = new_id()
        bearer, token_id = mint_token()
        names = {"slug": role, "email": f"{role}@acme.example", "name": role, "language": "en"}
        mine = {"space_id": world.space_id, "person_id": person_id}
        connection.execute(insert(person).values(created_at=0, ordinal=number, **names, **mine))
        connection.execute(insert(person_role).values(role=role, **mine))
        token = {"token_id": token_id, "digest": digest(bearer), "created_at": 0}
        connection.execute(insert(person_token).values(**token, **mine))
        world.bearers[role] = bearer


def refusal(work: Callable[[], object]) -> Refusal:
    """The refusal that `work` ends in."""
    try:
        work()
    except Refusal as refused:
        return refused
    raise AssertionError("nothing was refused")


def code(work: Callable[[], object]) -> str:
    """`ok`, or the code of the refusal."""
    try:
        work()
    except Refusal as refused:
        return refused.code
    return "ok"


def at_once(works: Sequence[Callable[[], object]]) -> list[str]:
    """Runs everything in threads that start together: the codes, in the order of `works`."""
    codes = [""] * len(works)
    gate = threading.Barrier(len(works))

    def run(place: int) -> None:
        gate.wait()
        codes[place] = code(works[place])

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return codes
