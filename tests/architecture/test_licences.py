"""Every locked package's licence is known and taken, and the bills of materials say what the locks say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.house import ROOT


def run(script: str, *arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "scripts" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The scripts and the locks alone, to be changed."""
    for folder, pattern in (("scripts", "l*"), ("scripts", "sbom.py"), ("requirements", "*.txt")):
        for path in (ROOT / folder).glob(pattern):
            copied = tmp_path / folder / path.name
            copied.parent.mkdir(exist_ok=True)
            copied.write_bytes(path.read_bytes())
    return tmp_path


def added(checkout: Path, lock: str, name: str) -> None:
    entry = f"{name}==1.0 \\\n    --hash=sha256:{'0' * 64}\n    # via tarimba (pyproject.toml)\n"
    path = checkout / "requirements" / f"{lock}.txt"
    path.write_text(path.read_text(encoding="utf-8") + entry, encoding="utf-8")


@pytest.mark.promise("licences-known")
def test_every_locked_package_is_under_a_licence_that_is_taken() -> None:
    done = run("licences.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "psycopg: LGPL-3.0-only\n" in done.stdout


@pytest.mark.promise("licences-known")
def test_a_package_that_tells_nothing_certain_fails(checkout: Path) -> None:
    added(checkout, "dev", "made-up-package")
    done = run("licences.py", folder=checkout)
    assert done.returncode == 1
    assert done.stderr.startswith("made-up-package does not tell its licence")


@pytest.mark.promise("licences-known")
def test_what_tests_may_use_is_not_shipped(checkout: Path) -> None:
    # Under the MPL, and fine where it is: among the tools of the tests.
    added(checkout, "server", "hypothesis")
    done = run("licences.py", folder=checkout)
    assert (done.returncode, done.stderr) == (
        1,
        "hypothesis is under MPL-2.0, which licences.toml does not take.\n",
    )


@pytest.mark.promise("licences-known")
@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ('click = "MIT"', "click tells its licence itself, BSD-3-Clause: take it out of licences.toml.\n"),
        ('gone-since = "MIT"', "gone-since is stated and not locked.\n"),
    ],
)
def test_what_is_stated_is_needed(checkout: Path, stated: str, sentence: str) -> None:
    rules = checkout / "scripts" / "licences.toml"
    rules.write_text(f"{rules.read_text(encoding='utf-8')}{stated}\n", encoding="utf-8")
    done = run("licences.py", folder=checkout)
    assert (done.returncode, done.stderr) == (1, sentence)


@pytest.mark.promise("bill-of-materials")
def test_the_bills_of_materials_equal_the_locks() -> None:
    done = run("sbom.py", "--check")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.promise("bill-of-materials")
def test_a_bill_of_another_lock_is_found(checkout: Path) -> None:
    assert run("sbom.py", folder=checkout).returncode == 0
    assert run("sbom.py", "--check", folder=checkout).returncode == 0
    added(checkout, "container", "made-up-package")
    assert run("sbom.py", "--check", folder=checkout).returncode == 1


@pytest.mark.promise("bill-of-materials")
def test_a_bill_names_versions_hashes_licences_and_what_wants_what() -> None:
    bill = json.loads((ROOT / "deploy/sbom/container.cdx.json").read_text(encoding="utf-8"))
    components = {part["name"]: part for part in bill["components"]}
    assert all(part["hashes"] and part["licenses"] and part["purl"] for part in components.values())
    needs = {part["ref"]: part.get("dependsOn", []) for part in bill["dependencies"]}
    # Reached from the root: nothing is in the bill that nothing wants.
    todo, reached = ["tarimba"], set[str]()
    while todo:
        one = todo.pop()
        if one not in reached:
            reached.add(one)
            todo += needs[one]
    assert reached == {"tarimba"} | {part["bom-ref"] for part in components.values()}
