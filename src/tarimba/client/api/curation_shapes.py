"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import NotRequired, TypedDict


class MadeView(TypedDict):
    changed: int
    receipt_id: str
    similar: list[str]


class ObservationBody(TypedDict):
    text: str
    confidence: NotRequired[float | None]


class GraphRequestsChangedView(TypedDict):
    changed: int
    receipt_id: str


class RelatedView(TypedDict):
    changed: int
    receipt_id: str
    dangling: list[str]


class UndoneView(TypedDict):
    change_id: str
    undone_by: str
    receipt_id: str
