"""How the memory of a space stands: on or off, what waits, what was refused, which agents are nearly full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, or_, select

from tarimba.clock import DAY
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.settings import SpaceSettings
from tarimba.kernel import Kernel
from tarimba.storage.tables import agent_key, note_chain, proposal, refusal_count, skill_draft, vendor

# From this share of the limit on an agent is told of.
NEAR: Final = 0.8
_AGENTS_MAX: Final = 50
_WAITING_MAX: Final = 1_000
WEEK: Final = 7 * DAY


@dataclass(frozen=True, slots=True)
class Standing:
    """`refused` counts by kind over the last seven days, `full` active notes by agent near the limit.

    `waiting` counts proposals and drafts of skills, up to 1,000 of each. `has` says which first steps were taken.
    """

    settings: SpaceSettings
    waiting: int
    refused: tuple[tuple[str, int], ...]
    full: tuple[tuple[str, int], ...]
    has: frozenset[str]


def standing(kernel: Kernel, principal: Principal) -> Standing:
    """Raises 403. Counts only: no receipt is left."""
    allow(principal, "read_notes")
    space_id = principal.space_id
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, space_id)
        now = kernel.writer.now(space_id)
        return Standing(
            settings,
            _waiting(connection, space_id),
            _refused(connection, space_id, now),
            _full(connection, space_id, settings, now),
            _has(connection, space_id, is_on=settings.enabled),
        )


def _waiting(connection: Connection, space_id: str) -> int:
    found = 0
    for table, state in ((proposal, proposal.c.status), (skill_draft, skill_draft.c.state)):
        some = select(state).where(table.c.space_id == space_id, state == "pending").limit(_WAITING_MAX)
        found += connection.scalar(select(func.count()).select_from(some.subquery())) or 0
    return found


def _refused(connection: Connection, space_id: str, now: int) -> tuple[tuple[str, int], ...]:
    columns = refusal_count.c
    total = func.sum(columns.count)
    query = (
        select(columns.kind, total)
        .where(columns.space_id == space_id, columns.day > now - WEEK)
        .group_by(columns.kind)
        .order_by(total.desc(), columns.kind)
    )
    return tuple((kind, int(count)) for kind, count in connection.execute(query))


def _full(
    connection: Connection, space_id: str, settings: SpaceSettings, now: int
) -> tuple[tuple[str, int], ...]:
    columns = note_chain.c
    held = func.count()
    query = (
        select(columns.source_id, held)
        .where(
            columns.space_id == space_id,
            columns.status == "active",
            or_(columns.valid_until.is_(None), columns.valid_until > now),
        )
        .group_by(columns.source_id)
        .having(held >= NEAR * settings.active_notes_max)
        .order_by(held.desc(), columns.source_id)
        .limit(_AGENTS_MAX)
    )
    return tuple((source_id, int(count)) for source_id, count in connection.execute(query))


def _has(connection: Connection, space_id: str, *, is_on: bool) -> frozenset[str]:
    """Which of the first steps were taken: each looks for one row."""
    there = {
        "vendor": select(vendor.c.vendor_id).where(vendor.c.space_id == space_id),
        "key": select(agent_key.c.key_id).where(
            agent_key.c.space_id == space_id, agent_key.c.source_id.is_not(None)
        ),
        "note": select(note_chain.c.chain_id).where(note_chain.c.space_id == space_id),
        "approval": select(proposal.c.proposal_id).where(
            proposal.c.space_id == space_id, proposal.c.status == "approved"
        ),
    }
    found = {name for name, query in there.items() if connection.execute(query.limit(1)).first() is not None}
    return frozenset(found | ({"on"} if is_on else set()))
