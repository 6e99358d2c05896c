"""The door of the slice: one function for each use case. Each leaves one receipt, also where nothing was changed."""

from __future__ import annotations

from tarimba.graph.adding import add_observations, create_entities, create_relations
from tarimba.graph.deleting import delete_entities, delete_observations, delete_relations
from tarimba.graph.reading import get_entity_details, get_recent_changes, open_nodes, read_graph
from tarimba.graph.searching import search_nodes, semantic_search
from tarimba.graph.settling import archive_entity, merge_entities, unarchive_entity

__all__ = [
    "add_observations",
    "archive_entity",
    "create_entities",
    "create_relations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "get_entity_details",
    "get_recent_changes",
    "merge_entities",
    "open_nodes",
    "read_graph",
    "search_nodes",
    "semantic_search",
    "unarchive_entity",
]
