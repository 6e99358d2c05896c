"""The package of `sdk/typescript` in a copy of its own, under a locked Node and with its locked packages."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.recipes.environment import ROOT
from tests.recipes.npm import node

HERE = Path(__file__).parent
SDK = ROOT / "sdk" / "typescript"
_MADE = ("node_modules", "dist", "build")


class PackageError(Exception):
    """A program of Node failed; the sentence ends with what it wrote."""


@dataclass(frozen=True)
class Package:
    """A copy of the package in `folder`, and the Node that runs it."""

    program: str
    folder: Path

    def run(self, *arguments: str) -> str:
        """What a program of Node wrote. Raises `PackageError`."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TARIMBA_ROOT": str(ROOT)}
        command = [self.program, *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise PackageError(
                f"{arguments[0]} ended with {done.returncode}: {done.stdout[-6000:]}{done.stderr[-2000:]}"
            )
        return done.stdout

    def tool(self, name: str, *arguments: str) -> str:
        """Runs a program of one of the packages."""
        return self.run(f"node_modules/{name}", *arguments)


def copied(version: str, folder: Path) -> Package:
    """The package as it is now, in `folder`; `version` is the folder of a Node here."""
    program, modules = node(HERE / version, SDK)
    shutil.copytree(SDK, folder, ignore=shutil.ignore_patterns(*_MADE))
    (folder / "node_modules").symlink_to(modules)
    return Package(program, folder)
