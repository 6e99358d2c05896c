"""Making an older state fit to serve again, before anybody sees it: what ended since then ends again.

All of it happens in the unpacked copy, through the same use cases as ever, so that each act leaves its receipt there
and erased text never reaches the place that the backup is restored into.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import func, select, update

from tarimba import journal
from tarimba.backup.journaling import is_in_log
from tarimba.backup.model import Manifest, SpaceState
from tarimba.conversations import service as conversations
from tarimba.erasure import service as erasure
from tarimba.errors import Refusal
from tarimba.identity import fleet, people
from tarimba.identity.drafts import PersonChange
from tarimba.identity.hosting import host_principal
from tarimba.identity.model import Principal
from tarimba.identity.spaces import list_spaces
from tarimba.kernel import Kernel
from tarimba.proof import service as proof
from tarimba.receipts.audit import verify_space
from tarimba.receipts.checkpoint import SignedCheckpoint, is_signed
from tarimba.receipts.checkpoint import read as read_checkpoints
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record
from tarimba.receipts.verify import Checkpoint
from tarimba.storage import Tx
from tarimba.storage.tables import (
    agent_key,
    job,
    person_session,
    sign_in_link,
    subscription_member,
    webhook_delivery,
)

# Above every ordinal that was given between the backup and the loss: cursors of clients and epochs of tokens from
# that time meet nothing of another meaning.
ORDINALS_SKIPPED: Final = 1_000_000_000


class UnsoundError(Exception):
    """The log of the backup does not verify. Carries sentences for the operator."""


@dataclass(frozen=True, slots=True)
class Settled:
    """One space after a restore. `again` counts what was ended again and `not_again` what was not, by action.

    Receipts from `size` up to `earlier_size` of the log before are not in this one; None without a kept checkpoint.
    """

    space_id: str
    slug: str
    size: int
    earlier_size: int | None
    is_signed: bool
    keys: int
    again: Mapping[str, int]
    not_again: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {
            "space_id": self.space_id,
            "slug": self.slug,
            "size": self.size,
            "earlier_size": self.earlier_size,
            "earlier_signed": self.is_signed,
            "keys_in_force": self.keys,
            "again": dict(self.again),
            "not_again": dict(self.not_again),
        }


def settle(
    kernel: Kernel,
    manifest: Manifest,
    checkpoints: Sequence[SignedCheckpoint],
    journals: Sequence[Path],
    *,
    despite_findings: bool = False,
) -> list[Settled]:
    """Settles every space of an unpacked backup. `kernel` is on that copy.

    Raises `UnsoundError` for a log that does not verify or that a kept checkpoint contradicts, 503, and `OSError`.
    """
    states = {state.space_id: state for state in manifest.spaces}
    found = []
    for space in list_spaces(kernel):
        host, state = host_principal(space), states[space.space_id]
        kept = [one for one in checkpoints if one.origin == proof.origin_of(space.space_id)]
        if not despite_findings:
            _require_sound(kernel, state, kept)
        earlier = max((one for one in kept if one.size > state.size), key=_size_of, default=None)
        is_ours = earlier is not None and _is_ours(kernel, host, earlier)
        _anchor(kernel, host, manifest, state, earlier, is_ours=is_ours)
        proof.rotate(kernel, host)
        again, not_again = _end_again(kernel, host, state, journals)
        size = None if earlier is None else earlier.size
        keys = _keys_in_force(kernel, space.space_id)
        found.append(Settled(space.space_id, space.slug, state.size, size, is_ours, keys, again, not_again))
    return found


def _require_sound(kernel: Kernel, state: SpaceState, kept: Iterable[SignedCheckpoint]) -> None:
    """The log as it came out of the backup, with those checkpoints that it must contain."""
    inside = [Checkpoint(one.size, one.root) for one in kept if one.size <= state.size]
    report = verify_space(kernel, state.space_id, inside)
    if not report.ok:
        said = " ".join(finding.sentence for finding in report.findings[:3])
        raise UnsoundError(
            f"The log in the backup does not verify. {said} Nothing was restored: take another backup, or "
            "--despite-findings."
        )


def _is_ours(kernel: Kernel, host: Principal, one: SignedCheckpoint) -> bool:
    return any(is_signed(one, key.public) for key in proof.public_keys(kernel, host))


def _anchor(
    kernel: Kernel,
    host: Principal,
    manifest: Manifest,
    state: SpaceState,
    earlier: SignedCheckpoint | None,
    *,
    is_ours: bool,
) -> None:
    """Leaves the receipt that says from which state the log goes on, and ends what must not outlive a restore."""
    detail: dict[str, Any] = {"size": state.size, "root": state.root, "backup": manifest.list_sha256}
    detail["made_at"] = manifest.about.made_at
    if earlier is not None:
        detail |= {
            "earlier_size": earlier.size,
            "earlier_root": earlier.root.hex(),
            "earlier_signed": is_ours,
        }

    def work(tx: Tx) -> None:
        tx.skip_ordinals(ORDINALS_SKIPPED)
        tx.changed()
        _end_what_is_open(tx)
        record(tx, Receipt("restore", host.actor, host.via, detail=detail))

    kernel.writer.commit(host.space_id, work)


def _end_what_is_open(tx: Tx) -> None:
    """Sessions, links, workspace tokens and leases: of each the present state is not known any more."""
    free = {"leased_until": None}
    sessions, links = person_session.c, sign_in_link.c
    tx.write(
        update(person_session)
        .where(sessions.space_id == tx.space_id, sessions.ended_at.is_(None))
        .values(ended_at=tx.now)
    )
    # One that was spent since would open again.
    tx.write(
        update(sign_in_link)
        .where(links.space_id == tx.space_id, links.spent_at.is_(None))
        .values(spent_at=tx.now)
    )
    members = subscription_member.c.space_id == tx.space_id
    tx.write(update(subscription_member).where(members).values(epoch=tx.next_ordinal()))
    tx.write(update(job).where(job.c.space_id == tx.space_id).values(leased_by=None, **free))
    tx.write(update(webhook_delivery).where(webhook_delivery.c.space_id == tx.space_id).values(**free))


def _end_again(
    kernel: Kernel, host: Principal, state: SpaceState, journals: Sequence[Path]
) -> tuple[Counter[str], Counter[str]]:
    """What the journals say was ended after the backup. How much was ended again, and how much was not."""
    again: Counter[str] = Counter()
    not_again: Counter[str] = Counter()
    for path in journals:
        for entry in journal.read(path):
            if entry.get("space_id") != host.space_id or _is_older(kernel, entry, state):
                continue
            what = str(entry.get("what"))
            if what == journal.FORGOTTEN:
                again.update([what] * conversations.forget_again(kernel, host, entry))
            else:
                (again if _one_again(kernel, host, what, entry) else not_again)[what] += 1
    return again, not_again


def _is_older(kernel: Kernel, entry: Mapping[str, Any], state: SpaceState) -> bool:
    """Whether the backup has it already, as far as the log tells. Who was forgotten has no place in it."""
    seq = entry.get("seq")
    return isinstance(seq, int) and seq < state.size and is_in_log(kernel, entry)


def _one_again(kernel: Kernel, host: Principal, what: str, entry: Mapping[str, Any]) -> bool:
    """False for what this version does not do by itself, and for a thing that the backup does not have."""
    work = _AGAIN.get(what)
    if work is None:
        return False
    try:
        return work(kernel, host, entry)
    except Refusal as refusal:
        if refusal.code not in {"not_found", "conflict"}:
            raise
        # What was made after the backup is not there to be ended. The last owner stays in force, and is told of.
        return refusal.code == "not_found"


def _erase_again(kernel: Kernel, host: Principal, entry: Mapping[str, Any]) -> bool:
    ids = _ids(entry)
    if "source_id" in ids:
        erasure.erase(kernel, host, ids["source_id"])
    elif "person_id" in ids:
        erasure.erase_member(kernel, host, ids["person_id"])
    else:
        return False
    return True


def _revoke_again(kernel: Kernel, host: Principal, entry: Mapping[str, Any]) -> bool:
    fleet.revoke_key(kernel, host, _ids(entry).get("key_id", ""))
    return True


def _end_tokens_again(kernel: Kernel, host: Principal, entry: Mapping[str, Any]) -> bool:
    people.revoke_tokens(kernel, host, _ids(entry).get("person_id", ""))
    return True


def _disable_again(kernel: Kernel, host: Principal, entry: Mapping[str, Any]) -> bool:
    if not entry.get("disabled"):
        return False
    people.change_person(kernel, host, _ids(entry).get("person_id", ""), PersonChange.of(disabled=True))
    return True


_AGAIN: Final = MappingProxyType(
    {
        "erase.requested": _erase_again,
        "key.revoke": _revoke_again,
        "person.token": _end_tokens_again,
        "person.change": _disable_again,
    }
)


def _ids(entry: Mapping[str, Any]) -> Mapping[str, str]:
    ids = entry.get("ids")
    return ids if isinstance(ids, dict) else {}


def _keys_in_force(kernel: Kernel, space_id: str) -> int:
    columns = agent_key.c
    query = select(func.count()).where(columns.space_id == space_id, columns.revoked_at.is_(None))
    with kernel.database.read() as connection:
        return int(connection.scalar(query) or 0)


def _size_of(one: SignedCheckpoint) -> int:
    return one.size


def checkpoints_in(path: Path) -> list[SignedCheckpoint]:
    """The checkpoints in a file, of whatever space. Raises `OSError`."""
    return read_checkpoints(path.read_text(encoding="utf-8", errors="replace"))
