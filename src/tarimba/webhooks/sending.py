"""The sender of one process: what is due goes out, a receiver that hangs keeps nobody else waiting.

One thread looks for what is due; attempts run in threads of their own, of which receivers that did not take the last
one may hold half at most. Any number of processes may send over one PostgreSQL: a delivery is leased before it is
tried. A process that dies between an answer and its record leaves the lease, and the event is sent again.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import structlog

from tarimba import region
from tarimba.clock import SECOND, rfc3339
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.vault import VaultError
from tarimba.webhooks import delivering, delivery_store, rules, signing
from tarimba.webhooks.model import Due, Outcome, Webhook, secret_label
from tarimba.webhooks.posting import Post

TICK_SECONDS: Final = 1.0
THREADS: Final = 32
_OF_ONE: Final = 4
_FINE: Final = 10_000
_log = structlog.get_logger("tarimba.webhooks")
Posting = Callable[[str, Mapping[str, str], bytes], Outcome]
# The webhook, and whether its receiver did not take the last attempt.
Slot = tuple[str, bool]


class Sender:
    """Plans and sends for all spaces. `post` makes one attempt."""

    def __init__(self, kernel: Kernel, post: Posting | None = None, *, threads: int = THREADS) -> None:
        self._kernel = kernel
        self._post = post or Post(region.hosts_of(kernel.settings.webhook_hosts))
        self._slots = Slots(threads)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="tarimba-webhook")
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tarimba-webhooks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wind_down(self) -> None:
        """Begins no other attempt."""
        self._stop.set()
        self._wake.set()

    def stop(self) -> None:
        """Begins no other attempt and waits for those under way, which have ten seconds each."""
        self.wind_down()
        self._thread.join(self._kernel.draining.left())
        self._pool.shutdown(cancel_futures=True)

    def piece(self) -> int:
        """Plans what was announced and makes one attempt of everything due, one by one, in the calling thread.

        Returns how many attempts that were.
        """
        taken = self._taken()
        for one, slot in taken:
            self._attempt(one, slot)
        return len(taken)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                taken = self._taken()
            except Exception as error:  # noqa: BLE001 - the next round tries again
                _log.warning("webhooks.failed", error=type(error).__name__)
                taken = []
            for one, slot in taken:
                self._pool.submit(self._attempt, one, slot)
            self._wake.wait(TICK_SECONDS)
            self._wake.clear()

    def _taken(self) -> list[tuple[Due, Slot]]:
        kernel = self._kernel
        with kernel.database.read() as connection:
            unplanned = delivery_store.unplanned(connection)
        for space_id, webhook_id in unplanned:
            while kernel.writer.commit(space_id, partial(delivering.plan, webhook_id=webhook_id)):
                continue
        with kernel.database.read() as connection:
            webhooks = delivery_store.with_due(connection, kernel.clock.now_us())
        return [one for webhook in webhooks for one in self._taken_of(webhook)]

    def _taken_of(self, webhook: Webhook) -> list[tuple[Due, Slot]]:
        room = self._slots.room(webhook)
        taken = delivering.take(self._kernel, webhook, room) if room else []
        return [(one, self._slots.begin(webhook)) for one in taken]

    def _attempt(self, one: Due, slot: Slot) -> None:
        telemetry = self._kernel.telemetry
        try:
            with telemetry.tracing.span("webhook.attempt", webhook_id=one.webhook.webhook_id):
                outcome = self._sent(one)
            telemetry.metrics.deliveries.labels(outcome.problem or "delivered").inc()
            dice = secrets.randbelow(_FINE) / _FINE
            self._kernel.writer.commit(
                one.webhook.space_id, lambda tx: delivering.settle(tx, one, outcome, dice)
            )
        except Refusal as refusal:
            # It was sent and that can't be stored now: the lease runs out, and it is sent again.
            _log.warning("webhooks.unsettled", code=refusal.code)
        finally:
            self._slots.end(slot)
            self._wake.set()

    def _sent(self, one: Due) -> Outcome:
        kernel, webhook = self._kernel, one.webhook
        try:
            keys = self._secrets(webhook, kernel.writer.now(webhook.space_id))
        except VaultError:
            return Outcome(None, "internal_error")
        body = rules.payload(one.event, rfc3339(one.event.created_at))
        # The machine's time, not the space's: receivers hold it against their own clocks.
        seconds = kernel.clock.now_us() // SECOND
        headers = signing.headers(keys, one.event.event_id, seconds, body)
        return self._post(webhook.url, headers, body)

    def _secrets(self, webhook: Webhook, now: int) -> list[bytes]:
        label = secret_label(webhook.space_id, webhook.webhook_id)
        wrapped = [webhook.secret]
        if webhook.old_secret is not None and webhook.old_until is not None and now < webhook.old_until:
            wrapped.append(webhook.old_secret)
        return [self._kernel.vault.unwrap(secret, label) for secret in wrapped]


class Slots:
    """How many attempts are under way, by webhook, and how many more may begin."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._taken: list[Slot] = []

    def room(self, webhook: Webhook) -> int:
        """Attempts that may begin now. A receiver that did not take the last one gets one at a time."""
        with self._lock:
            free = self._threads - len(self._taken)
            struggling = sum(is_struggling for _, is_struggling in self._taken)
            mine = sum(of == webhook.webhook_id for of, _ in self._taken)
        if webhook.last_problem is None:
            return max(0, min(free, _OF_ONE - mine))
        return max(0, min(free, 1 - mine, self._threads // 2 - struggling))

    def begin(self, webhook: Webhook) -> Slot:
        slot = (webhook.webhook_id, webhook.last_problem is not None)
        with self._lock:
            self._taken.append(slot)
        return slot

    def end(self, slot: Slot) -> None:
        with self._lock:
            self._taken.remove(slot)
