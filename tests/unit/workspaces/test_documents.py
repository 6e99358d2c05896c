"""What a workspace has read-only, by harness, language and project."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from tarimba.harnesses.service import McpServer, profile, shipped
from tarimba.mcp import graph_names
from tarimba.skills.shipped import LANGUAGES
from tarimba.workspaces.documents import Ground, digest, documents, fingerprint

PERSONA = {"AGENT.md": "You keep the ledger of Quokka Harbour.", "SOUL.md": "Be brief."}
SERVER = McpServer("https://memory.example.com/v1/mcp", "token")


def ground(harness: str, **changes: Any) -> Ground:
    return replace(Ground(profile(harness), "en", PERSONA, has_graph=True), **changes)


@pytest.mark.promise("rules-every-turn")
@pytest.mark.parametrize("harness", shipped())
def test_whatever_a_harness_reads_every_turn_the_persona_and_the_rules_are_in_it(harness: str) -> None:
    one = profile(harness)
    found = documents(ground(harness))
    every_turn = [found[name] for name in one.persona]
    if one.always_on not in one.persona and one.always_on in found:
        every_turn.append(found[one.always_on])
    if one.reads_memory_each_turn:
        every_turn += [data for path, data in found.items() if path.startswith("memory/")]
    read = b"\n".join(every_turn).decode()
    for text in (*PERSONA.values(), "Handing files to the member", "Where something worth keeping goes"):
        assert read.count(text) == 1, f"{harness} reads it once: {text}"
    # Who reads all of memory has the notes themselves.
    assert one.reads_memory_each_turn or "MEMORY_CUSTOM.md" in read.split("# The member's standing notes")[1]
    assert not one.include or "@memory/MEMORY_CUSTOM.md" in read


@pytest.mark.promise("rules-every-turn")
@pytest.mark.parametrize("harness", shipped())
def test_the_rules_of_the_graph_name_its_tools_as_the_agent_sees_them_and_go_with_it(harness: str) -> None:
    one = profile(harness)
    routing = documents(ground(harness))["memory/MEMORY_ROUTING.md"].decode()
    named = set(
        re.findall(r"`([a-z_]+?(?:search_nodes|create_entities|add_observations|create_relations))`", routing)
    )
    tools = ("search_nodes", "create_entities", "add_observations", "create_relations")
    before = one.tool_prefix.format(server=graph_names.SERVER)
    assert named == {before + graph_names.listed(one, tool) for tool in tools}, "as the server lists them"
    without = documents(ground(harness, has_graph=False))
    assert "memory/MEMORY_ROUTING.md" not in without
    assert not any(b"search_nodes" in data for data in without.values())


@pytest.mark.promise("rules-every-turn")
def test_documents_name_the_paths_of_where_they_lie_and_speak_the_language_of_the_space() -> None:
    texts = {}
    for language in LANGUAGES:
        found = documents(ground("picoclaw", language=language), "roof")
        assert all("/workspace/" not in data.decode() for data in found.values())
        texts[language] = found["AGENT.md"]
        assert b"/workspace-roof/memory/MEMORY_CUSTOM.md" in found["AGENT.md"]
    assert len(set(texts.values())) == len(LANGUAGES)


@pytest.mark.promise("workspace-restart")
def test_the_digest_differs_with_everything_that_a_container_gets() -> None:
    def of(made: Ground, server: McpServer | None = SERVER) -> str:
        return digest(fingerprint(made), None if server is None else server.entry(made.profile))

    base = ground("claude-code")
    others = [
        of(base, None),
        of(base, replace(SERVER, token="another")),
        of(base, replace(SERVER, url="https://other.example.com/v1/mcp")),
        of(ground("claude-code", language="pt")),
        of(ground("claude-code", has_graph=False)),
        of(ground("claude-code", persona=PERSONA | {"SOUL.md": "Be kind."})),
        of(ground("codex")),
    ]
    assert len({of(base), *others}) == len(others) + 1
    assert of(base) == of(ground("claude-code"))


@pytest.mark.promise("persona-shared")
@pytest.mark.parametrize("harness", shipped())
def test_persona_files_are_there_without_a_persona_too_so_that_no_agent_writes_its_own(harness: str) -> None:
    found = documents(ground(harness, persona={}))
    assert {"AGENT.md", "SOUL.md"} <= found.keys()
    assert found["SOUL.md"] == b""
