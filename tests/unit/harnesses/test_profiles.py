"""The shipped harnesses: each is one file, and the administrators' root is where it looks first."""

import json
import re
from pathlib import PurePosixPath

import pytest

from tarimba.errors import Refusal
from tarimba.harnesses.model import FEATURES
from tarimba.harnesses.service import checked_harness, profile, require, shipped
from tarimba.identity import drafts, schemas
from tarimba.identity.drafts import AgentChange

KNOWN = ("claude-code", "codex", "ganglion", "generic", "nanobot", "openclaw", "picoclaw")
TYPES = {
    "name": str,
    "shared_root": str,
    "own_root": str,
    "order": tuple,
    "counts_bytes": bool,
    "reads_memory_each_turn": bool,
    "always_on": str,
    "tool_prefix": str,
    "features": frozenset,
    "persona": tuple,
    "include": str,
    "config": str,
    "mount": str,
}


def test_the_harnesses_that_people_run_are_shipped() -> None:
    assert shipped() == KNOWN
    assert drafts.GENERIC_HARNESS in KNOWN


@pytest.mark.parametrize("name", KNOWN)
def test_a_profile_is_whole_and_keeps_to_its_workspace(name: str) -> None:
    one = profile(name)
    assert {field: type(getattr(one, field)) for field in TYPES} == TYPES
    assert one.name == name
    assert one.secrets in {"files", "environment"}
    assert all(isinstance(value, str) for value in one.environment.values())
    assert one.features <= FEATURES.keys()
    for path in (one.shared_root, one.own_root, one.always_on):
        parts = PurePosixPath(path).parts
        assert not path.startswith("/")
        assert ".." not in parts
        assert str(PurePosixPath(*parts)) == path


@pytest.mark.promise("administrators-win")
@pytest.mark.parametrize("name", KNOWN)
def test_the_administrators_root_is_the_one_that_the_harness_looks_in_first(name: str) -> None:
    one = profile(name)
    assert one.order == (one.shared_root, one.own_root)
    # Neither lies in the other: a read-only directory would hold the writable one, or the other way round.
    shared, own = PurePosixPath(one.shared_root), PurePosixPath(one.own_root)
    assert not shared.is_relative_to(own)
    assert not own.is_relative_to(shared)


def test_what_a_harness_needs_beside_its_own_root_lies_in_the_workspace() -> None:
    files = {path: text for name in KNOWN for path, text in profile(name).scaffold.items()}
    assert list(files) == ["plugins/own/plugin.json"]
    assert json.loads(files["plugins/own/plugin.json"])["name"] == "own"


def test_a_project_is_seen_beside_the_main_workspace() -> None:
    one = profile("generic")
    assert str(one.seen_at()) == "/workspace"
    assert str(one.seen_at("relatorios")) == "/workspace-relatorios"


@pytest.mark.promise("known-harness")
def test_an_unknown_harness_is_refused_with_the_list_of_those_that_there_are() -> None:
    for name in ("", "Ganglion", "../generic", "hermes"):
        with pytest.raises(Refusal, match=r"^harness: must be one of claude-code, codex, .*, picoclaw$"):
            profile(name)
    with pytest.raises(Refusal, match=re.escape("agent[0].harness: must be one of")) as refused:
        AgentChange.of(None, "hermes", None, "agent[0].")
    assert "hermes" not in refused.value.detail
    assert checked_harness("harness", "codex") == "codex"


@pytest.mark.promise("known-harness")
def test_what_a_harness_cannot_serve_is_said_by_name() -> None:
    require(profile("ganglion"), "projects", "cobranca")
    with pytest.raises(Refusal, match=r"picoclaw .* cobranca .* projects") as refused:
        require(profile("picoclaw"), "projects", "cobranca")
    assert refused.value.status == 501


def test_the_described_harnesses_are_the_shipped_ones() -> None:
    described = schemas.AgentBody.model_json_schema()["properties"]["harness"]
    assert tuple(described["anyOf"][0]["enum"]) == KNOWN
