"""From inside, by every way that we can think of: nothing is changed, nothing of others is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarimba.workspaces.running import syscalls
from tarimba.workspaces.running.plan import LAYERS
from tests.e2e.confinement.stage import STRANGER, Stage, attack, attacked, code, listening, reached, staged

IS_ROOT = os.geteuid() == 0
# What a run is, by whom it is asked for and to whom the workspace belongs. Only root can be somebody else.
ASKED = ["alone", *(["root for root", "root for another", "another"] if IS_ROOT else [])]
SCOPES = syscalls.landlock_version() >= 6
# What is refused by one layer alone, so that without it the attempt succeeds.
ALONE = {
    "no_capabilities": {"have capabilities"},
    "landlock": {"abstract socket of the host"} if SCOPES else set(),
    "call_filter": {"keyctl", "add a key", "run as its owner", "begin as its owner"},
}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return code(reached(tmp_path_factory.mktemp("packages")))


@pytest.fixture(scope="module")
def abstract() -> Iterator[str]:
    with listening() as name:
        yield name


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return reached(tmp_path)


@pytest.fixture
def stage(top: Path) -> Stage:
    return staged(top, os.geteuid())


@pytest.mark.promise("workspace-confined")
@pytest.mark.parametrize("is_root", [False, True], ids=["as the agent", "as root inside"])
@pytest.mark.parametrize("asked", ASKED)
def test_nothing_is_changed_and_nothing_of_others_is_read(
    top: Path, packages: Path, abstract: str, asked: str, is_root: bool
) -> None:
    owner = STRANGER if asked.endswith("another") else os.geteuid()
    stage = staged(top, owner)
    before = stage.state()
    found = attacked(
        stage, packages, STRANGER if asked == "another" else None, attack(stage, abstract, is_root=is_root)
    )
    results = found["results"]
    assert results.pop("allowed") == "done"
    assert [name for name, result in results.items() if result == "done"] == []
    assert stage.state() == before
    assert found["uid"] == (0 if is_root else 1000)
    assert set(found["environment"]) == {"PATH", "HOME", "USER", "LANG", "CLAUDE_CONFIG_DIR", "GIVEN"}
    assert (stage.workspace / ".claude/skills/mine/SKILL.md").stat().st_uid == owner


@pytest.mark.promise("workspace-confined")
def test_without_the_read_only_mounts_the_same_attempts_succeed(
    stage: Stage, packages: Path, abstract: str
) -> None:
    before = stage.state()
    found = attacked(stage, packages, None, attack(stage, abstract, layers=LAYERS - {"read_only"}))
    written = {name.split(" /")[0] for name, result in found["results"].items() if result == "done"}
    assert {
        "write",
        "append",
        "truncate",
        "chmod",
        "create in",
        "unlink",
    } <= written
    assert stage.state() != before


@pytest.mark.promise("workspace-confined")
@pytest.mark.parametrize("missing", sorted(ALONE))
def test_each_layer_is_needed_and_the_others_hold_without_it(
    stage: Stage, packages: Path, abstract: str, missing: str
) -> None:
    before = stage.state()
    found = attacked(stage, packages, None, attack(stage, abstract, layers=LAYERS - {missing}, is_root=True))
    done = {name for name, result in found["results"].items() if result == "done"} - {"allowed"}
    assert ALONE[missing] <= done
    assert stage.state() == before
    assert not [name for name in done if _is_of_mounts(name)]


@pytest.mark.promise("workspace-confined")
def test_root_with_every_capability_inside_lifts_no_mount(
    stage: Stage, packages: Path, abstract: str
) -> None:
    before = stage.state()
    only = frozenset({"read_only"})
    groups = ("on_paths", "namespaces", "rights")
    found = attacked(stage, packages, None, attack(stage, abstract, groups, layers=only, is_root=True))
    results = found["results"]
    assert results["have capabilities"] == "done"
    assert not [name for name, result in results.items() if result == "done" and _is_of_mounts(name)]
    assert stage.state() == before


def _is_of_mounts(name: str) -> bool:
    return name.startswith(
        ("remount ", "lift ", "unmount ", "detach ", "write ", "namespace of user", "child with")
    )
