"""What is installed, locked and offered as a command."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.house import ROOT, tracked_files

LOCKS = ("requirements/server.txt", "requirements/dev.txt")
ALL_LOCKS = (*LOCKS, "requirements/container.txt", "requirements/build.txt")
MAKE_TARGETS = 10


def _project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def _names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in requirements}


@pytest.mark.promise("light-client")
def test_the_base_package_needs_an_http_client_and_pydantic() -> None:
    assert _names(_project()["project"]["dependencies"]) == {"httpx", "pydantic"}


@pytest.mark.promise("locked-dependencies")
@pytest.mark.parametrize("lock", ALL_LOCKS)
def test_a_lock_pins_and_hashes_everything_and_names_no_place(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", re.sub(r"^ *#.*\n", "", text, flags=re.MULTILINE))
    assert entries
    assert not [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry]
    assert not re.search(r"://|--(extra-)?index-url|--find-links|@ ", text)


@pytest.mark.promise("locked-dependencies")
def test_the_locks_hold_what_the_project_declares() -> None:
    project = _project()
    extras = [line for lines in project["project"]["optional-dependencies"].values() for line in lines]
    declared = project["project"]["dependencies"] + extras
    groups = [
        line for lines in project["dependency-groups"].values() for line in lines if isinstance(line, str)
    ]
    server, dev = ({canonicalize_name(name) for name in _locked(ROOT / lock)} for lock in LOCKS)
    assert _names(declared) - {"tarimba"} <= server
    assert server | _names(groups) <= dev


@pytest.mark.promise("locked-dependencies")
def test_the_locks_agree_on_versions() -> None:
    dev = _locked(ROOT / "requirements/dev.txt")
    for lock in ALL_LOCKS:
        locked = _locked(ROOT / lock)
        assert {name: dev[name] for name in locked} == locked, lock


@pytest.mark.promise("one-command")
def test_make_explains_at_most_ten_targets() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", text, flags=re.MULTILINE)) - {"help"}
    explained = set(re.findall(r"^([a-z-]+):.*## ", text, flags=re.MULTILINE))
    assert targets == explained
    assert len(explained) <= MAKE_TARGETS


@pytest.mark.promise("one-command")
def test_what_make_runs_is_under_version_control_and_executable() -> None:
    commands = [path for path in tracked_files() if path.read_bytes().startswith(b"#!")]
    assert {ROOT / ".ci/run", ROOT / "scripts/system-packages"} <= set(commands)
    assert all(path.stat().st_mode & 0o111 for path in commands)


def _locked(lock: Path) -> dict[str, set[str]]:
    """Name -> versions; more than one when the version depends on the Python."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(
        r"^([a-z0-9.-]+)==(\S+)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE
    ):
        found.setdefault(name, set()).add(version)
    return found
