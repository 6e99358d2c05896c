"""What was done just now, said on the page that comes next: marked, so that nobody's link says it in our name."""

from __future__ import annotations

import hmac
from typing import Final

from tarimba.console.page import Guest, Visit
from tarimba.ids import digest

_MARK: Final = 16
_APART: Final = "~"
# What is said to who is not signed in, and tells nothing that could be believed wrongly.
_FOR_GUESTS: Final = "sign_in."


def saying(visit: Visit | Guest, key: str) -> str:
    """The value of `done` in the address of the next page; `key` is one of words."""
    return key if key.startswith(_FOR_GUESTS) else f"{key}{_APART}{_mark(visit, key)}"


def said(visit: Visit | Guest) -> str:
    """What was done, if the address says so with the mark of this session; else nothing."""
    key, _, mark = visit.query.line("done").partition(_APART)
    if key.count(".") != 1 or ".done_" not in key or not visit.speech.has(key):
        return ""
    if key.startswith(_FOR_GUESTS):
        return visit.speech(key) if isinstance(visit, Guest) else ""
    return visit.speech(key) if hmac.compare_digest(mark.encode(), _mark(visit, key).encode()) else ""


def _mark(visit: Visit | Guest, key: str) -> str:
    return digest(f"done\0{visit.form_token}\0{key}")[:_MARK]
