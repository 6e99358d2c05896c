"""Searching the graph: by words, and by meaning."""

from __future__ import annotations

from tarimba.graph.model import By, Meant, Scope, Sight
from tarimba.kernel import Kernel


def search_nodes(
    kernel: Kernel,
    scope: Scope,
    by: By,
    query: str,
    *,
    max_observations: int = 5,
    limit: int = 20,
    cursor: str | None = None,
) -> Sight:
    raise NotImplementedError


def semantic_search(
    kernel: Kernel, scope: Scope, by: By, query: str, *, k: int = 10, threshold: float = 0.0
) -> Meant:
    raise NotImplementedError
