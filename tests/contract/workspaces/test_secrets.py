"""Secrets: whose wins, who may, how they arrive, and that no value ever shows."""

from __future__ import annotations

import io
import json
import secrets
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from tarimba import cli
from tarimba.identity.rotation import rewrap
from tarimba.vault import Vault, VaultError
from tarimba.workspaces.secret_delivery import FOLDER, SecretFiles, deliver, delivered
from tests.contract.member_skills.desk import Desk
from tests.contract.workspaces.laid import lay, seat, where
from tests.e2e.company import MASTER_KEY

GIVEN = "/v1/admin/secrets"
OWN = "/v1/secrets"


def give(desk: Desk, name: str, value: str, who: str = "operator", **where: str) -> httpx.Response:
    return desk.call(who, "PUT", GIVEN, params={"name": name, **where}, json={"value": value})


def own(
    desk: Desk, method: str, who: str = "member", value: str | None = None, **more: str
) -> httpx.Response:
    params = {"subscription": "team", "agent": "billing", **more}
    body: dict[str, Any] = {} if value is None else {"json": {"value": value}}
    return desk.call(who, method, OWN, params=params, **body)


def got(desk: Desk) -> dict[str, bytes]:
    return dict(delivered(desk.api.kernel, seat(desk)))


def files(desk: Desk) -> dict[str, bytes]:
    folder = desk.home / FOLDER
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


@pytest.mark.promise("secret-nearest-wins")
def test_the_nearest_value_wins_and_the_member_s_own_before_all(desk: Desk) -> None:
    for name, scope in (
        ("ONE", {}),
        ("TWO", {"agent": "billing"}),
        ("THREE", {"subscription": "team"}),
        ("FOUR", {"subscription": "team", "agent": "billing"}),
    ):
        for wider in ("ONE", "TWO", "THREE", "FOUR")[("ONE", "TWO", "THREE", "FOUR").index(name) :]:
            assert give(desk, wider, name, **scope).status_code == 201
    assert give(desk, "ELSEWHERE", "x", agent="courier").status_code == 201
    assert got(desk) == {"FOUR": b"FOUR", "ONE": b"ONE", "THREE": b"THREE", "TWO": b"TWO"}
    assert own(desk, "PUT", name="FOUR", value="mine").status_code == 201
    assert got(desk)["FOUR"] == b"mine"
    rows = {row["name"]: row for row in own(desk, "GET").json()["items"]}
    assert (rows["FOUR"]["origin"], rows["FOUR"]["hides"]) == ("own", True)
    assert (rows["ONE"]["origin"], rows["ONE"]["hides"]) == ("given", False)
    assert own(desk, "DELETE", name="FOUR").is_success
    assert got(desk)["FOUR"] == b"FOUR"
    assert desk.call("operator", "DELETE", GIVEN, params={"name": "ONE"}).is_success
    assert desk.call("operator", "DELETE", GIVEN, params={"name": "ONE"}).status_code == 404
    assert "ONE" not in got(desk)


def test_a_secret_is_set_again_and_keeps_its_id(desk: Desk) -> None:
    first, second = give(desk, "KEY", "old").json(), give(desk, "KEY", "new")
    assert second.status_code == 200
    assert second.json()["secret_id"] == first["secret_id"]
    assert got(desk) == {"KEY": b"new"}
    changes = [one for one in desk.log() if one["action"] == "secret.change"]
    assert [one["detail"]["change"] for one in changes] == ["create", "edit"]
    assert {one["secret_id"] for one in changes} == {first["secret_id"]}


def test_the_list_is_paged_and_filtered_and_shows_no_member_s_own(desk: Desk) -> None:
    for number in range(3):
        give(desk, f"K{number}", "x")
    give(desk, "HERE", "x", subscription="team")
    own(desk, "PUT", name="MINE", value="x")
    names: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = desk.call("owner", "GET", GIVEN, params={"limit": 2, **cursor}).json()
        names += [row["name"] for row in page["items"]]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert names == ["K0", "K1", "K2", "HERE"]
    here = desk.call("owner", "GET", GIVEN, params={"subscription": "team"}).json()["items"]
    assert [(row["name"], row["subscription_id"]) for row in here] == [("HERE", desk.team)]


