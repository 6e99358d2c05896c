"""The tools of the memory graph: what each is for, and what a call of it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tarimba.graph import service, wire
from tarimba.graph.model import By, Scope
from tarimba.kernel import Kernel
from tarimba.mcp import graph_arguments as given
from tarimba.mcp.arguments import read

Given = Mapping[str, Any]
Use = Callable[[Kernel, Scope, By, Given], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `repeats`: the same call again changes nothing more."""

    use: Use
    words: str
    reads: bool = False
    destroys: bool = False
    repeats: bool = True


def _create_entities(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.ENTITIES, arguments).entities
    return wire.created(service.create_entities(kernel, scope, by, [one.entity() for one in asked]))


def _create_relations(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.RELATIONS, arguments).relations
    return wire.related(service.create_relations(kernel, scope, by, [one.relation() for one in asked]))


def _add_observations(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.ADDITIONS, arguments)
    return wire.added(service.add_observations(kernel, scope, by, asked.additions()))


def _delete_entities(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.ENTITY_NAMES, arguments)
    return wire.deleted(service.delete_entities(kernel, scope, by, asked.entity_names), "entities")


def _delete_observations(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.DELETIONS, arguments).deletions
    found = service.delete_observations(kernel, scope, by, [one.deletion() for one in asked])
    return wire.deleted(found, "observations")


def _delete_relations(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.RELATIONS, arguments).relations
    found = service.delete_relations(kernel, scope, by, [one.relation() for one in asked])
    return wire.deleted(found, "relations")


def _read_graph(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    reading = read(given.READ, arguments).reading()
    found = service.read_graph(kernel, scope, by, reading)
    return wire.sight(found, "brief" if reading.detail == "minimal" else "plain")


def _open_nodes(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.OPEN, arguments)
    return wire.sight(service.open_nodes(kernel, scope, by, asked.names, cursor=asked.cursor))


def _search_nodes(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.SEARCH, arguments)
    found = service.search_nodes(
        kernel,
        scope,
        by,
        asked.query,
        max_observations=asked.max_observations,
        limit=asked.limit,
        cursor=asked.cursor,
    )
    return wire.sight(found)


def _semantic_search(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.MEANING, arguments)
    found = service.semantic_search(kernel, scope, by, asked.query, k=asked.k, threshold=asked.threshold)
    return wire.meant(found)


def _merge_entities(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.MERGE, arguments)
    return wire.settled(service.merge_entities(kernel, scope, by, asked.source, asked.target), "merge")


def _archive_entity(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.NAME, arguments)
    return wire.settled(service.archive_entity(kernel, scope, by, asked.name), "archive")


def _unarchive_entity(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.NAME, arguments)
    return wire.settled(service.unarchive_entity(kernel, scope, by, asked.name), "unarchive")


def _get_entity_details(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.DETAILS, arguments)
    found = service.get_entity_details(kernel, scope, by, asked.entity_names, cursor=asked.cursor)
    return wire.sight(found, "whole")


def _get_recent_changes(kernel: Kernel, scope: Scope, by: By, arguments: Given) -> dict[str, Any]:
    asked = read(given.RECENT, arguments)
    return wire.sight(service.get_recent_changes(kernel, scope, by, asked.hours, cursor=asked.cursor))


TOOLS: Final[Mapping[str, Tool]] = MappingProxyType(
    {
        "create_entities": Tool(
            _create_entities,
            "Makes new entities in the memory graph. A name that is there already is skipped and never overwritten: "
            "search first, and add observations to what is there. `similar` tells of names that differ by case or "
            "accents only.",
        ),
        "create_relations": Tool(
            _create_relations,
            "Makes relations between entities, in active voice. One that is there is skipped; `dangling` names the "
            "ends that are no entities yet.",
        ),
        "add_observations": Tool(
            _add_observations,
            "Adds facts to entities that are there. One that is missing is an error, and then nothing of the call is "
            "kept.",
        ),
        "delete_entities": Tool(
            _delete_entities,
            "Deletes entities with their observations and relations. Those that are not there count 0.",
            destroys=True,
        ),
        "delete_observations": Tool(
            _delete_observations, "Deletes observations of entities, given exactly.", destroys=True
        ),
        "delete_relations": Tool(_delete_relations, "Deletes relations, given exactly.", destroys=True),
        "read_graph": Tool(
            _read_graph,
            "Reads the memory graph, a part at a time: go on with `next_cursor` while `truncated` is true. To find "
            "something, search instead.",
            reads=True,
        ),
        "open_nodes": Tool(
            _open_nodes, "Opens entities by their names, with the relations that touch them.", reads=True
        ),
        "search_nodes": Tool(
            _search_nodes,
            "Finds entities by words of their names, types and observations, or by a part of one of them, with the "
            "relations that touch them: go on with `next_cursor` while `truncated` is true. Observations come best "
            "first; where `moreObservations` or `cut` says that there is more, `open_nodes` shows all of an entity.",
            reads=True,
        ),
        "semantic_search": Tool(
            _semantic_search,
            "Finds entities by what is meant, nearest first; `searchType` tells how it was looked for.",
            reads=True,
        ),
        "merge_entities": Tool(
            _merge_entities,
            "Merges one entity into another, with its observations and relations: for two names of the same thing.",
            destroys=True,
            repeats=False,
        ),
        "archive_entity": Tool(
            _archive_entity, "Hides an entity from reading and searching. Its name still opens it."
        ),
        "unarchive_entity": Tool(_unarchive_entity, "Shows an archived entity again."),
        "get_entity_details": Tool(
            _get_entity_details,
            "Shows everything of entities: status, times, and from which conversation each fact came.",
            reads=True,
        ),
        "get_recent_changes": Tool(
            _get_recent_changes, "Shows what changed in the last hours, the latest first.", reads=True
        ),
    }
)
