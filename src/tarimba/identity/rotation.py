"""A new master key: everything that the old one wraps is wrapped again, all of it or nothing."""

from __future__ import annotations

from sqlalchemy import LargeBinary, bindparam, select, update

from tarimba.identity.changes import leave
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.spaces import key_label
from tarimba.storage import Database
from tarimba.storage.tables import space
from tarimba.vault import Vault, VaultError

_REWRAP = (
    update(space)
    .where(space.c.space_id == bindparam("of"))
    .values(hmac_key=bindparam("wrapped", type_=LargeBinary()))
)


def rewrap(database: Database, old: Vault, new: Vault) -> int:
    """Wraps the keys of all spaces under `new`, in one transaction. Returns how many were under `old`.

    What is under `new` already stays, so an interrupted rotation is finished by running it again. Raises
    `VaultError` when a key opens with neither; nothing is changed then.
    """
    with database.write() as connection:
        rows = connection.execute(select(space.c.space_id, space.c.hmac_key).with_for_update()).all()
        changed = [
            {"of": row.space_id, "wrapped": new.wrap(old.unwrap(bytes(row.hmac_key), label), label)}
            for row in rows
            if not _opens(new, bytes(row.hmac_key), label := key_label(row.space_id))
        ]
        if changed:
            connection.execute(_REWRAP, changed)
    return len(changed)


def record_rotation(kernel: Kernel, host: Principal) -> None:
    """Leaves the receipt in one space. The key itself has no name that could be told."""
    detail = {"secret": "master_key", "change": "rotate"}
    kernel.writer.commit(host.space_id, lambda tx: leave(tx, host, "secret.change", {}, detail))


def _opens(vault: Vault, wrapped: bytes, label: str) -> bool:
    try:
        vault.unwrap(wrapped, label)
    except VaultError:
        return False
    return True
