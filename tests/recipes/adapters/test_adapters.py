"""Every adapter in its real framework: where the notes stand, what two customers share, and what happens without us."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from tests.fixtures.server import PROGRAM, running_server
from tests.recipes.adapters import checks, forms, scene
from tests.recipes.adapters.scene import CUSTOMERS, LOOK_UP, QUESTION, Server

pytestmark = [pytest.mark.promise("adapters")]

FRAMEWORKS = tuple(sorted(path.parent.name for path in scene.HERE.glob("*/agent.py")))
# Those whose form of request has a place for a mark, and whose model takes it.
MARKED = frozenset(
    {
        "agent_framework",
        "agno",
        "anthropic_sdk",
        "bedrock",
        "camel",
        "crewai",
        "haystack",
        "langchain",
        "langgraph",
        "litellm",
        "livekit",
        "openai_sdk",
        "pipecat",
        "pydantic_ai",
        "smolagents",
        "strands",
    }
)
# Those with a program whose caller sets all the marks that are allowed.
FULLY_MARKED = tuple(sorted(path.parent.name for path in scene.HERE.glob("*/agent_marks.py")))
# Programs that ask further models of their framework.
FURTHER = tuple(sorted((path.parent.name, path.name) for path in scene.HERE.glob("*/agent_by_*.py")))
# Those of them whose form of request has no place for a mark, unlike their framework's first program.
UNMARKED = frozenset({("haystack", "agent_by_openai.py")})
# These run with every change, the others at night.
ALWAYS = frozenset({"openai_sdk", "langchain", "openai_agents"})
EACH = [
    pytest.param(name, marks=() if name in ALWAYS else pytest.mark.nightly, id=name) for name in FRAMEWORKS
]

ACME = """
[space]
slug = "acme"
language = "en"
[agent_memory]
enabled = true
writes = "agent"
[[vendor]]
slug = "norte"
[[agent]]
slug = "billing"
vendor = "norte"
[[agent.key]]
name = "reads"
scopes = ["agent_memory"]
[[agent.key]]
name = "writes"
scopes = ["agent_memory", "agent_memory:write"]
[[person]]
slug = "rita"
email = "rita@acme.example"
roles = ["owner"]
"""
NOTE = {"kind": "procedure", "title": "Credit an invoice", "body": "Call post_credit with whole cents."}
NOTES = "- [procedure] Credit an invoice: Call post_credit with whole cents."
# No server of ours needs a tenth of it.
ROOMY_SECONDS = 60.0


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """Our server with one note, as seen by a key that reads, one that writes, and one that is unknown."""
    folder = tmp_path_factory.mktemp("adapters")
    (folder / "acme.toml").write_text(ACME)
    applied = subprocess.run(
        [*PROGRAM, "apply", str(folder / "acme.toml"), "--data", str(folder / "data"), "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    minted = json.loads(applied.stdout)["agents"]["billing"]["keys"]
    with running_server(folder / "data") as server:
        bearer = {"authorization": f"Bearer {minted['writes']}"}
        httpx.post(f"{server.base_url}/v1/agent-memory/notes", json=NOTE, headers=bearer).raise_for_status()
        known = {name: Server(server.base_url, key, ROOMY_SECONDS) for name, key in minted.items()}
        yield known | {"unknown": Server(server.base_url, minted["reads"] + "x")}


@pytest.mark.parametrize("framework", EACH)
def test_notes_stand_between_and_two_customers_share_all_up_to_their_end(
    framework: str, keys: dict[str, Server]
) -> None:
    run = scene.run(framework, keys["reads"])
    assert [forms.SAID in answer for answer in run.answers] == [True, True]
    requests = checks.first_of_each(run.sent)
    for sent, customer in zip(requests, CUSTOMERS, strict=True):
        checks.stands_between(sent, NOTES, customer)
        if framework in MARKED:
            checks.is_marked_behind_the_notes(sent)
    checks.share_their_beginning(*requests)


@pytest.mark.nightly
@pytest.mark.parametrize(("framework", "program"), FURTHER)
def test_further_models_of_a_framework_are_asked_alike(
    framework: str, program: str, keys: dict[str, Server]
) -> None:
    run = scene.run(framework, keys["reads"], questions=(QUESTION, LOOK_UP), program=program)
    assert [forms.SAID in answer for answer in run.answers] == [True, True]
    requests = checks.first_of_each(run.sent)
    checks.stands_between(requests[0], NOTES, CUSTOMERS[0])
    checks.share_their_beginning(*requests)
    if framework in MARKED and (framework, program) not in UNMARKED:
        checks.is_marked_behind_the_notes(requests[0])
    last = run.sent[-1]
    assert "post_credit" in forms.of(last.path).results(last.body)[0]


@pytest.mark.nightly
@pytest.mark.parametrize("framework", FULLY_MARKED)
def test_there_is_never_a_fifth_mark_and_none_moves(framework: str, keys: dict[str, Server]) -> None:
    run = scene.run(framework, keys["reads"], program="agent_marks.py")
    for sent, customer in zip(checks.first_of_each(run.sent), CUSTOMERS, strict=True):
        checks.stands_between(sent, NOTES, customer)
        checks.has_the_callers_marks_alone(sent)


@pytest.mark.parametrize("framework", EACH)
def test_the_model_looks_into_the_notes_when_it_wants_to(framework: str, keys: dict[str, Server]) -> None:
    run = scene.run(framework, keys["reads"], questions=(LOOK_UP,))
    assert forms.SAID in run.answers[0]
    last = run.sent[-1]
    results = forms.of(last.path).results(last.body)
    assert len(results) == 1
    assert "post_credit" in results[0]


@pytest.mark.parametrize("framework", EACH)
@pytest.mark.parametrize(
    ("key", "write", "names"),
    [
        ("reads", False, {"search_agent_memory"}),
        ("writes", False, {"search_agent_memory"}),
        ("writes", True, {"search_agent_memory", "remember"}),
        ("reads", True, {"search_agent_memory"}),
    ],
)
def test_the_tools_are_those_of_the_key(
    framework: str, keys: dict[str, Server], key: str, write: bool, names: set[str]
) -> None:
    run = scene.run(framework, keys[key], questions=(QUESTION,), write=write)
    first = run.sent[0]
    offered = forms.of(first.path).tools(first.body)
    assert sorted(one for one in offered if one in {"search_agent_memory", "remember"}) == sorted(names)


@pytest.mark.parametrize("framework", EACH)
@pytest.mark.parametrize("instead", [scene.absent, scene.silent, scene.failing])
def test_without_our_server_the_agent_answers_all_the_same(
    framework: str, instead: Callable[[], AbstractContextManager[Server]]
) -> None:
    with instead() as server:
        run = scene.run(framework, server)
    assert [forms.SAID in answer for answer in run.answers] == [True, True]
    assert all("<agent_notes>" not in checks.text_of(sent) for sent in run.sent)


@pytest.mark.parametrize("framework", EACH)
def test_with_an_unknown_key_the_agent_answers_all_the_same(framework: str, keys: dict[str, Server]) -> None:
    run = scene.run(framework, keys["unknown"])
    assert [forms.SAID in answer for answer in run.answers] == [True, True]
    assert all("<agent_notes>" not in checks.text_of(sent) for sent in run.sent)
