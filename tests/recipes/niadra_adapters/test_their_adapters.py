"""The adapters that the niadra SDK brings for twelve frameworks work against our server, unmodified.

Read from what each framework really sent to a scripted model: the notes after the agent's instructions and before the
customer's context, and the search of notes answered when the model calls it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fixtures.server import PROGRAM, running_server
from tests.recipes.adapters import checks, forms
from tests.recipes.adapters.endpoint import endpoint
from tests.recipes.adapters.scene import INSTRUCTIONS, LOOK_UP
from tests.recipes.adapters.test_adapters import ACME, NOTE, NOTES
from tests.recipes.environment import interpreter

pytestmark = [pytest.mark.nightly, pytest.mark.promise("clients-unmodified")]

HERE = Path(__file__).parent
# Those that `programs.py` has a function for.
FRAMEWORKS = (
    "openai", "litellm", "anthropic", "google_genai", "langchain", "langgraph",
    "pydantic_ai", "llamaindex", "openai_agents", "agno", "haystack", "strands",
)  # fmt: skip
KEY = """
[[agent.key]]
name = "all"
scopes = ["agent_memory", "agent_memory:write", "context", "track"]
[[person]]"""
CUSTOMER = {"type": "email", "value": "ana@example.com"}
SAID = "The customer pays on Fridays."
PATIENCE_SECONDS = 300


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Address and key of our server, which has a note and a turn of the customer."""
    folder = tmp_path_factory.mktemp("niadra")
    (folder / "acme.toml").write_text(ACME.replace("\n[[person]]", KEY, 1))
    command = [*PROGRAM, "apply", str(folder / "acme.toml"), "--data", str(folder / "data"), "--json"]
    applied = subprocess.run(command, check=True, capture_output=True, text=True)
    key = json.loads(applied.stdout)["agents"]["billing"]["keys"]["all"]
    with (
        running_server(folder / "data") as running,
        httpx.Client(
            base_url=running.base_url, headers={"authorization": f"Bearer {key}"}, timeout=60
        ) as http,
    ):
        http.post("/v1/agent-memory/notes", json=NOTE).raise_for_status()
        http.post("/v1/batch", json={"items": [turn(name) for name in FRAMEWORKS]}).raise_for_status()
        yield running.base_url, key


def turn(framework: str) -> dict[str, Any]:
    """What the customer said before, in the conversation of that framework's agent."""
    return {
        "type": "event",
        "kind": "message",
        "idempotency_key": framework,
        "channel": "chat",
        "conversation_id": f"talk-{framework}",
        "handles": [CUSTOMER],
        "speaker": {"role": "customer"},
        "content": {"type": "text", "text": SAID},
    }


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_notes_stand_between_and_the_search_is_answered(framework: str, server: tuple[str, str]) -> None:
    with endpoint() as model:
        asked = {
            "model_url": model.url,
            "instructions": INSTRUCTIONS,
            "question": LOOK_UP,
            "conversation": f"talk-{framework}",
            "customer": CUSTOMER,
        }
        said = run(framework, asked, server)
        sent = [one for one in model.sent if "embeddings" not in one.path]
    assert said.strip().splitlines()[-1] == forms.SAID
    text = checks.text_of(sent[0])
    assert text.count(NOTES) == 1
    places = [text.index(part) for part in (INSTRUCTIONS, NOTES, SAID)]
    assert all(before < after for before, after in pairwise(places)), places
    assert "search_agent_memory" in forms.of(sent[0].path).tools(sent[0].body)
    results = forms.of(sent[-1].path).results(sent[-1].body)
    assert any("post_credit" in result for result in results)


def run(framework: str, asked: dict[str, Any], server: tuple[str, str]) -> str:
    python = interpreter(HERE)
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(python.parents[1]),
        "NIADRA_BASE_URL": server[0],
        "NIADRA_API_KEY": server[1],
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        **dict.fromkeys(("OTEL_SDK_DISABLED", "DO_NOT_TRACK"), "true"),
        **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "none"),
    }
    done = subprocess.run(
        [str(python), str(HERE / "programs.py"), framework],
        input=json.dumps(asked),
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
