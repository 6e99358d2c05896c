"""Reading the block: from the cache while it holds, else from one snapshot of the database."""

from __future__ import annotations

import json
from dataclasses import replace

from sqlalchemy import Connection

from tarimba.blocks import rules, store
from tarimba.blocks.cache import BlockQuery, HotBlock
from tarimba.blocks.model import Block, Candidate
from tarimba.blocks.receipt import parts
from tarimba.blocks.section import section_detail, task_section
from tarimba.callers import known_by
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Via

__all__ = ["bearer_digest", "build", "candidates_of", "load", "of_agent", "section_detail", "task_section"]


def bearer_digest(bearer: str) -> bytes:
    """What the cache knows a bearer string by: the string itself is not kept."""
    return known_by(bearer)


def load(kernel: Kernel, bearer: str, query: BlockQuery, via: Via) -> HotBlock:
    """Reads the block afresh and caches it. Raises 401 and 403.

    The snapshot is taken after the request came in, so the answer is right whatever changes meanwhile.
    """
    principal = authenticate(kernel, bearer, via)
    allow(principal, "block")
    hot = build(kernel, principal, query)
    kernel.blocks.put(bearer_digest(bearer), query, hot)
    return hot


def build(kernel: Kernel, principal: Principal, query: BlockQuery) -> HotBlock:
    """The block of an agent with everything that its answers repeat."""
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
        now = max(kernel.clock.now_us(), store.last_time(connection, principal.space_id))
        match = rules.match_set(query.tags, query.view, settings.tasks)
        found, first_end = store.candidates(
            connection, principal.space_id, principal.pools, now, with_tags=bool(match)
        )
    max_tokens = query.max_tokens or settings.block_tokens_default
    if settings.enabled:
        frame = rules.frame_tokens(principal.language, kernel.tokenizer)
        block = rules.assemble(found, match, max_tokens, principal.language, frame)
    else:
        block = Block(text="", notes=(), etag=rules.OFF_ETAG, tokens=0, left_out=0)
    ends = [end for end in (first_end, principal.expires_at) if end is not None]
    return _hot(kernel, principal, query, block, max_tokens, settings.enabled, min(ends, default=None))


def of_agent(kernel: Kernel, by: Principal, source_id: str, pools: tuple[int, ...]) -> tuple[Block, Receipt]:
    """The block as the agent gets it without asking for tags, for who composes its prompt.

    With the receipt that its reading is to leave.
    """
    block = build(kernel, replace(by, source_id=source_id, pools=pools), BlockQuery()).block
    with kernel.database.read() as connection:
        max_tokens = space_settings.load(connection, by.space_id).block_tokens_default
    detail = {
        "etag": block.etag,
        "left_out": block.left_out,
        "max_tokens": max_tokens,
        "not_modified": False,
        "notes": list(block.notes),
        "tags": [],
        "tokens": block.tokens,
        "view": None,
    }
    return block, Receipt("block.read", by.actor, by.via, source_id, {"source_id": source_id}, detail)


def candidates_of(connection: Connection, space_id: str, pools: tuple[int, ...], now: int) -> list[Candidate]:
    """The notes that a reader of the pools has now, in no order: for whoever compares one block with another."""
    return store.candidates(connection, space_id, pools, now)[0]


def _hot(
    kernel: Kernel,
    principal: Principal,
    query: BlockQuery,
    block: Block,
    max_tokens: int,
    enabled: bool,
    expires_at: int | None,
) -> HotBlock:
    receipt = parts(principal, query, block, max_tokens, kernel.keys.of(principal.space_id))
    return HotBlock(
        principal=principal,
        block=block,
        expires_at=expires_at,
        body=_body(block, enabled),
        notes_json=json.dumps(list(block.notes)),
        receipt_head=receipt.head,
        receipt_middle=receipt.middle,
        receipt_notes=receipt.notes,
        receipt_tags=receipt.tags,
        receipt_tail=receipt.tail,
        receipt_end=receipt.end,
    )


def _body(block: Block, enabled: bool) -> bytes:
    """The answer's JSON up to the receipt's id."""
    answer = {
        "text": block.text,
        "notes": list(block.notes),
        "etag": block.etag,
        "tokens": block.tokens,
        "enabled": enabled,
        "left_out": block.left_out,
        "cache_hint": {"breakpoint_after": "agent_notes"},
    }
    return (json.dumps(answer, ensure_ascii=False, separators=(",", ":"))[:-1] + ',"receipt_id":"').encode()
