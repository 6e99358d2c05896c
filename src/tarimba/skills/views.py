"""The JSON of what is published."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from tarimba.clock import rfc3339
from tarimba.skills.explaining import Difference, Effective, Explained
from tarimba.skills.looking import Document
from tarimba.skills.model import Language
from tarimba.skills.records import Place, Published, SharedFile


class ProblemView(TypedDict):
    """A deviation or a warning about a file. `line` counts from 1; 0 is no line."""

    path: str
    line: int
    rule: str
    message: str
    fix: str


class FileView(TypedDict):
    """`hash` is the SHA-256. `original` is that of the bytes as they were sent, where they were written anew."""

    path: str
    hash: str
    size: int
    original: NotRequired[str]


class PlaceView(TypedDict):
    """One of the four scopes. The ids are null where it means the space, or all agents."""

    scope: str
    subscription_id: str | None
    source_id: str | None


class PublishedView(PlaceView):
    """One version of a skill at one scope."""

    skill_id: str
    name: str
    description: str
    version: int
    verdict: str
    content_hash: str
    size: int
    files: list[FileView]
    published_at: str
    published_by: str


class PublishedNowView(PublishedView):
    """`is_new` is false when the same content was in force already. `ignored` counts files of an archive left out."""

    is_new: bool
    warnings: list[ProblemView]
    ignored: int


class SkillsView(TypedDict):
    items: list[PublishedView]
    next_cursor: NotRequired[str]


class VersionsView(TypedDict):
    """Newest first. `in_force` is the number of the version in force, 0 when the skill is removed."""

    in_force: int
    items: list[PublishedView]
    next_cursor: NotRequired[str]


class DocumentView(PublishedView):
    """`text` is SKILL.md as harnesses read it; `original` what was sent, or null where that is the same.

    What is not text in UTF-8 shows a replacement character.
    """

    text: str
    original: str | None
    problems: list[ProblemView]


class RemovedView(TypedDict):
    skill_id: str


class LayerView(TypedDict):
    """1 tenant, 2 tenant for this agent, 3 subscription, 4 subscription for this agent."""

    layer: int
    skill_id: str
    version: int
    content_hash: str
    size: int
    published_at: str


class DifferenceView(TypedDict):
    """What the winner has other than the layer `hidden`. `text`: lines of SKILL.md, when one name was asked for."""

    hidden: int
    added: list[str]
    removed: list[str]
    changed: list[str]
    text: str | None


class ExplainedView(TypedDict):
    """One name: the layers that have it, lowest first, the one that won, those that it hides, how they differ."""

    name: str
    description: str
    won: int
    hides: list[int]
    layers: list[LayerView]
    differences: list[DifferenceView]


class EffectiveView(TypedDict):
    """`hash` is that of the whole set, which has `count` names."""

    subscription_id: str | None
    source_id: str | None
    hash: str
    count: int
    items: list[ExplainedView]
    next_cursor: NotRequired[str]


class SharedFileView(PlaceView):
    """A file at one scope; its path is below the folder of that scope."""

    file_id: str
    path: str
    version: int
    hash: str
    size: int
    published_at: str
    published_by: str


class SharedNowView(SharedFileView):
    """`is_new` is false when the same bytes stood there already."""

    is_new: bool


class SharedFilesView(TypedDict):
    items: list[SharedFileView]
    next_cursor: NotRequired[str]


class UnsharedView(TypedDict):
    file_id: str


def language_of(wanted: str) -> Language:
    """The language in which problems are told to somebody."""
    for known in ("pt", "en", "es"):
        if known == wanted:
            return known
    return "en"


def published_view(one: Published) -> PublishedView:
    return {
        "skill_id": one.skill_id,
        "name": one.name,
        "description": one.description,
        **_place(one.place),
        "version": one.version,
        "verdict": one.verdict,
        "content_hash": one.content_hash,
        "size": one.size,
        "files": [_file(file.path, file.hash, file.size, file.original) for file in one.files],
        "published_at": rfc3339(one.published_at),
        "published_by": one.published_by,
    }


def document_view(document: Document) -> DocumentView:
    original = None if document.original is None else document.original.decode(errors="replace")
    problems: Any = document.problems
    return {
        **published_view(document.published),
        "text": document.text,
        "original": original,
        "problems": problems,
    }


def effective_view(found: Effective) -> EffectiveView:
    return {
        "subscription_id": found.subscription_id or None,
        "source_id": found.source_id or None,
        "hash": found.hash,
        "count": found.count,
        "items": [_explained(one) for one in found.of],
    }


def file_view(one: SharedFile) -> SharedFileView:
    return {
        "file_id": one.file_id,
        "path": one.path,
        **_place(one.place),
        "version": one.version,
        "hash": one.hash,
        "size": one.size,
        "published_at": rfc3339(one.published_at),
        "published_by": one.published_by,
    }


def _place(place: Place) -> PlaceView:
    return {
        "scope": place.scope,
        "subscription_id": place.subscription_id or None,
        "source_id": place.source_id or None,
    }


def _file(path: str, digest: str, size: int, original: str) -> FileView:
    view: FileView = {"path": path, "hash": digest, "size": size}
    if original:
        view["original"] = original
    return view


def _explained(one: Explained) -> ExplainedView:
    winner, hidden = one.chosen.winner, one.chosen.hidden
    return {
        "name": winner.name,
        "description": winner.description,
        "won": winner.place.layer,
        "hides": [layer.place.layer for layer in hidden],
        "layers": [_layer(layer) for layer in (*reversed(hidden), winner)],
        "differences": [_difference(difference) for difference in one.differences],
    }


def _layer(one: Published) -> LayerView:
    return {
        "layer": one.place.layer,
        "skill_id": one.skill_id,
        "version": one.version,
        "content_hash": one.content_hash,
        "size": one.size,
        "published_at": rfc3339(one.published_at),
    }


def _difference(one: Difference) -> DifferenceView:
    return {
        "hidden": one.hidden.place.layer,
        "added": list(one.added),
        "removed": list(one.removed),
        "changed": list(one.changed),
        "text": one.text,
    }
