"""Logs: one JSON object a line on standard error, with constant event names and nothing that a caller sent."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

from tarimba.settings import Settings

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


# What these say is about addresses and processes; what others log may quote parameters of requests.
_PLAIN_SPOKEN = frozenset({"uvicorn.error", "asyncio"})


class _Line(logging.Formatter):
    """A line of a library, as JSON: its message only where that can't hold what a caller sent."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"event": "library.log", "level": record.levelname.lower(), "logger": record.name}
        if record.name in _PLAIN_SPOKEN:
            line["message"] = record.getMessage()
        return json.dumps(line)


@contextmanager
def beside_output() -> Iterator[None]:
    """Warnings of a command go to standard error, so that what it prints can be read by a program."""
    if structlog.is_configured():
        yield
        return
    structlog.configure(
        processors=_processors(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        # Looked up at each line: whoever runs a command inside a program may have put another in its place.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.reset_defaults()


def configure(settings: Settings) -> None:
    """Sets logging up for the whole process. Call it once, before the first log line."""
    level = _LEVELS[settings.log_level]
    structlog.configure(
        processors=_processors(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Line())
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler])


def _processors() -> list[Any]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.JSONRenderer(),
    ]
