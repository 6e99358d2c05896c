"""The golden vectors for clients in other languages are those of this code."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.promise("sdk-vectors")
def test_the_files_are_what_the_script_writes() -> None:
    written = runpy.run_path(str(ROOT / "scripts" / "sdk_vectors.py"))["files"]()
    folder = ROOT / "sdk" / "vectors"
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")} == written
