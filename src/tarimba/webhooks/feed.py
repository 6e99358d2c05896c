"""The same events by pull: the stream of a space, oldest first."""

from __future__ import annotations

from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.webhooks import delivery_store
from tarimba.webhooks.model import Event


def events(kernel: Kernel, principal: Principal, window: Window) -> list[Event]:
    """Events behind the place of the window. Raises 403.

    By ordinals, which are given under the lock of the space and seen in their order: none is ever passed over.
    """
    allow(principal, "notifications")
    with kernel.database.read() as connection:
        found = delivery_store.events_after(connection, principal.space_id, window.after, window.limit)
    return [event for event, _ in found]
