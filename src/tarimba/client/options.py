"""What may be set besides key and address."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tarimba.client.budgets import Budgets
from tarimba.client.retries import Retries

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True, slots=True)
class Options:
    """`block_ttl` is how long (seconds) a block answers without asking the server.

    `connections` bounds the threads and connections, each started when first needed; `events_waiting` what is recorded
    and not sent yet. `ssl_context` is for a
    private authority. `clock`, `sleep` and `draw` (random in 0..1) are there to be replaced in tests.
    """

    budgets: Budgets = field(default_factory=Budgets)
    retries: Retries = field(default_factory=Retries)
    block_ttl: float = 60.0
    connections: int = 32
    events_waiting: int = 10_000
    ssl_context: ssl.SSLContext | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[], float] = random.random
