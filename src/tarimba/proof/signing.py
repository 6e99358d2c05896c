"""The keys that sign checkpoints: made when first needed, rotated by the host, public for ever."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.proof import store
from tarimba.proof.model import SigningKey
from tarimba.receipts.checkpoint import PublicKey
from tarimba.receipts.model import Actor, Receipt, Via
from tarimba.receipts.service import record
from tarimba.spaces import signing_label
from tarimba.storage import Tx

_SECRET_BYTES: Final = 32
_SERVER: Final = Actor("system", "worker")


def origin_of(space_id: str) -> str:
    """The name of the log of a space, and of the keys that sign it. It never changes."""
    return f"tarimba/{space_id}"


def public_keys(kernel: Kernel, principal: Principal) -> list[SigningKey]:
    """Every key that ever signed, newest first: old ones stay, so that old checkpoints can be verified. Raises 403."""
    allow(principal, "checkpoints")
    with kernel.database.read() as connection:
        return store.signing_keys(connection, principal.space_id)


def rotate(kernel: Kernel, principal: Principal) -> SigningKey:
    """A new key signs from now on; the secret of the old one is gone. Raises 403."""
    allow(principal, "settings")
    return _make(kernel, principal.space_id, principal.actor, principal.via, replaces=True)


def signer(kernel: Kernel, space_id: str) -> tuple[SigningKey, bytes]:
    """The key in force and its secret (32 bytes); made now where there is none. Raises `VaultError`, `unavailable`."""
    with kernel.database.read() as connection:
        found = store.secret_of(connection, space_id)
    if found is None:
        _make(kernel, space_id, _SERVER, "worker", replaces=False)
        with kernel.database.read() as connection:
            found = store.secret_of(connection, space_id)
    assert found is not None
    key, wrapped = found
    return key, kernel.vault.unwrap(wrapped, signing_label(space_id, key.public.key_id))


def _make(kernel: Kernel, space_id: str, actor: Actor, via: Via, *, replaces: bool) -> SigningKey:
    raw = os.urandom(_SECRET_BYTES)
    public = PublicKey(
        origin_of(space_id), Ed25519PrivateKey.from_private_bytes(raw).public_key().public_bytes_raw()
    )
    wrapped = kernel.vault.wrap(raw, signing_label(space_id, public.key_id))

    def keep(tx: Tx) -> SigningKey:
        kept = store.secret_of(tx.connection, tx.space_id)
        if kept is not None and not replaces:
            # Another process made one first.
            return kept[0]
        kernel.keys.require_present(tx.connection, tx.space_id)
        store.retire_keys(tx)
        made = store.add_key(tx, public, wrapped)
        detail: Mapping[str, Any] = {
            "secret": "signing_key",
            "change": "rotate" if kept is not None else "create",
        }
        record(tx, Receipt("secret.change", actor, via, objects={"key_id": public.key_id}, detail=detail))
        return made

    return kernel.writer.commit(space_id, keep)
