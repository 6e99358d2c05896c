"""Searching the graph: by words, and by meaning."""

from __future__ import annotations

from typing import Any, Final

from tarimba.errors import invalid
from tarimba.graph import folding, rules, store
from tarimba.graph.acting import Act, require_standing
from tarimba.graph.found_page import LIMIT_MAX, FoundPage
from tarimba.graph.matching import question
from tarimba.graph.meaning import Meaning
from tarimba.graph.meanings import BM25, Meanings
from tarimba.graph.model import By, Meant, Scope, Sight
from tarimba.graph.places import Cursors
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read

QUERY_MAX: Final = 2_000
K_MAX: Final = 100
OBSERVATIONS_MAX: Final = 1_000


def search_nodes(
    kernel: Kernel,
    scope: Scope,
    by: By,
    query: str,
    *,
    max_observations: int = 5,
    limit: int = 20,
    cursor: str | None = None,
    with_relations: bool = True,
) -> Sight:
    """The active entities that have the query within one text, or all of its words; those by name come first.

    Case, accents and inflection do not matter. Of each come at most `max_observations`, those that say most of what is
    asked: the rest of an entity is opened by its name. Relations are those that touch what is shown; those that have no
    place come on the next pages, before more entities. An empty query finds nothing.
    Raises 422 for a query above 2,000 characters, a foreign cursor, and numbers out of bounds.
    """
    rules.require_text("query", query, QUERY_MAX, least=0)
    _require_between("limit", limit, 1, LIMIT_MAX)
    _require_between("maxObservations", max_observations, 0, OBSERVATIONS_MAX)
    asked = question(kernel.words, query)
    # The same list for whatever way of writing the query comes to the same question.
    cursors = Cursors.of(kernel.keys.of(scope.space_id), Act(scope, by, "search_nodes"), asked.folded)
    place = cursors.read(cursor)
    with kernel.database.read() as connection:
        require_standing(connection, scope, by)
        page = FoundPage(connection, kernel.words, scope, limit, max_observations)
        page.fill(asked, place, with_relations=with_relations)
    following = None if page.goes_on is None else cursors.write(page.goes_on)
    receipt = _receipt(kernel, scope, by, "search_nodes", query, {"hits": len(page.entities)})
    return Sight(page.entities, page.relations, following is not None, following, receipt)


def semantic_search(
    kernel: Kernel, scope: Scope, by: By, query: str, *, k: int = 10, threshold: float = 0.0
) -> Meant:
    """The `k` active entities nearest to what the query means, those with a score below `threshold` left out.

    Both by words and by vectors where an embedder is set and has embedded anything of this graph, else by words; the
    result says which. A score is 0..1. Raises 422 for a query above 2,000 characters and numbers out of bounds.
    """
    rules.require_text("query", query, QUERY_MAX, least=0)
    _require_between("k", k, 1, K_MAX)
    _require_between("threshold", threshold, 0, 1)
    asked = _vector(kernel.meaning, query)
    with kernel.database.read() as connection:
        require_standing(connection, scope, by)
        at = store.graph_of(connection, scope)
        hits, used = (
            ((), BM25) if at is None else Meanings(connection, kernel, at).hits(query, asked, k, threshold)
        )
    receipt = _receipt(kernel, scope, by, "semantic_search", query, {"hits": len(hits), "search": used})
    return Meant(hits, used, receipt)


def _vector(meaning: Meaning | None, query: str) -> Any:
    """What the query means, None without an embedder or anything to embed."""
    if meaning is None or not folding.pieces(folding.fold(query)):
        return None
    return meaning.embedder.question(query)


def _receipt(kernel: Kernel, scope: Scope, by: By, use: str, query: str, counts: dict[str, Any]) -> Recorded:
    key = kernel.keys.of(scope.space_id)
    rules.require_conversation(by.conversation_id)
    detail = {"read": use, "query": key.commit(query), **counts}
    if by.conversation_id:
        detail["conversation"] = key.commit(by.conversation_id)
    receipt = Receipt("graph.read", by.actor, by.via, scope.source_id, scope.objects, detail)
    return record_read(kernel.writer, scope.space_id, receipt)


def _require_between(field: str, value: float, least: int, most: int) -> None:
    if not least <= value <= most:
        raise invalid(field, f"must be from {least} to {most:,}")
