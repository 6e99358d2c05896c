"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class ReceiptPage(TypedDict):
    items: list[dict[str, Any]]
    next_cursor: NotRequired[str | None]


class KeyList(TypedDict):
    origin: str
    keys: list[dict[str, Any]]


class CheckpointAnswer(TypedDict):
    origin: str
    size: int
    root: str
    note: str


class CosignedAnswer(TypedDict):
    size: int
    key_ids: list[str]


class WitnessList(TypedDict):
    items: list[dict[str, Any]]


class WitnessAnswer(TypedDict):
    key_id: str


ConsistencyAnswer = TypedDict("ConsistencyAnswer", {"from": "int", "to": "int", "proof": "list[str]"})


class ProofAnswer(TypedDict):
    id: str
    seq: int
    leaf: str
    proof: list[str]
    size: int
    root: str
    checkpoint: str
