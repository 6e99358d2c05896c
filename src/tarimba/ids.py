"""Identifiers: UUIDv7 for what is stored, secrets for what is shown once.

Source: RFC 9562, section 5.7 (UUIDv7).
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def new_id() -> str:
    """A UUIDv7 as 36 lower-case characters: 48 bits of Unix milliseconds, 74 random bits."""
    head = f"{time.time_ns() // 1_000_000:012x}"
    tail = os.urandom(10).hex()
    variant = "89ab"[int(tail[3], 16) & 3]
    return f"{head[:8]}-{head[8:]}-7{tail[:3]}-{variant}{tail[4:7]}-{tail[7:19]}"


def is_id(value: str) -> bool:
    """Whether `value` is written as a UUID in lower case."""
    return _UUID.fullmatch(value) is not None


def new_secret(length: int = 32) -> str:
    """A random string of letters and digits: 32 of them hold 190 bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def new_token_id() -> str:
    """The public part of a key or token: 16 hexadecimal characters."""
    return secrets.token_hex(8)


def digest(secret: str) -> str:
    """SHA-256 of a secret, in hexadecimal: what is stored in its place."""
    return hashlib.sha256(secret.encode()).hexdigest()
