"""SQL of erasing and importing: chains by agent, and the rows to scrub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import and_, bindparam, delete, func, select, update

from tarimba.storage import Tx
from tarimba.storage.tables import (
    note_chain,
    note_outcome,
    note_version,
    skill_draft,
    space,
    task_record,
)

ERASED: Final = "erased"
# Chains of an import have these until it is complete: nothing that reads shows them.
IMPORTING: Final = {"active": "importing_active", "retired": "importing_retired"}

_SAME_CHAIN: Final = and_(
    note_version.c.space_id == note_chain.c.space_id, note_version.c.chain_id == note_chain.c.chain_id
)
_OF_AGENT: Final = (note_chain.c.space_id == bindparam("of"), note_chain.c.source_id == bindparam("by"))
_VERSIONS: Final = (
    select(func.count())
    .select_from(note_version)
    .join(note_chain, _SAME_CHAIN)
    .where(*_OF_AGENT, note_chain.c.status != ERASED)
)
_CHAINS: Final = select(func.count()).select_from(note_chain).where(*_OF_AGENT)
_ERASE: Final = update(note_chain).where(*_OF_AGENT, note_chain.c.status != ERASED).values(status=ERASED)
_SET: Final = (
    update(note_chain)
    .where(*_OF_AGENT, note_chain.c.status == bindparam("was"))
    .values(status=bindparam("becomes"))
)
_TO_SCRUB: Final = (
    select(note_version.c.note_id)
    .join_from(note_version, note_chain, _SAME_CHAIN)
    .where(*_OF_AGENT, note_chain.c.status == ERASED)
    .limit(bindparam("most"))
)
_EMPTY_CHAINS: Final = delete(note_chain).where(*_OF_AGENT, note_chain.c.status == ERASED)
_READ_FROM: Final = (
    update(note_version)
    .where(
        note_version.c.space_id == bindparam("of"),
        note_version.c.note_id.in_(
            select(note_chain.c.head_note_id).where(
                *_OF_AGENT, note_chain.c.status == bindparam("was"), note_chain.c.space_id == bindparam("of")
            )
        ),
    )
    .values(seq_from=bindparam("seq"))
)
_RECORDS: Final = (
    select(task_record.c.record_id)
    .where(task_record.c.space_id == bindparam("of"), task_record.c.source_id == bindparam("by"))
    .limit(bindparam("most"))
)
_DRAFTS: Final = delete(skill_draft).where(
    skill_draft.c.space_id == bindparam("of"), skill_draft.c.source_id == bindparam("by")
)
_NUMBER: Final = select(space.c.space_no).where(space.c.space_id == bindparam("of"))


def versions_of(tx: Tx, source_id: str) -> int:
    """Versions of the agent that are not erased yet."""
    return int(tx.scalar(_VERSIONS, {"of": tx.space_id, "by": source_id}) or 0)


def has_chains(tx: Tx, source_id: str) -> bool:
    """Whether anything of the agent is stored, in whatever state."""
    return bool(tx.scalar(_CHAINS, {"of": tx.space_id, "by": source_id}))


def mark_erased(tx: Tx, source_id: str) -> None:
    """From now on nothing of the agent is read."""
    tx.write(_ERASE, [{"of": tx.space_id, "by": source_id}])


def mark_undone(tx: Tx, source_id: str) -> None:
    """Marks as erased what an import has stored and not shown; notes that the agent wrote meanwhile stay."""
    for was in IMPORTING.values():
        tx.write(_SET, [{"of": tx.space_id, "by": source_id, "was": was, "becomes": ERASED}])


def show_imported(tx: Tx, source_id: str, seq: int) -> None:
    """Makes the imported notes of the agent visible; active ones are read from the receipt at `seq` on."""
    mine = {"of": tx.space_id, "by": source_id}
    tx.write(_READ_FROM, [{**mine, "was": IMPORTING["active"], "seq": seq}])
    for status, was in IMPORTING.items():
        tx.write(_SET, [{**mine, "was": was, "becomes": status}])


def to_scrub(tx: Tx, source_id: str, most: int) -> list[str]:
    """Ids of up to `most` erased versions that are still stored."""
    return [row.note_id for row in tx.all(_TO_SCRUB, {"of": tx.space_id, "by": source_id, "most": most})]


def delete_versions(tx: Tx, note_ids: Sequence[str]) -> None:
    """Deletes versions and what was counted for them."""
    for table in (note_outcome, note_version):
        tx.write(delete(table).where(table.c.space_id == tx.space_id, table.c.note_id.in_(note_ids)))


def delete_chains(tx: Tx, source_id: str) -> None:
    """Deletes the erased chains, when their versions are gone."""
    tx.write(_EMPTY_CHAINS, [{"of": tx.space_id, "by": source_id}])


def delete_records(tx: Tx, source_id: str, most: int) -> int:
    """Deletes up to `most` task records of the agent. Returns how many."""
    rows = tx.all(_RECORDS, {"of": tx.space_id, "by": source_id, "most": most})
    ids = [row.record_id for row in rows]
    if ids:
        mine = (task_record.c.space_id == tx.space_id, task_record.c.record_id.in_(ids))
        tx.write(delete(task_record).where(*mine))
    return len(ids)


def delete_drafts(tx: Tx, source_id: str) -> None:
    """Deletes the skills that were drafted from what the agent did: a person may not take them up any more."""
    tx.write(_DRAFTS, [{"of": tx.space_id, "by": source_id}])


def space_no(tx: Tx) -> int:
    return int(tx.scalar(_NUMBER, {"of": tx.space_id}))
