"""How skills look over the protocol, as JSON. Pure. Source: SEP-2640, and Resources of 2026-07-28."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from tarimba.mcp.skill_uris import Address, skill_file
from tarimba.skills.model import FILE_NAME
from tarimba.skills.service import File, OfferedFile, Published

DIRECTORY: Final = "inode/directory"
_MARKDOWN: Final = "text/markdown"
_BYTES: Final = "application/octet-stream"
# Those of the system differ from machine to machine, and the answer must not.
_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".css": "text/css", ".csv": "text/csv", ".html": "text/html", ".js": "text/javascript",
        ".json": "application/json", ".md": _MARKDOWN, ".py": "text/x-python", ".sh": "application/x-sh",
        ".toml": "application/toml", ".ts": "text/x-typescript", ".txt": "text/plain", ".xml": "application/xml",
        ".yaml": "application/yaml", ".yml": "application/yaml",
        ".gif": "image/gif", ".jpg": "image/jpeg", ".pdf": "application/pdf", ".png": "image/png",
        ".svg": "image/svg+xml", ".webp": "image/webp", ".zip": "application/zip",
    }
)  # fmt: skip
# What a host may keep, it keeps for the one who asked; and never for a while in which something else is published.
_CACHE: Final = MappingProxyType({"ttlMs": 0, "cacheScope": "private"})


def entry(skill: Published) -> dict[str, Any]:
    """One skill with all its files. What is published has these two fields in its frontmatter, and no others."""
    return {
        "uri": skill_file(skill.scope, skill.name).uri,
        "frontmatter": {"name": skill.name, "description": skill.description},
        "resources": [
            {"uri": _of(skill, file.path).uri, "digest": f"sha256:{file.hash}", "size": file.size}
            for file in skill.files
        ],
    }


def listing(skills: Sequence[Published], cursor: str | None) -> dict[str, Any]:
    return _complete({"skills": [entry(skill) for skill in skills], **_CACHE}, cursor)


def single(skill: Published) -> dict[str, Any]:
    return _complete({"skill": entry(skill), **_CACHE})


def resources(skills: Sequence[Published], cursor: str | None) -> dict[str, Any]:
    """The SKILL.md of each: what hosts that know only resources show to choose from."""
    files = [_resource(skill, file) for skill in skills for file in skill.files if file.path == FILE_NAME]
    return _complete({"resources": files, **_CACHE}, cursor)


def roots(skills: Sequence[Published], scope: str, cursor: str | None) -> dict[str, Any]:
    """The directory of a scope: one directory for each skill."""
    found = [_directory(Address(scope, skill.name)) for skill in skills if skill.scope == scope]
    return _complete({"resources": found}, cursor)


def children(skill: Published, path: str) -> dict[str, Any] | None:
    """What lies directly in a directory of a skill, sorted by name; None when there is no such directory."""
    found = dict(sorted(_children(skill, f"{path}/" if path else "")))
    return _complete({"resources": list(found.values())}) if found else None


def contents(read: OfferedFile) -> dict[str, Any]:
    """A file as text when these are its bytes exactly, and as base64 else."""
    mime = _type(read.file.path)
    content: dict[str, Any] = {"uri": _of(read.skill, read.file.path).uri, "mimeType": mime}
    try:
        content["text"] = read.data.decode()
    except UnicodeDecodeError:
        content["blob"] = base64.b64encode(read.data).decode()
    return _complete({"contents": [content], **_CACHE})


def _children(skill: Published, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in skill.files:
        if file.path.startswith(prefix):
            name, _, below = file.path.removeprefix(prefix).partition("/")
            yield name, _directory(_of(skill, prefix + name)) if below else _resource(skill, file)


def _resource(skill: Published, file: File) -> dict[str, Any]:
    """A file; SKILL.md has the name and the description of its skill."""
    named: dict[str, Any] = {"name": PurePosixPath(file.path).name}
    if file.path == FILE_NAME:
        named = {"name": skill.name, "description": skill.description}
    return {"uri": _of(skill, file.path).uri, **named, "mimeType": _type(file.path), "size": file.size}


def _directory(address: Address) -> dict[str, Any]:
    name = PurePosixPath(address.path).name or address.name
    return {"uri": address.uri, "name": name, "mimeType": DIRECTORY}


def _of(skill: Published, path: str) -> Address:
    return Address(skill.scope, skill.name, path)


def _type(path: str) -> str:
    return _TYPES.get(PurePosixPath(path).suffix.lower(), _BYTES)


def _complete(result: dict[str, Any], cursor: str | None = None) -> dict[str, Any]:
    after = {} if cursor is None else {"nextCursor": cursor}
    return {"resultType": "complete", **result, **after}
