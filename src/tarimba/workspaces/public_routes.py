"""`/v1/files`: what an agent lays out for its member to see."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote

from tarimba.clock import rfc3339
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.workspaces import memory_requests as shapes
from tarimba.workspaces import public_files
from tarimba.workspaces.public_files import Download, Shown

_TAG: Final = "memory files"
_BYTES: Final = "application/octet-stream"
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]")


def _look(kernel: Kernel, call: Call) -> Answer:
    query: shapes.FilesQuery = call.query
    key = kernel.keys.of(call.principal.space_id)
    scope = f"member files {query.called()}\0{query.path}\0{call.principal.id}"
    first = read_cursor(key, scope, query.cursor) if query.cursor else 0
    found = public_files.look(
        kernel, call.principal, query.called(), query.path, first=first, limit=query.limit
    )
    if isinstance(found, Download):
        return Answer(found.content, receipt=found.receipt, headers=_headers(found))
    content: dict[str, Any] = {"items": [_shown(one) for one in found.items], "left_out": found.left_out}
    if found.ends_at is not None:
        content["next_cursor"] = write_cursor(key, scope, found.ends_at)
    return Answer(content, receipt=found.receipt)


def _headers(found: Download) -> dict[str, str]:
    """So that a browser keeps it and opens nothing: an agent wrote it, or somebody who wrote to the agent."""
    plain = _NOT_IN_A_NAME.sub("_", found.name)
    # RFC 6266, and RFC 8187 for what ASCII has no letters for.
    whole = quote(found.name, safe="", errors="replace")
    return {
        "Content-Type": _BYTES,
        "Content-Length": str(found.size),
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}",
        "X-Content-Type-Options": "nosniff",
    }


def _shown(one: Shown) -> dict[str, Any]:
    return {
        "name": one.name,
        "path": one.path,
        "kind": one.kind,
        "size": one.size,
        "modified_at": rfc3339(one.modified_at),
    }


ROUTES: Final = (
    Route(
        "GET", "/v1/files", _look, "List what the agent shows, or download a file of it", _TAG, "member_file.read",
        query=shapes.FilesQuery, answer=shapes.FilesView, also=_BYTES,
    ),
)  # fmt: skip
