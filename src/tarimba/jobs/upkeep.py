"""Upkeep: small recurring work of a server process, in one thread, a piece at a time.

A task does a piece and says whether more of it is waiting. What it does must be safe to repeat and to do in
several processes at once: nothing here is remembered.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

import structlog

from tarimba.telemetry import Metrics

Task = Callable[[], bool]

TICK_SECONDS = 1.0
# Upkeep takes at most this part of a processor's time: requests come first.
_SHARE = 0.3
_log = structlog.get_logger("tarimba.upkeep")


class Upkeep:
    """Runs `tasks` (name to task) once a tick, and again at once, at a bounded share, while one has more."""

    def __init__(
        self, tasks: Mapping[str, Task], tick_seconds: float = TICK_SECONDS, *, metrics: Metrics | None = None
    ) -> None:
        self._tasks = tasks
        self._tick = tick_seconds
        self._metrics = metrics or Metrics()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tarimba-upkeep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wind_down(self) -> None:
        """Begins no other round."""
        self._stop.set()

    def stop(self, seconds: float | None = None) -> None:
        """Ends after the piece under way, which it waits for so long: as long as it takes when None."""
        self.wind_down()
        self._thread.join(seconds)

    def round(self) -> bool:
        """One piece of every task. Whether any has more to do; a task that fails is logged and tried again."""
        more = False
        for name, task in self._tasks.items():
            try:
                more |= task()
            except Exception as error:  # noqa: BLE001 - one task's failure must not end the others
                self._metrics.upkeep_failures.labels(name).inc()
                _log.warning("upkeep.failed", task=name, error=type(error).__name__)
        return more

    def _run(self) -> None:
        while not self._stop.is_set():
            started = time.monotonic()
            more = self.round()
            spent = time.monotonic() - started
            self._stop.wait(spent * (1 - _SHARE) / _SHARE if more else self._tick)