def test_operators_and_owners_give_and_members_give_their_own_alone(desk: Desk) -> None:
    for who in ("manager", "reviewer", "auditor", "member", "billing", "admin"):
        assert give(desk, "KEY", "x", who).status_code == 403
        assert desk.call(who, "GET", GIVEN).status_code == 403
    assert give(desk, "KEY", "x", "owner").status_code == 201
    for who in ("owner", "operator", "manager", "billing", "admin"):
        assert own(desk, "PUT", who, name="KEY", value="x").status_code == 403
        assert own(desk, "GET", who).status_code == 403
    elsewhere = {"subscription": "other", "agent": "billing", "name": "KEY"}
    assert desk.call("member", "PUT", OWN, params=elsewhere, json={"value": "x"}).status_code == 404


def test_what_an_environment_or_a_program_takes_for_itself_is_no_name(desk: Desk) -> None:
    refused = ["lower", "9X", "A-B", "A" * 65, "A\n"]
    refused += ["PATH", "LD_PRELOAD", "OPENCLAW_STATE_DIR", "TARIMBA_DB", "PYTHONPATH"]
    assert [give(desk, name, "x").status_code for name in refused] == [422] * len(refused)


def test_values_are_bounded_texts(desk: Desk) -> None:
    assert give(desk, "KEY", "é" * 32_768).status_code == 201
    for value, status in (("é" * 32_769, 413), ("", 422), ("a\0b", 422)):
        refused = give(desk, "KEY", value)
        assert refused.status_code == status
        assert len(refused.text) < 1000
    assert len(got(desk)["KEY"]) == 65_536


@pytest.mark.promise("secrets-delivered")
def test_files_follow_what_is_stored(desk: Desk) -> None:
    lay(desk)
    watch = SecretFiles(desk.api.kernel)
    watch.piece()
    assert give(desk, "KEY", "given").is_success
    assert own(desk, "PUT", name="OWN_KEY", value="mine").is_success
    assert files(desk) == {"KEY": b"given", "OWN_KEY": b"mine"}
    folder = desk.home / FOLDER
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    before = folder.stat().st_ino
    (folder / ".tarimba-half").write_text("what a killed process left")
    assert give(desk, "KEY", "again").is_success
    assert desk.call("owner", "DELETE", GIVEN, params={"name": "KEY"}).is_success
    assert give(desk, "LATER", "x").is_success
    while watch.piece():
        pass
    assert files(desk) == {"LATER": b"x", "OWN_KEY": b"mine"}
    # The directory that is bound into the container stays the same one.
    assert folder.stat().st_ino == before
    assert own(desk, "DELETE", name="OWN_KEY").is_success
    assert desk.call("owner", "DELETE", GIVEN, params={"name": "LATER"}).is_success
    while watch.piece():
        pass
    assert files(desk) == {}


@pytest.mark.promise("secrets-delivered")
def test_a_harness_with_an_environment_gets_no_files(desk: Desk) -> None:
    lay(desk)
    assert own(desk, "PUT", name="KEY", value="x").is_success
    assert files(desk) == {"KEY": b"x"}
    desk.run_by("ganglion")
    deliver(desk.api.kernel, seat(desk))
    assert files(desk) == {}
    assert got(desk) == {"KEY": b"x"}


def test_a_row_that_was_moved_to_somebody_else_does_not_open(desk: Desk) -> None:
    give(desk, "KEY", "x", agent="courier")
    with desk.api.place.rows() as rows:
        rows.execute(
            f"UPDATE secret SET source_id = '{desk.company.sources['billing']}' "
            f"WHERE space_id = '{desk.company.space_id}'"
        )
    with pytest.raises(VaultError):
        got(desk)
    assert desk.call("owner", "DELETE", GIVEN, params={"name": "KEY", "agent": "billing"}).is_success


