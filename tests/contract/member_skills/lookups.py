"""How each harness looks a skill up by itself, as its documentation and its source say: small, and nothing of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

LookUp = Callable[[Path, str], bytes | None]


def _declared(text: bytes) -> str:
    found = re.search(rb"^name: *(\S+)", text, re.MULTILINE)
    return "" if found is None else found[1].decode()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _real(root: Path) -> Iterator[Path]:
    """The directories of a root that are no links."""
    if root.is_dir():
        yield from sorted(one for one in root.iterdir() if one.is_dir() and not one.is_symlink())


def _first_directory(*roots: str) -> LookUp:
    """By the name of the directory, root after root."""

    def look(workspace: Path, name: str) -> bytes | None:
        for root in roots:
            found = _read(workspace / root / name / "SKILL.md")
            if found is not None:
                return found
        return None

    return look


def _picoclaw(workspace: Path, name: str) -> bytes | None:
    """The workspace's skills, then those of PICOCLAW_HOME; only real directories count."""
    for root in (workspace / "skills", workspace / ".picoclaw" / "skills"):
        for directory in _real(root):
            if directory.name == name and (found := _read(directory / "SKILL.md")) is not None:
                return found
    return None


def _codex(workspace: Path, name: str) -> bytes | None:
    """By the declared name: the directory it works in, then CODEX_HOME; the first of a name stays."""
    for root in (workspace / ".agents" / "skills", workspace / ".codex" / "skills"):
        for directory in _real(root):
            found = None if directory.name.startswith(".") else _read(directory / "SKILL.md")
            if found is not None and _declared(found) == name:
                return found
    return None


def _openclaw(workspace: Path, name: str) -> bytes | None:
    """A map by declared name, filled from the weakest root to the strongest."""
    known: dict[str, bytes] = {}
    for root in (workspace / ".agents" / "skills", workspace / "skills"):
        for directory in _real(root):
            if (found := _read(directory / "SKILL.md")) is not None:
                known[_declared(found)] = found
    return known.get(name)


LOOKUPS: Mapping[str, LookUp] = MappingProxyType(
    {
        "picoclaw": _picoclaw,
        "nanobot": _first_directory("skills", "plugins/own/skills"),
        # A person's skills go before those of the directory it works in.
        "claude-code": _first_directory(".claude-user/skills", ".claude/skills"),
        "codex": _codex,
        "openclaw": _openclaw,
        # They open what the index names.
        "ganglion": _first_directory("shared-skills", "skills"),
        "generic": _first_directory("shared-skills", "skills"),
    }
)
