"""How many requests were answered and how long they took.

A read of the block takes less than a tenth of a millisecond of the loop, and the library's histogram would take some
three hundredths of that: these are plain numbers, which one thread adds to and any reads.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

_NAME: Final = "tarimba_http_request_seconds"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})


class Tally:
    """The requests of one route that had one status."""

    __slots__ = ("_bounds", "_numbers", "_seconds")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._numbers = [0] * (len(bounds) + 1)
        self._seconds = 0.0

    def add(self, seconds: float) -> None:
        """One request. On one thread only."""
        self._numbers[bisect_left(self._bounds, seconds)] += 1
        self._seconds += seconds

    def told(self) -> tuple[list[tuple[str, float]], float]:
        """Up to each bound how many requests took no longer, and how long all took."""
        sums = accumulate(tuple(self._numbers))
        return list(zip([*map(str, self._bounds), "+Inf"], sums, strict=True)), self._seconds


class Requests(Collector):
    """Tallies by method, declared route and status. `add` is called on the loop of the server."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = tuple(bounds)
        self._tallies: dict[tuple[str, str, int], Tally] = {}

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route` is a declared path; nothing is declared where it is empty."""
        key = (method if method in _METHODS else "other", route, status)
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies.setdefault(key, Tally(self._bounds))
        tally.add(seconds)

    def collect(self) -> Iterable[Metric]:
        family = _family()
        for (method, route, status), tally in tuple(self._tallies.items()):
            buckets, seconds = tally.told()
            family.add_metric((method, route, str(status)), buckets, seconds)
        return [family]

    def describe(self) -> Iterable[Metric]:
        """Its name, by which the registry refuses a second one."""
        return [_family()]


def _family() -> HistogramMetricFamily:
    says = "From a request to its answer, with how many there were."
    return HistogramMetricFamily(_NAME, says, labels=("method", "route", "status"))
