"""The index of one agent's skills for its prompt, and the log's word for a skill that is not opened."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import structlog
from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.seats import seat_named
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.skills import access, disk_store, index, own
from tarimba.skills.index import Frame, Index, Listed
from tarimba.skills.index_cache import Read, Shared
from tarimba.skills.managed import managed
from tarimba.skills.model import FILE_NAME
from tarimba.skills.published import layers
from tarimba.skills.records import Place, Published
from tarimba.skills.roots import Settled, settle
from tarimba.skills.rules import cascade
from tarimba.skills.seats import Called, Seat, for_index
from tarimba.skills.views import language_of

SHADOWED: Final = "skills.shadowed"

_log = structlog.get_logger("tarimba.skills")


@dataclass(frozen=True, slots=True)
class IndexRead:
    """The index; `text` is None when the caller has it already."""

    text: str | None
    etag: str
    left_out: int
    receipt: Recorded


def read(
    kernel: Kernel,
    principal: Principal,
    called: Called,
    *,
    workspace: str | None = None,
    known: Collection[str] = (),
) -> IndexRead:
    """The index as the agent puts it into its prompt.

    `workspace` is the absolute path of the workspace as the agent sees it, if not the harness's own; `known` the etags
    of texts that the caller has, or `*`. Raises 403, 404, 422 and 501.
    """
    seat, found = compose(kernel, principal, called, workspace)
    etag = hashlib.sha256(found.text.encode()).hexdigest()
    is_same = etag in known or "*" in known
    receipt = Receipt(
        "skill.index",
        principal.actor,
        principal.via,
        seat.source_id,
        seat.objects,
        _detail(kernel, seat, found) | {"etag": etag, "not_modified": is_same},
    )
    recorded = record_read(kernel.writer, seat.space_id, receipt)
    return IndexRead(None if is_same else found.text, etag, found.left_out, recorded)


@dataclass(frozen=True, slots=True)
class Seen:
    """The index as people look at it. `listed` have a line; `left_out` are the shared ones that have none.

    `tokens` are those of the text, `limit` is in bytes, `harness` is the agent's.
    """

    text: str
    tokens: int
    limit: int
    listed: tuple[Listed, ...]
    left_out: tuple[Listed, ...]
    harness: str
    receipt: Recorded


def look(kernel: Kernel, principal: Principal, subscription: str, agent: str) -> Seen:
    """The index that an agent gets in a subscription (empty: in none), without anything of members.

    Raises 403 and 404.
    """
    with kernel.database.read() as connection:
        reach = access.reach(connection, principal)
        seat = seat_named(connection, principal.space_id, Called(subscription, agent))
        if not reach.holds(Place("subscription", seat.subscription_id)):
            raise not_found("subscription")
        shared = shared_of(kernel, connection, seat, principal.language)
    found = _rendered(kernel, seat, shared, str(seat.profile.seen_at()))
    detail = _detail(kernel, seat, found) | {"etag": hashlib.sha256(found.text.encode()).hexdigest()}
    receipt = Receipt(
        "skill.index",
        principal.actor,
        principal.via,
        seat.source_id,
        seat.objects,
        detail | {"not_modified": False},
    )
    recorded = record_read(kernel.writer, seat.space_id, receipt)
    told = {one.name for one in found.shared}
    left = tuple(one for one in shared.skills if one.name not in told)
    tokens = kernel.tokenizer.count(found.text)
    return Seen(found.text, tokens, shared.limit, found.shared, left, seat.profile.name, recorded)


def of_seat(kernel: Kernel, by: Principal, seat: Seat) -> tuple[Index, Receipt]:
    """The index of a seat for who composes its prompt, and the receipt that its reading is to leave."""
    with kernel.database.read() as connection:
        shared = shared_of(kernel, connection, seat, by.language)
    found = _rendered(kernel, seat, shared, str(seat.profile.seen_at(seat.project or None)))
    etag = hashlib.sha256(found.text.encode()).hexdigest()
    detail = _detail(kernel, seat, found) | {"etag": etag, "not_modified": False}
    return found, Receipt("skill.index", by.actor, by.via, seat.source_id, seat.objects, detail)


def compose(
    kernel: Kernel, principal: Principal, called: Called, workspace: str | None = None
) -> tuple[Seat, Index]:
    """The index without its receipt, as `read` says."""
    with kernel.database.read() as connection:
        seat = for_index(connection, principal, called)
        shared = shared_of(kernel, connection, seat, principal.language)
    return seat, _rendered(kernel, seat, shared, workspace or str(seat.profile.seen_at(seat.project or None)))


def shared_of(kernel: Kernel, connection: Connection, seat: Seat, language: str) -> Shared:
    """The administrators' skills that the agent gets: what is published, over what comes with the package."""
    key = (seat.space_id, seat.subscription_id, seat.source_id)
    generation = disk_store.generation(connection, seat.space_id)
    known = kernel.indexes.shared.get(key)
    if known is not None and known.generation == generation:
        return known
    settings = space_settings.load(connection, seat.space_id)
    chosen = cascade(layers(connection, *key))
    published = [_listed(one.winner, seat.profile.shared_root) for one in chosen.values()]
    spoken = language_of(language)
    shipped = managed(seat.profile, spoken)
    skills = {one.name: one for one in (*shipped, *published)}
    inside = tuple(skills[name] for name in sorted(skills))
    shared = Shared(generation, inside, shipped, spoken, settings.index_bytes)
    kernel.indexes.shared.put(key, shared)
    return shared


