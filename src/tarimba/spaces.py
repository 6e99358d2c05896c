"""The keys of spaces, unwrapped once for each process."""

from __future__ import annotations

import os
import threading

from sqlalchemy import Connection, select

from tarimba.errors import Refusal, not_found
from tarimba.storage import Database
from tarimba.storage.tables import space
from tarimba.vault import KEY_BYTES, SpaceKey, Vault, VaultError


class SpaceKeys:
    """Gives the `SpaceKey` of a space; a space's key never changes, so what was read stays right."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._known: dict[str, SpaceKey] = {}
        self._lock = threading.Lock()

    def of(self, space_id: str) -> SpaceKey:
        """Raises 404 for an unknown space and `VaultError` when the master key is another one."""
        known = self._known.get(space_id)
        return known or self._load(space_id)

    def check(self) -> None:
        """Raises `VaultError` when a space was wrapped under another master key."""
        with self._database.read() as connection:
            rows = connection.execute(select(space.c.space_id, space.c.hmac_key)).all()
        for row in rows:
            self._vault.unwrap(bytes(row.hmac_key), key_label(row.space_id))

    def opens(self, connection: Connection) -> bool:
        """Whether the master key opens what is stored now: an exchange wraps everything anew. Any space tells."""
        row = connection.execute(select(space.c.space_id, space.c.hmac_key).limit(1)).first()
        if row is None:
            return True
        try:
            self._vault.unwrap(bytes(row.hmac_key), key_label(row.space_id))
        except VaultError:
            return False
        return True

    def require_present(self, connection: Connection, space_id: str = "") -> None:
        """For a transaction that stores something wrapped: the master key was not exchanged since this process started.

        An exchange waits until the transaction has ended. Without `space_id`, any space tells. Raises 503.
        """
        query = select(space.c.space_id, space.c.hmac_key).limit(1).with_for_update(read=True)
        row = connection.execute(query.where(space.c.space_id == space_id) if space_id else query).first()
        if row is None:
            return
        try:
            self._vault.unwrap(bytes(row.hmac_key), key_label(row.space_id))
        except VaultError:
            raise Refusal(
                "unavailable", "The master key was exchanged since this server started: restart it."
            ) from None

    def mint(self, space_id: str) -> bytes:
        """A new key for a space that is being made, wrapped for its row."""
        raw = os.urandom(KEY_BYTES)
        with self._lock:
            self._known[space_id] = SpaceKey(raw)
        return self._vault.wrap(raw, key_label(space_id))

    def _load(self, space_id: str) -> SpaceKey:
        with self._database.read() as connection:
            wrapped = connection.scalar(select(space.c.hmac_key).where(space.c.space_id == space_id))
        if wrapped is None:
            raise not_found("space")
        key = SpaceKey(self._vault.unwrap(bytes(wrapped), key_label(space_id)))
        with self._lock:
            self._known[space_id] = key
        return key


def has_spaces(database: Database) -> bool:
    """Whether anything is wrapped already, so that a new master key would open nothing."""
    with database.read() as connection:
        return connection.execute(select(space.c.space_id).limit(1)).first() is not None


def key_label(space_id: str) -> str:
    """What the wrapped key of a space is bound to: a key moved to another row does not open."""
    return f"space.hmac_key:{space_id}"


def secret_label(space_id: str, secret_id: str, *whose: str) -> str:
    """What a wrapped credential is bound to: its row, whom it is for, its name. Moved to another it does not open."""
    return ":".join(("secret.value", space_id, secret_id, *whose))


def seed_label(space_id: str, person_id: str) -> str:
    """What the wrapped seed of a second factor is bound to."""
    return f"person_secret.totp:{space_id}:{person_id}"


def signing_label(space_id: str, key_id: str) -> str:
    """What the wrapped secret of a signing key is bound to."""
    return f"signing_key.secret:{space_id}:{key_id}"
