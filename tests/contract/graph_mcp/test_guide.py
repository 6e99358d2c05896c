"""The configurations in the guide are those that provisioning writes."""

import json
import tomllib

import pytest

from tarimba.harnesses.configuring import McpServer, configured
from tarimba.harnesses.service import profile, shipped
from tests.architecture.house import ROOT
from tests.docs.markdown import fences

GUIDE = ROOT / "docs" / "how-to" / "connect-the-graph.md"


@pytest.mark.promise("graph-tool-names")
@pytest.mark.parametrize("harness", shipped())
def test_the_guide_shows_what_a_harness_gets(harness: str) -> None:
    of = profile(harness)
    made = configured(of, None, McpServer("https://memory.acme.example/v1/mcp", "TOKEN"))
    assert made is not None
    read = tomllib.loads if of.config_format == "toml" else json.loads
    shown = [read(fence.text) for fence in fences(GUIDE) if fence.words == (of.config_format,)]
    assert read(made.decode()) in shown
