"""`/v1/batch` and `/v1/forget`."""

from __future__ import annotations

from typing import Any, Final, NotRequired

from typing_extensions import TypedDict

from tarimba.conversations import service
from tarimba.conversations.requests import BatchBody, ForgetBody
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

BATCH_BYTES: Final = 64 * 1024 * 1024
_TAG: Final = "conversations"
_PROGRESS: Final = "It tells how far the work is, and nothing of whom it is about."


class RefusedView(TypedDict):
    """An item that was not taken: its place in the batch, and why."""

    index: int
    code: str
    detail: str


class IgnoredView(TypedDict):
    """Items of unknown types, and fields of the others that are not kept."""

    items: int
    fields: int


class BatchView(TypedDict):
    """`masked` counts by kind what was masked in the accepted items."""

    accepted: int
    duplicates: int
    masked: dict[str, int]
    errors: NotRequired[list[RefusedView]]
    ignored: NotRequired[IgnoredView]


class ErasureView(TypedDict):
    """`status` is pending, running or completed. `target_id` is an id of ours, never what was sent."""

    request_id: str
    status: str
    target_kind: str
    target_id: str
    requested_at: str
    completed_at: NotRequired[str]


def _record(kernel: Kernel, call: Call) -> Answer:
    done = service.record(kernel, call.principal, call.body.items)
    counts = done.counts
    content: dict[str, Any] = {
        "accepted": counts.accepted,
        "duplicates": counts.duplicates,
        "masked": dict(sorted(counts.masked.items())),
    }
    if done.ignored.items or done.ignored.fields:
        content["ignored"] = {"items": done.ignored.items, "fields": done.ignored.fields}
    if done.refused:
        content["errors"] = [one.as_json() for one in done.refused]
    return Answer(content, 207 if done.refused else 200, done.receipt)


def _forget(kernel: Kernel, call: Call) -> Answer:
    asked = service.forget(kernel, call.principal, call.body.wanted(), call.once)
    return Answer(service.erasure_json(asked.erasure), 202, asked.receipt)


def _get_request(kernel: Kernel, call: Call) -> Answer:
    found = service.read_request(kernel, call.principal, call.path["request_id"])
    return Answer(service.erasure_json(found))


ROUTES: Final = (
    Route(
        "POST", "/v1/batch", _record, "Record what happened in conversations and tasks", _TAG, "turns.record",
        body=BatchBody, body_max=BATCH_BYTES, tolerant=True, answer=BatchView, statuses=(200, 207),
    ),
    Route(
        "POST", "/v1/forget", _forget, "Forget a customer or a conversation", _TAG, "forget",
        body=ForgetBody, answer=ErasureView, statuses=(202,), idempotent=True,
    ),
    Route(
        "GET", "/v1/forget/{request_id}", _get_request, "See how far a request to forget is", _TAG, None, _PROGRESS,
        answer=ErasureView,
    ),
)  # fmt: skip
