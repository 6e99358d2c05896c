"""What the host's command line asks of graphs: words in, bytes and JSON out.

`host` is the principal of the command line. Errors are those of the use cases behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tarimba.graph import exporting, importing, views
from tarimba.graph.formats import Format
from tarimba.graph.model import By, Scope
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called, seat_named
from tarimba.kernel import Kernel

__all__ = ["Called", "Format", "export_graph", "import_graph"]


def export_graph(kernel: Kernel, host: Principal, called: Called, format_: Format) -> Iterator[bytes]:
    """The graph of the member who is named, as a file in pieces."""
    return exporting.export_graph(kernel, _scope(kernel, host, called), _by(host), format_).pieces


def import_graph(kernel: Kernel, host: Principal, called: Called, chunks: Iterator[bytes]) -> dict[str, Any]:
    """Takes a file into the graph of the member who is named. What came of it."""
    return views.imported(importing.import_graph(kernel, _scope(kernel, host, called), _by(host), chunks))


def _scope(kernel: Kernel, host: Principal, called: Called) -> Scope:
    with kernel.database.read() as connection:
        seat = seat_named(connection, host.space_id, called)
    return Scope(seat.space_id, seat.subscription_id, seat.source_id, seat.person_id)


def _by(host: Principal) -> By:
    return By(host.actor, host.via, principal=host)
