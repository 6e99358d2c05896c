"""`tarimba apply` as a use case: a file makes a space, and makes it again without doing anything."""

import base64
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from tarimba.app import open_kernel
from tarimba.errors import Refusal
from tarimba.identity import hosting
from tarimba.identity.service import authenticate
from tarimba.identity.settings import load
from tarimba.kernel import Kernel
from tarimba.receipts.audit import verify_space
from tarimba.settings import Settings
from tarimba.storage.tables import receipt_bundle, space

FILE = """
[space]
slug = "acme"
name = "Acme"
language = "pt"
[agent_memory]
enabled = true
writes = "human_only"
tasks.refund.object_types = ["invoice"]
[[vendor]]
slug = "norte"
[[agent]]
slug = "cobranca"
vendor = "norte"
harness = "ganglion"
task_section = true
[[agent.key]]
name = "prod"
scopes = ["agent_memory", "agent_memory:write", "context", "track"]
[[key]]
name = "ops"
scopes = ["admin"]
[[person]]
slug = "rita"
email = "Rita@acme.example"
roles = ["owner"]
[[person]]
slug = "ana"
email = "ana@acme.example"
roles = ["member", "manager@matriz"]
[[subscription]]
slug = "matriz"
members = ["ana"]
"""


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    with open_kernel(Settings(data=tmp_path, db=database_url, master_key=master)) as opened:
        yield opened


def apply(kernel: Kernel, text: str, as_email: str | None = None) -> dict[str, Any]:
    return hosting.apply_text(kernel, text, as_email).as_json()


def receipts(kernel: Kernel) -> list[dict[str, Any]]:
    with kernel.database.read() as connection:
        bundles = connection.scalars(
            select(receipt_bundle.c.entries).order_by(receipt_bundle.c.space_id, receipt_bundle.c.first_seq)
        ).all()
    return [json.loads(line) for entries in bundles for line in bytes(entries).split(b"\n")]


def refused(kernel: Kernel, text: str, as_email: str | None = None) -> Refusal:
    before = receipts(kernel)
    with pytest.raises(Refusal) as caught:
        apply(kernel, text, as_email)
    assert receipts(kernel) == before
    return caught.value


def test_a_file_makes_a_space_with_everything_in_it(kernel: Kernel) -> None:
    made = apply(kernel, FILE)
    assert made["space"]["slug"] == "acme"
    agent = made["agents"]["cobranca"]
    caller = authenticate(kernel, agent["keys"]["prod"], "http")
    assert (caller.source_id, caller.space_id) == (agent["source_id"], made["space"]["id"])
    assert authenticate(kernel, made["keys"]["ops"], "http").kind == "admin"
    with kernel.database.read() as connection:
        settings = load(connection, made["space"]["id"])
    assert (settings.enabled, settings.writes, dict(settings.tasks)) == (
        True,
        "human_only",
        {"refund": ("invoice",)},
    )
    host = hosting.host_of(kernel, "acme")
    people = {person["slug"]: person for person in hosting.all_people(kernel, host)}
    assert {slug: person["person_id"] for slug, person in people.items()} == made["people"]
    assert people["rita"]["email"] == "rita@acme.example"
    assert people["ana"]["roles"] == ["member", "manager@matriz"]
    assert verify_space(kernel, made["space"]["id"]).ok


def test_the_first_owner_in_the_file_is_the_actor_and_the_cli_the_door(kernel: Kernel) -> None:
    made = apply(kernel, FILE)
    left = receipts(kernel)
    assert {receipt["via"] for receipt in left} == {"cli"}
    assert {receipt["actor"]["id"] for receipt in left} == {made["people"]["rita"]}
    assert {receipt["actor"]["type"] for receipt in left} == {"person"}
    assert left[0]["detail"] == {"setting": "space", "change": "create"}


def test_a_file_without_an_owner_is_applied_by_the_system(kernel: Kernel) -> None:
    apply(kernel, '[space]\nslug = "bare"\n')
    assert [receipt["actor"] for receipt in receipts(kernel)] == [{"type": "system", "id": "cli"}]


