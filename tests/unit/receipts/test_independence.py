"""Who doubts the operator can run the verifier alone."""

import subprocess
import sys

import pytest

ALONE = """
import sys
import tarimba.receipts.verify, tarimba.receipts.note_comparison
ours = {name for name in sys.modules if name.split(".")[0] == "tarimba"}
others = {name.split(".")[0] for name in sys.modules} - sys.stdlib_module_names - {"__main__", "tarimba"}
print(sorted(ours), sorted(name for name in others if name in {"sqlalchemy", "pydantic", "fastapi", "psycopg"}))
"""


@pytest.mark.promise("independent-verifier")
def test_verifying_loads_the_tree_and_the_canonical_form_and_nothing_of_the_server() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    modules = [
        f"tarimba.receipts.{name}" for name in ("canonical", "merkle", "note_comparison", "report", "verify")
    ]
    assert done.stdout.strip() == f"{['tarimba', 'tarimba.receipts', *modules]} []"
