"""What a process counts, for `GET /metrics`.

One registry for each kernel, none for the whole process. Every label has values that this code knows: routes as they
are declared, codes, kinds of jobs; never an id, a slug or anything that a caller chose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from tarimba.errors import Refusal
from tarimba.telemetry.requests import Requests

_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_LONG: Final = (0.01, 0.1, 1.0, 10.0, 60.0, 600.0)
_BATCH: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
# By the values of the labels.
Values = Mapping[tuple[str, ...], float]
Read = Callable[[], Values]


class Metrics:
    """The counters that code adds to, and the figures that are read when somebody asks."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Requests(_SECONDS)
        self.registry.register(self.requests)
        self._refusals = self._counter("tarimba_refusals", "Refusals, by their code.", ("code",))
        self._personal = self._counter(
            "tarimba_personal_data_refusals", "Refusals of personal data, by what was found.", ("kind",)
        )
        self.commit_seconds = self._histogram(
            "tarimba_commit_seconds", "From a batch's begin to its being durable.", _SECONDS
        )
        self.batch_size = self._histogram(
            "tarimba_commit_batch_requests", "Requests that shared one transaction.", _BATCH
        )
        self.receipts = self._counter("tarimba_receipts_written", "Receipts that became durable.")
        self.failed_batches = self._counter("tarimba_commit_failures", "Batches of which nothing was kept.")
        self.dropped = self._counter(
            "tarimba_writer_drops", "Requests that were refused since too many waited for the writer."
        )
        self.detector_seconds = self._histogram(
            "tarimba_detector_seconds", "Checks of texts by the detectors of personal data.", _SECONDS
        )
        self.job_seconds = self._histogram("tarimba_job_seconds", "Runs of jobs.", _LONG, ("kind",))
        self.job_outcomes = self._counter(
            "tarimba_job_runs", "Runs of jobs, by what came of them.", ("kind", "outcome")
        )
        self.upkeep_failures = self._counter("tarimba_upkeep_failures", "Failures of upkeep.", ("task",))
        self.deliveries = self._counter(
            "tarimba_webhook_attempts", "Attempts to deliver an event, by what came of them.", ("outcome",)
        )

    def refused(self, refusal: Refusal) -> None:
        """A refusal: its code, and the kinds of what was found where it is one of personal data."""
        self._refusals.labels(refusal.code).inc()
        for kind in refusal.extra.get("kinds", ()):
            self._personal.labels(kind).inc()

    def gauge(self, name: str, says: str, read: Read, labels: Sequence[str] = ()) -> None:
        """A figure that goes up and down, read when somebody asks. `read` must be quick and never raise."""
        self.registry.register(_Read(lambda: GaugeMetricFamily(name, says, labels=labels), read))

    def count(self, name: str, says: str, read: Read, labels: Sequence[str] = ()) -> None:
        """A count that is kept elsewhere, read when somebody asks."""
        self.registry.register(_Read(lambda: CounterMetricFamily(name, says, labels=labels), read))

    def _counter(self, name: str, says: str, labels: Sequence[str] = ()) -> Counter:
        return Counter(name, says, labels, registry=self.registry)

    def _histogram(
        self, name: str, says: str, buckets: Sequence[float], labels: Sequence[str] = ()
    ) -> Histogram:
        return Histogram(name, says, labels, buckets=buckets, registry=self.registry)


class _Read(Collector):
    """A metric whose samples are read when the registry is asked."""

    def __init__(self, make: Callable[[], GaugeMetricFamily | CounterMetricFamily], read: Read) -> None:
        self._make = make
        self._read = read

    def collect(self) -> Iterable[Metric]:
        family = self._make()
        for labels, value in self._read().items():
            family.add_metric(labels, value)
        yield family

    def describe(self) -> Iterable[Metric]:
        """Its name, by which the registry refuses a second one."""
        yield self._make()
