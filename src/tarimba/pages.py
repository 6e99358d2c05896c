"""Cursors of lists: opaque, and good only for the list, the filter and the caller that they were given to."""

from __future__ import annotations

import base64
import binascii
import hmac

from tarimba.errors import invalid
from tarimba.vault import SpaceKey

_PLACE_BYTES = 8
_MAC_BYTES = 16


def write_cursor(key: SpaceKey, scope: str, place: int) -> str:
    """The cursor behind `place`. `scope` is what the list is: its name, its filter and the actor.

    The place is hidden (the MAC is also what hides it, as in RFC 5297): the numbers of a space would tell how
    much others write. Equal places give equal cursors.
    """
    mac = _mac(key, scope, place)
    hidden = _mixed(place.to_bytes(_PLACE_BYTES, "big"), _pad(key, mac))
    return base64.urlsafe_b64encode(mac + hidden).decode().rstrip("=")


def read_cursor(key: SpaceKey, scope: str, cursor: str) -> int:
    """The place in a cursor. Raises 422 for one that this list did not give to this caller."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _foreign() from None
    if len(raw) != _MAC_BYTES + _PLACE_BYTES:
        raise _foreign()
    mac = raw[:_MAC_BYTES]
    place = int.from_bytes(_mixed(raw[_MAC_BYTES:], _pad(key, mac)), "big")
    if not hmac.compare_digest(mac, _mac(key, scope, place)):
        raise _foreign()
    return place


def _mac(key: SpaceKey, scope: str, place: int) -> bytes:
    return bytes.fromhex(key.mac("list-cursor", f"{scope}\0{place}"))[:_MAC_BYTES]


def _pad(key: SpaceKey, mac: bytes) -> bytes:
    return bytes.fromhex(key.mac("list-cursor-pad", mac.hex()))[:_PLACE_BYTES]


def _mixed(left: bytes, right: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(left, right, strict=True))


def _foreign() -> Exception:
    return invalid("cursor", "must be the `next_cursor` of this very list with the same filter, given to you")
