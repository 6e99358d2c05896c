"""Who keeps webhooks, what is announced, and a sender that works only when it is told to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.webhooks import managing
from tarimba.webhooks.model import Delivery, Webhook
from tarimba.webhooks.posting import Post
from tarimba.webhooks.sending import Sender
from tarimba.webhooks.service import announce
from tarimba.webhooks.store import DeliveryWindow
from tests.contract.notes.world import World

CREATED = "agent_note.created"


@dataclass
class Office:
    """`manager` keeps the webhooks of the world's space."""

    kernel: Kernel
    world: World

    def add(self, url: str, *events: str) -> tuple[str, str]:
        """Id and secret of a new webhook."""
        made = managing.add(self.kernel, self.world.caller("manager"), url, events)
        assert made.shown is not None
        return made.done.ids["webhook_id"], made.shown

    def announce(self, subject: str | None = None, event: str = CREATED, **data: Any) -> str:
        """The id of an event that happened just now."""

        def work(tx: Tx) -> str:
            return announce(
                tx, event, subject or new_id(), {"note_id": new_id(), "kind": "procedure", **data}
            )

        return self.kernel.writer.commit(self.world.space_id, work)

    def sender(self, *, threads: int = 8, **options: Any) -> Sender:
        """`options` are those of `Post`."""
        post = Post(frozenset({"127.0.0.1"}), **options) if options else None
        return Sender(self.kernel, post, threads=threads)

    def send(self, sender: Sender | None = None) -> int:
        """Attempts made until nothing is due. Time stands still for the backoff."""
        made, sender = 0, sender or self.sender()
        while attempts := sender.piece():
            made += attempts
        return made

    def pass_time(self, microseconds: int) -> None:
        self.kernel.clock.offset_us += microseconds

    def webhook(self, webhook_id: str) -> Webhook:
        return managing.read_webhook(self.kernel, self.world.caller("manager"), webhook_id)

    def deliveries(self, webhook_id: str) -> list[Delivery]:
        """Oldest first."""
        window = DeliveryWindow(1000)
        found = managing.list_deliveries(self.kernel, self.world.caller("manager"), webhook_id, window)[0]
        return found[::-1]

    def states(self, webhook_id: str) -> list[str]:
        return [one.state for one in self.deliveries(webhook_id)]

    def told(self) -> list[dict[str, Any]]:
        """The details of the receipts about webhooks, oldest first."""
        return [receipt["detail"] for receipt in self.world.receipts("webhook.change")]
