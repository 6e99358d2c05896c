"""One framework under test: an agent in an environment of its own, a model that says what it is told, our server.

A folder here is a framework: `requirements.txt` (locked) and `agent.py`. That program reads one JSON document from its
standard input, `{model_url, instructions, write, budget, turns: [{customer, question}]}`, makes ONE agent with our
adapter, asks it each question with the customer's context, and prints `{"answers": [...]}` as a line of its output:
`asked.main` does all of it but the agent. Key and address of our server come from the environment.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.contract.client.tiny import answer, silence, tiny_server
from tests.fixtures.cluster import free_port
from tests.recipes.adapters import forms
from tests.recipes.adapters.endpoint import Endpoint, Sent, endpoint
from tests.recipes.environment import ROOT, interpreter

HERE = Path(__file__).parent
INSTRUCTIONS = "You collect what is due for Acme. Be brief, and never promise a date."
CUSTOMERS = (
    "<customer_context>\nCustomer number one pays on Fridays.\n</customer_context>",
    "<customer_context>\nCustomer number two wants e-mail only.\n</customer_context>",
)
QUESTION = "Why is my invoice higher this month?"
LOOK_UP = "Look it up: how is an invoice credited?"
# Long enough for the slowest framework to load on a busy machine; nothing is measured by it.
PATIENCE_SECONDS = 300
_ANSWERED = '{"answers": '


class AdapterError(Exception):
    """An agent's program failed; the sentence ends with what it wrote."""


@dataclass(frozen=True)
class Run:
    """What an agent answered, and what its model was sent meanwhile."""

    answers: Sequence[str]
    sent: Sequence[Sent] = field(repr=False)


@dataclass(frozen=True)
class Server:
    """Our server, or what stands in its place."""

    base_url: str
    key: str = field(repr=False)
    # Seconds that a call may take; None leaves the client's own budgets.
    budget: float | None = None


def run(
    framework: str,
    server: Server,
    *,
    questions: Sequence[str] = (QUESTION, QUESTION),
    write: bool = False,
    program: str = "agent.py",
) -> Run:
    """Asks an agent of the framework one question for each customer in turn. `program` may be another of its folder."""
    with endpoint() as model:
        asked = {
            "model_url": model.url,
            "instructions": INSTRUCTIONS,
            "write": write,
            "budget": server.budget,
            "turns": [
                {"customer": customer, "question": question}
                for customer, question in zip(CUSTOMERS, questions, strict=False)
            ],
        }
        printed = _program(HERE / framework / program, asked, server)
        return Run(printed["answers"], _of_agents(model))


@contextmanager
def absent() -> Iterator[Server]:
    """Nobody listens there."""
    yield Server(f"http://127.0.0.1:{free_port()}", "tar_sk_test_0123456789abcdef_none")


@contextmanager
def silent() -> Iterator[Server]:
    """A server that takes requests and never answers."""
    with tiny_server(silence) as server:
        yield Server(server.base_url, "tar_sk_test_0123456789abcdef_none")


@contextmanager
def failing() -> Iterator[Server]:
    """A server whose every answer is 500."""
    with tiny_server(answer("500 Internal Server Error", b"{}")) as server:
        yield Server(server.base_url, "tar_sk_test_0123456789abcdef_none")


def _of_agents(model: Endpoint) -> list[Sent]:
    """Without what some frameworks ask the model beside the agent's turn: embeddings, and how long a request is."""
    return [one for one in model.sent if not one.path.endswith(("/embeddings", forms.COUNT))]


def _program(program: Path, asked: Mapping[str, Any], server: Server) -> dict[str, Any]:
    python = interpreter(program.parent)
    environment = {
        **_quiet(),
        "PATH": os.environ["PATH"],
        "HOME": str(python.parents[1]),
        # Not this folder: its folders have the names of the frameworks.
        "PYTHONPATH": f"{ROOT / 'src'}:{HERE / 'inside'}",
        "TARIMBA_BASE_URL": server.base_url,
        "TARIMBA_API_KEY": server.key,
        # One key for all: none of the models is real.
        **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"), "none"),
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    done = subprocess.run(
        [str(python), str(program)],
        input=json.dumps(asked),
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    if done.returncode:
        raise AdapterError(
            f"{program.parent.name} ended with {done.returncode}; it wrote: {done.stderr[-4000:]}"
        )
    # Some frameworks print from threads of theirs, also behind it.
    line = next(one for one in reversed(done.stdout.splitlines()) if one.startswith(_ANSWERED))
    printed: dict[str, Any] = json.loads(line)
    return printed


def _quiet() -> dict[str, str]:
    """Frameworks that would tell somebody of their use, told not to."""
    names = ("OTEL_SDK_DISABLED", "CREWAI_DISABLE_TELEMETRY", "HAYSTACK_TELEMETRY_ENABLED", "DO_NOT_TRACK")
    told = dict.fromkeys(names, "true")
    return told | {"HAYSTACK_TELEMETRY_ENABLED": "False", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
