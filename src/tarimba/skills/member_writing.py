"""Writing a member's own skills: the file first, then its receipt, and the file put back when there can be none."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from tarimba.confined import PASSING, Confined
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.changes import done, receipt_of
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.skills import access, member_files, paths
from tarimba.skills.format import checked_name, is_legal
from tarimba.skills.matching import require_match
from tarimba.skills.member_files import FILES_MAX, TEXT_MAX, Held
from tarimba.skills.model import FILE_NAME
from tarimba.skills.own import OWN_MAX, is_full, judged
from tarimba.skills.roots import OwnSkill
from tarimba.skills.seats import Called, Seat, for_member
from tarimba.skills.shipped import NAMES
from tarimba.skills.views import language_of
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, is_known

_ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be written. `seen` is the If-Match of the caller, `unseen` the If-None-Match."""

    skill: str
    path: str
    text: str
    seen: str | None = None
    unseen: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What was written. `judged` tells what a SKILL.md comes to, None for other files."""

    status: int
    hash: str
    size: int
    judged: OwnSkill | None
    receipt: Recorded | None


def write(
    kernel: Kernel, principal: Principal, called: Called, wish: Wish, once_key: OnceKey | None = None
) -> Written:
    """Creates a file (201) or replaces one that the caller has seen, or what is no plain file (200).

    Raises 403, 404, 409 for something there when nothing was expected, 412, 413, 422 for what could not be loaded, 428
    when it is not said which file was seen, 501, 503.
    """
    seat = _seat(kernel, principal, called)
    data = wish.text.encode()
    if len(data) > TEXT_MAX:
        raise Refusal("too_large", f"The file is larger than {TEXT_MAX} bytes.")
    _require_step(wish.skill)
    _require_path(wish.path)
    verdict = judged(wish.skill, data, language_of(principal.language)) if wish.path == FILE_NAME else None
    mark = hashlib.sha256(data).hexdigest()
    change = _replayed(kernel, principal, once_key)
    if change is None:
        if verdict is not None:
            _require_loadable(wish.skill, verdict)
        with member_files.changing(kernel.settings.data, seat) as folder:
            change = _put(kernel, principal, seat, wish, data, mark, folder, once_key)
    return Written(change.status, mark, len(data), verdict, receipt_of(change))


def delete(
    kernel: Kernel,
    principal: Principal,
    called: Called,
    skill: str,
    path: str,
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Recorded | None:
    """Takes away one file of a skill, or all of it where no path is named. `seen` is held against it, or its SKILL.md.

    Raises 403, 404, 409, 412, 422, 501, 503.
    """
    seat = _seat(kernel, principal, called)
    _require_step(skill)
    if path:
        _require_path(path)
    change = _replayed(kernel, principal, once_key)
    if change is None:
        target = f"{skill}/{path}" if path else skill
        with member_files.changing(kernel.settings.data, seat) as folder:
            before = _mark(folder, f"{skill}/{path or FILE_NAME}", is_asked=seen is not None)
            require_match(seen, before)
            with member_files.removed(folder, target):
                change = _leave(kernel, principal, seat, ("delete", skill, path), before, None, once_key)
    return receipt_of(change)


def _put(
    kernel: Kernel,
    principal: Principal,
    seat: Seat,
    wish: Wish,
    data: bytes,
    mark: str,
    folder: Held,
    once_key: OnceKey | None,
) -> Done:
    target = f"{wish.skill}/{wish.path}"
    is_irregular = member_files.is_irregular(folder, target)
    # What is no plain file has no hash that anybody could have seen: a file is put in its place, unread.
    present = None if is_irregular else _content(folder, target)
    before = None if present is None else hashlib.sha256(present).hexdigest()
    if is_irregular and wish.unseen is not None and wish.unseen.strip() == _ANY:
        raise Refusal(
            "conflict", "Something that is no plain file stands there: leave out If-None-Match to replace it."
        )
    _require_seen(wish, before)
    undone: AbstractContextManager[None]
    if is_irregular:
        change, undone = "edit", member_files.replaced(folder, target, data)
    else:
        if before is None:
            _require_room(folder, wish)
        change = "create" if before is None else "edit"
        undone = member_files.written(folder, target, data, present)
    with undone:
        return _leave(kernel, principal, seat, (change, wish.skill, wish.path), before, mark, once_key)


def _leave(
    kernel: Kernel,
    principal: Principal,
    seat: Seat,
    what: tuple[str, str, str],
    before: str | None,
    after: str | None,
    once_key: OnceKey | None,
) -> Done:
    """The receipt of one change: which skill and file it was, only who knows their names can tell."""
    key = kernel.keys.of(seat.space_id)
    change, skill, path = what
    detail = {
        "change": change,
        "skill": key.commit(skill),
        "file": key.commit(path),
        "before": before,
        "after": after,
    }
    status = 201 if change == "create" else 200
    receipt = Receipt(
        "member_skill.write", principal.actor, principal.via, seat.source_id, seat.objects, detail
    )

    def work(tx: Tx) -> Done:
        return done(status, record(tx, receipt))

    return access.commit(kernel, principal, once_key, work)


def _replayed(kernel: Kernel, principal: Principal, once_key: OnceKey | None) -> Done | None:
    """What the request left when it was done before; else None."""
    if once_key is None:
        return None
    with kernel.database.read() as connection:
        if not is_known(connection, principal.space_id, once_key):
            return None

    def work(_tx: Tx) -> Done:
        raise Refusal("conflict", "This Idempotency-Key is too old. Use a new one.")

    return access.commit(kernel, principal, once_key, work)


def _seat(kernel: Kernel, principal: Principal, called: Called) -> Seat:
    with kernel.database.read() as connection:
        return for_member(connection, principal, called)


def _require_seen(wish: Wish, present: str | None) -> None:
    """Which version the caller has seen must be said, and be the one that stands there."""
    if wish.unseen is not None and present is not None and wish.unseen.strip() == _ANY:
        raise Refusal("conflict", "There is such a file already: read it, and name its hash in If-Match.")
    require_match(wish.seen, present)
    if present is not None and wish.seen is None:
        raise Refusal("precondition_required", "Name the hash of the file that you have read in If-Match.")


def _require_room(folder: Confined, wish: Wish) -> None:
    """A new skill has a name that may be taken, and what is new fits in."""
    if member_files.standing(folder, wish.skill) is None:
        checked_name(wish.skill)
        if wish.path != FILE_NAME:
            raise not_found("skill")
        if is_full(folder):
            raise Refusal("conflict", f"There are {OWN_MAX} skills in this workspace: remove one first.")
    elif not member_files.has_room(folder, wish.skill):
        raise Refusal("conflict", f"The skill has {FILES_MAX} files: remove one first.")


def _require_loadable(directory: str, verdict: OwnSkill) -> None:
    """What we write can be loaded, is called as its directory is, and takes no name of the package's own."""
    if verdict.verdict == "quarantined":
        problems = [problem.as_json() for problem in verdict.problems]
        raise Refusal(
            "invalid_input", "text: the skill could not be loaded as it stands.", extra={"problems": problems}
        )
    if verdict.name in NAMES or directory in NAMES:
        raise invalid("name", "is that of a skill of Tarimba")
    if is_legal(directory) and verdict.name != directory:
        raise invalid("text", "the name in it must be that of the skill")


def _require_path(path: str) -> None:
    fault = paths.fault(path)
    if fault is None and paths.is_too_deep(path):
        fault = "is too deep"
    if fault is None and any(step.startswith(PASSING) for step in path.split("/")):
        fault = "has a name that the server keeps for itself"
    if fault is None and path != FILE_NAME and path.lower() == FILE_NAME.lower():
        fault = f"differs from {FILE_NAME} by its letters alone"
    if fault is not None:
        raise invalid("path", fault)


def _require_step(skill: str) -> None:
    if "/" in skill or skill in {"", ".", ".."} or skill.startswith(PASSING):
        raise invalid("name", "must be the name of one directory")


def _content(folder: Confined, path: str) -> bytes | None:
    return member_files.content(folder, path)


def _mark(folder: Confined, path: str, *, is_asked: bool) -> str | None:
    """The hash of what stands there; what can't be read may still be taken away, unless its hash is asked for."""
    try:
        data = _content(folder, path)
    except Refusal:
        if is_asked:
            raise
        return None
    return None if data is None else hashlib.sha256(data).hexdigest()
