"""What the host's command line asks of webhooks: words in, JSON out.

`host` is the principal of the command line. Errors are those of the use cases behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tarimba.errors import invalid
from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.webhooks import managing, signing, views
from tarimba.webhooks.rules import WEBHOOKS_MAX
from tarimba.webhooks.store import DeliveryWindow


def webhooks(kernel: Kernel, host: Principal) -> list[views.WebhookView]:
    """All of them, oldest first."""
    page = managing.list_webhooks(kernel, host, Window(WEBHOOKS_MAX))
    return [views.webhook_view(one) for one in page.items]


def add(kernel: Kernel, host: Principal, url: str, events: Sequence[str]) -> dict[str, Any]:
    return _with_secret(kernel, host, managing.add(kernel, host, url, tuple(events)))


def change_state(kernel: Kernel, host: Principal, webhook_id: str, *, is_on: bool) -> views.WebhookView:
    wanted = managing.WebhookChange(state="active" if is_on else "off")
    managing.change(kernel, host, webhook_id, wanted)
    return views.webhook_view(managing.read_webhook(kernel, host, webhook_id))


def rotate(kernel: Kernel, host: Principal, webhook_id: str) -> dict[str, Any]:
    return _with_secret(kernel, host, managing.rotate(kernel, host, webhook_id))


def remove(kernel: Kernel, host: Principal, webhook_id: str) -> dict[str, str]:
    managing.remove(kernel, host, webhook_id)
    return {"webhook_id": webhook_id}


def deliveries(kernel: Kernel, host: Principal, webhook_id: str, limit: int) -> list[views.DeliveryView]:
    """The newest ones, newest first."""
    found, _ = managing.list_deliveries(kernel, host, webhook_id, DeliveryWindow(limit))
    return [views.delivery_view(one) for one in found]


def redeliver(kernel: Kernel, host: Principal, webhook_id: str, event_id: str) -> views.DeliveryView:
    return views.delivery_view(managing.redeliver(kernel, host, webhook_id, event_id)[1])


def secret_of(text: str) -> bytes:
    """The bytes of a secret that was shown. Raises 422."""
    try:
        return signing.read_secret(text)
    except ValueError as error:
        raise invalid("--secret", str(error)) from None


def _with_secret(kernel: Kernel, host: Principal, made: managing.Secret) -> dict[str, Any]:
    found = managing.read_webhook(kernel, host, made.done.ids["webhook_id"])
    return {**views.webhook_view(found), "secret": made.shown}
