"""What a release wrote is read, proved and gone on with by this version."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tarimba import cli
from tarimba.receipts.audit import verify_space
from tarimba.storage import migrate
from tests.architecture.house import ROOT
from tests.contract.releases.kept import FOLDER, Kept, described, placed, put_back, released

_VERSIONS = sorted(path.name for path in FOLDER.iterdir())
_LARGEST = 1_000_000


@pytest.fixture(params=_VERSIONS)
def kept(request: pytest.FixtureRequest, database: str, bare_database_url: str, tmp_path: Path) -> Kept:
    return put_back(request.param, database, placed(bare_database_url, tmp_path))


@pytest.mark.promise("releases-migrate")
def test_every_release_has_a_fixture_and_a_small_one() -> None:
    assert sorted(released()) == _VERSIONS
    assert [path.name for path in FOLDER.rglob("*") if path.stat().st_size > _LARGEST] == []


@pytest.mark.promise("releases-migrate")
@pytest.mark.parametrize("version", _VERSIONS)
def test_a_migration_that_was_released_is_never_edited(version: str) -> None:
    folder = ROOT / "src" / "tarimba" / "storage" / "migrations" / "versions"
    known = described(version)["migrations"]
    now = {name: hashlib.sha256((folder / f"{name}.py").read_bytes()).hexdigest() for name in known}
    assert now == known
    assert described(version)["revision"] in migrate.REVISIONS


@pytest.mark.promise("releases-migrate")
def test_every_table_of_the_release_holds_something(kept: Kept, database: str) -> None:
    if database == "sqlite":
        tables = kept.place.ask("SELECT name FROM sqlite_master WHERE type = 'table'")
    else:
        tables = kept.place.ask(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        )
    assert [name for (name,) in tables if not kept.place.ask(f"SELECT count(*) FROM {name}")[0][0]] == []


@pytest.mark.promise("releases-migrate")
def test_its_log_verifies_against_the_checkpoint_that_was_kept(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in kept.environment.items():
        monkeypatch.setenv(name, value)
    where = [f"--data={tmp_path}", *((f"--db={kept.place.db}",) if kept.place.db else ())]
    file = tmp_path / "checkpoint"
    file.write_text(kept.told["checkpoint"], encoding="utf-8")
    sealed = [f"--checkpoint={file}", f"--key={kept.told['public_key']}"]
    assert cli.run(["db", "upgrade", *where]) == 0
    capsys.readouterr()
    assert cli.run(["receipts", "verify", *sealed, "--json", *where]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"]
    # Compared with a kept checkpoint: nothing about being put back is left open.
    assert report["unchecked_codes"] == [], report


@pytest.mark.promise("releases-migrate")
def test_who_verifies_leaves_an_older_schema_as_it_is(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in kept.environment.items():
        monkeypatch.setenv(name, value)
    where = [f"--data={tmp_path}", *((f"--db={kept.place.db}",) if kept.place.db else ())]
    before = kept.place.ask("SELECT version_num FROM alembic_version")
    assert before[0][0] in migrate.REVISIONS[:-1]
    assert cli.run(["receipts", "verify", *where]) == 1
    assert "run `tarimba db upgrade` first" in capsys.readouterr().err
    assert kept.place.ask("SELECT version_num FROM alembic_version") == before


@pytest.mark.promise("releases-migrate")
def test_a_bundle_that_it_gave_away_still_verifies(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "bundle.json"
    file.write_text(json.dumps(kept.told["bundle"]), encoding="utf-8")
    assert cli.run(["receipts", "verify", f"--bundle={file}", f"--key={kept.told['public_key']}"]) == 0


@pytest.mark.promise("releases-migrate")
def test_agents_and_people_get_the_bytes_that_the_release_gave(kept: Kept) -> None:
    seat = {"subscription": "financeiro", "agent": "cobranca"}
    with kept.served() as api:

        def get(who: str, path: str, **params: str | int) -> dict[str, object]:
            answer = api.http.get(path, params=params, headers=kept.headers(who))
            assert answer.status_code == 200, answer.text
            found: dict[str, object] = answer.json()
            return found

        for agent, block in kept.told["blocks"].items():
            now = get(agent, "/v1/agent-memory/block", conversation_id="conversa-0007")
            assert {name: now[name] for name in block} == block
        for agent, notes in kept.told["notes"].items():
            assert get(agent, "/v1/agent-memory/notes", limit=100)["items"] == notes
        graph = get("lia", "/v1/memory-graph/export", **seat)
        assert {name: graph[name] for name in kept.told["graph"]} == kept.told["graph"]


@pytest.mark.promise("releases-migrate")
def test_work_goes_on_and_the_log_with_it(kept: Kept) -> None:
    note = {"kind": "procedure", "title": "Depois da atualização", "body": "Confira o período antes."}
    with kept.served() as api:
        source = kept.told["notes"]["cobranca"][0]["source_id"]
        sent = note | {"source_id": source}
        made = api.http.post("/v1/agent-memory/notes", json=sent, headers=kept.headers("bento"))
        assert made.status_code == 201, made.text
        block = api.http.get("/v1/agent-memory/block", headers=kept.headers("cobranca")).json()["text"]
        assert note["title"] in block
        space_id = kept.place.ask("SELECT space_id FROM space")[0][0]
        assert verify_space(api.kernel, space_id).ok
