"""`/v1/memory`: a member's memory files with one agent."""

from __future__ import annotations

from typing import Any, Final

from tarimba.clock import rfc3339
from tarimba.errors import not_found
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.workspaces import memory, memory_versions
from tarimba.workspaces import memory_requests as shapes
from tarimba.workspaces.memory import Wish
from tarimba.workspaces.memory_versions import Found
from tarimba.workspaces.model import MemoryVersion

_TAG: Final = "memory files"
# JSON may write each character of a text of 256 KiB in six.
_BODY_MAX: Final = 2 * 1024 * 1024


def _read(kernel: Kernel, call: Call) -> Answer:
    query: shapes.MemoryQuery = call.query
    found = memory.read(kernel, call.principal, query.called(), query.file)
    headers = {"etag": f'"{found.hash}"'}
    # RFC 9110, 13.1.2: one etag, several, or `*`. What was found on the disk is shown until it is answered.
    known = {part.strip().removeprefix("W/").strip('"') for part in (call.if_none_match or "").split(",")}
    if found.found is None and not known.isdisjoint({"*", found.hash}):
        return Answer(None, 304, found.receipt, headers)
    content = {
        "file": found.name,
        "text": found.text,
        "is_text": found.is_text,
        "etag": found.hash,
        "size": found.size,
        "version": found.version,
        "changed_on_disk": None if found.found is None else _found(found.found),
    }
    return Answer(content, receipt=found.receipt, headers=headers)


def _write(kernel: Kernel, call: Call) -> Answer:
    query: shapes.SeatQuery = call.query
    wish = Wish(call.body.text, call.if_match, call.if_none_match)
    made = memory.write(kernel, call.principal, query.called(), wish, call.once)
    content = {"etag": made.hash, "size": made.size, "version": made.version}
    return Answer(content, receipt=made.receipt, headers={"etag": f'"{made.hash}"'})


def _versions(kernel: Kernel, call: Call) -> Answer:
    query: shapes.SeatQuery = call.query
    found = memory_versions.list_versions(kernel, call.principal, query.called())
    return Answer({"items": [_version(one) for one in found.items]}, receipt=found.receipt)


def _version_text(kernel: Kernel, call: Call) -> Answer:
    query: shapes.SeatQuery = call.query
    number = call.path["version"]
    if not (number.isascii() and number.isdigit() and len(number) <= 15):
        raise not_found("version")
    found = memory_versions.open_version(kernel, call.principal, query.called(), int(number))
    return Answer(_version(found.version) | {"text": found.text}, receipt=found.receipt)


def _version(one: MemoryVersion) -> dict[str, Any]:
    return {
        "version": one.version,
        "etag": one.hash,
        "size": one.size,
        "origin": one.origin,
        "created_at": rfc3339(one.created_at),
    }


def _found(found: Found) -> dict[str, Any]:
    return {
        "version": found.version,
        "from_version": found.since,
        "diff": found.difference.text,
        "is_cut": found.difference.is_cut,
    }


_MEMORY: Final = "/v1/memory"
_READ: Final = "member_memory.read"
ROUTES: Final = (
    Route(
        "GET", _MEMORY, _read, "Read one's memory file", _TAG, _READ,
        query=shapes.MemoryQuery, answer=shapes.MemoryView, statuses=(200, 304),
    ),
    Route(
        "PUT", _MEMORY, _write, "Write one's standing notes", _TAG, "member_memory.write",
        query=shapes.SeatQuery, body=shapes.MemoryBody, body_max=_BODY_MAX, matches=True,
        answer=shapes.WrittenView, idempotent=True,
    ),
    Route(
        "GET", f"{_MEMORY}/versions", _versions, "List earlier versions of one's notes", _TAG, _READ,
        query=shapes.SeatQuery, answer=shapes.VersionsView,
    ),
    Route(
        "GET", f"{_MEMORY}/versions/{{version}}", _version_text, "Open an earlier version of one's notes", _TAG, _READ,
        query=shapes.SeatQuery, answer=shapes.OldTextView,
    ),
)  # fmt: skip
