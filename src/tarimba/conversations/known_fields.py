"""Fields that clients of the wire send and that have no use here: they are known, so they count as nothing ignored.

Source: the wire models of the client `niadra` 0.11.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

UNUSED: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "event": frozenset(
            {
                "backing", "canonical_type", "corrects_event_id", "direction", "fields", "usage", "valid_until",
                "verification_hint", "visibility", "voice",
            }
        ),
        "content": frozenset({"type", "media_ref", "media_sha256", "stt_confidence"}),
        "action": frozenset({"closes", "corrects_action_id"}),
        "context_stamp": frozenset({"etag", "injected_at"}),
        "subject": frozenset({"kind", "role"}),
        "identify": frozenset({"subject_kind"}),
        "verify": frozenset({"valid_until"}),
        "handoff": frozenset({"mode", "target", "target_source"}),
        "heartbeat": frozenset({"idempotency_key", "sent"}),
    }
)  # fmt: skip
"""By the type of an item, or the name of an object inside."""
