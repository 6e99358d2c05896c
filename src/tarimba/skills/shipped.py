"""The documents that come with the package: written for agents, in the words of this system, one text per language.

A text in `documents/<language>/` has places `{...}` that the harness fills, and lines that begin with `{?...}`: they
stay, without that mark, where the thing exists. So no agent reads of what it does not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from tarimba.harnesses.service import Profile
from tarimba.skills.model import FILE_NAME, Language

LANGUAGES: Final[tuple[Language, ...]] = ("en", "es", "pt")
# By name, the one harness that gets it; empty for all.
_SKILLS: Final[Mapping[str, str]] = MappingProxyType(
    {"ganglion-workspace": "ganglion", "shared-content": "", "skill-creator": ""}
)
_MEMORY: Final = ("CONTEXT_RECOVERY", "FILE_DELIVERY")
# What describes the graph, where there is one.
_GRAPH: Final = "MEMORY_ROUTING"
_MARK: Final = re.compile(r"\{\?([a-z_:]+)\}")
_PLACE: Final = re.compile(r"\{([a-z_:]+)\}")
_TOOL: Final = "tool:"

NAMES: Final = frozenset(_SKILLS)
"""The names of shipped skills, whatever the harness: neither members nor agents take them."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is mounted read-only. `path` is relative to the workspace."""

    path: str
    data: bytes


def _texts() -> Mapping[tuple[Language, str], str]:
    root = files("tarimba.skills").joinpath("documents")
    names = (*_SKILLS, *_MEMORY, _GRAPH)
    return MappingProxyType(
        {
            (language, name): root.joinpath(language, f"{name}.md").read_text(encoding="utf-8")
            for language in LANGUAGES
            for name in names
        }
    )


_TEXTS: Final = _texts()


def documents(
    profile: Profile, language: Language, *, has_graph: bool = False, tools: Collection[str] = ()
) -> tuple[Document, ...]:
    """What an agent of this harness gets, sorted by path. `tools` are named as the harness shows them to the agent."""
    found = [
        Document(f"{profile.shared_root}/{name}/{path}", data)
        for name, held in skills(profile, language).items()
        for path, data in held.items()
    ]
    for name in _rules(has_graph):
        text = _rendered(_TEXTS[language, name], profile, tools)
        found.append(Document(f"memory/{name}.md", text.encode()))
    return tuple(sorted(found, key=lambda one: one.path))


def skills(profile: Profile, language: Language) -> Mapping[str, Mapping[str, bytes]]:
    """The files of the shipped skills of this harness, by name and path in the skill."""
    return {
        name: {FILE_NAME: _rendered(_TEXTS[language, name], profile, ()).encode()}
        for name, harness in sorted(_SKILLS.items())
        if harness in {"", profile.name}
    }


def standing_rules(
    profile: Profile, language: Language, *, has_graph: bool = False, tools: Collection[str] = ()
) -> str:
    """The memory documents as one text, for the file that a harness reads every turn (`profile.always_on`).

    Empty where it reads `memory/` every turn by itself.
    """
    if profile.reads_memory_each_turn:
        return ""
    return "\n".join(_rendered(_TEXTS[language, name], profile, tools) for name in _rules(has_graph))


def _rules(has_graph: bool) -> tuple[str, ...]:
    return (*_MEMORY, _GRAPH) if has_graph else _MEMORY


def _rendered(text: str, profile: Profile, tools: Collection[str]) -> str:
    have = {profile.secrets, *profile.features}
    places = {
        "workspace": str(profile.seen_at()),
        "shared_root": profile.shared_root,
        "own_root": profile.own_root,
    }
    lines = (
        _PLACE.sub(lambda match: _filled(match[1], places, tools), line) for line in _kept(text, have, tools)
    )
    return "".join(lines).rstrip("\n") + "\n"


def _kept(text: str, have: Collection[str], tools: Collection[str]) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        mark = _MARK.match(line)
        if mark is None:
            yield line
        elif mark[1] in have or (mark[1].startswith(_TOOL) and _shown(mark[1], tools)):
            yield line[mark.end() :]


def _filled(place: str, places: Mapping[str, str], tools: Collection[str]) -> str:
    return _shown(place, tools) if place.startswith(_TOOL) else places[place]


def _shown(place: str, tools: Collection[str]) -> str:
    """The tool under the name that the harness gives it, empty when the agent does not have it."""
    name = place.removeprefix(_TOOL)
    return next((tool for tool in sorted(tools) if tool == name or tool.endswith(f"_{name}")), "")
