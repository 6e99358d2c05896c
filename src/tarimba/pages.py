"""Cursors of lists: opaque, and good only for the list, the filter and the caller that they were given to."""

from __future__ import annotations

import base64
import binascii
import hmac
import os

from tarimba.errors import invalid
from tarimba.vault import SpaceKey

_NONCE_BYTES = 8
_PLACE_BYTES = 8
_MAC_BYTES = 16


def write_cursor(key: SpaceKey, scope: str, place: int) -> str:
    """The cursor behind `place`. `scope` is what the list is: its name, its filter and the actor.

    The place is hidden: the numbers of a space would tell how much others write.
    """
    nonce = os.urandom(_NONCE_BYTES)
    hidden = _mixed(place.to_bytes(_PLACE_BYTES, "big"), _pad(key, nonce))
    return base64.urlsafe_b64encode(nonce + hidden + _mac(key, scope, nonce + hidden)).decode().rstrip("=")


def read_cursor(key: SpaceKey, scope: str, cursor: str) -> int:
    """The place in a cursor. Raises 422 for one that this list did not give to this caller."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _foreign() from None
    body, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
    if len(body) != _NONCE_BYTES + _PLACE_BYTES or not hmac.compare_digest(mac, _mac(key, scope, body)):
        raise _foreign()
    return int.from_bytes(_mixed(body[_NONCE_BYTES:], _pad(key, body[:_NONCE_BYTES])), "big")


def _mac(key: SpaceKey, scope: str, body: bytes) -> bytes:
    return bytes.fromhex(key.mac("list-cursor", f"{scope}\0{body.hex()}"))[:_MAC_BYTES]


def _pad(key: SpaceKey, nonce: bytes) -> bytes:
    return bytes.fromhex(key.mac("list-cursor-pad", nonce.hex()))[:_PLACE_BYTES]


def _mixed(left: bytes, right: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(left, right, strict=True))


def _foreign() -> Exception:
    return invalid("cursor", "must be the `next_cursor` of this very list with the same filter, given to you")
