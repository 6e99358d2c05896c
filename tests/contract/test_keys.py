"""Keys are exchanged, and what was told before stays findable and provable; a dump alone gives no number away."""

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import select

from tarimba.app import all_routes, open_kernel
from tarimba.http.skin import make_app
from tarimba.identity.rotation import rewrap
from tarimba.kernel import Kernel
from tarimba.personal_data import known_customers
from tarimba.personal_data.handles import handle
from tarimba.personal_data.known_customers import Customer, known_mac
from tarimba.proof import service as proof
from tarimba.receipts import search
from tarimba.receipts.audit import verify_space
from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.checkpoint import is_signed
from tarimba.receipts.kept import read_kept
from tarimba.receipts.search import Question
from tarimba.settings import Settings
from tarimba.storage.tables import metadata, space
from tarimba.vault import SpaceKey, Vault
from tests.contract.notes.world import found_company
from tests.contract.receipts.world import make_world

OLD, NEW = bytes(range(32)), b"n" * 32
CANDIDATES = 1_000_000


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings.model_validate({"data": tmp_path, "db": database_url, "master_key": shown(OLD)})


@pytest.fixture
def kernel(settings: Settings) -> Iterator[Kernel]:
    with open_kernel(settings) as opened:
        yield opened


def shown(key: bytes) -> SecretStr:
    return SecretStr(base64.b64encode(key).decode())


@pytest.mark.promise("keys-rotate")
def test_after_every_rotation_old_receipts_are_found_and_verify(settings: Settings, kernel: Kernel) -> None:
    world = make_world(kernel)
    note, _ = world.write_note("First")
    read = world.read_block([note.note_id], conversation="conv-1")
    bundle, _ = proof.bundle(kernel, world.auditor, Question(conversation_id="conv-1"))
    before = proof.make(kernel, world.space_id)
    (old_key,) = proof.public_keys(kernel, world.auditor)
    new_key = proof.rotate(kernel, replace(world.auditor, roles=frozenset({"owner"})))
    assert rewrap(kernel.database, Vault(OLD), Vault(NEW)) == 1
    with open_kernel(settings.model_copy(update={"master_key": shown(NEW)})) as again:
        moved = replace(world, kernel=again)
        found = search.search(again, moved.auditor, Question(conversation_id="conv-1"))
        assert [one.seq for one in found.items] == [read.seq]
        kept = read_kept(before.note, key=old_key.public)
        assert verify_space(again, world.space_id, kept.checkpoints).ok
        assert verify_bundle(bundle, old_key.public).ok
        assert proof.public_keys(again, moved.auditor)[-1].public == old_key.public
        assert is_signed(proof.make(again, world.space_id), new_key.public)
        later, _ = proof.bundle(again, moved.auditor, Question(conversation_id="conv-1"))
        assert verify_bundle(later, new_key.public).revealed == {"conv-1": (read.seq,)}


@pytest.mark.promise("keys-rotate")
def test_a_server_that_still_runs_says_that_it_must_be_restarted(kernel: Kernel) -> None:
    company = found_company(kernel)
    bearer = company.bearers["auditor"]
    rewrap(kernel.database, Vault(OLD), Vault(NEW))
    # As a process that has not opened the key of this space yet.
    forgetful = replace(kernel, keys=type(kernel.keys)(kernel.database, kernel.vault))
    client = TestClient(make_app(forgetful, all_routes()), headers={"Authorization": f"Bearer {bearer}"})
    for method, path in (("POST", "/v1/receipts/search"), ("GET", "/v1/receipts/checkpoint")):
        answer = client.request(method, path, json={} if method == "POST" else None)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert "restart" in answer.json()["detail"]


@pytest.mark.nightly
@pytest.mark.promise("dump-guesses-nothing")
def test_from_a_dump_alone_a_million_candidate_numbers_match_nothing(kernel: Kernel) -> None:
    """One of them is in it, as a known customer's and as the id of a conversation: the space's key finds both."""
    company = found_company(kernel)
    numbers = [f"+55119{at:08d}" for at in range(CANDIDATES)]
    ours = numbers[CANDIDATES // 2]
    known_customers.add(kernel, company.caller("admin"), [Customer(None, (("phone", ours),))])
    search.search(kernel, company.caller("auditor"), Question(conversation_id=ours))
    dump, key = dumped(kernel), kernel.keys.of(company.space_id)
    found = handle("phone", ours)
    assert found is not None
    assert {known_mac(key, found), key.commit(ours)} <= dump
    purpose, written = f"known {found.family}", [found.value.replace(ours[-8:], one[-8:]) for one in numbers]
    assert written[CANDIDATES // 2] == found.value
    # What somebody with the dump may try for a key: none, zeros, the wrapped one as it is stored.
    with kernel.database.read() as connection:
        wrapped = bytes(connection.execute(select(space.c.hmac_key)).scalar_one())
    for guess in (SpaceKey(b""), SpaceKey(bytes(32)), SpaceKey(wrapped[:32]), SpaceKey(wrapped[-32:])):
        assert dump.isdisjoint(guess.macs(purpose, written))
        assert dump.isdisjoint(map(guess.commit, numbers))
    assert dump.isdisjoint(hashlib.sha256(one.encode()).hexdigest() for one in numbers)
    assert dump.isdisjoint(numbers)


def dumped(kernel: Kernel) -> frozenset[str]:
    """Every value of every row, and every word of it that may be a hash."""
    found: set[str] = set()
    with kernel.database.read() as connection:
        for table in metadata.sorted_tables:
            for row in connection.execute(select(table)):
                texts = (one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in row)
                found.update(word for text in texts for word in re.findall(r"[0-9A-Za-z+-]+", text))
    return frozenset(found)