@pytest.mark.promise("apply-idempotent")
def test_applying_again_does_nothing(kernel: Kernel) -> None:
    first = apply(kernel, FILE)
    before = receipts(kernel)
    generation = kernel.writer.commit(first["space"]["id"], lambda tx: tx.generation)
    again = apply(kernel, FILE)
    assert again["agents"]["cobranca"] == first["agents"]["cobranca"] | {"keys": {"prod": None}}
    assert again["keys"] == {"ops": None}
    assert {name: again[name] for name in ("space", "people", "subscriptions", "vendors")} == {
        name: first[name] for name in ("space", "people", "subscriptions", "vendors")
    }
    assert receipts(kernel) == before
    assert kernel.writer.commit(first["space"]["id"], lambda tx: tx.generation) == generation


def test_what_differs_is_changed_one_receipt_each(kernel: Kernel) -> None:
    first = apply(kernel, FILE)
    before = len(receipts(kernel))
    text = FILE.replace('harness = "ganglion"', 'harness = "picoclaw"\nname = "Agente"')
    text = text.replace('"human_only"', '"agent"').replace("ana@acme.example", "ana.nova@acme.example")
    text = text.replace('name = "Acme"', 'name = "Acme Brasil"').replace("task_section = true", "")
    again = apply(kernel, text)
    left = receipts(kernel)[before:]
    assert [(receipt["action"], receipt["detail"]) for receipt in left] == [
        ("settings.change", {"setting": "name"}),
        ("settings.change", {"setting": "agent_memory.writes", "old": "human_only", "new": "agent"}),
        ("person.change", {"change": "update", "fields": ["email"]}),
        ("agent.change", {"change": "update", "fields": ["harness", "name"]}),
    ]
    assert again["people"] == first["people"]


@pytest.mark.promise("apply-idempotent")
def test_nothing_is_removed(kernel: Kernel) -> None:
    made = apply(kernel, FILE)
    apply(
        kernel, '[space]\nslug = "acme"\n[[person]]\nslug = "ana"\nemail = "ana@acme.example"\nroles = []\n'
    )
    host = hosting.host_of(kernel, "acme")
    assert len(hosting.all_people(kernel, host)) == 2
    assert hosting.all_people(kernel, host)[1]["roles"] == ["member", "manager@matriz"]
    assert authenticate(kernel, made["keys"]["ops"], "http").kind == "admin"
    with kernel.database.read() as connection:
        assert load(connection, made["space"]["id"]).enabled


def test_a_key_that_was_revoked_is_not_minted_again(kernel: Kernel) -> None:
    made = apply(kernel, FILE)
    host = hosting.host_of(kernel, "acme")
    hosting.revoke_key(kernel, host, made["keys"]["ops"].split("_")[3])
    assert apply(kernel, FILE)["keys"] == {"ops": None}


def test_several_spaces_share_a_database(kernel: Kernel) -> None:
    one, two = apply(kernel, FILE), apply(kernel, FILE.replace('"acme"', '"beta"'))
    assert one["space"]["id"] != two["space"]["id"]
    assert not set(one["people"].values()) & set(two["people"].values())
    with pytest.raises(Refusal, match="--space SLUG"):
        hosting.host_of(kernel, None)
    assert hosting.host_of(kernel, "beta").space_id == two["space"]["id"]


def test_a_named_person_is_the_actor(kernel: Kernel) -> None:
    text = FILE + '[[person]]\nslug = "bia"\nemail = "bia@acme.example"\nroles = ["owner"]\n'
    made = apply(kernel, text, "BIA@acme.example")
    assert {receipt["actor"]["id"] for receipt in receipts(kernel)} == {made["people"]["bia"]}
    before = len(receipts(kernel))
    apply(kernel, '[space]\nslug = "acme"\nlanguage = "es"\n', "bia@acme.example")
    (changed,) = receipts(kernel)[before:]
    assert changed["actor"] == {"type": "person", "id": made["people"]["bia"]}


