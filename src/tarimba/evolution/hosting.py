"""What the host's command line asks of the slice: words in, JSON out."""

from __future__ import annotations

from typing import Any

from tarimba.errors import not_found
from tarimba.evolution import rounds, store
from tarimba.evolution.model import RoundWish
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel


def evolve(kernel: Kernel, host: Principal, agent: str | None, *, again: bool = False) -> dict[str, Any]:
    """A round over all that has ended until now, of one agent by its slug or of all. Raises 404 and 409."""
    source_id = None
    if agent is not None:
        with kernel.database.read() as connection:
            source_id = store.source_of(connection, host.space_id, agent)
        if source_id is None:
            raise not_found("agent")
    made = rounds.ask(kernel, host, RoundWish(source_id, again))
    return {"draft_ids": list(made.draft_ids), "has_more": made.has_more}