def own_of(kernel: Kernel, seat: Seat, shared: Shared) -> own.Seen:
    """The member's own skills with the agent, as they are on disk now."""
    root = seat.profile.own_root
    key = (seat.home, root, shared.language)
    known = kernel.indexes.own.get(key) or own.NOTHING
    seen = own.look(seat.workspace(kernel), root, shared.language, known)
    kernel.indexes.own.put(key, seen)
    return seen


def settled(shared: Shared, seen: own.Seen) -> Settled:
    return settle({one.name: one.mark for one in shared.skills}, seen.skills.values())


def _rendered(kernel: Kernel, seat: Seat, shared: Shared, workspace: str) -> Index:
    profile = seat.profile
    key = (seat.space_id, seat.subscription_id, seat.source_id, seat.person_id, seat.project, workspace)
    last = kernel.indexes.reads.get(key)
    seen = own_of(kernel, seat, shared) if seat.person_id else own.NOTHING
    if last is not None and last.shared is shared and last.seen is seen:
        return last.index
    found = settled(shared, seen)
    if last is None or last.settled.shadowed != found.shadowed:
        _tell(seat, found)
    frame = Frame(shared.language, workspace, (profile.shared_root, profile.own_root), shared.limit)
    lines = [
        Listed(one.name, one.description, _own_path(seat, one.directory), one.mark) for one in found.opened
    ]
    rendered = index.render(shared.skills, lines, frame)
    kernel.indexes.reads.put(key, Read(shared, seen, found, rendered))
    return rendered


def _tell(seat: Seat, found: Settled) -> None:
    """A copy that is not opened is logged once each time the set changes: names and digests only."""
    pairs = [(one.skill.name, one.skill.mark, one.by) for one in found.shadowed]
    if pairs:
        _log.info(
            SHADOWED,
            **seat.objects,
            skills=[{"name": name, "own": mine, "opened": by} for name, mine, by in pairs],
        )


def _detail(kernel: Kernel, seat: Seat, found: Index) -> dict[str, Any]:
    """What reached the prompt. A name that an agent or a member chose goes in as what only the space can make."""
    key = kernel.keys.of(seat.space_id)
    return {
        "shared": {one.skill_id or one.name: one.content_hash or one.mark for one in found.shared},
        "own": {key.commit(one.name): one.mark for one in found.own},
        "left_out": found.left_out,
    }


def _listed(winner: Published, root: str) -> Listed:
    (mark,) = [file.hash for file in winner.files if file.path == FILE_NAME]
    return Listed(
        winner.name,
        winner.description,
        f"{root}/{winner.name}/{FILE_NAME}",
        mark,
        winner.published_at,
        winner.skill_id,
        winner.content_hash,
    )


def _own_path(seat: Seat, directory: str) -> str:
    return f"{seat.profile.own_root}/{directory}/{FILE_NAME}"
