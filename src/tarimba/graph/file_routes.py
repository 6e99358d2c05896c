"""`/v1/memory-graph`: a member's graph as a file, out and in."""

from __future__ import annotations

from typing import Final

from tarimba.graph import exporting, importing, member, views
from tarimba.graph import requests as shapes
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

_TAG: Final = "memory graph"
_ROOT: Final = "/v1/memory-graph"
_DOCUMENT: Final = "application/json"
_LINES: Final = "application/x-ndjson"


def _export(kernel: Kernel, call: Call) -> Answer:
    query: shapes.ExportQuery = call.query
    with kernel.database.read() as connection:
        scope = member.seat_of(connection, call.principal, query.called())
    done = exporting.export_graph(kernel, scope, member.by_of(call.principal), query.format)
    media = _DOCUMENT if query.format == "json" else _LINES
    return Answer(done.pieces, receipt=done.receipt, headers={"content-type": media})


def _import(kernel: Kernel, call: Call) -> Answer:
    with kernel.database.read() as connection:
        scope = member.seat_of(connection, call.principal, call.query.called())
    by = member.by_of(call.principal)
    done = importing.import_graph(kernel, scope, by, call.stream, once_key=call.once)
    return Answer(views.imported(done), receipt=done.receipt)


ROUTES: Final = (
    Route(
        "GET", f"{_ROOT}/export", _export, "Export one's own graph as a file", _TAG, "graph.read",
        query=shapes.ExportQuery, answer=shapes.ExportView, also=_LINES,
    ),
    Route(
        "POST", f"{_ROOT}/import", _import, "Take a file into one's own graph", _TAG, "graph.write",
        query=shapes.SeatQuery, answer=shapes.ImportedView, streams=True, takes=_LINES, idempotent=True,
    ),
)  # fmt: skip
