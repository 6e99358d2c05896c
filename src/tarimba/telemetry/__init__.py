"""What a running process tells of itself: log lines, counts and, where they are asked for, spans."""

from __future__ import annotations

from dataclasses import dataclass, field

from tarimba.telemetry.metrics import Metrics
from tarimba.telemetry.tracing import Tracing


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What one kernel counts and traces with. As it is made here nothing is traced."""

    metrics: Metrics = field(default_factory=Metrics)
    tracing: Tracing = field(default_factory=Tracing)


__all__ = ["Metrics", "Telemetry", "Tracing"]
