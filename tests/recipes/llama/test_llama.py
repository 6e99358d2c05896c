"""A distillation by a real model: llama.cpp's own server, with weights that a package ships.

The model is tiny and its words are poor. What is tested is the protocol, the schema and the guards, not the prose.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarimba.distill import answer, prompt
from tarimba.distill.chat import Chat
from tarimba.distill.model import Task
from tarimba.distill.rules import WAITS_S
from tarimba.kernel import Kernel
from tarimba.proposals.model import PROBLEMS
from tarimba.settings import Settings
from tests.contract.distill.stage import ask, later, now, record_turns, with_model, work
from tests.contract.notes.world import found_company
from tests.e2e.company import Place
from tests.fixtures.cluster import free_port
from tests.recipes.environment import interpreter, running
from tests.unit.distill.turns import did, said

pytestmark = pytest.mark.nightly
HERE = Path(__file__).parent
# Two cores that also do something else.
BUDGET = 600


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    command = [str(interpreter(HERE, "--no-deps")), str(HERE / "serve.py"), str(port)]
    log = tmp_path_factory.mktemp("llama") / "llama.log"
    with running(command, os.environ, f"http://127.0.0.1:{port}/health", log):
        yield f"http://127.0.0.1:{port}/v1"


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    with Place(tmp_path, None).kernel() as opened:
        yield opened


def test_it_answers_in_the_schema(url: str) -> None:
    chat = Chat(Settings.model_validate({"llm_url": url, "llm_timeout_s": BUDGET}))
    turns = (said("My invoice is wrong."), did("invoice.void", "invoice"), did("order.reopen", "order"))
    asked = prompt.messages(Task(turns, "pt", 120, 2000), "0123456789abcdef")
    content = chat.complete(asked, prompt.SCHEMA)
    chat.close()
    assert set(json.loads(content)) == set(prompt.SCHEMA["required"])
    answer.read(content)


def test_what_it_writes_passes_every_guard_or_is_not_proposed(url: str, kernel: Kernel) -> None:
    world = found_company(kernel)
    record_turns(world)
    asked = ask(world)
    while (made := now(world, asked)).status == "drafting":
        assert work(world, with_model(world, url, llm_timeout_s=BUDGET))
        later(world, WAITS_S[-1])
    if made.status == "pending":
        assert made.text.title
        assert made.detectors
    else:
        assert made.problem in PROBLEMS
    (receipt,) = world.receipts("distill.finish")
    assert (receipt["detail"]["status"], receipt["detail"]["writer"]) == (made.status, "model")
