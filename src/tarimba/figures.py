"""Figures that are read when somebody asks for the metrics: what the parts of a kernel and the database know."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

import structlog
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.http.singly import Singly
from tarimba.jobs.service import due
from tarimba.kernel import Kernel
from tarimba.webhooks.service import backlog

# A scrape is answered by then, also where the database is not there.
_SECONDS: Final = 2.0
_log = structlog.get_logger("tarimba.metrics")


def watch(kernel: Kernel) -> None:
    """Adds what the parts of the kernel know of themselves to what is counted. Call it once for a kernel."""
    metrics, writer, pool = kernel.telemetry.metrics, kernel.writer, kernel.database.read_engine.pool
    metrics.gauge("tarimba_writer_queue", "Requests that wait for the writer.", lambda: {(): writer.queued})
    metrics.gauge(
        "tarimba_database_connections",
        "Connections for reading that are in use.",
        lambda: {(): getattr(pool, "checkedout", int)()},
    )
    metrics.count(
        "tarimba_cache_reads",
        "Look-ups in a cache, by whether the answer was there.",
        lambda: {
            (name, outcome): number
            for name, (hits, misses) in (
                ("block", kernel.blocks.looked_up),
                ("index", kernel.indexes.looked_up),
            )
            for outcome, number in (("hit", hits), ("miss", misses))
        },
        ("cache", "outcome"),
    )
    metrics.registry.register(_Stored(kernel))


class _Stored(Collector):
    """What the database knows: how far jobs and webhooks trail. Without an answer in time it says that alone."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._figures = Singly(self._read, "tarimba-figures")

    def collect(self) -> Iterable[Metric]:
        found = self._figures.wait(_SECONDS)
        up = GaugeMetricFamily("tarimba_database_up", "Whether the database answers.")
        up.add_metric((), float(found is not None))
        return [up, *(found or ())]

    def describe(self) -> Iterable[Metric]:
        """Their names, without asking the database."""
        return _families()

    def _read(self) -> list[Metric] | None:
        kernel, started = self._kernel, time.perf_counter()
        now = kernel.clock.now_us()
        try:
            with kernel.database.read() as connection:
                jobs, (size, age) = due(connection, now), backlog(connection, now)
        except Refusal:
            return None
        except Exception as error:  # noqa: BLE001 - the other figures are told all the same
            _log.error("metrics.failed", error=type(error).__name__)
            return None
        took, waiting, lag, behind, oldest = _families()
        took.add_metric((), time.perf_counter() - started)
        for kind, (count, since) in jobs.items():
            waiting.add_metric((kind,), count)
            lag.add_metric((kind,), since / SECOND)
        behind.add_metric((), size)
        oldest.add_metric((), age / SECOND)
        return [took, waiting, lag, behind, oldest]


def _families() -> tuple[GaugeMetricFamily, ...]:
    return (
        GaugeMetricFamily("tarimba_database_seconds", "How long these figures took."),
        GaugeMetricFamily("tarimba_jobs_due", "Jobs that are due and not begun.", labels=("kind",)),
        GaugeMetricFamily("tarimba_job_lag_seconds", "How long the oldest of them is due.", labels=("kind",)),
        GaugeMetricFamily("tarimba_webhook_backlog", "Deliveries of events that are still to be made."),
        GaugeMetricFamily("tarimba_webhook_backlog_seconds", "How long the oldest of them waits."),
    )
