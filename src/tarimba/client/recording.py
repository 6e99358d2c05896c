"""Sending what was said and done in the background: an agent never waits for it, and nothing is lost unsaid."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.client.errors import TarimbaError
from tarimba.client.events import Item
from tarimba.client.models import Recorded

AT_ONCE: Final = 100
# How long one batch is tried for, its pauses included, before its items are given up and counted.
GIVE_UP_SECONDS: Final = 120.0
_LEAVING_SECONDS: Final = 2.0
_log = logging.getLogger("tarimba.client")


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the items so far. `dropped` were given up: the queue was full, or the server refused them."""

    waiting: int = 0
    sent: int = 0
    dropped: int = 0


class Recorder:
    """A bounded queue and one thread, begun with the first item. Items of one process arrive in order.

    `send` gives a batch to the server, with retries, and raises a TarimbaError when that failed for good.
    """

    def __init__(self, send: Callable[[Sequence[Item]], Recorded], most: int) -> None:
        self._send = send
        self._most = most
        self._begin()

    @property
    def tally(self) -> Tally:
        state = self._own()
        with state.changed:
            return Tally(len(state.queue), state.sent, state.dropped)

    def put(self, item: Item) -> None:
        """Queues an item; never waits and never raises. A full queue drops the new item and counts it."""
        state = self._own()
        with state.changed:
            if state.closed or len(state.queue) >= self._most:
                state.dropped += 1
                return
            state.queue.append(item)
            state.changed.notify_all()
            if not state.running:
                state.running = True
                threading.Thread(
                    target=_work, args=(state, self._send), name="tarimba-recorder", daemon=True
                ).start()

    def flush(self, seconds: float = 5.0) -> bool:
        """Waits until all that was queued has been sent or given up. False when the time was not enough."""
        return self._own().flush(seconds)

    def close(self, seconds: float = 5.0) -> None:
        """Flushes, and takes nothing more. What could not be sent in that time is logged by its number."""
        state = self._own()
        flushed = state.flush(seconds)
        with state.changed:
            state.closed = True
            state.changed.notify_all()
            left = len(state.queue)
        if not flushed:
            _log.warning("closed with %d events that were not sent", left)

    def _own(self) -> _State:
        """The state of this process: threads don't survive a fork, and what waited is the parent's to send."""
        if os.getpid() != self._state.pid:
            self._begin()
        return self._state

    def _begin(self) -> None:
        self._state = _State()
        # Whoever forgets to close loses nothing that can still be sent in a moment.
        weakref.finalize(self, _leave, self._state)


class _State:
    """What the recorder and its thread share; the thread holds no recorder, so that one can be forgotten."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.changed = threading.Condition()
        self.queue: deque[Item] = deque()
        self.running = False
        self.closed = False
        self.sent = 0
        self.dropped = 0

    def flush(self, seconds: float) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: not self.queue, seconds)

    def batch(self) -> list[Item]:
        """The oldest items, which stay queued until they are settled. Empty when there is no more work to come."""
        with self.changed:
            self.changed.wait_for(lambda: self.queue or self.closed, 60.0)
            if not self.queue:
                self.running = False
            return [self.queue[at] for at in range(min(AT_ONCE, len(self.queue)))]

    def settle(self, count: int, dropped: int) -> None:
        with self.changed:
            for _ in range(count):
                self.queue.popleft()
            self.sent += count - dropped
            self.dropped += dropped
            self.changed.notify_all()


def _work(state: _State, send: Callable[[Sequence[Item]], Recorded]) -> None:
    while batch := state.batch():
        try:
            refused = len(send(batch).errors)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next batch is still to be sent
            refused = len(batch)
            code = error.code if isinstance(error, TarimbaError) else "client_error"
            _log.warning("%d events were given up: %s", refused, code)
        else:
            if refused:
                _log.warning("%d events broke a rule and were not taken", refused)
        state.settle(len(batch), refused)


def _leave(state: _State) -> None:
    if state.pid == os.getpid() and not state.closed:
        state.flush(_LEAVING_SECONDS)
