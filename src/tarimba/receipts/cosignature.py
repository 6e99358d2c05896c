"""Cosignatures: what a witness outside says of a checkpoint, that it saw it at a time and that the log only grew.

Pure, and free of the server: whoever verifies runs on this code. Source: C2SP tlog-cosignature, `cosignature/v1`.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tarimba.receipts.checkpoint import NoteKey, SignedCheckpoint

_TIME_BYTES: Final = 8
# A moment of the year 9999: what is later is no moment that a clock shows.
_TIME_MAX: Final = 253_402_300_799


@dataclass(frozen=True, slots=True)
class WitnessKey(NoteKey):
    """An Ed25519 key by which a witness cosigns checkpoints of any log."""

    ALGORITHM = b"\x04"
    WHAT = "witness"


@dataclass(frozen=True, slots=True)
class Cosignature:
    """That the witness saw the checkpoint at `at` (Unix seconds); `line` is its line in the note."""

    key: WitnessKey
    at: int
    line: str

    @property
    def moment(self) -> str:
        """RFC 3339, UTC."""
        return datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def cosign(checkpoint: SignedCheckpoint, name: str, private: bytes, at: int) -> Cosignature:
    """What a witness of that name with that private key (32 bytes) says of it at a Unix second."""
    signer = Ed25519PrivateKey.from_private_bytes(private)
    key = WitnessKey(name, signer.public_key().public_bytes_raw())
    body = checkpoint.note.partition("\n\n")[0] + "\n"
    signature = signer.sign(_message(at, body).encode())
    said = base64.b64encode(key.mark + at.to_bytes(_TIME_BYTES, "big") + signature).decode()
    return Cosignature(key, at, f"— {name} {said}\n")


def cosignature_of(checkpoint: SignedCheckpoint, key: WitnessKey) -> Cosignature | None:
    """The newest that this witness gave to the checkpoint, or None when none of the lines of its note is one."""
    found = [
        Cosignature(key, at, _line(key, at, said[_TIME_BYTES:]))
        for body, said in key.signatures(checkpoint.note)
        if (at := int.from_bytes(said[:_TIME_BYTES], "big")) <= _TIME_MAX
        and key.fits(said[_TIME_BYTES:], _message(at, body))
    ]
    return max(found, key=lambda one: one.at, default=None)


def _message(at: int, body: str) -> str:
    return f"cosignature/v1\ntime {at}\n{body}"


def _line(key: WitnessKey, at: int, signature: bytes) -> str:
    said = base64.b64encode(key.mark + at.to_bytes(_TIME_BYTES, "big") + signature).decode()
    return f"— {key.name} {said}\n"
