"""What the host's command line asks of the disk: words in, JSON out."""

from __future__ import annotations

from typing import Any

from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.seats import agent_named, subscription_named
from tarimba.kernel import Kernel
from tarimba.skills.disk import flatten as write


def flatten(kernel: Kernel, host: Principal, subscription: str, agent: str) -> dict[str, Any]:
    """Writes the skills of an agent in a subscription (slugs or ids). Raises 404, and `OSError`."""
    with kernel.database.read() as connection:
        theirs = subscription_named(connection, host.space_id, subscription)
        its = agent_named(connection, host.space_id, agent)
    if theirs is None or its is None:
        raise not_found("subscription or agent")
    made = write(kernel, host.space_id, theirs.id, its.id)
    counts = {"copied": made.settled.copied, "removed": made.settled.removed, "kept": made.settled.kept}
    return {"path": str(made.path), "files": str(made.files), **counts}
