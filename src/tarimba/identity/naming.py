"""Names for ids: what a page shows beside a note, a proposal or a receipt. Whoever may read those may read these."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.storage.tables import agent, person, vendor

AGENTS_MAX = 2_000


@dataclass(frozen=True, slots=True)
class AgentName:
    """An agent as a person knows it. `pools` are the pools whose notes it reads."""

    source_id: str
    slug: str
    name: str
    vendor: str
    harness: str
    pools: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Names by id. What has none, since it is gone or was never there, is shown as its id."""

    agents: dict[str, AgentName]
    people: dict[str, str]

    def agent(self, source_id: str | None) -> str:
        found = self.agents.get(source_id or "")
        return (source_id or "") if found is None else found.name

    def actor(self, actor_id: str) -> str:
        """A person, an agent, or the id itself: a key of the space, the command line, a job."""
        if actor_id in self.people:
            return self.people[actor_id]
        return self.agent(actor_id)


def names_of(kernel: Kernel, principal: Principal) -> Names:
    """The first 2,000 agents of the space by name, and its people."""
    with kernel.database.read() as connection:
        return Names(_agents(connection, principal.space_id), _people(connection, principal.space_id))


def _agents(connection: Connection, space_id: str) -> dict[str, AgentName]:
    columns = agent.c
    query = (
        select(columns.source_id, columns.slug, columns.name, columns.harness, columns.pool)
        .add_columns(vendor.c.name.label("vendor"), vendor.c.pool.label("vendor_pool"))
        .join(vendor, (vendor.c.space_id == columns.space_id) & (vendor.c.vendor_id == columns.vendor_id))
        .where(columns.space_id == space_id)
        .order_by(columns.name, columns.source_id)
        .limit(AGENTS_MAX)
    )
    return {
        row.source_id: AgentName(
            row.source_id, row.slug, row.name, row.vendor, row.harness, (0, row.vendor_pool, row.pool)
        )
        for row in connection.execute(query)
    }


def _people(connection: Connection, space_id: str) -> dict[str, str]:
    query = select(person.c.person_id, person.c.name).where(person.c.space_id == space_id)
    return {row.person_id: row.name for row in connection.execute(query.limit(10_000))}
