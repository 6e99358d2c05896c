"""Reading the graph, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence

from tarimba.graph.model import By, Reading, Scope, Sight
from tarimba.kernel import Kernel


def read_graph(kernel: Kernel, scope: Scope, by: By, reading: Reading) -> Sight:
    raise NotImplementedError


def open_nodes(
    kernel: Kernel, scope: Scope, by: By, names: Sequence[str], *, cursor: str | None = None
) -> Sight:
    raise NotImplementedError


def get_entity_details(
    kernel: Kernel, scope: Scope, by: By, names: Sequence[str], *, cursor: str | None = None
) -> Sight:
    raise NotImplementedError


def get_recent_changes(
    kernel: Kernel, scope: Scope, by: By, hours: int = 24, *, cursor: str | None = None
) -> Sight:
    raise NotImplementedError
