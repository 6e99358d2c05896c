"""Our store of notes answers as LangGraph's own store does, but for what this file names."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.server import PROGRAM, running_server
from tests.recipes.adapters import scene
from tests.recipes.adapters.test_adapters import ACME, ROOMY_SECONDS
from tests.recipes.environment import ROOT, interpreter

pytestmark = [pytest.mark.nightly, pytest.mark.promise("adapters")]

Said = Mapping[str, Mapping[str, Any]]
# Theirs keeps anything anywhere, and without an index it does not rank.
DIFFERENT = {
    "search by meaning": ("Close a month", "Close a month"),
    "put elsewhere": (None, {"raised": "InvalidInputError"}),
    "put what is no note": (None, {"raised": "InvalidInputError"}),
    "put personal data": (None, {"raised": "PersonalDataError"}),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """What each store answered to each call."""
    folder = tmp_path_factory.mktemp("store")
    (folder / "acme.toml").write_text(ACME)
    apply = [*PROGRAM, "apply", str(folder / "acme.toml"), "--data", str(folder / "data"), "--json"]
    applied = subprocess.run(apply, check=True, capture_output=True, text=True)
    key = json.loads(applied.stdout)["agents"]["billing"]["keys"]["writes"]
    with running_server(folder / "data") as server:
        answered: Said = json.loads(_program(server.base_url, key))
    return answered


def test_both_answer_the_same(said: Said) -> None:
    same = {name: sides for name, sides in said.items() if name not in DIFFERENT}
    assert {name: sides["ours"] for name, sides in same.items()} == {
        name: sides["theirs"] for name, sides in same.items()
    }


def test_what_is_compared_is_there(said: Said) -> None:
    assert said["get"]["ours"]["value"]["tags"] == ["invoice"]
    assert len(said["search all"]["ours"]) == 3
    assert said["put without a namespace"]["ours"] == {"raised": "InvalidNamespaceError"}


@pytest.mark.parametrize("name", [name for name in DIFFERENT if name.startswith("put")])
def test_what_is_no_note_is_refused(said: Said, name: str) -> None:
    assert (said[name]["theirs"], said[name]["ours"]) == DIFFERENT[name]


def test_a_search_with_a_query_ranks(said: Said) -> None:
    assert said["search by meaning"]["ours"][0]["key"] == "Close a month"


def _program(base_url: str, key: str) -> str:
    folder = Path(scene.HERE) / "langgraph"
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "src"),
        "TARIMBA_BASE_URL": base_url,
        "TARIMBA_API_KEY": key,
    }
    command = [str(interpreter(folder)), str(folder / "agent_store.py"), str(ROOMY_SECONDS)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
