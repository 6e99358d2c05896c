"""Workspace tokens: `b64url(payload) "." b64url(HMAC-SHA256(secret, payload))`, without padding. Pure.

Nothing is stored about them: whoever has the secret makes the same token for the same claim, always. Source: RFC 2104
(HMAC), RFC 4648, section 5 (the alphabet).
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

# Of the payload: another way to encode one begins with another byte.
_VERSION: Final = b"\x01"
_LENGTH: Final = 2
_EPOCH: Final = 8
_TEXTS: Final = 4
# Four ids, an epoch and a signature need about 300.
_TOKEN_MAX: Final = 1024


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose graph a token opens. `epoch` is that of the membership when the token was made."""

    space_id: str
    subscription_id: str
    source_id: str
    person_id: str
    epoch: int


def mint(secret: bytes, claim: Claim) -> str:
    """The token of a claim. Raises `ValueError` for an empty secret."""
    return _signed(secret, _payload(claim))


def verify(token: str, secrets: Sequence[bytes]) -> Claim | None:
    """What the token claims if one of the secrets signed it, else None.

    Nothing of the payload is looked at before the signature is known to be right.
    """
    if len(token) > _TOKEN_MAX or not token.isascii():
        return None
    payload = _decoded(token.partition(".")[0])
    if payload is None:
        return None
    # Compared as a whole, so one claim has one token; and with each secret, so time tells nothing of which.
    matches = [hmac.compare_digest(_signed(secret, payload), token) for secret in secrets]
    return _claim(payload) if any(matches) else None


def _signed(secret: bytes, payload: bytes) -> str:
    if not secret:
        raise ValueError("a token is not signed with an empty secret")
    return f"{_encoded(payload)}.{_encoded(hmac.digest(secret, payload, 'sha256'))}"


def _payload(claim: Claim) -> bytes:
    """Each text with its length before it, so that no two claims give the same bytes."""
    texts = (claim.space_id, claim.subscription_id, claim.source_id, claim.person_id)
    parts = [part for text in map(str.encode, texts) for part in (len(text).to_bytes(_LENGTH), text)]
    return b"".join([_VERSION, *parts, claim.epoch.to_bytes(_EPOCH)])


def _claim(payload: bytes) -> Claim | None:
    if not payload.startswith(_VERSION):
        return None
    *ids, epoch = _parts(payload[len(_VERSION) :])
    if len(epoch) != _EPOCH:
        return None
    try:
        space_id, subscription_id, source_id, person_id = (part.decode() for part in ids)
    except UnicodeDecodeError:
        return None
    return Claim(space_id, subscription_id, source_id, person_id, int.from_bytes(epoch))


def _parts(rest: bytes) -> Iterator[bytes]:
    for _ in range(_TEXTS):
        ends = _LENGTH + int.from_bytes(rest[:_LENGTH])
        yield rest[_LENGTH:ends]
        rest = rest[ends:]
    yield rest


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
