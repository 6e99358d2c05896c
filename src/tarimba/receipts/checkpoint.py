"""Signed checkpoints: the size and root of a log under an Ed25519 signature, in a form that other tools read.

Pure, and free of the server: whoever verifies runs on this code. Source: C2SP tlog-checkpoint and signed-note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tarimba.receipts.merkle import HASH_SIZE

_ED25519: Final = b"\x01"
_HASH: Final = 4
_NOTE: Final = re.compile(
    r"^(?P<body>(?P<origin>[^\s]+)\n(?P<size>0|[1-9][0-9]{0,15})\n(?P<root>[A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*)"
    r"\n(?P<signatures>(?:— [^\n]+\n)+)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A log of `size` receipts with that `root` (32 bytes), and the `note` that says so with its signatures."""

    origin: str
    size: int
    root: bytes
    note: str


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 key of that `name` (the origin of the logs that it signs); `raw` are 32 bytes."""

    name: str
    raw: bytes

    @property
    def mark(self) -> bytes:
        """The 4 bytes by which a signature names its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.raw).digest()[:_HASH]

    @property
    def key_id(self) -> str:
        return self.mark.hex()

    def __str__(self) -> str:
        """The key as other tools take it: `<name>+<key id>+<base64>`."""
        return f"{self.name}+{self.key_id}+{base64.b64encode(_ED25519 + self.raw).decode()}"

    @classmethod
    def parse(cls, said: str) -> PublicKey:
        """The key again. Raises `ValueError`."""
        name, _, rest = said.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        raw = _decoded(encoded)
        found = cls(name, raw[1:])
        if raw[:1] != _ED25519 or len(raw) != HASH_SIZE + 1 or found.key_id != key_id:
            raise ValueError("this is no public key of a log")
        return found


def sign(origin: str, size: int, root: bytes, private: bytes) -> SignedCheckpoint:
    """A checkpoint under the private key of 32 bytes, which has the name of the origin."""
    key = Ed25519PrivateKey.from_private_bytes(private)
    body = f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"
    mark = PublicKey(origin, key.public_key().public_bytes_raw()).mark
    signature = base64.b64encode(mark + key.sign(body.encode())).decode()
    return SignedCheckpoint(origin, size, root, f"{body}\n— {origin} {signature}\n")


def read(text: str) -> list[SignedCheckpoint]:
    """The checkpoints in a text, in their order: a file may have gathered many. What else is there is passed over."""
    return [
        SignedCheckpoint(one["origin"], int(one["size"]), _decoded(one["root"]), one[0])
        for one in _NOTE.finditer(text.replace("\r\n", "\n"))
    ]


def is_signed(checkpoint: SignedCheckpoint, key: PublicKey) -> bool:
    """Whether one of its signatures is this key's."""
    body, _, signatures = checkpoint.note.partition("\n\n")
    for line in signatures.splitlines():
        name, _, encoded = line.removeprefix("— ").partition(" ")
        said = _decoded(encoded)
        if name == key.name and said[:_HASH] == key.mark and _fits(key, said[_HASH:], f"{body}\n"):
            return True
    return False


def _fits(key: PublicKey, signature: bytes, body: str) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, body.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def _decoded(encoded: str) -> bytes:
    """Nothing for what is not base64."""
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return b""
