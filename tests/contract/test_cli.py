"""The command line, run inside the process of the tests: what it prints, refuses and ends with."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from tarimba import cli
from tarimba.storage.tables import metadata

FILE = """
[space]
slug = "acme"
language = "pt"
[agent_memory]
enabled = true
[[vendor]]
slug = "norte"
[[agent]]
slug = "cobranca"
vendor = "norte"
[[agent.key]]
name = "prod"
scopes = ["agent_memory", "agent_memory:write"]
[[key]]
name = "ops"
scopes = ["admin"]
[[person]]
slug = "rita"
email = "rita@acme.example"
roles = ["owner"]
"""


@dataclass
class Host:
    """A data folder, a database (None: the file in the folder) and what the last command printed."""

    data: Path
    db: str | None
    captured: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        place = ["--data", str(self.data), *(("--db", self.db) if self.db else ())]
        self.captured.readouterr()
        code = cli.run([*arguments, *place])
        return code, *self.captured.readouterr()

    def json(self, *arguments: str) -> Any:
        code, output, errors = self.run(*arguments, "--json")
        assert (code, errors) == (0, "")
        return json.loads(output)

    def write(self, content: str = FILE) -> str:
        file = self.data.with_suffix(".toml")
        file.write_text(content, encoding="utf-8")
        return str(file)

    def apply(self, content: str = FILE) -> Any:
        return self.json("apply", self.write(content))

    def refused(self, *arguments: str) -> tuple[int, str]:
        """Exit code and the one sentence of a command that is refused."""
        code, output, errors = self.run(*arguments)
        assert not output
        assert len(errors.splitlines()) == 1, errors
        return code, errors.strip()

    def change(self, statement: Any) -> None:
        """Changes the database behind our back."""
        url = self.db or f"sqlite:///{self.data}/tarimba.db"
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        with engine.begin() as connection:
            connection.execute(statement)
        engine.dispose()


@pytest.fixture
def host(database: str, database_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Host:
    data = tmp_path / "data"
    if database == "sqlite":
        return Host(data, None, capsys)
    made = Host(data, database_url, capsys)
    assert made.run("keys", "init")[0] == 0
    return made


def test_a_company_is_set_up_without_a_server(host: Host) -> None:
    made = host.apply()
    assert made["agents"]["cobranca"]["keys"]["prod"].startswith("tar_sk_live_")
    again = host.apply()
    assert again["agents"]["cobranca"] == made["agents"]["cobranca"] | {"keys": {"prod": None}}
    token = host.run("person", "token", "RITA@acme.example")[1].strip()
    assert token.startswith("tar_pt_")
    assert [person["slug"] for person in host.json("person", "list")] == ["rita"]
    assert [space["slug"] for space in host.json("space", "list")] == ["acme"]
    minted = host.json("keys", "mint", "--agent", "cobranca", "--name", "night", "--scope", "track")
    assert host.json("keys", "revoke", minted["key_id"])["revoked_at"]
    assert len(host.json("keys", "list")) == 3
    assert len(host.json("keys", "list", "--agent", "cobranca")) == 2
    added = host.json("person", "add", "bia", "bia@acme.example", "--role", "reviewer")
    assert host.json("person", "role", "bia@acme.example", "--add", "auditor", "--remove", "reviewer") == (
        added | {"roles": ["auditor"]}
    )
    assert host.json("person", "revoke-tokens", "rita@acme.example")["revoked"] == 1
    assert host.json("receipts", "verify")["ok"] is True


def test_a_log_that_was_altered_ends_with_one(host: Host) -> None:
    host.apply()
    assert host.run("receipts", "verify")[0] == 0
    host.change(metadata.tables["receipt_bundle"].delete())
    code, output, _ = host.run("receipts", "verify", "--json")
    assert code == 1
    assert json.loads(output)["first_bad_seq"] == 0


def test_refusals_are_one_sentence_and_an_exit_code(host: Host) -> None:
    assert host.refused("person", "list")[0] == 1
    host.apply()
    assert host.refused("person", "token", "nobody@acme.example") == (
        1,
        "There is no such person that you can read.",
    )
    assert host.refused("apply", host.write(FILE + "colour = 1\n")) == (
        2,
        "person[0].colour: there is no such key.",
    )
    assert host.refused("apply", host.write(), "--as", "nobody@acme.example")[0] == 1
    assert host.refused("keys", "mint", "--name", "x", "--scope", "track")[0] == 2
    host.apply(FILE.replace('"acme"', '"beta"'))
    code, sentence = host.refused("person", "list")
    assert (code, "--space SLUG" in sentence) == (2, True)
    assert host.run("person", "list", "--space", "beta")[0] == 0
    assert host.run("person", "list", "--colour")[0] == 2


def test_with_postgresql_every_command_needs_the_key(
    postgres_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = Host(tmp_path / "data", postgres_url, capsys)
    for command in (("apply", host.write()), ("serve",), ("space", "list"), ("receipts", "verify")):
        code, sentence = host.refused(*command)
        assert (code, "tarimba keys init" in sentence) == (1, True)
    assert host.run("keys", "init")[0] == 0
    assert (host.data / "keys" / "master.key").stat().st_mode & 0o777 == 0o600
    host.apply()
    assert host.refused("keys", "init")[0] == 1


def test_a_database_of_a_newer_version_is_refused(host: Host) -> None:
    host.apply()
    host.change(text("UPDATE alembic_version SET version_num = '9999'"))
    # Its makers said that this version may go on with it: a command says what it goes on with, beside its output.
    code, output, errors = host.run("person", "list")
    assert (code, "schema.newer" in output, "schema.newer" in errors) == (0, False, True)
    host.change(text("UPDATE installation SET value = '9999' WHERE name = 'schema.floor'"))
    for command in (("person", "list"), ("db", "upgrade"), ("serve",)):
        code, sentence = host.refused(*command)
        assert (code, "newer version" in sentence) == (1, True)


def test_the_database_is_upgraded_on_its_own(host: Host) -> None:
    assert host.run("db", "upgrade")[0] == 0
    assert host.run("db", "upgrade")[0] == 0
    assert host.json("space", "list") == []


def test_a_path_that_holds_something_else_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("no database " * 400)
    places = (["--data", str(file)], ["--data", str(tmp_path), "--db", f"sqlite:///{file}"])
    for place in places:
        assert cli.run(["space", "list", *place]) == 1
        told = capsys.readouterr().err
        assert len(told.splitlines()) == 1
        assert "Traceback" not in told
