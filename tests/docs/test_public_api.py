"""The public names of the Python client change on purpose only."""

import subprocess
import sys

import pytest

from tests.architecture.house import ROOT


@pytest.mark.promise("public-names")
def test_public_names_are_those_of_the_file() -> None:
    command = [sys.executable, "scripts/public_api.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
