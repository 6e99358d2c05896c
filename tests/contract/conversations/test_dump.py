"""A dump of the database without the master key tells nobody's telephone."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator

import pytest
from sqlalchemy import select

from tarimba.conversations.handles import handle_mac
from tarimba.personal_data.known_customers import Customer, add
from tarimba.storage.tables import metadata, space
from tests.contract.conversations.talks import Talks, event, item

# A million telephones of one city; what the customers of the test have is among them.
CANDIDATES = 1_000_000
FIRST = 5511_910_000_000
HANDED_OUT = (17, 4_242, 999_999)
_DIGEST = re.compile(rb"[0-9a-f]{64}")


def number(at: int) -> str:
    return str(FIRST + at)


def dumped(talks: Talks) -> bytes:
    """Every row of every table, as text."""
    with talks.world.kernel.database.read() as connection:
        return repr([connection.execute(table.select()).all() for table in metadata.sorted_tables]).encode()


def guesses(value: str, keys: list[bytes]) -> Iterator[bytes]:
    """What somebody with the dump alone can make of a candidate: plain hashes, and MACs under what lies there."""
    for form in (value, f"+{value}"):
        raw = form.encode()
        yield hashlib.sha256(raw).digest()
        for purpose in (b"known phone\0", b"handle\0"):
            yield hashlib.sha256(purpose + raw).digest()
        for key in keys:
            yield hmac.digest(key, b"known phone\0" + raw, "sha256")


@pytest.mark.promise("dump-tells-nobody")
@pytest.mark.parametrize("many", [20_000, pytest.param(CANDIDATES, marks=pytest.mark.nightly)])
def test_no_candidate_matches_what_is_stored(talks: Talks, many: int) -> None:
    phones = [number(at % many) for at in HANDED_OUT]
    for phone in phones:
        handles = [{"type": "wa_id", "value": phone}, {"type": "anon_id", "value": phone}]
        talks.sent(event(f"ligar para {phone}", handles=handles, conversation_id=phone, task_id=phone))
        talks.sent(item("identify", handles=handles, method="otp"))
    customers = [Customer(None, (("phone", f"+{phone}"),)) for phone in phones]
    add(talks.world.kernel, talks.world.caller("owner"), customers)
    dump = dumped(talks)
    # What was handed out is there, as a MAC under a key that is not.
    key = talks.world.kernel.keys.of(talks.world.space_id)
    assert all(handle_mac(key, "wa_id", phone, None).encode() in dump for phone in phones)
    stored = {bytes.fromhex(found.decode()) for found in _DIGEST.findall(dump)}
    with talks.world.kernel.database.read() as connection:
        wrapped = bytes(connection.scalar(select(space.c.hmac_key)) or b"")
    keys = [b"", talks.world.space_id.encode(), wrapped, wrapped[:32], wrapped[-32:]]
    assert not [at for at in range(many) if not stored.isdisjoint(guesses(number(at), keys))]
    assert not [phone for phone in phones if phone[2:].encode() in dump]
