"""What publishing would say of something, before anybody publishes it: its verdict, line by line. Nothing is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.skills import store
from tarimba.skills.access import Asked, Where, approach
from tarimba.skills.drafting import Draft, Offer, digest, draft
from tarimba.skills.model import FILE_NAME
from tarimba.skills.publishing import readers
from tarimba.skills.records import Published

# What is wrong with the thing itself; any other refusal is of the caller or of the server.
_ABOUT_IT: Final = frozenset({"invalid_input", "too_large"})


@dataclass(frozen=True, slots=True)
class Fault:
    """A deviation, a warning or a reason. `line` counts from 1, 0 where no line is meant; `path` may be unknown."""

    path: str
    line: int
    rule: str
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What was sent, judged. `mark` is the SHA-256 of it.

    `refused` is the only verdict that is not of the format: secrets, or an archive that breaks a rule. `asks`: it would
    have another name than it says, which the publisher confirms. `before` is what is in force under the name.
    """

    verdict: Literal["ok", "repaired", "quarantined", "refused"]
    faults: tuple[Fault, ...]
    mark: str
    draft: Draft | None = None
    asks: bool = False
    before: Published | None = None
    refusal: Refusal | None = None

    @property
    def is_publishable(self) -> bool:
        return self.draft is not None


def check(kernel: Kernel, principal: Principal, asked: Asked, offer: Offer) -> Checked:
    """The verdict on what somebody wants to publish there. Raises 403, 404, 422 for the scope, and 503."""
    where = approach(kernel, principal, asked)
    offer = replace(offer, name="", harnesses=readers(kernel, principal.space_id, where))
    mark = digest(offer.archive if offer.archive is not None else offer.text or b"")
    try:
        made, asks = _drafted(kernel, offer)
    except Refusal as refusal:
        if refusal.code not in _ABOUT_IT:
            raise
        return _refused(refusal, mark)
    faults = tuple(
        Fault(one.path, one.problem.line, one.problem.rule, one.problem.message, one.problem.fix)
        for one in made.problems
    )
    # A quarantined file is refused: what was drafted is one of the other two.
    verdict: Literal["ok", "repaired"] = "ok" if made.verdict == "ok" else "repaired"
    before = _in_force(kernel, principal, where, made.name)
    return Checked(verdict, faults, mark, made, asks, before)


def _drafted(kernel: Kernel, offer: Offer) -> tuple[Draft, bool]:
    try:
        return draft(offer, kernel.detectors), False
    except Refusal as refusal:
        name = refusal.extra.get("name")
        if not isinstance(name, str):
            raise
    return draft(replace(offer, name=name), kernel.detectors), True


def _refused(refusal: Refusal, mark: str) -> Checked:
    problems: list[Mapping[str, Any]] = list(refusal.extra.get("problems", ()))
    is_of_format = bool(problems) and not any("file" in one for one in problems)
    faults = tuple(
        Fault(
            "" if "file" in one else FILE_NAME,
            int(one["line"]),
            str(one["rule"]),
            str(one["message"]),
            str(one["fix"]),
        )
        for one in problems
    )
    return Checked("quarantined" if is_of_format else "refused", faults, mark, refusal=refusal)


def _in_force(kernel: Kernel, principal: Principal, where: Where, name: str) -> Published | None:
    with kernel.database.read() as connection:
        entry = store.entry(connection, principal.space_id, where.place, name)
        if entry is None or not entry.version:
            return None
        return store.version(connection, principal.space_id, entry.skill_id, entry.version)
