"""The door of the slice: one function for each use case. Each leaves one receipt, also where nothing was changed."""

from __future__ import annotations

from tarimba.graph.access import authenticate, by_of, has_graph, scope_of, show_token, token_of
from tarimba.graph.adding import add_observations, create_entities, create_relations
from tarimba.graph.auditing import Forgetting, list_changes
from tarimba.graph.deleting import delete_entities, delete_observations, delete_relations
from tarimba.graph.editing import (
    EntityEdit,
    ObservationEdit,
    delete_observation,
    edit_entity,
    edit_observation,
    etag,
)
from tarimba.graph.embedding import Embedding
from tarimba.graph.erasing import erase, seats_of
from tarimba.graph.exporting import export_of
from tarimba.graph.importing import IMPORT, undo_import
from tarimba.graph.member import by_of as by_member
from tarimba.graph.member import learned_in, list_entities, look_around, open_entity, seat_of
from tarimba.graph.reading import get_entity_details, get_recent_changes, open_nodes, read_graph
from tarimba.graph.rules import key_of
from tarimba.graph.searching import search_nodes, semantic_search
from tarimba.graph.settling import archive_entity, merge_entities, unarchive_entity
from tarimba.graph.turns import end_turn, forget_turns, open_conversation, start_turn
from tarimba.graph.undoing import undo

__all__ = [
    "IMPORT",
    "Embedding",
    "EntityEdit",
    "Forgetting",
    "ObservationEdit",
    "add_observations",
    "archive_entity",
    "authenticate",
    "by_member",
    "by_of",
    "create_entities",
    "create_relations",
    "delete_entities",
    "delete_observation",
    "delete_observations",
    "delete_relations",
    "edit_entity",
    "edit_observation",
    "end_turn",
    "erase",
    "etag",
    "export_of",
    "forget_turns",
    "get_entity_details",
    "get_recent_changes",
    "has_graph",
    "key_of",
    "learned_in",
    "list_changes",
    "list_entities",
    "look_around",
    "merge_entities",
    "open_conversation",
    "open_entity",
    "open_nodes",
    "read_graph",
    "scope_of",
    "search_nodes",
    "seat_of",
    "seats_of",
    "semantic_search",
    "show_token",
    "start_turn",
    "token_of",
    "unarchive_entity",
    "undo",
    "undo_import",
]
