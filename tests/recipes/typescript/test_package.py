"""The package for TypeScript: typed, light, and of one mind with the client in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tarimba
from tests.recipes.typescript.package import SDK, Package, copied

NEWEST = pytest.param("node24", marks=pytest.mark.nightly)
BYTES_MAX = 40 * 1024


@pytest.fixture(params=["node20", NEWEST])
def package(request: pytest.FixtureRequest, tmp_path: Path) -> Package:
    return copied(request.param, tmp_path / "sdk")


@pytest.mark.promise("typescript")
def test_its_tests_pass(package: Package) -> None:
    package.tool("typescript/bin/tsc", "--project", "test")
    tests = sorted(str(path) for path in (package.folder / "build" / "test").glob("*.test.js"))
    written = package.run("--test", "--test-reporter=tap", *tests)
    assert "# fail 0\n" in written
    assert "# skipped 0\n" in written
    assert len(tests) == len(list((SDK / "test").glob("*.test.ts")))


def test_it_keeps_the_rules_of_its_linter(tmp_path: Path) -> None:
    package = copied("node20", tmp_path / "sdk")
    package.tool("@biomejs/biome/bin/biome", "ci", "--reporter=summary")


@pytest.mark.promise("typescript-light")
def test_it_is_light_and_depends_on_nothing(tmp_path: Path) -> None:
    package = copied("node20", tmp_path / "sdk")
    package.tool("typescript/bin/tsc")
    assert int(package.run("weigh.mjs")) <= BYTES_MAX
    said = json.loads((SDK / "package.json").read_text())
    assert "dependencies" not in said
    assert said["version"] == tarimba.__version__.replace(".dev", "-dev.")


def test_its_lock_names_no_registry() -> None:
    locked = json.loads((SDK / "package-lock.json").read_text())["packages"]
    assert all("integrity" in one and "resolved" not in one for name, one in locked.items() if name)
