"""Handles as MACs: one value for one person, however it is written and whichever agent says it.

A telephone, an address or a document has the MAC by which known customers are found; anything else one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tarimba.personal_data import service as personal_data
from tarimba.vault import SpaceKey

_FOLDED: Final[Mapping[str, str]] = MappingProxyType(
    {"phone_e164": "phone", "wa_id": "whatsapp", "wa_jid": "whatsapp"}
    | {name: name for name in personal_data.HANDLE_TYPES}
)
# These tell visitors apart, and nobody's identity.
ANONYMOUS: Final = frozenset({"anon_id"})
# Many people share one of these, so they make nobody a customer.
_SHARED: Final = frozenset({"email_domain", "org_registry_hmac"})
_OPAQUE: Final = frozenset({"wa_lid", "wa_bsuid", "gov_id_hmac", "app_user_id", "system_id"})
_STAFF: Final = "staff"
_OTHER: Final = "other"


@dataclass(frozen=True, slots=True)
class Hashed:
    """A handle as it is stored. `known_kind` is what a known customer with it is found as; None if none can be."""

    mac: str
    type: str
    known_kind: str | None

    @property
    def is_anonymous(self) -> bool:
        return self.type in ANONYMOUS


def hashed(key: SpaceKey, handle_type: str, value: str, scope: str | None) -> Hashed:
    """The handle that somebody sent. A value that can't be one of its type still is somebody's, as it stands."""
    folded = _FOLDED.get(handle_type)
    if folded is not None:
        found = personal_data.hashed_handle(key, folded, value)
        if found is None and folded in ("phone", "whatsapp"):
            # The international form without its plus.
            found = personal_data.hashed_handle(key, folded, f"+{value}")
        if found is not None:
            return Hashed(found[0], folded, found[1])
    known = handle_type in _OPAQUE | ANONYMOUS or folded is not None
    whole = "\0".join((handle_type, scope or "", value.strip()))
    return Hashed(key.mac("handle", whole), handle_type if known else _OTHER, None)


def handle_mac(key: SpaceKey, handle_type: str, value: str, scope: str | None) -> str:
    """The MAC under which a handle is stored."""
    return hashed(key, handle_type, value, scope).mac


def names_customer(handle_type: str, subject_kind: str | None) -> bool:
    """Whether such a handle says who the customer is: not one that many share, and not one of the company's staff."""
    return handle_type not in _SHARED and subject_kind != _STAFF
