"""`tarimba` under the OpenTelemetry SDK, every ended span written to the file `SPANS`: what a tracing backend is told.

Name, attributes, events with the text of errors, status and links are in it. Run as a program in the place of the
command line; the arguments are those of `tarimba`.
"""

from __future__ import annotations

import os
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON


def _line(span: ReadableSpan) -> str:
    return f"{span.to_json(indent=None)}\n"


def main() -> None:
    with Path(os.environ["SPANS"]).open("a", encoding="utf-8") as file:
        provider = TracerProvider(sampler=ALWAYS_ON)
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=file, formatter=_line)))
        trace.set_tracer_provider(provider)
        from tarimba.cli import main as tarimba

        with trace.get_tracer(__name__).start_as_current_span("tarimba"):
            tarimba()


if __name__ == "__main__":
    main()
