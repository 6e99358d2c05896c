"""Signed checkpoints: the size and root of a log under an Ed25519 signature, in a form that other tools read.

Pure, and free of the server: whoever verifies runs on this code. Source: C2SP tlog-checkpoint and signed-note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tarimba.receipts.merkle import HASH_SIZE

MARK_SIZE: Final = 4
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
class NoteKey:
    """A key of signed notes under a `name` without spaces and `+`; `raw` are 32 bytes. Subclasses tell what it signs.

    Source: C2SP signed-note.
    """

    ALGORITHM: ClassVar[bytes]
    WHAT: ClassVar[str]

    name: str
    raw: bytes

    @property
    def mark(self) -> bytes:
        """The 4 bytes by which a signature names its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + self.ALGORITHM + self.raw).digest()[:MARK_SIZE]

    @property
    def key_id(self) -> str:
        return self.mark.hex()

    def __str__(self) -> str:
        """The key as other tools take it: `<name>+<key id>+<base64>`."""
        return f"{self.name}+{self.key_id}+{base64.b64encode(self.ALGORITHM + self.raw).decode()}"

    @classmethod
    def parse(cls, said: str) -> Self:
        """The key again. Raises `ValueError`."""
        name, _, rest = said.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        raw = _decoded(encoded)
        found = cls(name, raw[1:])
        is_named = name != "" and not any(one.isspace() for one in name)
        if not is_named or raw[:1] != cls.ALGORITHM or len(raw) != HASH_SIZE + 1 or found.key_id != key_id:
            raise ValueError(f"this is no public key of a {cls.WHAT}")
        return found

    def signatures(self, note: str) -> Iterator[tuple[str, bytes]]:
        """The body of a note, and what each of its signature lines of this key holds after the mark."""
        body, _, lines = note.partition("\n\n")
        for line in lines.splitlines():
            name, _, encoded = line.removeprefix("— ").partition(" ")
            said = _decoded(encoded)
            if name == self.name and said[:MARK_SIZE] == self.mark:
                yield f"{body}\n", said[MARK_SIZE:]

    def fits(self, signature: bytes, message: str) -> bool:
        """Whether the signature (64 bytes) is this key's over the message."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class PublicKey(NoteKey):
    """An Ed25519 key that signs checkpoints; its name is the origin of the logs that it signs."""

    ALGORITHM = b"\x01"
    WHAT = "log"


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
    return any(key.fits(signature, body) for body, signature in key.signatures(checkpoint.note))


def _decoded(encoded: str) -> bytes:
    """Nothing for what is not base64."""
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return b""
