"""Cursors of lists: opaque, and good only for the filter and the caller that they were given to."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from dataclasses import asdict

from tarimba.errors import invalid
from tarimba.identity.model import Principal
from tarimba.notes.model import Filter
from tarimba.vault import SpaceKey

_MAC_BYTES = 16
_AGE_BYTES = 8


def write_cursor(key: SpaceKey, principal: Principal, wanted: Filter, age: int) -> str:
    """The cursor behind a note of this age."""
    place = age.to_bytes(_AGE_BYTES, "big")
    return base64.urlsafe_b64encode(place + _mac(key, principal, wanted, age)).decode().rstrip("=")


def read_cursor(key: SpaceKey, principal: Principal, wanted: Filter, cursor: str) -> int:
    """The age behind which the list goes on. Raises 422 for a cursor of another filter, caller or making."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise _unknown() from error
    age = int.from_bytes(raw[:_AGE_BYTES], "big")
    if not hmac.compare_digest(raw[_AGE_BYTES:], _mac(key, principal, wanted, age)):
        raise _unknown()
    return age


def _unknown() -> Exception:
    return invalid("cursor", "send back the `next_cursor` of the same list with the same filter")


def _mac(key: SpaceKey, principal: Principal, wanted: Filter, age: int) -> bytes:
    bound = json.dumps([principal.kind, principal.id, asdict(wanted), age], sort_keys=True)
    return bytes.fromhex(key.mac("notes-cursor", bound))[:_MAC_BYTES]
