"""Signatures of Standard Webhooks: HMAC-SHA256 over id, time and the very bytes of the payload. Pure.

Source: the Standard Webhooks specification, 1.0.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from typing import Final

SECRET_BYTES: Final = 32
TOLERANCE_SECONDS: Final = 300
_PREFIX: Final = "whsec_"
_VERSION: Final = "v1"


class NotGenuineError(Exception):
    """A request does not come from who holds the secret, or is too old. Carries a sentence."""


def shown(secret: bytes) -> str:
    """The secret as its owner gets it: `whsec_` and base64."""
    return _PREFIX + base64.b64encode(secret).decode()


def read_secret(text: str) -> bytes:
    """The bytes of a secret as it was shown. Raises ValueError for what is none."""
    try:
        secret = base64.b64decode(text.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        secret = b""
    if not text.startswith(_PREFIX) or len(secret) < 24:
        raise ValueError("must be a secret as it was shown: whsec_ and base64")
    return secret


def headers(secrets: Iterable[bytes], event_id: str, seconds: int, payload: bytes) -> dict[str, str]:
    """The three headers of one attempt, made at `seconds` since the epoch: a signature for each secret."""
    signatures = [_signature(secret, event_id, str(seconds), payload) for secret in secrets]
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(signatures),
    }


def verify(secret: bytes, given: Mapping[str, str], payload: bytes, now: float) -> str:
    """The event's id when the request is genuine; `given` has names in lower case. Raises `NotGenuineError`."""
    event_id, seconds = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not event_id or not seconds.isascii() or not seconds.isdigit():
        raise NotGenuineError("The headers webhook-id and webhook-timestamp are missing or malformed.")
    if abs(now - int(seconds)) > TOLERANCE_SECONDS:
        raise NotGenuineError("The webhook-timestamp is more than five minutes away from now.")
    wanted = _signature(secret, event_id, seconds, payload).encode()
    signatures = given.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(one.encode(), wanted) for one in signatures):
        raise NotGenuineError("No signature of the webhook-signature was made with this secret.")
    return event_id


def _signature(secret: bytes, event_id: str, seconds: str, payload: bytes) -> str:
    signed = b".".join((event_id.encode(), seconds.encode(), payload))
    return f"{_VERSION},{base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()}"
