"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import NotRequired, TypedDict


class SkillsViewsFileView(TypedDict):
    path: str
    hash: str
    size: int
    original: NotRequired[str]


class PublishedView(TypedDict):
    scope: str
    subscription_id: str | None
    source_id: str | None
    skill_id: str
    name: str
    description: str
    version: int
    verdict: str
    content_hash: str
    size: int
    files: list[SkillsViewsFileView]
    published_at: str
    published_by: str


class SkillsViewsSkillsView(TypedDict):
    items: list[PublishedView]
    next_cursor: NotRequired[str]


class SkillsViewsProblemView(TypedDict):
    path: str
    line: int
    rule: str
    message: str
    fix: str


class PublishedNowView(TypedDict):
    scope: str
    subscription_id: str | None
    source_id: str | None
    skill_id: str
    name: str
    description: str
    version: int
    verdict: str
    content_hash: str
    size: int
    files: list[SkillsViewsFileView]
    published_at: str
    published_by: str
    is_new: bool
    warnings: list[SkillsViewsProblemView]
    ignored: int


class SkillsViewsRemovedView(TypedDict):
    skill_id: str


class SkillsViewsVersionsView(TypedDict):
    in_force: int
    items: list[PublishedView]
    next_cursor: NotRequired[str]


class DocumentView(TypedDict):
    scope: str
    subscription_id: str | None
    source_id: str | None
    skill_id: str
    name: str
    description: str
    version: int
    verdict: str
    content_hash: str
    size: int
    files: list[SkillsViewsFileView]
    published_at: str
    published_by: str
    text: str
    original: str | None
    problems: list[SkillsViewsProblemView]


class LayerView(TypedDict):
    layer: int
    skill_id: str
    version: int
    content_hash: str
    size: int
    published_at: str


class DifferenceView(TypedDict):
    hidden: int
    added: list[str]
    removed: list[str]
    changed: list[str]
    text: str | None


class ExplainedView(TypedDict):
    name: str
    description: str
    won: int
    hides: list[int]
    layers: list[LayerView]
    differences: list[DifferenceView]


class EffectiveView(TypedDict):
    subscription_id: str | None
    source_id: str | None
    hash: str
    count: int
    items: list[ExplainedView]
    next_cursor: NotRequired[str]
