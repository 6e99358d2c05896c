"""The block as an agent would get it, for people: its bytes, and for every note why it stands where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tarimba.blocks import rules, store
from tarimba.blocks.cache import BlockQuery
from tarimba.blocks.model import Block, Candidate
from tarimba.blocks.service import build
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read

PLACED_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class Placed:
    """One note in the order of the block.

    `matched` are its tags among those asked for, `room` the tokens that were left when its turn came.
    """

    note_id: str
    line: str
    version: int
    tokens: int
    matched: tuple[str, ...]
    room: int
    is_in: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """`placed` are the first 500 in order; `body` is what the API answers up to the receipt."""

    block: Block
    max_tokens: int
    frame: int
    is_on: bool
    placed: tuple[Placed, ...]
    receipt: Recorded


def preview(
    kernel: Kernel, principal: Principal, source_id: str, pools: tuple[int, ...], query: BlockQuery
) -> Preview:
    """The same bytes as the agent's own read with these tags, view and budget. Raises 403."""
    allow(principal, "read_notes")
    made = build(kernel, replace(principal, source_id=source_id, pools=pools), query).block
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
        now = max(kernel.clock.now_us(), store.last_time(connection, principal.space_id))
        match = rules.match_set(query.tags, query.view, settings.tasks)
        found, _ = store.candidates(connection, principal.space_id, pools, now, with_tags=bool(match))
    most = query.max_tokens or settings.block_tokens_default
    frame = rules.frame_tokens(principal.language, kernel.tokenizer)
    receipt = _leave(kernel, principal, source_id, made, most)
    placed = _placed(found, match, most - frame) if settings.enabled else ()
    return Preview(made, most, frame, settings.enabled, placed, receipt)


def _placed(found: Sequence[Candidate], match: frozenset[str], room: int) -> tuple[Placed, ...]:
    placed = []
    for one in sorted(found, key=lambda candidate: rules.order_key(candidate, match))[:PLACED_MAX]:
        matched = tuple(tag for tag in one.tags if tag in match)
        is_in = one.tokens <= room
        placed.append(Placed(one.note_id, one.line, one.version, one.tokens, matched, room, is_in))
        room -= one.tokens if is_in else 0
    return tuple(placed)


def _leave(kernel: Kernel, principal: Principal, source_id: str, block: Block, most: int) -> Recorded:
    """A read by a person, named as such: what an agent was given is never told by it."""
    detail = {
        "etag": block.etag,
        "left_out": block.left_out,
        "max_tokens": most,
        "not_modified": False,
        "notes": list(block.notes),
        "preview": True,
        "tokens": block.tokens,
    }
    objects = {"source_id": source_id}
    receipt = Receipt("block.read", principal.actor, principal.via, source_id, objects, detail)
    return record_read(kernel.writer, principal.space_id, receipt)
