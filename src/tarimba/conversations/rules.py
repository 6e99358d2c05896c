"""Decisions about conversations. Pure."""

from __future__ import annotations

import re
from typing import Final

LEVELS: Final = ("V0", "V1", "V2", "V3", "V4")
"""How far a customer is verified in a conversation."""

PROVING: Final = (
    "explicit_identify",
    "otp",
    "login",
    "system_import",
    "same_event",
    "accepted_suggestion",
)
CLAIMING: Final = ("declared", "co_occurrence", "channel_rotation", "external_resolver")
METHODS: Final = (*PROVING, *CLAIMING)
"""How somebody came to say that handles are one customer's; the first is meant when nothing is said."""

# Methods by which the customer showed to have the handle, or a system of record says so.
_SHOWING: Final = frozenset({"otp", "login", "system_import", "otp_whatsapp", "otp_sms"})
_CODE: Final = re.compile(r"[a-z][a-z0-9_.:-]{0,63}", re.IGNORECASE)


def is_code(word: str) -> bool:
    """Whether a word has the form of a code: what else stands in its place may be anything."""
    return _CODE.fullmatch(word) is not None


def proves(method: str) -> bool:
    """Whether the method of an identification proves that the handles are one customer's."""
    return method in PROVING


def shows_handle(method: str) -> bool:
    """Whether a handle told with this method is a known customer's from here on."""
    return method in _SHOWING


def link_after_event(link: str, *, is_named: bool) -> str:
    """How the customer of a conversation is known after an event; `is_named` by a handle that is somebody's."""
    return "confirmed" if link == "none" and is_named else link


def link_after_proof(*, is_proven: bool) -> str:
    """The same after handles were told to be one customer's. A claim counts until the same pair is proven."""
    return "confirmed" if is_proven else "unconfirmed"
