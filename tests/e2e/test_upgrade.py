"""From the release before to this version under load: whatever was acknowledged is there, and the log is one."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

import tarimba
from tarimba.storage import migrate
from tests.architecture.house import ROOT
from tests.contract.releases.kept import described, released
from tests.e2e.company import AGENTS, Company, Place, declaration
from tests.e2e.load import Promised, under_load
from tests.e2e.test_kill import require_once, require_promised
from tests.fixtures.server import RunningServer, running_server

# Nightly: the code of the release comes out of the history, which a shallow clone does not have.
pytestmark = [pytest.mark.nightly, pytest.mark.promise("upgrades-lose-nothing")]

# Enough for every client to have been answered many times.
_MORE = 60
_REVISION = "SELECT version_num FROM alembic_version"


@dataclass(frozen=True)
class Release:
    """The program of the last release, as its commit has it, run by this Python."""

    version: str
    code: Path

    def environment(self, place: Place) -> dict[str, str]:
        return place.environment | {"PYTHONPATH": str(self.code)}

    def found(self, place: Place) -> Company:
        """A company that the release's own command line made."""
        slug = "acme"
        file = place.data / "acme.toml"
        limits = {"writes_per_hour": 1_000_000, "active_notes_max": 1_000_000}
        file.write_text(declaration(slug, "en", limits), encoding="utf-8")
        where = ["--data", str(place.data), *(("--db", place.db) if place.db else ())]
        done = subprocess.run(
            [sys.executable, "-m", "tarimba.cli", "apply", str(file), "--json", *where],
            env={**os.environ, **self.environment(place)},
            capture_output=True,
            text=True,
            check=True,
        )
        keys = {agent: made["keys"]["prod"] for agent, made in json.loads(done.stdout)["agents"].items()}
        assert set(keys) == set(AGENTS)
        ((space_id,),) = place.ask("SELECT space_id FROM space")
        sources = {row[0]: row[1] for row in place.ask("SELECT slug, source_id FROM agent")}
        return Company(slug, space_id, sources, keys)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Needs the repository with its history: a copy without it has no release to come from."""
    version = released()[0]
    command = ["git", "archive", "--format=tar", described(version)["commit"], "src"]
    packed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    folder = tmp_path_factory.mktemp("release")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return Release(version, folder / "src")


def version_of(server: RunningServer) -> str:
    answer = httpx.get(f"{server.base_url}/openapi.json", timeout=60, trust_env=False)
    return str(answer.json()["info"]["version"])


def wait_for_more(*promised: Promised) -> None:
    for one in promised:
        one.wait_for(len(one.receipts) + _MORE)


def merged(*promised: Promised) -> Promised:
    """What all of the clients together were promised."""
    whole = Promised()
    for one in promised:
        whole.notes.update(one.notes)
        whole.receipts.extend(one.receipts)
        whole.unanswered.extend(one.unanswered)
    return whole


def test_servers_are_exchanged_one_by_one_under_load(
    release: Release, postgres_url: str, tmp_path: Path
) -> None:
    place = Place(tmp_path, postgres_url)
    company = release.found(place)
    assert place.ask(_REVISION) == [(described(release.version)["revision"],)]
    by_old, by_new = Promised(), Promised()
    with running_server(place.data, place.db, env=release.environment(place)) as old:
        assert version_of(old) == release.version
        with under_load(old, company, by_old) as old_load:
            wait_for_more(by_old)
            with running_server(place.data, place.db, env=place.environment) as new:
                assert (version_of(new), version_of(old)) == (tarimba.__version__, release.version)
                assert place.ask(_REVISION) == [(migrate.HEAD,)]
                with under_load(new, company, by_new):
                    # Both write and read on the new schema.
                    wait_for_more(by_old, by_new)
                    old.stop()
                    old_load.stop()
                    wait_for_more(by_new)
                promised = merged(by_old, by_new)
                require_promised(place, company, promised)
                require_once(new, place, company, promised)
    require_promised(place, company, promised)


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(RunningServer.stop, id="stopped"),
        pytest.param(RunningServer.kill9, id="killed"),
    ],
)
def test_on_sqlite_the_new_server_goes_on_where_the_old_one_stopped(
    release: Release, sqlite_place: Place, end: Callable[[RunningServer], None]
) -> None:
    place = sqlite_place
    company = release.found(place)
    promised = Promised()
    with running_server(place.data, env=release.environment(place)) as old:
        assert version_of(old) == release.version
        with under_load(old, company, promised) as load:
            wait_for_more(promised)
            end(old)
            load.stop()
    with running_server(place.data, env=place.environment) as new:
        assert version_of(new) == tarimba.__version__
        require_promised(place, company, promised)
        require_once(new, place, company, promised)
        with under_load(new, company, promised):
            wait_for_more(promised)
    require_promised(place, company, promised)
