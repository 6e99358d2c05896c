"""The command line as an outsider has it: `pip install tarimba[verify]`, no server, no database, no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# What the extra `verify` brings; whatever else is installed here an outsider does not have.
BROUGHT = ("tarimba", "click", "cryptography", "cffi", "_cffi_backend", "pycparser", "rfc8785")
_ALONE = """
import sys

class OnlyTheExtra:
    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        if first not in sys.stdlib_module_names and first not in {brought!r}:
            raise ModuleNotFoundError("an outsider has no " + first, name=name)

sys.meta_path.insert(0, OnlyTheExtra())
from tarimba import cli
sys.exit(cli.run(sys.argv[1:]))
"""


def run_alone(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, in `folder`, with an empty environment."""
    script = _ALONE.format(brought=BROUGHT)
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True, text=True, check=False, cwd=folder, env={},
    )  # fmt: skip
