"""The tools over the protocol, with the official client, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client, MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, Tool
from pydantic import BaseModel

from tarimba.graph.rules import HOURS_MAX
from tarimba.harnesses.service import profile, shipped
from tarimba.mcp import graph_arguments, graph_names
from tarimba.mcp.graph_inputs import INPUTS
from tarimba.mcp.graph_outputs import OUTPUTS
from tarimba.mcp.graph_uses import TOOLS
from tarimba.skills import shipped as shipped_documents
from tests.contract.graph_mcp.team import ERAS, Team, calling, entity, text

FIFTEEN = 15
LONG = [f"{at} {'x' * 5000}" for at in range(4)]
UNIT = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
"""What the surface decides is the same on every database."""


async def listed(client: Client) -> list[Tool]:
    return (await client.list_tools()).tools


# A call of every tool in turn, on a graph that has nothing yet.
STORY: list[tuple[str, dict[str, Any]]] = [
    ("create_entities", {"entities": [entity("Ledger", "Closes at noon."), entity("ledger"), entity("Old")]}),
    ("create_entities", {"entities": [entity("Ledger")]}),
    (
        "create_relations",
        {"relations": [{"from": "Ledger", "to": "Bank", "relationType": "posts to"}] * 2},
    ),
    (
        "add_observations",
        {"observations": [{"entityName": "Ledger", "contents": ["Asks for cents."], "confidence": [0.5]}]},
    ),
    ("read_graph", {}),
    ("read_graph", {"detailLevel": "minimal", "entityNames": ["Ledger"], "limit": 1}),
    ("open_nodes", {"names": ["Ledger"]}),
    ("search_nodes", {"query": "cents"}),
    ("semantic_search", {"query": "cents", "k": 3, "threshold": 0}),
    ("merge_entities", {"source": "ledger", "target": "Ledger"}),
    ("archive_entity", {"name": "Old"}),
    ("unarchive_entity", {"name": "Old"}),
    ("get_entity_details", {"entityNames": ["Ledger", "ledger"]}),
    ("get_recent_changes", {"hours": 1}),
    ("delete_observations", {"deletions": [{"entityName": "Ledger", "observations": ["Asks for cents."]}]}),
    ("delete_relations", {"relations": [{"from": "Ledger", "to": "Bank", "relationType": "posts to"}]}),
    ("delete_entities", {"entityNames": ["Old", "Nowhere"]}),
]


@pytest.mark.promise("graph-tools")
@pytest.mark.parametrize("era", ERAS)
def test_every_tool_answers_what_it_declares_and_the_text_says_the_same(team: Team, era: str) -> None:
    async def talk(client: Client) -> list[CallToolResult]:
        # The client holds each answer against the declared schema.
        await client.list_tools()
        return [await client.call_tool(f"mcp_memory_{tool}", arguments) for tool, arguments in STORY]

    results = team.ask(era, talk)
    assert {tool for tool, _ in STORY} == TOOLS.keys()
    for (tool, arguments), result in zip(STORY, results, strict=True):
        jsonschema.validate(arguments, INPUTS[tool])
        assert not result.is_error, (tool, text(result))
        jsonschema.validate(result.structured_content, OUTPUTS[tool])
        assert json.loads(text(result)) == result.structured_content
    made = results[0].structured_content
    assert made is not None
    assert [one["name"] for one in made["entities"]] == ["Ledger", "ledger", "Old"]
    assert made["similar"] == [{"name": "ledger", "existing": "Ledger"}]
    assert results[1].structured_content == {"entities": [], "skipped": ["Ledger"], "similar": []}
    related = results[2].structured_content
    assert related is not None
    assert (len(related["relations"]), related["skipped"], related["dangling"]) == (1, 1, ["Bank"])
    deleted = results[-1].structured_content
    assert deleted is not None
    assert (deleted["success"], deleted["deleted"]) == (True, 1)


@UNIT
@pytest.mark.promise("graph-tools")
def test_what_no_tool_declares_is_counted_and_neither_kept_nor_repeated(team: Team) -> None:
    odd = {**entity("Ledger", "Closes at noon."), "secretive": {"name": "x"}, "entity_type": "x"}
    answer = team.call("create_entities", entities=[odd], reason="secretive")
    jsonschema.validate(answer, OUTPUTS["create_entities"])
    assert answer.pop("ignored") == 3
    assert answer == {"entities": [entity("Ledger", "Closes at noon.")], "skipped": [], "similar": []}
    assert "ignored" not in team.call("create_entities", entities=[entity("Bank")])
    # What is declared stays strict.
    assert "entities[0].name" in team.refused("create_entities", entities=[{**entity("x"), "name": 7}])
    assert "entities[0]" in team.refused("create_entities", entities=["Ledger"])


@UNIT
@pytest.mark.promise("graph-tools")
def test_a_merge_into_an_archived_entity_says_that_it_is_hidden(team: Team) -> None:
    team.call("create_entities", entities=[entity("Old"), entity("One"), entity("Two"), entity("Three")])
    team.call("archive_entity", name="Old")
    assert "archived: unarchive it" in team.call("merge_entities", source="One", target="Old")["message"]
    assert "archived" not in team.call("merge_entities", source="Two", target="Three")["message"]


@UNIT
@pytest.mark.promise("graph-tools")
def test_an_answer_that_goes_on_is_what_is_declared_page_by_page(team: Team) -> None:
    team.call("create_entities", entities=[entity("Ledger", *LONG, "\x01" * 7000)])
    for tool, arguments in (("open_nodes", {"names": ["Ledger"]}), ("read_graph", {"detailLevel": "full"})):
        pages: list[Any] = []
        cursor = None
        while cursor or not pages:
            pages.append(team.call(tool, **arguments, **({"cursor": cursor} if cursor else {})))
            jsonschema.validate(pages[-1], OUTPUTS[tool])
            cursor = pages[-1]["next_cursor"]
        shown = [one for page in pages for one in page["entities"]]
        assert len(pages) > 2
        assert {"continued", "cut", "moreObservations"} <= {name for one in shown for name in one}
        assert "".join("".join(one["observations"]) for one in shown) == "".join([*LONG, "\x01" * 7000])


@UNIT
@pytest.mark.promise("graph-tools")
@pytest.mark.parametrize("era", ERAS)
def test_the_tools_are_annotated_and_plainly_described(team: Team, era: str) -> None:
    tools = team.ask(era, listed)
    assert len(tools) == FIFTEEN
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is not None
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        assert tool.description
    hints = {tool.name: tool.annotations for tool in tools}
    reading, deleting = hints["mcp_memory_open_nodes"], hints["mcp_memory_delete_entities"]
    assert reading is not None
    assert deleting is not None
    assert (reading.read_only_hint, reading.destructive_hint, reading.idempotent_hint) == (True, False, True)
    assert (deleting.read_only_hint, deleting.destructive_hint, deleting.idempotent_hint) == (
        False,
        True,
        True,
    )


@UNIT
@pytest.mark.promise("graph-tool-names")
@pytest.mark.parametrize("harness", ["generic", "nanobot", "claude-code"])
def test_an_agent_sees_the_tools_that_its_routing_document_names(team: Team, harness: str) -> None:
    path = f"/v1/admin/agents/{team.company.sources['support']}"
    assert team.api.call(team.company, "owner", "PATCH", path, json={"harness": harness}).is_success
    token = team.token(agent="support")
    names = [tool.name for tool in team.ask(ERAS[1], listed, token)]
    of = profile(harness)
    seen = [of.tool_prefix.format(server="memory") + name for name in names]
    assert seen == [of.tool_name(tool) for tool in TOOLS]
    documents = shipped_documents.documents(of, "en", has_graph=True, tools=seen)
    (routing,) = [one.data.decode() for one in documents if one.path == "memory/MEMORY_ROUTING.md"]
    for tool in ("search_nodes", "create_entities", "add_observations", "create_relations"):
        (name,) = [one for one in seen if one.endswith(tool)]
        assert f"`{name}`" in routing
    # Whatever an agent was told before its harness was another one still works.
    for name in ("create_entities", "mcp_memory_create_entities"):
        assert team.call(name, token, entities=[]) == {"entities": [], "skipped": [], "similar": []}


@pytest.mark.promise("graph-tool-names")
def test_every_harness_shows_each_tool_once_and_says_memory() -> None:
    for harness in shipped():
        of = profile(harness)
        names = [of.tool_name(tool) for tool in TOOLS]
        before = of.tool_prefix.format(server=graph_names.SERVER)
        assert names == [before + graph_names.listed(of, tool) for tool in TOOLS]
        assert len(set(names)) == FIFTEEN
        assert all("memory" in name and name.count("memory") == 1 for name in names), names


def test_what_is_declared_is_what_is_read() -> None:
    """The schemas are written by hand: their names, what is required and what is optional are those of the models."""
    shapes: dict[str, type[BaseModel]] = {
        "create_entities": graph_arguments.Entities,
        "create_relations": graph_arguments.Relations,
        "add_observations": graph_arguments.Additions,
        "delete_entities": graph_arguments.EntityNames,
        "delete_observations": graph_arguments.Deletions,
        "delete_relations": graph_arguments.Relations,
        "read_graph": graph_arguments.ReadArguments,
        "open_nodes": graph_arguments.OpenArguments,
        "search_nodes": graph_arguments.SearchArguments,
        "semantic_search": graph_arguments.MeaningArguments,
        "merge_entities": graph_arguments.MergeArguments,
        "archive_entity": graph_arguments.NameArgument,
        "unarchive_entity": graph_arguments.NameArgument,
        "get_entity_details": graph_arguments.DetailArguments,
        "get_recent_changes": graph_arguments.RecentArguments,
    }
    assert shapes.keys() == INPUTS.keys() == OUTPUTS.keys() == TOOLS.keys()
    for tool, model in shapes.items():
        made = model.model_json_schema()
        assert _names(made, made.get("$defs", {})) == _names(INPUTS[tool], {}), tool
    assert graph_arguments.HOURS_MAX == HOURS_MAX


def _names(schema: dict[str, Any], known: dict[str, Any]) -> Any:
    """The members of a schema, which of them are required, and the bounds of numbers."""
    schema = known.get(schema.get("$ref", "").rpartition("/")[2], schema)
    for choice in schema.get("anyOf", ()):
        if choice.get("type") != "null":
            return _names(choice, known)
    if schema.get("type") == "array":
        return [_names(schema["items"], known)]
    if "properties" in schema:
        members = {name: _names(one, known) for name, one in schema["properties"].items()}
        return sorted(schema.get("required", [])), members
    return schema.get("type"), schema.get("minimum"), schema.get("maximum"), schema.get("default")


def test_input_schemas_have_nothing_that_an_api_of_models_refuses() -> None:
    for tool, schema in INPUTS.items():
        written = json.dumps(schema)
        assert not [
            word for word in ("$ref", "$defs", "anyOf", "oneOf", "allOf", '"null"') if word in written
        ]
        assert all(part["additionalProperties"] is False for part in _objects(schema)), tool


def _objects(schema: Any) -> list[Any]:
    if isinstance(schema, list):
        return [found for one in schema for found in _objects(one)]
    if not isinstance(schema, dict):
        return []
    below = [found for one in schema.values() for found in _objects(one)]
    return [schema, *below] if schema.get("type") == "object" else below


UNFIT: list[tuple[str, dict[str, Any], str]] = [
    ("create_entities", {}, "entities: is required"),
    ("create_entities", {"entities": "secretive"}, "entities: must be a list"),
    (
        "create_entities",
        {"entities": [{"name": "n", "observations": []}]},
        "entities[0].entityType: is required",
    ),
    ("create_entities", {"entities": [entity("secretive" * 60)]}, "entities[0].name"),
    ("create_entities", {"entities": [entity("n", "secretive\x00")]}, "entities[0].observations[0]"),
    (
        "create_entities",
        {"entities": [entity(f"secretive {at}") for at in range(101)]},
        "entities: at most 100",
    ),
    ("create_entities", {"entities": [entity("n", 7)]}, "entities[0].observations[0]: must be a string"),  # type: ignore[arg-type]
    ("create_relations", {"relations": [{"from": "a", "to": "b"}]}, "relations[0].relationType: is required"),
    (
        "add_observations",
        {"observations": [{"entityName": "secretive", "contents": ["c"]}]},
        "observations[0]",
    ),
    (
        "add_observations",
        {"observations": [{"entityName": "n", "contents": ["c"], "confidence": []}]},
        "observations[0].confidence",
    ),
    ("read_graph", {"detailLevel": "secretive"}, "detailLevel: must be one of"),
    ("read_graph", {"limit": 0}, "limit: must be at least 1"),
    ("read_graph", {"cursor": "secretive"}, "cursor"),
    ("semantic_search", {"query": "q", "threshold": 2}, "threshold: must be at most 1"),
    ("merge_entities", {"source": "secretive", "target": "secretive"}, "target"),
    ("archive_entity", {"name": "secretive"}, "name: there is no such entity"),
]


@UNIT
def test_unfit_arguments_are_named_with_their_rule_and_not_repeated(team: Team) -> None:
    for tool, arguments, said in UNFIT:
        told = team.refused(tool, **arguments)
        assert said in told, (tool, told)
        assert "secretive" not in told
    halved = team.post(team.token(), calling("create_entities", entities=[entity("n", "secretive\ud800")]))
    assert (halved.status_code, "secretive" in halved.text) == (400, False)
    assert team.call("read_graph")["entities"] == []


@UNIT
@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_tool_is_an_error_of_the_protocol(team: Team, era: str) -> None:
    async def talk(client: Client) -> MCPError:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("mcp_memory_secretive", {})
        return raised.value

    error = team.ask(era, talk)
    assert error.code == INVALID_PARAMS
    assert "secretive" not in str(error)


def test_a_fault_of_ours_tells_the_model_nothing_but_that(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise RuntimeError("secretive")

    monkeypatch.setattr("tarimba.graph.service.open_nodes", broken)
    told = team.refused("open_nodes", names=["n"])
    assert told.startswith("Internal error")
    assert "secretive" not in told


def test_every_call_leaves_a_receipt_that_says_mcp_and_holds_no_text(team: Team) -> None:
    before = len(team.api.actions(team.company))
    team.call("create_entities", told="talk-secretive", entities=[entity("Secretive", "Secretive too.")])
    team.call("open_nodes", names=["Secretive"])
    from tests.e2e.company import log_of

    left = [one.document for one in log_of(team.api.kernel, team.company)[before:]]
    left = [one for one in left if one["action"].startswith("graph.")]
    assert [one["action"] for one in left] == ["graph.write", "graph.read"]
    assert {(one["via"], one["actor"]["type"], one["actor"]["id"]) for one in left} == {
        ("mcp", "agent", team.company.sources["billing"])
    }
    assert {one["person_id"] for one in left} == {team.people["member"]}
    assert "secretive" not in json.dumps(left).lower()


@pytest.mark.promise("graph-one-endpoint")
def test_clients_of_both_eras_work_at_once_and_nothing_is_lost(team: Team) -> None:
    async def talk(client: Client, era: str) -> None:
        for at in range(6):
            made = await client.call_tool("mcp_memory_create_entities", {"entities": [entity(f"{era} {at}")]})
            assert not made.is_error

    async def everybody() -> None:
        token = team.token()
        async with asyncio.TaskGroup() as group:
            for at in range(8):
                era = ERAS[at % 2]
                group.create_task(
                    team.talk(era, lambda client, name=f"{era}-{at}": talk(client, name), token)  # type: ignore[misc]
                )

    asyncio.run(everybody())
    names = {one["name"] for one in team.call("read_graph", limit=100, detailLevel="minimal")["entities"]}
    assert len(names) == 8 * 6
    assert team.post(team.token(), calling("read_graph")).headers.get("mcp-session-id") is None
