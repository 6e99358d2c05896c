"""`tarimba apply` with the witnesses of the file: who is missing is added, nobody is removed."""

from __future__ import annotations

from tarimba.errors import invalid
from tarimba.identity.hosting import Also, Manifest
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.proof.witnessing import WITNESSES_MAX, checked_key, settle
from tarimba.storage import Tx


def declared_witnesses(manifest: Manifest) -> Also:
    """What adds them. Raises 422 for a key that is none, or for more than twenty."""
    # A new space is made ahead of its first transaction, so everything that can be refused is refused here.
    keys = [checked_key(entry.key, f"{entry.where}key") for entry in manifest.witnesses]
    if len({key.key_id for key in keys}) > WITNESSES_MAX:
        raise invalid("witness", f"must not be more than {WITNESSES_MAX}")

    def work(tx: Tx, by: Principal) -> None:
        for key in keys:
            if settle(tx, by, key) is not None:
                allow(by, "settings")

    return work
