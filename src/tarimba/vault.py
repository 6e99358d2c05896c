"""The master key and what it wraps.

From a dump of the database alone nothing that is hashed under a space's key can be guessed: the key itself is
stored only encrypted (AES-256-GCM) under the master key, which lives outside the database.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tarimba.errors import Refusal
from tarimba.settings import Settings

KEY_BYTES = 32
_NONCE_BYTES = 12
# RFC 2104: the key is XORed with these bytes, for SHA-256 in blocks of 64. A space's key is never longer than one.
_BLOCK_BYTES = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class VaultError(Refusal):
    """The master key is missing, malformed or not the one that wrapped the data. Carries a sentence.

    At the start it is the operator's. A server whose master key was exchanged meanwhile answers 503 `unavailable` to
    whatever needs what it can't open any more.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__("unavailable", sentence)


@dataclass(frozen=True, slots=True)
class SpaceKey:
    """The HMAC key of one space: turns what callers send into values that a dump does not reveal."""

    raw: bytes

    def mac(self, purpose: str, value: str) -> str:
        """HMAC-SHA256 of `value` for one purpose, in hexadecimal."""
        return hmac.new(self.raw, f"{purpose}\0{value}".encode(), hashlib.sha256).hexdigest()

    def macs(self, purpose: str, values: Iterable[str]) -> list[str]:
        """What `mac` says of each value, in a third of the time.

        The hash states of key and purpose are made once and copied.
        """
        block = self.raw.ljust(_BLOCK_BYTES, b"\0")
        inner = hashlib.sha256(block.translate(_INNER) + f"{purpose}\0".encode())
        outer = hashlib.sha256(block.translate(_OUTER))
        found = []
        for value in values:
            inside, outside = inner.copy(), outer.copy()
            inside.update(value.encode())
            outside.update(inside.digest())
            found.append(outside.hexdigest())
        return found

    def reveal(self, value: str) -> bytes:
        """The `k` of a commitment: what a bundle shows for the ids that were asked about, 32 bytes."""
        return hmac.digest(self.raw, b"commitment\0" + value.encode(), "sha256")

    def commit(self, value: str) -> str:
        """`SHA-256(k || value)` in hexadecimal: findable by who knows the value and the key, else opaque."""
        return hashlib.sha256(self.reveal(value) + value.encode()).hexdigest()


class Vault:
    """Wraps and unwraps secrets under the master key."""

    def __init__(self, master: bytes) -> None:
        if len(master) != KEY_BYTES:
            raise VaultError(
                "The master key must hold exactly 32 bytes (base64 of them in TARIMBA_MASTER_KEY)."
            )
        self._cipher = AESGCM(master)
        self._macs = hmac.digest(master, b"tarimba macs", "sha256")
        self.check_value = hmac.digest(master, b"tarimba key-check", "sha256")[:8].hex()

    def mac(self, purpose: str, value: str) -> str:
        """HMAC-SHA256 of `value` for one purpose, in hexadecimal: for what belongs to no space."""
        return hmac.new(self._macs, f"{purpose}\0{value}".encode(), hashlib.sha256).hexdigest()

    def wrap(self, secret: bytes, label: str) -> bytes:
        """Encrypts `secret`, bound to `label` (the row it belongs to)."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret, label.encode())

    def unwrap(self, wrapped: bytes, label: str) -> bytes:
        """The secret again. Raises `VaultError` when another master key wrapped it or the row was altered."""
        try:
            return self._cipher.decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], label.encode())
        except InvalidTag as error:
            raise VaultError(
                "A stored secret does not open with this master key: use the key that made the database "
                "(TARIMBA_MASTER_KEY or the file keys/master.key in the data folder), and restart a server that ran "
                "while the key was exchanged."
            ) from error


def key_file(settings: Settings) -> Path:
    """Where the master key lies when the environment does not hold it."""
    return settings.data / "keys" / "master.key"


def key_text(settings: Settings) -> str:
    """The master key as it is written: base64 from the environment, else from the file. Raises `OSError`."""
    if settings.master_key is not None:
        return settings.master_key.get_secret_value()
    return key_file(settings).read_text(encoding="ascii", errors="replace")


def init_key_file(path: Path) -> None:
    """Makes the key file, 0600, durable. Raises `FileExistsError` when there is one: a key is never replaced."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(base64.b64encode(os.urandom(KEY_BYTES)) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    # The name must survive a power cut too, or the next start would make another key.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def open_vault(settings: Settings, *, may_create: bool) -> Vault:
    """The vault of this installation: the environment's master key, else the key file.

    `may_create` is true on SQLite, where the first start makes the file; with PostgreSQL a second host would
    make a second key, so there the file is made on purpose by `tarimba keys init`.
    """
    if settings.master_key is not None:
        return Vault(_decode(settings.master_key.get_secret_value(), "TARIMBA_MASTER_KEY"))
    path = key_file(settings)
    if not path.exists():
        if not may_create:
            raise VaultError(
                "No master key: set TARIMBA_MASTER_KEY, copy keys/master.key into the data folder, or make the "
                "first one with `tarimba keys init --data DIR`."
            )
        _init_once(path)
    return Vault(_decode(path.read_text(), str(path.name)))


def _init_once(path: Path) -> None:
    try:
        init_key_file(path)
    except FileExistsError:
        # Another process of the same installation made it between our look and our write: use that one.
        return


def _decode(text: str, where: str) -> bytes:
    try:
        return base64.b64decode(text.strip(), validate=True)
    except binascii.Error as error:
        raise VaultError(f"{where} is not base64.") from error
