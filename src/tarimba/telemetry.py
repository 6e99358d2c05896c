"""Logs: one JSON object a line on standard error, with constant event names and nothing that a caller sent."""

from __future__ import annotations

import logging
import sys

import structlog

from tarimba.settings import Settings

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def configure(settings: Settings) -> None:
    """Sets logging up for the whole process. Call it once, before the first log line."""
    level = _LEVELS[settings.log_level]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Libraries log through the standard module, and what they log may quote parameters: warnings and worse only.
    logging.basicConfig(level=max(level, logging.WARNING), stream=sys.stderr, format="%(levelname)s %(name)s")
