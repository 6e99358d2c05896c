"""A new master key: everything that the old one wraps is wrapped again, all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, LargeBinary, bindparam, select, update

from tarimba.identity.changes import leave
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.spaces import key_label, secret_label, seed_label, signing_label
from tarimba.storage import Database
from tarimba.storage.tables import person_secret, secret, signing_key, space, webhook
from tarimba.vault import Vault, VaultError
from tarimba.webhooks.model import secret_label as webhook_label

_REWRAP = (
    update(space)
    .where(space.c.space_id == bindparam("of"))
    .values(hmac_key=bindparam("wrapped", type_=LargeBinary()))
)
_REWRAP_WEBHOOK = (
    update(webhook)
    .where(webhook.c.space_id == bindparam("of"), webhook.c.webhook_id == bindparam("which"))
    .values(
        secret=bindparam("wrapped", type_=LargeBinary()),
        old_secret=bindparam("wrapped_old", type_=LargeBinary()),
    )
)

_REWRAP_SECRET = (
    update(secret)
    .where(secret.c.space_id == bindparam("of"), secret.c.secret_id == bindparam("which"))
    .values(value=bindparam("wrapped", type_=LargeBinary()))
)
_REWRAP_SEED = (
    update(person_secret)
    .where(person_secret.c.space_id == bindparam("of"), person_secret.c.person_id == bindparam("which"))
    .values(totp=bindparam("wrapped", type_=LargeBinary()))
)
_REWRAP_SIGNING = (
    update(signing_key)
    .where(signing_key.c.space_id == bindparam("of"), signing_key.c.key_id == bindparam("which"))
    .values(secret=bindparam("wrapped", type_=LargeBinary()))
)


def rewrap(database: Database, old: Vault, new: Vault) -> int:
    """Wraps keys of spaces, webhooks' secrets, credentials, second factors and signing keys under `new`, all at once.

    Returns how many keys of spaces were under `old`. What is under `new` already stays, so an interrupted rotation is
    finished by running it again. Raises `VaultError` when one opens with neither; nothing is changed then.
    """
    with database.write() as connection:
        changed = list(_spaces(connection, old, new))
        if changed:
            connection.execute(_REWRAP, changed)
        secrets = list(_webhooks(connection, old, new))
        if secrets:
            connection.execute(_REWRAP_WEBHOOK, secrets)
        credentials = list(_credentials(connection, old, new))
        if credentials:
            connection.execute(_REWRAP_SECRET, credentials)
        seeds = list(_seeds(connection, old, new))
        if seeds:
            connection.execute(_REWRAP_SEED, seeds)
        signing = list(_signing(connection, old, new))
        if signing:
            connection.execute(_REWRAP_SIGNING, signing)
    return len(changed)


def record_rotation(kernel: Kernel, host: Principal) -> None:
    """Leaves the receipt in one space. The key itself has no name that could be told."""
    detail = {"secret": "master_key", "change": "rotate"}
    kernel.writer.commit(host.space_id, lambda tx: leave(tx, host, "secret.change", {}, detail))


def _spaces(connection: Connection, old: Vault, new: Vault) -> Iterator[dict[str, Any]]:
    rows = connection.execute(select(space.c.space_id, space.c.hmac_key).with_for_update()).all()
    for row in rows:
        wrapped = bytes(row.hmac_key)
        again = _again(wrapped, key_label(row.space_id), old, new)
        if again != wrapped:
            yield {"of": row.space_id, "wrapped": again}


def _webhooks(connection: Connection, old: Vault, new: Vault) -> Iterator[dict[str, Any]]:
    columns = (webhook.c.space_id, webhook.c.webhook_id, webhook.c.secret, webhook.c.old_secret)
    # Of a removed one nothing is left to wrap.
    query = select(*columns).where(webhook.c.state != "removed").with_for_update()
    for row in connection.execute(query).all():
        label = webhook_label(row.space_id, row.webhook_id)
        before = row.old_secret if row.old_secret is None else _again(bytes(row.old_secret), label, old, new)
        wrapped = _again(bytes(row.secret), label, old, new)
        yield {"of": row.space_id, "which": row.webhook_id, "wrapped": wrapped, "wrapped_old": before}


def _credentials(connection: Connection, old: Vault, new: Vault) -> Iterator[dict[str, Any]]:
    for row in connection.execute(select(secret).with_for_update()).all():
        whose = row.subscription_id, row.source_id, row.person_id, row.name
        wrapped = _again(bytes(row.value), secret_label(row.space_id, row.secret_id, *whose), old, new)
        yield {"of": row.space_id, "which": row.secret_id, "wrapped": wrapped}


def _seeds(connection: Connection, old: Vault, new: Vault) -> Iterator[dict[str, Any]]:
    query = select(person_secret).where(person_secret.c.totp.is_not(None)).with_for_update()
    for row in connection.execute(query).all():
        wrapped = _again(bytes(row.totp), seed_label(row.space_id, row.person_id), old, new)
        yield {"of": row.space_id, "which": row.person_id, "wrapped": wrapped}


def _signing(connection: Connection, old: Vault, new: Vault) -> Iterator[dict[str, Any]]:
    query = select(signing_key).where(signing_key.c.secret.is_not(None)).with_for_update()
    for row in connection.execute(query).all():
        wrapped = _again(bytes(row.secret), signing_label(row.space_id, row.key_id), old, new)
        yield {"of": row.space_id, "which": row.key_id, "wrapped": wrapped}


def _again(wrapped: bytes, label: str, old: Vault, new: Vault) -> bytes:
    """Wrapped under `new`: as it is when it was so before."""
    return wrapped if _opens(new, wrapped, label) else new.wrap(old.unwrap(wrapped, label), label)


def _opens(vault: Vault, wrapped: bytes, label: str) -> bool:
    try:
        vault.unwrap(wrapped, label)
    except VaultError:
        return False
    return True
