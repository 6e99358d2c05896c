"""What answers about contexts and histories hold: the shapes that the API's description shows."""

from __future__ import annotations

from typing import NotRequired

from pydantic import AwareDatetime, BaseModel
from typing_extensions import TypedDict

from tarimba.conversations.history import State
from tarimba.conversations.neighbour import Level


class VerificationAnswer(BaseModel):
    requested: Level
    effective: Level


class ContextAnswer(TypedDict):
    """`text` is left out when `not_modified` is true, and only then is that there."""

    text: NotRequired[str]
    version: str
    etag: str
    verification: VerificationAnswer
    path: str
    not_modified: NotRequired[bool]


class ItemAnswer(BaseModel):
    id: str
    kind: str
    text: str
    at: AwareDatetime


class HistoryAnswer(TypedDict):
    """`ignored` names filters that were sent and have no effect."""

    items: list[ItemAnswer]
    next_cursor: NotRequired[str]
    ignored: NotRequired[list[str]]


class OpenedAnswer(BaseModel):
    id: str
    kind: str
    summary: str


class SubjectTokenAnswer(BaseModel):
    token: str
    expires_at: AwareDatetime


class IngestStatusAnswer(BaseModel):
    state: State


class NothingAnswer(BaseModel):
    """An empty object."""