def test_who_is_named_must_be_there_and_may_only_what_the_role_says(kernel: Kernel) -> None:
    assert refused(kernel, FILE, "nobody@acme.example").code == "not_found"
    assert refused(kernel, FILE, "ana@acme.example").code == "scope_missing"
    assert hosting.spaces(kernel) == []
    apply(kernel, FILE)
    language = '[space]\nslug = "acme"\nlanguage = "es"\n'
    assert refused(kernel, language, "ana@acme.example").code == "scope_missing"
    manager = '[[person]]\nslug = "mia"\nemail = "mia@acme.example"\nroles = ["manager"]\n'
    apply(kernel, FILE + manager)
    vendor = '[space]\nslug = "acme"\n[[vendor]]\nslug = "sul"\n'
    assert apply(kernel, vendor, "mia@acme.example")["vendors"]
    assert refused(kernel, language, "mia@acme.example").code == "scope_missing"
    key = '[space]\nslug = "acme"\n[[key]]\nname = "more"\nscopes = ["admin"]\n'
    assert refused(kernel, key, "mia@acme.example").code == "scope_missing"


@pytest.mark.parametrize("exists", [False, True], ids=["new", "existing"])
def test_a_mistake_is_named_by_its_place_and_nothing_is_made(kernel: Kernel, exists: bool) -> None:
    if exists:
        apply(kernel, '[space]\nslug = "acme"\n')
    for old, new, place in (
        ('vendor = "norte"', 'vendor = "lost"', "agent[0].vendor"),
        ('members = ["ana"]', 'members = ["lost"]', "subscription[0].members"),
        ("manager@matriz", "manager@lost", "person[1].roles"),
        ('name = "prod"', 'name = "prod"\nexpires_at = 2020-01-01T00:00:00Z', "agent[0].key[0].expires_at"),
    ):
        found = refused(kernel, FILE.replace(old, new))
        assert (found.code, found.detail.split(":")[0]) == ("invalid_input", place)
    assert len(hosting.spaces(kernel)) == int(exists)


def test_what_never_changes_is_refused(kernel: Kernel) -> None:
    apply(kernel, FILE)
    other = FILE.replace('slug = "norte"', 'slug = "sul"').replace('vendor = "norte"', 'vendor = "sul"')
    scopes = FILE.replace(', "context", "track"', "")
    environment = FILE.replace('language = "pt"', 'environment = "test"')
    email = FILE.replace("ana@acme.example", "rita@acme.example").replace("Rita@acme", "r@acme")
    for text, place in (
        (other, "agent[0].vendor"),
        (scopes, "agent[0].key[0].scopes"),
        (environment, "space.environment"),
        (FILE.replace('slug = "ana"', 'slug = "eva"').replace('["ana"]', '["eva"]'), "person[1].email"),
    ):
        found = refused(kernel, text)
        assert (found.code, found.detail.split(":")[0]) == ("conflict", place)
    # An address that its owner gives up in the same file is free for the next person.
    apply(kernel, email)


def test_two_processes_may_make_the_same_space(database_url: str, tmp_path: Path) -> None:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    settings = Settings(data=tmp_path, db=database_url, master_key=master)
    with open_kernel(settings) as one, open_kernel(settings) as two, ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda kernel: apply(kernel, FILE), (one, two)))
        assert made[0]["space"] == made[1]["space"]
        minted = [answer["keys"]["ops"] for answer in made]
        assert minted.count(None) == 1
        with one.database.read() as connection:
            assert len(connection.execute(select(space.c.space_id)).all()) == 1
        assert verify_space(one, made[0]["space"]["id"]).ok


def test_a_change_by_another_process_is_seen_at_once(database_url: str, tmp_path: Path) -> None:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    settings = Settings(data=tmp_path, db=database_url, master_key=master)
    with open_kernel(settings) as server, open_kernel(settings) as host:
        made = apply(host, FILE)
        space_id = made["space"]["id"]
        before = server.writer.commit(space_id, lambda tx: tx.generation)
        apply(host, FILE.replace('"human_only"', '"agent"'))
        assert server.writer.commit(space_id, lambda tx: tx.generation) > before
        assert verify_space(server, space_id).ok
