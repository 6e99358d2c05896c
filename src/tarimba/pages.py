"""Cursors of lists: opaque, and good only for the list, the filter and the caller that they were given to."""

from __future__ import annotations

import base64
import binascii
import hmac

from tarimba.errors import invalid
from tarimba.vault import SpaceKey

_PURPOSE = "list-cursor"
_MAC_CHARACTERS = 32


def write_cursor(key: SpaceKey, scope: str, place: int) -> str:
    """The cursor behind `place`. `scope` is what the list is: its name, its filter and the actor."""
    mac = key.mac(_PURPOSE, f"{scope}\0{place}")[:_MAC_CHARACTERS]
    return base64.urlsafe_b64encode(f"{place}.{mac}".encode()).decode().rstrip("=")


def read_cursor(key: SpaceKey, scope: str, cursor: str) -> int:
    """The place in a cursor. Raises 422 for one that this list did not give to this caller."""
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        raise _foreign() from None
    digits = text.partition(".")[0]
    # Nothing longer than a place can be is worth turning into a number.
    if not digits.isdecimal() or len(digits) > 20:
        raise _foreign()
    if not hmac.compare_digest(write_cursor(key, scope, int(digits)).encode(), cursor.encode()):
        raise _foreign()
    return int(digits)


def _foreign() -> Exception:
    return invalid("cursor", "must be the `next_cursor` of this very list with the same filter, given to you")
