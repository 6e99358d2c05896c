"""The notes that a task's context ends with, for callers who can change the context and not the prompt."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from tarimba.blocks import rules, store
from tarimba.blocks.model import SECTION_TOKENS, Block, Section
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.settings import SpaceSettings
from tarimba.kernel import Kernel
from tarimba.vault import SpaceKey


def task_section(
    kernel: Kernel, principal: Principal, view: str, object_type: str | None, *, is_asked: bool
) -> Section | None:
    """The notes that carry an object type of the task, read afresh; the caller may read notes (`block`).

    None where there is no section: for another view, while the memory is off, and when neither the request asks for
    one (`is_asked`) nor the agent's setting.
    """
    scheme, _, task = view.partition(":")
    if scheme != "task" or not task:
        return None
    assert principal.source_id is not None
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
        wanted = is_asked or store.has_task_section(connection, principal.space_id, principal.source_id)
        if not settings.enabled or not wanted:
            return None
        block = _block(kernel, principal, connection, settings, (view, task, object_type))
    return Section(block, view, object_type)


def section_detail(key: SpaceKey, section: Section, *, not_modified: bool) -> dict[str, Any]:
    """What the receipt of a block read says, for a section."""
    return {
        "etag": section.block.etag,
        "left_out": section.block.left_out,
        "max_tokens": SECTION_TOKENS,
        "not_modified": not_modified,
        "notes": list(section.block.notes),
        "tags": [key.commit(section.object_type)] if section.object_type else [],
        "tokens": section.block.tokens,
        "view": key.commit(section.view),
    }


def _block(
    kernel: Kernel,
    principal: Principal,
    connection: Connection,
    settings: SpaceSettings,
    asked: tuple[str, str, str | None],
) -> Block:
    view, task, object_type = asked
    named = (object_type,) if object_type else ()
    types = frozenset((*named, *settings.tasks.get(task, ())))
    now = max(kernel.clock.now_us(), store.last_time(connection, principal.space_id))
    found, _ = store.candidates(connection, principal.space_id, principal.pools, now)
    carrying = [candidate for candidate in found if not types.isdisjoint(candidate.tags)]
    match = rules.match_set(named, view, settings.tasks)
    frame = rules.frame_tokens(principal.language, kernel.tokenizer)
    return rules.assemble(carrying, match, SECTION_TOKENS, principal.language, frame)
