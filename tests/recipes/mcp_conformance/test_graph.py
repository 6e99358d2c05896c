"""All that the protocol's own conformance program requires of servers, of both revisions, against the memory graph.

What the graph has itself is asked of the graph. What needs a tool, prompt or resource made for the program is asked of
such fixtures behind the same front. What is left does not apply, each for its reason.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.recipes.mcp_conformance.served import serving_fixtures, serving_graph

pytestmark = pytest.mark.promise("graph-conformance")

REVISIONS = ("2025-11-25", "2026-07-28")
# What the graph answers for itself.
OF_GRAPH: Mapping[str, set[str]] = {
    "2025-11-25": {"server-initialize", "ping", "tools-list", "dns-rebinding-protection"},
    "2026-07-28": {
        "tools-list",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
        "input-required-result-unsupported-methods",
    },
}
_ONE_ANSWER = "Each POST gets one JSON document, so nothing comes before it"
_NO_STREAM = "The server is stateless and offers no stream on which it could ask the client for something"
NOT_APPLICABLE: Mapping[str, Mapping[str, str]] = {
    "2025-11-25": {
        "logging-set-level": "The server sends no log to clients, and does not declare that it would.",
        "tools-call-with-logging": f"{_ONE_ANSWER}: no log message either.",
        "tools-call-with-progress": f"{_ONE_ANSWER}: no progress either. No tool takes long enough to tell of it.",
        "tools-call-sampling": f"{_NO_STREAM}: here, a sample of the client's model.",
        "tools-call-elicitation": f"{_NO_STREAM}: here, an answer of the person.",
        "elicitation-sep1034-defaults": f"{_NO_STREAM}: here, an answer of the person with defaults.",
        "elicitation-sep1330-enums": f"{_NO_STREAM}: here, a choice of the person.",
        "server-sse-multiple-streams": "It asks for several streams of a session, and there are no sessions.",
        "resources-subscribe": "There are no resources whose changes could be told of, nor a stream to tell them on.",
        "resources-unsubscribe": "Nothing can be subscribed to.",
    },
    "2026-07-28": {
        "tools-call-with-progress": f"{_ONE_ANSWER}: no progress either. No tool takes long enough to tell of it.",
    },
}
# Not run where a server does not declare that it has subscriptions.
SKIPPED = {"SUCCESS", "INFO", "SKIPPED"}


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Where the graph is, and where the fixtures are."""
    with (
        serving_graph(tmp_path_factory.mktemp("data")) as (url, team),
        serving_fixtures(team.api.kernel, team.token()) as fixtures,
    ):
        yield url, fixtures


@pytest.mark.parametrize("revision", REVISIONS)
def test_everything_that_applies_passes(
    revision: str, command: list[str], urls: tuple[str, str], tmp_path: Path
) -> None:
    required = _required(command, revision)
    left_out = NOT_APPLICABLE[revision].keys()
    assert left_out <= required
    assert OF_GRAPH[revision] <= required - left_out
    graph, fixtures = (_run(command, url, revision, tmp_path / str(at)) for at, url in enumerate(urls))
    for found, wanted in ((graph, OF_GRAPH[revision]), (fixtures, required - left_out)):
        told = {scenario: found.get(scenario, ["it was not run"]) for scenario in sorted(wanted)}
        assert not {scenario: faults for scenario, faults in told.items() if faults}


def _required(command: list[str], revision: str) -> set[str]:
    """The names of what the revision requires of servers."""
    asked = ["list", "--requirements", revision, "--server"]
    done = subprocess.run([*command, *asked], check=True, capture_output=True, text=True)
    servers = done.stdout.partition("Server scenarios")[2].partition("Run and reported")[0]
    return set(re.findall(r"^  - (\S+)$", servers.split("\n\n")[0], re.MULTILINE))


def _run(command: list[str], url: str, revision: str, results: Path) -> dict[str, list[str]]:
    """What the program has to say, by scenario; nothing where all is well."""
    asked = ["server", "--url", url, "--requirements", revision, "--timeout", "10000", "-o", str(results)]
    # Its exit code also counts what does not apply.
    subprocess.run([*command, *asked], check=False, capture_output=True)
    found: dict[str, list[str]] = {}
    for file in results.rglob("checks.json"):
        scenario = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z", file.parent.name)
        assert scenario is not None
        checks = json.loads(file.read_text())
        found[scenario[1]] = [
            f"{check['status']} {check['id']} {check.get('errorMessage', '')}".strip()
            for check in checks
            if check["status"] not in SKIPPED
        ]
    return found
