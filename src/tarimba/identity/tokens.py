"""The form of keys and personal tokens, and nothing else: minting and taking them apart. Pure."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import Literal

from tarimba.ids import digest, new_secret, new_token_id

_FORM = re.compile(r"tar_(?:(sk)_(?:live|test)|(pt))_([0-9a-f]{16})_([A-Za-z0-9]{32})")


@dataclass(frozen=True, slots=True)
class Bearer:
    """A bearer string taken apart: what it is, its public id, and the digest of the whole string."""

    kind: Literal["key", "token"]
    id: str
    digest: str

    def matches(self, stored: str) -> bool:
        """Compares with the stored digest in constant time."""
        return hmac.compare_digest(self.digest, stored)


def mint_key(environment: str) -> tuple[str, str]:
    """A new key and its id: `tar_sk_<live|test>_<id>_<secret>`, 190 bits of secret."""
    key_id = new_token_id()
    return f"tar_sk_{environment}_{key_id}_{new_secret()}", key_id


def mint_token() -> tuple[str, str]:
    """A new personal token and its id: `tar_pt_<id>_<secret>`."""
    token_id = new_token_id()
    return f"tar_pt_{token_id}_{new_secret()}", token_id


def parse(bearer: str) -> Bearer | None:
    """None when the string is no key or token of ours."""
    match = _FORM.fullmatch(bearer)
    if match is None:
        return None
    return Bearer("key" if match[1] else "token", match[3], digest(bearer))
