"""Exchanging the master key: everything opens afterwards, whatever interrupted it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tarimba import cli
from tarimba.app import open_kernel
from tarimba.cli import master_key
from tarimba.errors import Refusal
from tarimba.identity import hosting, second_factor
from tarimba.identity.declare import apply
from tarimba.identity.manifest import Manifest
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel
from tarimba.proof import signing
from tarimba.settings import Settings
from tarimba.storage import Database
from tarimba.storage.tables import metadata, space, webhook
from tarimba.vault import Vault, VaultError
from tarimba.webhooks import managing as webhooks
from tarimba.webhooks.model import secret_label
from tarimba.webhooks.signing import shown
from tarimba.workspaces.secret_changes import put_given

FILE = '[space]\nslug = "{}"\n[[person]]\nslug = "rita"\nemail = "rita@acme.example"\nroles = ["owner"]\n'


class Host:
    """The command line inside this process, on a data folder with two spaces."""

    def __init__(self, data: Path, db: str) -> None:
        self.data, self.db = data, db
        self.key = data / "keys" / "master.key"
        file = data.with_suffix(".toml")
        assert self.run("keys", "init") == 0
        for slug in ("acme", "beta"):
            file.write_text(FILE.format(slug))
            assert self.run("apply", str(file)) == 0

    def run(self, *arguments: str) -> int:
        return cli.run([*arguments, "--data", str(self.data), "--db", self.db])

    def wrapped(self) -> list[bytes]:
        database = Database(self.db)
        with database.read() as connection:
            rows = connection.scalars(select(space.c.hmac_key).order_by(space.c.slug)).all()
        database.close()
        return [bytes(row) for row in rows]

    def verifies(self) -> bool:
        return all(self.run("receipts", "verify", "--space", slug) == 0 for slug in ("acme", "beta"))


@pytest.fixture
def host(database_url: str, tmp_path: Path) -> Host:
    return Host(tmp_path / "data", database_url)


def vault_of(path: Path) -> Vault:
    return Vault(base64.b64decode(path.read_text()))


@pytest.mark.promise("master-key-rotates")
def test_every_space_opens_with_the_new_key_and_no_more_with_the_old(host: Host) -> None:
    old, before = vault_of(host.key), host.wrapped()
    assert host.run("keys", "rotate-master") == 0
    assert vault_of(host.key).check_value != old.check_value
    assert host.verifies()
    after = host.wrapped()
    assert set(before).isdisjoint(after)
    for wrapped in after:
        with pytest.raises(VaultError):
            old.unwrap(wrapped, "any")
    assert host.key.stat().st_mode & 0o777 == 0o600
    assert vault_of(host.key.with_name(f"master.key.{old.check_value}.old")).check_value == old.check_value


@pytest.mark.promise("master-key-rotates")
@pytest.mark.parametrize("step", ["before", "after"])
def test_an_interrupted_rotation_is_finished_by_another(
    host: Host, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        if step == "before":
            patched.setattr(hosting, "rewrap", stop)
        else:
            patched.setattr(master_key, "_exchange", stop)
        assert host.run("keys", "rotate-master") == cli.INTERRUPTED
    assert host.key.with_name("master.key.new").exists()
    assert host.run("keys", "rotate-master") == 0
    assert not host.key.with_name("master.key.new").exists()
    assert host.verifies()


def test_a_key_of_one_s_own_is_taken(host: Host, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(base64.b64encode(b"n" * 32))
    assert host.run("keys", "rotate-master", "--new-key", str(mine)) == 0
    assert vault_of(host.key).check_value == Vault(b"n" * 32).check_value
    assert host.verifies()


def test_a_key_in_the_environment_is_exchanged_for_one_in_a_file(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(base64.b64encode(b"n" * 32))
    monkeypatch.setenv("TARIMBA_MASTER_KEY", host.key.read_text())
    host.key.unlink()
    assert host.run("keys", "rotate-master") == 1
    assert "--new-key" in capsys.readouterr().err
    assert host.run("keys", "rotate-master", "--new-key", str(mine)) == 0
    monkeypatch.setenv("TARIMBA_MASTER_KEY", mine.read_text())
    assert host.verifies()


def test_a_bad_new_key_changes_nothing(host: Host, tmp_path: Path) -> None:
    mine, before = tmp_path / "mine", host.wrapped()
    for content in (b"no base64!", base64.b64encode(b"short")):
        mine.write_bytes(content)
        assert host.run("keys", "rotate-master", "--new-key", str(mine)) == 1
    assert host.wrapped() == before
    assert host.verifies()


def test_a_key_of_another_installation_opens_nothing(host: Host) -> None:
    before = host.wrapped()
    host.key.write_bytes(base64.b64encode(b"x" * 32))
    assert host.run("keys", "rotate-master") == 1
    assert host.wrapped() == before


def test_nothing_else_is_wrapped_by_the_master_key() -> None:
    """Whoever adds a wrapped column has to teach the rotation about it."""
    secret = [
        str(column)
        for table in metadata.sorted_tables
        for column in table.c
        if column.info["holds"] == "secret"
    ]
    assert secret == [
        "space.hmac_key",
        "secret.value",
        "signing_key.secret",
        "webhook.secret",
        "webhook.old_secret",
        "person_secret.totp",
    ]


@pytest.mark.promise("master-key-rotates")
def test_a_second_factor_opens_with_the_new_key(host: Host) -> None:
    settings = Settings.model_validate({"data": host.data, "db": host.db})

    def rita(kernel: Kernel) -> Principal:
        token = hosting.issue_token(kernel, hosting.host_of(kernel, "acme"), "rita@acme.example", None)
        return authenticate(kernel, token["token"], "http")

    with open_kernel(settings) as kernel:
        before = second_factor.start(kernel, rita(kernel)).seed
    for _ in range(2):
        assert host.run("keys", "rotate-master") == 0
    with open_kernel(settings) as kernel:
        assert second_factor.enrolment(kernel, rita(kernel)).seed == before


@pytest.mark.promise("master-key-rotates")
def test_a_signing_key_opens_with_the_new_key(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert host.run("receipts", "checkpoint", "--space", "acme") == 0
        assert host.run("keys", "rotate-master") == 0
    capsys.readouterr()
    assert host.run("receipts", "keys", "--space", "acme") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.promise("master-key-rotates")
def test_secrets_of_webhooks_open_with_the_new_key(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()

    def told(*arguments: str) -> dict[str, Any]:
        assert host.run("webhooks", *arguments, "--space", "acme", "--json") == 0
        shown: dict[str, Any] = json.loads(capsys.readouterr().out)
        return shown

    first = told("add", "https://hooks.example.com/one")
    second = told("rotate", first["webhook_id"])
    gone = told("add", "https://hooks.example.com/two")
    told("remove", gone["webhook_id"])
    for _ in range(2):
        assert host.run("keys", "rotate-master") == 0
    database = Database(host.db)
    with database.read() as connection:
        row = connection.execute(select(webhook).where(webhook.c.state != "removed")).one()
    database.close()
    label = secret_label(row.space_id, row.webhook_id)
    opened = [vault_of(host.key).unwrap(bytes(one), label) for one in (row.old_secret, row.secret)]
    assert [shown(secret) for secret in opened] == [first["secret"], second["secret"]]


@pytest.mark.promise("master-key-needed")
def test_without_its_key_nothing_starts_and_no_second_key_is_made(host: Host) -> None:
    kept = host.key.rename(host.key.with_name("kept"))
    for command in (("space", "list"), ("receipts", "verify", "--space", "acme")):
        assert host.run(*command) != 0
    assert not host.key.exists()
    kept.rename(host.key)
    assert host.verifies()


@pytest.mark.promise("master-key-needed")
def test_with_another_key_nothing_starts(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    kept = host.key.rename(host.key.with_name("kept"))
    assert host.run("keys", "init") == 0
    assert host.run("space", "list") != 0
    assert "does not open with this master key" in capsys.readouterr().err
    host.key.unlink()
    kept.rename(host.key)
    assert host.run("space", "list") == 0


@pytest.mark.promise("master-key-rotates")
def test_a_server_that_still_runs_stores_nothing_under_the_old_key(host: Host) -> None:
    settings = Settings.model_validate({"data": host.data, "db": host.db})
    with open_kernel(settings) as kernel:
        acme = hosting.host_of(kernel, "acme")
        rita = authenticate(
            kernel, hosting.issue_token(kernel, acme, "rita@acme.example", None)["token"], "http"
        )
        hook = webhooks.add(kernel, acme, "https://hooks.example.com/one").done.ids["webhook_id"]
        before = stored(kernel)
        assert host.run("keys", "rotate-master") == 0
        rotated = stored(kernel)
        assert set(before).isdisjoint(rotated)
        for write in (
            lambda: put_given(kernel, acme, Called(), "TOKEN", "value"),
            lambda: webhooks.add(kernel, acme, "https://hooks.example.com/two"),
            lambda: webhooks.rotate(kernel, acme, hook),
            lambda: second_factor.start(kernel, rita),
            lambda: signing.rotate(kernel, acme),
            lambda: apply(kernel, Manifest.parse(FILE.format("gamma"))),
        ):
            with pytest.raises(Refusal, match="restart it") as refused:
                write()
            assert refused.value.code == "unavailable"
        assert stored(kernel) == rotated
    assert host.verifies()


def stored(kernel: Kernel) -> list[bytes]:
    """All that the master key wraps."""
    columns = [
        column for table in metadata.sorted_tables for column in table.c if column.info["holds"] == "secret"
    ]
    with kernel.database.read() as connection:
        return [bytes(one) for column in columns for one in connection.scalars(select(column)) if one]