@pytest.mark.promise("master-key-rotates")
def test_a_new_master_key_wraps_them_again(desk: Desk) -> None:
    give(desk, "KEY", "x")
    own(desk, "PUT", name="KEY", value="mine")
    kernel, new = desk.api.kernel, Vault(secrets.token_bytes(32))
    rewrap(kernel.database, kernel.vault, new)
    with pytest.raises(VaultError):
        got(desk)
    rewrap(kernel.database, new, kernel.vault)
    assert got(desk) == {"KEY": b"mine"}


@pytest.mark.promise("secrets-unseen")
def test_a_value_is_nowhere_but_where_the_agent_reads_it(desk: Desk) -> None:
    value = f"vq{secrets.token_hex(16)}"
    lay(desk)
    answers = []
    with capture_logs() as logs:
        answers += [give(desk, "KEY", value), own(desk, "PUT", name="KEY", value=value)]
        for name in ("lower", "PATH"):
            answers += [give(desk, name, value), own(desk, "PUT", name=name, value=value)]
        answers += [give(desk, "KEY", value * 2000), give(desk, "KEY", value, "member")]
        odd = {"value": value, "more": value}
        answers.append(desk.call("owner", "PUT", GIVEN, params={"name": "KEY"}, json=odd))
        once = {"idempotency-key": "one"}
        for sent in (value, value + "!"):
            body = {"params": {"name": "TWICE"}, "headers": once, "json": {"value": sent}}
            answers.append(desk.call("owner", "PUT", GIVEN, **body))
        answers += [desk.call("owner", "GET", GIVEN), own(desk, "GET")]
        answers.append(desk.call("owner", "GET", "/v1/agent-memory/export"))
        SecretFiles(desk.api.kernel).piece()
    assert [answer.status_code for answer in answers[-5:-3]] == [201, 409]
    told = "".join(answer.text + str(answer.headers) for answer in answers)
    assert value not in told + repr(logs) + json.dumps(desk.log())
    assert files(desk)["KEY"] == value.encode()
    assert not holding(desk, value)


def holding(desk: Desk, value: str) -> list[str]:
    """The files of the data folder beside `.secrets`, and the columns of the database, that hold the value."""
    data = desk.api.kernel.settings.data
    paths = [path for path in data.rglob("*") if path.is_file() and path.parent.name != FOLDER]
    found = [path.name for path in paths if value.encode() in path.read_bytes()]
    if desk.api.place.db is None:
        return found
    tables = desk.api.place.ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    for (table,) in tables:
        rows = desk.api.place.ask(f'SELECT t::text FROM "{table}" t')
        found += [table for (row,) in rows if value in row or value.encode().hex() in row]
    return found


def test_the_command_line_reads_a_value_from_a_file_or_the_standard_input(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER_KEY)
    here = where(desk)
    file = tmp_path / "value"
    file.write_bytes(b"from a file\n")
    assert cli.run(["secret", "set", "KEY", "--file", str(file), *here]) == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"piped\r\n")))
    mine = ["--subscription", "team", "--agent", "billing", "--member", "member"]
    assert cli.run(["secret", "set", "OWN_KEY", *mine, *here]) == 0
    assert got(desk) == {"KEY": b"from a file", "OWN_KEY": b"piped"}
    assert cli.run(["secret", "list", "--json", *mine, *here]) == 0
    shown = capsys.readouterr().out
    assert '"KEY"' in shown
    assert "piped" not in shown
    assert cli.run(["secret", "remove", "KEY", *here]) == 0
    assert got(desk) == {"OWN_KEY": b"piped"}
    file.write_bytes(b"\xff")
    assert cli.run(["secret", "set", "KEY", "--file", str(file), *here]) == 1
