"""Every adapter in its real framework: where the notes stand, what two customers share, and what happens without us."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.docs.markdown import fences
from tests.fixtures.server import PROGRAM, running_server
from tests.recipes.adapters import checks, forms, scene
from tests.recipes.adapters.endpoint import endpoint
from tests.recipes.adapters.scene import CUSTOMERS, INSTRUCTIONS, LOOK_UP, QUESTION, Run, Server
from tests.recipes.environment import ROOT
from tests.recipes.npm import node
from tests.recipes.typescript.package import HERE, PackageError, copied

pytestmark = [pytest.mark.nightly, pytest.mark.promise("typescript-adapters")]

FRAMEWORKS = HERE / "frameworks"
EACH = sorted(path.stem for path in FRAMEWORKS.glob("*.ts") if path.stem != "asked")
# Those whose form of request has a place for a mark.
MARKED = frozenset({"openai_chat", "anthropic", "ai_anthropic"})
OURS = frozenset({"search_agent_memory", "remember"})
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


@dataclass(frozen=True)
class Programs:
    """The compiled programs, one for each framework, and the Node that runs them."""

    node: str
    folder: Path

    def run(
        self,
        framework: str,
        server: Server,
        *,
        questions: tuple[str, ...] = (QUESTION, QUESTION),
        write: bool = False,
    ) -> Run:
        """Asks an agent of the framework one question for each customer in turn."""
        with endpoint() as model:
            turns = [
                {"customer": customer, "question": question}
                for customer, question in zip(CUSTOMERS, questions, strict=False)
            ]
            asked = {"instructions": INSTRUCTIONS, "write": write, "budget": server.budget, "turns": turns}
            printed = self.printed(framework, json.dumps({**asked, "model_url": model.url}), server)
            answers: list[str] = json.loads(printed.strip().splitlines()[-1])["answers"]
            return Run(answers, list(model.sent))

    def printed(self, program: str, given: str, server: Server) -> str:
        """What a program printed that read `given`. Raises `PackageError`."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "TARIMBA_BASE_URL": server.base_url,
            "TARIMBA_API_KEY": server.key,
            "MASTRA_TELEMETRY_DISABLED": "1",
            **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "none"),
        }
        done = subprocess.run(
            [self.node, str(self.folder / "made" / f"{program}.js")],
            input=given,
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=scene.PATIENCE_SECONDS,
            check=False,
        )
        if done.returncode:
            raise PackageError(f"{program} ended with {done.returncode}; it wrote: {done.stderr[-4000:]}")
        return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Compiled against the real frameworks: the types of both sides fit, or this fails."""
    folder = tmp_path_factory.mktemp("programs")
    package = copied("node24", folder / "sdk")
    package.tool("typescript/bin/tsc")
    program, modules = node(HERE / "node24", FRAMEWORKS)
    found = folder / "node_modules"
    found.mkdir()
    for path in modules.iterdir():
        (found / path.name).symlink_to(path)
    shutil.copytree(package.folder / "dist", found / "tarimba" / "dist")
    shutil.copy(package.folder / "package.json", found / "tarimba")
    for path in FRAMEWORKS.iterdir():
        shutil.copy(path, folder)
    for at, text in enumerate(_examples()):
        (folder / f"example_{at}.ts").write_text(text, encoding="utf-8")
    compiler = str(found / "typescript" / "bin" / "tsc")
    done = subprocess.run(
        [program, compiler, "--project", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return Programs(program, folder)


def _examples() -> list[str]:
    """Those of the documentation, the first of which runs."""
    page = ROOT / "docs" / "how-to" / "typescript.md"
    return [fence.text for fence in fences(page) if fence.language == "ts"]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """Our server with one note, as seen by a key that reads, one that writes, and one that is unknown."""
    folder = tmp_path_factory.mktemp("served")
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
    framework: str, programs: Programs, keys: dict[str, Server]
) -> None:
    run = programs.run(framework, keys["reads"])
    assert [forms.SAID in answer for answer in run.answers] == [True, True]
    requests = checks.first_of_each(run.sent)
    for sent, customer in zip(requests, CUSTOMERS, strict=True):
        checks.stands_between(sent, NOTES, customer)
        if framework in MARKED:
            checks.is_marked_behind_the_notes(sent)
    checks.share_their_beginning(*requests)


@pytest.mark.parametrize("framework", EACH)
def test_the_model_looks_into_the_notes_when_it_wants_to(
    framework: str, programs: Programs, keys: dict[str, Server]
) -> None:
    run = programs.run(framework, keys["reads"], questions=(LOOK_UP,))
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
    framework: str, programs: Programs, keys: dict[str, Server], *, key: str, write: bool, names: set[str]
) -> None:
    run = programs.run(framework, keys[key], questions=(QUESTION,), write=write)
    first = run.sent[0]
    assert sorted(OURS.intersection(forms.of(first.path).tools(first.body))) == sorted(names)


@pytest.mark.parametrize("framework", EACH)
@pytest.mark.parametrize("instead", [scene.absent, scene.silent, scene.failing])
def test_without_our_server_the_agent_answers_all_the_same(
    framework: str, programs: Programs, instead: Callable[[], AbstractContextManager[Server]]
) -> None:
    with instead() as server:
        run = programs.run(framework, server)
    assert [forms.SAID in answer for answer in run.answers] == [True, True]
    assert all("<agent_notes>" not in checks.text_of(sent) for sent in run.sent)


@pytest.mark.parametrize("framework", EACH)
def test_with_an_unknown_key_the_agent_answers_all_the_same(
    framework: str, programs: Programs, keys: dict[str, Server]
) -> None:
    run = programs.run(framework, keys["unknown"])
    assert [forms.SAID in answer for answer in run.answers] == [True, True]
    assert all("<agent_notes>" not in checks.text_of(sent) for sent in run.sent)


def test_the_example_of_the_documentation_runs(programs: Programs, keys: dict[str, Server]) -> None:
    printed = programs.printed("example_0", "", keys["writes"])
    assert NOTES in printed
    assert printed.rstrip().endswith("kept")
