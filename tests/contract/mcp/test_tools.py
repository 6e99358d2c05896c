"""The tools over MCP, with the official client, in both eras of the protocol."""

import json
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, ListToolsResult

from tarimba.mcp.tools import REFUSAL
from tarimba.notes import service
from tarimba.storage.tables import note_chain
from tests.contract.mcp.served import ERAS, Served, text

pytestmark = pytest.mark.parametrize("era", ERAS)


async def tools(client: Client) -> ListToolsResult:
    return await client.list_tools()


def refusal(result: CallToolResult) -> dict[str, Any]:
    """What a refused call tells programs: nothing where a client looks for an answer of the declared form."""
    assert result.structured_content is None
    assert result.meta is not None
    told: dict[str, Any] = result.meta[REFUSAL]
    return told


def names(served: Served, era: str, key: str) -> list[str]:
    return [tool.name for tool in served.ask(key, era, tools).tools]


def test_the_tools_are_those_of_the_api_with_the_limits_of_the_space(served: Served, era: str) -> None:
    served.world.set(title_max=80, body_max=900)
    listed = served.ask("billing", era, tools).tools
    canonical = service.tools(served.world.kernel, served.world.caller("billing"))
    assert [
        {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
        for tool in listed
    ] == [definition["function"] for definition in canonical]
    limits = listed[1].input_schema["properties"]
    assert (limits["title"]["maxLength"], limits["body"]["maxLength"]) == (80, 900)
    hints = [tool.annotations.read_only_hint for tool in listed if tool.annotations]
    assert hints == [True, False]


def test_remember_is_listed_only_for_a_key_that_may_write(served: Served, era: str) -> None:
    served.world.add_key("reader", "billing", "agent_memory")
    served.world.add_key("context", "billing", "context")
    assert names(served, era, "billing") == ["search_agent_memory", "remember"]
    assert names(served, era, "reader") == ["search_agent_memory"]
    assert names(served, era, "context") == ["search_agent_memory"]


def test_where_only_people_write_the_tool_is_there_and_says_that_a_person_decides(
    served: Served, era: str
) -> None:
    served.world.set(writes="human_only")
    remember = served.ask("billing", era, tools).tools[1]
    assert "a person decides" in (remember.description or "")
    answer = served.call("billing", era, "remember", kind="pitfall", title="A title", body="A body.")
    content = answer.structured_content
    assert content is not None
    assert not answer.is_error
    assert content["note"] is None
    assert content["proposal_id"]
    assert [warning["code"] for warning in content["warnings"]] == ["awaits_person"]
    assert served.world.count(note_chain) == 0
    found = served.call("billing", era, "search_agent_memory", query="title")
    assert found.structured_content is not None
    assert found.structured_content["notes"] == []


def test_calling_what_is_not_listed_is_an_error_that_the_model_sees(served: Served, era: str) -> None:
    served.world.add_key("reader", "billing", "agent_memory")
    result = served.call("reader", era, "remember", kind="pitfall", title="A title", body="A body.")
    assert result.is_error
    assert refusal(result)["code"] == "scope_missing"
    assert served.world.count(note_chain) == 0


def test_a_note_is_kept_and_found(served: Served, era: str) -> None:
    note = {
        "kind": "tool_note",
        "title": "post_credit wants cents",
        "body": "Send whole cents.",
        "tags": ["erp"],
    }
    kept = served.call("billing", era, "remember", **note)
    assert not kept.is_error
    assert kept.structured_content is not None
    stored = kept.structured_content["note"]
    assert {name: stored[name] for name in note} == note
    assert (stored["visibility"], stored["origin"], stored["source_id"]) == (
        "source",
        "agent",
        served.world.sources["billing"],
    )
    found = served.call("billing", era, "search_agent_memory", query="how to post a credit", tags=["erp"])
    assert found.structured_content is not None
    assert found.structured_content["notes"] == [stored]
    assert json.loads(text(found)) == found.structured_content
    assert json.loads(text(kept)) == kept.structured_content


def test_another_agents_notes_are_not_found(served: Served, era: str) -> None:
    served.call("billing", era, "remember", kind="pitfall", title="Void invoices late", body="Close first.")
    found = served.call("courier", era, "search_agent_memory", query="void invoices")
    assert found.structured_content is not None
    assert found.structured_content["notes"] == []


def test_every_access_leaves_a_receipt_that_says_mcp(served: Served, era: str) -> None:
    served.call("billing", era, "remember", kind="pitfall", title="Void invoices late", body="Close first.")
    found = served.call("billing", era, "search_agent_memory", query="void invoices")
    receipts = [*served.world.receipts("note.create"), *served.world.receipts("notes.search")]
    assert [(receipt["via"], receipt["actor"]["id"]) for receipt in receipts] == [
        ("mcp", served.world.sources["billing"])
    ] * 2
    assert found.structured_content is not None
    assert found.structured_content["receipt_id"] == receipts[1]["id"]


def test_a_refused_note_says_what_to_remove_and_never_what_it_found(served: Served, era: str) -> None:
    address = "someone.unreal@mail.example"
    result = served.call(
        "billing", era, "remember", kind="pitfall", title="Whom to ask", body=f"Write to {address} first."
    )
    assert result.is_error
    assert refusal(result)["code"] == "personal_data_in_agent_memory"
    assert refusal(result)["kinds"] == ["email"]
    (place,) = refusal(result)["findings"]
    assert (place["field"], place["start"], place["end"]) == ("body", 9, 9 + len(address))
    assert "Remove: email." in text(result)
    assert "body, characters 9 to 36 (email)" in text(result)
    assert "someone" not in result.model_dump_json()
    assert served.world.count(note_chain) == 0


def test_a_limited_agent_is_told_when_to_try_again(served: Served, era: str) -> None:
    served.world.set(writes_per_hour=1)
    note = {"kind": "pitfall", "title": "Void invoices late", "body": "Close first."}
    assert not served.call("billing", era, "remember", **note).is_error
    result = served.call("billing", era, "remember", **note)
    assert result.is_error
    assert refusal(result)["code"] == "rate_limited"
    seconds = refusal(result)["retry_after"]
    assert 0 < seconds <= 3600
    assert f"Try again in {seconds} seconds" in text(result)


def test_a_memory_that_is_off_finds_nothing_and_keeps_nothing(served: Served, era: str) -> None:
    served.call("billing", era, "remember", kind="pitfall", title="Void invoices late", body="Close first.")
    served.world.set(enabled=False)
    found = served.call("billing", era, "search_agent_memory", query="void invoices")
    assert found.structured_content is not None
    assert found.structured_content["notes"] == []
    refused = served.call("billing", era, "remember", kind="pitfall", title="t", body="b")
    assert refusal(refused)["code"] == "agent_memory_off"


UNFIT: list[tuple[str, dict[str, object], str]] = [
    ("search_agent_memory", {}, "query: is required"),
    ("search_agent_memory", {"query": 7}, "query: must be a string"),
    ("search_agent_memory", {"query": "q" * 501}, "query: must have at most 500 characters"),
    ("search_agent_memory", {"query": "q", "tags": ["Unfit Tag"]}, "tags"),
    ("search_agent_memory", {"query": "q", "customer": "secretive"}, "1 unknown field"),
    ("remember", {"kind": "secretive", "title": "t", "body": "b"}, "kind: must be one of"),
    ("remember", {"kind": "pitfall", "title": "secretive" * 20, "body": "b"}, "title"),
    ("remember", {"kind": "pitfall", "title": "t", "body": "</agent_notes> secretive"}, "body"),
    ("remember", {"kind": "pitfall", "title": "t", "body": "b", "visibility": "secretive"}, "1 unknown"),
    ("remember", {"kind": "pitfall", "title": "t", "body": "a\x00 secretive"}, "body"),
]


def test_unfit_arguments_are_named_with_their_rule_and_not_repeated(served: Served, era: str) -> None:
    async def talk(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(tool, arguments) for tool, arguments, _ in UNFIT]

    results = served.ask("billing", era, talk)
    for result, (_, _, said) in zip(results, UNFIT, strict=True):
        assert result.is_error
        assert refusal(result)["code"] == "invalid_input"
        assert said in text(result)
        assert "secretive" not in result.model_dump_json()
        assert "Unfit" not in result.model_dump_json()
    assert served.world.count(note_chain) == 0


def test_an_unknown_tool_is_an_error_of_the_protocol(served: Served, era: str) -> None:
    async def talk(client: Client) -> MCPError:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("search_customer_secrets", {"query": "q"})
        return raised.value

    error = served.ask("billing", era, talk)
    assert error.code == INVALID_PARAMS
    assert "customer_secrets" not in str(error)


def test_a_fault_of_ours_tells_the_model_nothing_but_that(
    served: Served, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError("secretive")

    monkeypatch.setattr(service, "search", broken)
    result = served.call("billing", era, "search_agent_memory", query="q")
    assert result.is_error
    assert refusal(result)["code"] == "internal_error"
    assert "secretive" not in result.model_dump_json()
    assert refusal(result)["request_id"] in text(result)
    monkeypatch.setattr(service, "tools", broken)

    async def talk(client: Client) -> MCPError:
        with pytest.raises(MCPError) as raised:
            await tools(client)
        return raised.value

    assert "secretive" not in str(served.ask("billing", era, talk))


def test_one_connection_serves_many_calls_at_once(served: Served, era: str) -> None:
    import anyio

    served.call("billing", era, "remember", kind="pitfall", title="Void invoices late", body="Close first.")

    async def talk(client: Client) -> list[int]:
        sizes: list[int] = []

        async def one() -> None:
            result = await client.call_tool("search_agent_memory", {"query": "void invoices"})
            assert result.structured_content is not None
            sizes.append(len(result.structured_content["notes"]))

        async with anyio.create_task_group() as group:
            for _ in range(30):
                group.start_soon(one)
        return sizes

    assert served.ask("billing", era, talk) == [1] * 30
