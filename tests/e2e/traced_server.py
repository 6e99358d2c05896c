"""`tarimba` with every span that is made written to the file `SPANS`: what a tracing backend would be told.

Run as a program in the place of the command line; the arguments are those of `tarimba`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opentelemetry import trace


class WrittenSpan(trace.Span):
    """Writes everything that it is told."""

    def __init__(self, name: str, told: dict[str, Any]) -> None:
        self._write(name, told)

    def _write(self, *told: Any) -> None:
        line = json.dumps(told, default=repr, ensure_ascii=False)
        with Path(os.environ["SPANS"]).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def get_span_context(self) -> trace.SpanContext:
        return trace.SpanContext(1, 1, is_remote=False)

    def is_recording(self) -> bool:
        return True

    def set_attributes(self, attributes: Any) -> None:
        self._write("attributes", dict(attributes))

    def set_attribute(self, key: str, value: Any) -> None:
        self._write(key, value)

    def add_event(self, name: str, attributes: Any = None, timestamp: Any = None) -> None:
        self._write(name, attributes, timestamp)

    def update_name(self, name: str) -> None:
        self._write(name)

    def set_status(self, status: Any, description: Any = None) -> None:
        self._write(getattr(status, "description", None), description)

    def record_exception(self, exception: BaseException, *more: Any, **attributes: Any) -> None:
        self._write(str(exception), repr(more), repr(attributes))

    def end(self, end_time: int | None = None) -> None:
        self._write("end", end_time)


class WritingTracer(trace.Tracer):
    def start_span(self, name: str, *more: Any, **told: Any) -> trace.Span:
        return WrittenSpan(name, {"more": repr(more)} | told)

    @contextmanager
    def _current(self, name: str, *more: Any, **told: Any) -> Iterator[trace.Span]:
        span = self.start_span(name, *more, **told)
        with trace.use_span(span, end_on_exit=True):
            yield span

    start_as_current_span = _current  # type: ignore[assignment]


class WritingTracers(trace.TracerProvider):
    def get_tracer(self, *_: Any, **__: Any) -> trace.Tracer:
        return WritingTracer()


if __name__ == "__main__":
    trace.set_tracer_provider(WritingTracers())
    from tarimba.cli import main

    main()
