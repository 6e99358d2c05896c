"""A company to be backed up, and a fresh database of the same kind and of the other."""

from pathlib import Path

import pytest

from tests.contract.backup.stage import MASTER, Site, Stage, founded


@pytest.fixture(autouse=True)
def _master_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER)


@pytest.fixture
def stage(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Stage:
    url = request.getfixturevalue("migrated_postgres_url") if database == "postgres" else None
    return founded(Site(tmp_path / "here", url), tmp_path)


@pytest.fixture
def fresh(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Site:
    """An empty place of the same kind."""
    url = request.getfixturevalue("postgres_url") if database == "postgres" else None
    return Site(tmp_path / "there", url)


@pytest.fixture
def other(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Site:
    """An empty place of the other kind."""
    url = request.getfixturevalue("postgres_url") if database == "sqlite" else None
    return Site(tmp_path / "elsewhere", url)
