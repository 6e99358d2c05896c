"""The client's adapters: their modules, their guides, and the versions of the frameworks with which each is tried."""

from __future__ import annotations

import ast
import re
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
_MODULES: Final = Path("src/tarimba/client/integrations")
TRIED: Final = Path("tests/recipes/adapters")
_PIN: Final = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Adapter:
    """`framework` is the folder of its environment; `module` is relative to the repository's root."""

    framework: str
    module: Path

    @property
    def guide(self) -> str:
        """The docstring of the module."""
        return ast.get_docstring(ast.parse((ROOT / self.module).read_text(encoding="utf-8"))) or ""


def adapters() -> list[Adapter]:
    """Every module that a reader imports: one for each framework, and what stands beside it with an example of its own.

    Read from what is under version control: the frameworks need not be installed.
    """
    listed = {Path(line) for line in _git("ls-files", str(TRIED), str(_MODULES)).splitlines()}
    tried = {path.parent.name for path in listed if path.name == "requirements.txt"}
    found = (_adapter(path, tried) for path in sorted(listed) if path.parent == _MODULES)
    return [one for one in found if one is not None]


def frameworks() -> list[str]:
    """Those that there are tests for, also before they are under version control."""
    return sorted(path.parent.name for path in (ROOT / TRIED).glob("*/agent.py"))


def versions(framework: str) -> list[tuple[str, str]]:
    """(package, version) of what is pinned for a framework: itself, then what it speaks to models with."""
    return _PIN.findall((ROOT / TRIED / framework / "requirements.in").read_text(encoding="utf-8"))


def example(guide: str) -> str:
    """The code of a guide; empty when it has none."""
    return textwrap.dedent("\n".join(_split(guide)[1]))


def prose(guide: str) -> list[str]:
    """The paragraphs of a guide without its code, each on one line."""
    before, _, behind = _split(guide)
    paragraphs = "\n".join([*before, "", *behind]).split("\n\n")
    return [" ".join(one.split()) for one in paragraphs if one.strip()]


def _adapter(module: Path, tried: set[str]) -> Adapter | None:
    """Whose module it is: that of the framework of its name, or of the one that its name begins with."""
    if module.stem in tried:
        return Adapter(module.stem, module)
    beside = Adapter(module.stem.rpartition("_")[0], module)
    return beside if beside.framework in tried and example(beside.guide) else None


def _split(guide: str) -> tuple[list[str], list[str], list[str]]:
    """The lines before the code, those of the code, which are indented, and those behind it."""
    lines = guide.splitlines()
    indented = [at for at, line in enumerate(lines) if line.startswith("    ")]
    start, end = (indented[0], indented[-1] + 1) if indented else (len(lines), len(lines))
    return lines[:start], lines[start:end], lines[end:]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
