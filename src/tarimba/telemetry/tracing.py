"""Spans, for whoever follows a request through the processes: here the form without any, which costs nothing.

`otel` has the other one. A span holds ids, codes and counts: no text, no tag, no query, nothing that a caller sent but
the trace that a request says it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from types import MappingProxyType
from typing import Final

Attribute = str | int | float | bool
HEADER: Final = "traceparent"
_NONE: Final[Mapping[str, str]] = MappingProxyType({})
# The span under way, as the header of W3C Trace Context says it. Of a thread or task, never of the process.
PRESENT: Final[ContextVar[str | None]] = ContextVar("traceparent", default=None)


def outgoing() -> Mapping[str, str]:
    """The headers that tell another process which trace a request belongs to; none where nothing is traced."""
    present = PRESENT.get()
    return _NONE if present is None else {HEADER: present}


class Mark:
    """A span under way. This one keeps nothing."""

    def set(self, name: str, value: Attribute) -> None:
        """Adds what is known only by now."""


class Tracing:
    """Makes spans. This one makes none."""

    is_on = False

    def request(self, traceparent: bytes | None, **attributes: Attribute) -> AbstractContextManager[Mark]:
        """A request from outside, within the trace that its header names."""
        del traceparent, attributes
        return nullcontext(_MARK)

    def span(self, name: str, **attributes: Attribute) -> AbstractContextManager[Mark]:
        """A part of what is under way in this thread or task, or the first span of a new trace."""
        del name, attributes
        return nullcontext(_MARK)

    def close(self, seconds: float) -> None:
        """Hands over what has not been sent yet, as far as that takes no longer."""
        del seconds


_MARK: Final = Mark()
