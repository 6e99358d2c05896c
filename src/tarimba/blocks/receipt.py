"""The receipt of a block read, written by hand.

It is the one receipt on a path where every microsecond is multiplied by all conversations: what repeats from
read to read is canonical JSON already, and only times and ids are put between. A test holds the result against
the general form (`Receipt.as_json` in canonical bytes).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tarimba.blocks.cache import BlockQuery, HotBlock
from tarimba.blocks.model import Block
from tarimba.identity.model import Principal
from tarimba.ids import new_id
from tarimba.receipts.canonical import canonical
from tarimba.storage import Entry
from tarimba.vault import SpaceKey


@dataclass(frozen=True, slots=True)
class ReceiptParts:
    """The constant pieces, in the order in which canonical JSON has them."""

    head: str
    middle: str
    notes: str
    tags: str
    tail: str
    end: str


def parts(
    principal: Principal, query: BlockQuery, block: Block, max_tokens: int, key: SpaceKey
) -> ReceiptParts:
    """Everything of the receipt that does not change while the block is the same."""
    actor = _json(principal.actor.as_json())
    tags = sorted(key.commit(tag) for tag in query.tags)
    view = "null" if query.view is None else f'"{key.commit(query.view)}"'
    return ReceiptParts(
        head=f'{{"action":"block.read","actor":{actor},"agent":"{principal.source_id}","at":"',
        middle=f'"etag":"{block.etag}","left_out":{block.left_out},"max_tokens":{max_tokens},"not_modified":',
        notes=f'"notes":{_json(list(block.notes))},',
        tags=f'"tags":{_json(tags)},',
        tail=f'"tokens":{block.tokens},"view":{view}}},"id":"',
        end=f'","kind":"read","space_id":"{principal.space_id}","v":1,"via":"{principal.via}"}}',
    )


def entry(
    hot: HotBlock, at: str, *, not_modified: bool, conversation: str | None = None, task: str | None = None
) -> Entry:
    """One read's receipt, `conversation` and `task` being commitments.

    The stored form leaves the notes out: they are kept once for each etag (`block_notes`).
    """
    receipt_id = new_id()
    asked = f'"conversation":"{conversation}",' if conversation else ""
    seen = "true" if not_modified else "false"
    before = f'{hot.receipt_head}{at}","detail":{{{asked}{hot.receipt_middle}{seen},'
    about = f'"task":"{task}",' if task else ""
    after = f"{hot.receipt_tags}{about}{hot.receipt_tail}{receipt_id}{hot.receipt_end}"
    leaf = hashlib.sha256(f"\0{before}{hot.receipt_notes}{after}".encode()).digest()
    return Entry(receipt_id, leaf, f"{before}{after}".encode())


def _json(value: object) -> str:
    return canonical(value).decode()
