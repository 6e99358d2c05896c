"""Every line that a process can log, by its constant name: what it means and what it holds. Nothing else is logged.

A field is an id, a count, a code, a time or the type of an error; never a text, a tag, a query or a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "attempts": "how often it was tried before",
        "code": "the code of a refusal",
        "cut_off": "requests that had not ended in time",
        "draft_id": "a draft of a skill",
        "duration_ms": "milliseconds from the request to its answer",
        "error": "the type of an error, or its code: never its message",
        "job_id": "a job",
        "kind": "the kind of a job",
        "known": "the newest revision of the schema that this version knows",
        "language": "the language of a text, as a code",
        "logger": "the name of a library's logger",
        "message": "the words of the server loop, which are about addresses and processes alone",
        "method": "the method of a request",
        "person_id": "a member",
        "place": "file, function and line of ours where an error came from",
        "reason": "why there is no answer, as a code",
        "request_id": "the request, as its answer names it",
        "requests": "requests that shared a batch",
        "revision": "the revision of the schema",
        "route": "the declared path of a request, never the one that was sent",
        "skills": "the names of skills and the digests of their files",
        "source_id": "an agent",
        "space_id": "a space",
        "status": "the status of an answer; 499 where the caller left before there was one",
        "subscription_id": "a subscription",
        "task": "the name of a piece of upkeep",
    }
)


@dataclass(frozen=True, slots=True)
class LogEvent:
    """How severe it is, what it means and what to do, and its fields (of `FIELDS`)."""

    level: Literal["info", "warning", "error"]
    says: str
    fields: tuple[str, ...] = ()


_SEAT = ("subscription_id", "person_id", "source_id")
EVENTS: Mapping[str, LogEvent] = MappingProxyType(
    {
        "cold.not_read": LogEvent(
            "error", "The place of cold receipts does not answer: what asks for one of them hears 503.", ("error",)
        ),
        "cold.not_written": LogEvent(
            "error",
            "Old receipts could not be moved to cold storage; they stay in the database, and it is tried again.",
            ("space_id", "error"),
        ),
        "cold.refused": LogEvent(
            "error",
            "Old receipts are not moved, since what is stored is not what the last checkpoint was signed over, or the "
            "database did not answer. Run `tarimba receipts verify`.",
            ("space_id", "code"),
        ),
        "checkpoint.not_written": LogEvent(
            "error", "A checkpoint could not be added to `TARIMBA_CHECKPOINT_FILE`; tried again.", ("error",)
        ),
        "checkpoint.refused": LogEvent(
            "error",
            "The log did not grow out of its last checkpoint, so it is not signed: verify it at once.",
            ("space_id", "code"),
        ),
        "detectors.error": LogEvent("error", "`tarimba detectors` failed at a text.", ("error",)),
        "detectors.no_answer": LogEvent(
            "warning", "The server of names gave no answer; what was to be checked was refused.", ("reason", "language")
        ),
        "distill.no_answer": LogEvent(
            "warning", "The model gave no answer to a distillation; tried again.", ("job_id", "reason", "attempts")
        ),
        "evolution.no_answer": LogEvent(
            "warning", "The model gave no answer for a draft; tried again.", ("job_id", "reason", "attempts")
        ),
        "evolution.not_undone": LogEvent(
            "warning", "A draft that was not applied left a file behind.", ("draft_id",)
        ),
        "http.failed": LogEvent(
            "error",
            "A request met an error that nobody expected; it was answered with 500.",
            ("error", "place", "route", "request_id"),
        ),
        "http.request": LogEvent(
            "info",
            "A request was answered. Answered reads of the block leave none: they are in the log of receipts.",
            ("method", "route", "status", "duration_ms", "space_id", "request_id"),
        ),
        "job.failed": LogEvent("warning", "A job failed; tried again.", ("kind", "job_id", "error")),
        "job.lost": LogEvent("info", "Another process has the job by now.", ("kind", "job_id")),
        "job.not_extended": LogEvent(
            "warning", "The lease of a job could not be extended; another process may take it.", ("job_id", "error")
        ),
        "job.not_given_back": LogEvent(
            "warning", "A job was not given back at the end; it is free when its lease ends.", ("job_id", "error")
        ),
        "journal.not_written": LogEvent(
            "error", "An erasure could not be added to the journal beside the backups; tried again.", ("error",)
        ),
        "library.log": LogEvent("warning", "A library logged something.", ("logger", "message")),
        "metrics.failed": LogEvent("error", "The database's figures could not be read.", ("error",)),
        "ready.failed": LogEvent("error", "A check of readiness failed by itself.", ("error",)),
        "schema.newer": LogEvent(
            "warning", "The schema is of a newer version: replace this process soon.", ("revision", "known")
        ),
        "schema.waiting": LogEvent(
            "info", "Another process upgrades the schema or keeps a table in use; this one waits."
        ),
        "secrets.not_written": LogEvent(
            "error", "The secrets of a workspace could not be written; tried again.", (*_SEAT, "error")
        ),
        "server.stopped": LogEvent("info", "The server has ended.", ("cut_off",)),
        "sessions.not_ended": LogEvent(
            "warning", "Old sessions could not be ended; tried again.", ("error",)
        ),
        "skills.disk_refused": LogEvent(
            "warning", "The skills of an agent could not be written to its folder.", ("error", "source_id")
        ),
        "skills.shadowed": LogEvent(
            "info", "A member has skills by names that are in force already, which are not opened.", (*_SEAT, "skills")
        ),
        "upkeep.failed": LogEvent("warning", "A piece of upkeep failed; tried again.", ("task", "error")),
        "webhooks.failed": LogEvent("warning", "Deliveries could not be looked for; tried again.", ("error",)),
        "webhooks.unsettled": LogEvent(
            "warning", "An event was sent and that could not be stored: it is sent again.", ("code",)
        ),
        "worker.failed": LogEvent("warning", "Jobs could not be looked for; tried again.", ("error",)),
        "workspace.escaped": LogEvent(
            "warning", "A path led out of a workspace; nothing was read or written.", ("error",)
        ),
        "workspace.fault": LogEvent("error", "The disk of a workspace refused.", ("error",)),
        "workspace.not_put_back": LogEvent(
            "error", "A memory file could not be put back as it was; see the Console.", ("error",)
        ),
        "workspace_token.refused": LogEvent("warning", "A workspace token was refused.", ("request_id",)),
        "writer.batch_failed": LogEvent(
            "error", "A batch could not be committed; nothing of it was kept.", ("error", "place", "requests")
        ),
    }
)  # fmt: skip
