"""Spans by OpenTelemetry: the extra `otel`, set up by its standard variables (`OTEL_...`).

The provider is this server's own and not the process's: libraries that would write what a caller sent into spans of
theirs find none. An error is told by its type; its message may quote a caller, so the SDK is kept from recording it.
Sources: the OpenTelemetry specification, W3C Trace Context.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final

import structlog

from tarimba.errors import Refusal
from tarimba.telemetry.tracing import HEADER, PRESENT, Attribute, Mark, Tracing

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Span, SpanKind

_SERVICE: Final = "tarimba"
_REQUEST: Final = "http.request"
_NO_EXTRA: Final = "Tracing needs the extra `otel`: install tarimba[otel], or leave TARIMBA_OTEL out."


class TracingError(Exception):
    """Nothing can be traced as it is set up. Carries a sentence for the operator."""


class OtelMark(Mark):
    """A span of the SDK."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def set(self, name: str, value: Attribute) -> None:
        self._span.set_attribute(name, value)


class OtelTracing(Tracing):
    """Spans that `processor` takes when they end; by default an exporter of OTLP over HTTP sends them in batches.

    Raises `TracingError` without the extra.
    """

    is_on = True

    def __init__(self, version: str, processor: SpanProcessor | None = None) -> None:
        try:
            from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
            from opentelemetry.sdk.trace import TracerProvider

            taken = processor or _sender()
        except ImportError:
            raise TracingError(_NO_EXTRA) from None
        # What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say comes first.
        told = Resource.create({SERVICE_VERSION: version})
        named = told.attributes.get(SERVICE_NAME, "")
        ours = (
            Resource({SERVICE_NAME: _SERVICE}) if str(named).startswith("unknown_service") else Resource({})
        )
        self._provider = TracerProvider(resource=told.merge(ours), shutdown_on_exit=False)
        self._provider.add_span_processor(taken)
        self._tracer = self._provider.get_tracer(_SERVICE, version)

    def request(self, traceparent: bytes | None, **attributes: Attribute) -> AbstractContextManager[Mark]:
        from opentelemetry.trace import SpanKind

        return self._entered(_REQUEST, attributes, _parent(traceparent), SpanKind.SERVER)

    def span(self, name: str, **attributes: Attribute) -> AbstractContextManager[Mark]:
        from opentelemetry.trace import SpanKind

        return self._entered(name, attributes, None, SpanKind.INTERNAL)

    def close(self, seconds: float) -> None:
        # A backend that is away is tried again and again, for longer than a process has to end.
        ending = threading.Thread(target=self._provider.shutdown, name="tarimba-spans", daemon=True)
        ending.start()
        ending.join(seconds)

    @contextmanager
    def _entered(
        self, name: str, attributes: dict[str, Attribute], parent: Context | None, kind: SpanKind
    ) -> Iterator[Mark]:
        with self._tracer.start_as_current_span(
            name,
            parent,
            kind,
            {word.replace("_", ".", 1): value for word, value in attributes.items()},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            context = span.get_span_context()
            before = PRESENT.set(
                f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
            )
            try:
                with structlog.contextvars.bound_contextvars(trace_id=f"{context.trace_id:032x}"):
                    yield OtelMark(span)
            except BaseException as error:
                _tell(span, error)
                raise
            finally:
                PRESENT.reset(before)


def _tell(span: Span, error: BaseException) -> None:
    """The kind of an error; a refusal is an answer, and its code says which."""
    from opentelemetry.trace import StatusCode

    if isinstance(error, Refusal):
        span.set_attribute("refusal.code", error.code)
    else:
        span.set_attribute("error.type", type(error).__name__)
        span.set_status(StatusCode.ERROR)


def _parent(traceparent: bytes | None) -> Context:
    """The trace that a request says it belongs to: a new one where its header is none of the standard."""
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = {} if traceparent is None else {HEADER: traceparent.decode("latin-1")}
    return TraceContextTextMapPropagator().extract(carrier, Context())


def _sender() -> SpanProcessor:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    return BatchSpanProcessor(OTLPSpanExporter())
