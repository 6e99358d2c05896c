"""What ends a distillation before anybody writes, and what an offer must be to become a note. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tarimba import text
from tarimba.conversations.model import Record
from tarimba.distill.guards import speaks_to_agents
from tarimba.distill.model import Offer, UnfitError
from tarimba.distill.naming import CUSTOMER
from tarimba.proposals.model import Problem

DAYS: Final = 90
# A model that is away may be back in a minute, and after five tries nobody wants to wait longer.
WAITS_S: Final = (5, 30, 120, 300)
# Tries of every kind, those included in which something else failed: no proposal stays a draft for ever.
TRIES_MAX: Final = 10

# Broken without harm: a writer that is told can do better.
_MENDABLE: Final = frozenset({"too_long", "too_short", "too_many", "pattern", "blank"})
_JOINT: Final = re.compile(r"[_.:-]+")
_NO_TAG: Final = re.compile(r"[^a-z0-9_.:-]+")


def problem_of(record: Record | None) -> Problem | None:
    """Why there is nothing to write from; None when there is something."""
    if record is None or not record.turns:
        return "no_turns"
    if record.link == "unconfirmed":
        return "unconfirmed_link"
    if all(turn.role == CUSTOMER for turn in record.turns):
        # Nobody worked in it: what customers say teaches no agent.
        return "nothing_to_propose"
    return None


def is_refused(offer: Offer) -> bool:
    """Whether an offer says what no note may say, told or not told to write it."""
    # A tag says with dashes what a text says with spaces.
    tags = [_JOINT.sub(" ", tag) for tag in offer.tags]
    return speaks_to_agents("\n".join([offer.title, offer.body, *tags]))


def gated(offer: Offer, title_max: int, body_max: int) -> Offer | None:
    """The offer as it would be stored, with tags in their form; None when a text hides something.

    Raises `UnfitError` for what its writer can mend.
    """
    try:
        return Offer(
            kind=offer.kind,
            title=text.clean(offer.title, field="title", max_length=title_max, one_line=True),
            body=text.clean(offer.body, field="body", max_length=body_max),
            tags=text.tags(_tags(offer.tags)),
        )
    except text.GateError as error:
        if error.rule in _MENDABLE:
            raise UnfitError(error.sentence) from None
        return None


def wait_us(attempts: int) -> int | None:
    """How long to wait for a silent model after `attempts` tries before this; None: not any more."""
    return WAITS_S[attempts] * 1_000_000 if attempts < len(WAITS_S) else None


def _tags(offered: Sequence[str]) -> list[str]:
    """Tags in lower case with dashes for spaces: a model's way to write them is no reason to lose a note."""
    tags = [_NO_TAG.sub("-", tag.strip().lower()).strip("-_.:")[:64] for tag in offered]
    return list(dict.fromkeys(tag for tag in tags if tag))[: text.MAX_TAGS]
