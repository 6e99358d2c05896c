"""Reading proposals: one, or a list. Each leaves its receipt before it is answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from tarimba.errors import not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.proposals import store
from tarimba.proposals.model import Proposal, ProposalFilter, ProposalsRead
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.vault import SpaceKey

# Above every ordinal that a space can reach.
_NEWEST: Final = 2**62


def readable(kernel: Kernel, principal: Principal, proposal_id: str) -> Proposal:
    """One proposal. Raises 403, and 404 for what does not exist and for another agent's: no difference.

    Whoever answers with it leaves the receipt (`leave_read`) first.
    """
    allow(principal, "read_proposals")
    found = None
    with kernel.database.read() as connection:
        is_given = principal.kind != "agent" or space_settings.load(connection, principal.space_id).enabled
        if is_given and is_id(proposal_id):
            found = store.find(connection, principal.space_id, proposal_id)
    if found is None or (principal.kind == "agent" and found.source_id != principal.source_id):
        raise not_found("proposal")
    return found


def list_proposals(
    kernel: Kernel,
    principal: Principal,
    wanted: ProposalFilter,
    *,
    cursor: str | None = None,
    limit: int = 20,
) -> ProposalsRead:
    """A page of proposals, newest first; an agent's key is given its agent's own.

    Raises 403, and 422 for a cursor that is not of this list.
    """
    allow(principal, "read_proposals")
    key = kernel.keys.of(principal.space_id)
    scope = json.dumps(["proposals", principal.kind, principal.id, asdict(wanted)], sort_keys=True)
    before = _NEWEST if cursor is None else read_cursor(key, scope, cursor)
    found = _page(kernel, principal, wanted, before, limit + 1)
    page = tuple(found[:limit])
    following = write_cursor(key, scope, page[-1].ordinal) if len(found) > limit else None
    detail = {"proposals": [one.proposal_id for one in page], "limit": limit, **_asked(key, wanted)}
    return ProposalsRead(page, leave_read(kernel, principal, detail), following)


def _page(
    kernel: Kernel, principal: Principal, wanted: ProposalFilter, before: int, limit: int
) -> Sequence[Proposal]:
    if principal.kind == "agent":
        if wanted.source_id not in (None, principal.source_id):
            return ()
        wanted = replace(wanted, source_id=principal.source_id)
    if wanted.source_id is not None and not is_id(wanted.source_id):
        return ()
    with kernel.database.read() as connection:
        # While the memory is off an agent is given nothing by any door.
        if principal.kind == "agent" and not space_settings.load(connection, principal.space_id).enabled:
            return ()
        return store.newest(connection, principal.space_id, wanted, before, limit)


def _asked(key: SpaceKey, wanted: ProposalFilter) -> dict[str, str]:
    """The filter as a receipt may hold it."""
    asked = {} if wanted.status is None else {"status": wanted.status}
    return asked if wanted.source_id is None else {**asked, "source": key.commit(wanted.source_id)}


def leave_read(
    kernel: Kernel, principal: Principal, detail: Mapping[str, Any], about: Proposal | None = None
) -> Recorded:
    """The receipt of reading a list, or the proposal `about`. Returns when it is durable."""
    objects = {"proposal_id": about.proposal_id, "source_id": about.source_id} if about else {}
    receipt = Receipt(
        action="proposal.read",
        actor=principal.actor,
        via=principal.via,
        agent=principal.source_id or objects.get("source_id"),
        objects=objects,
        detail=detail,
    )
    return record_read(kernel.writer, principal.space_id, receipt)
