"""What every kind of test shares."""

import gc
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Literal

import pytest
import structlog
from hypothesis import HealthCheck, settings


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of what is imported and collected is garbage: looking through it takes longer than many a test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


pytest_plugins = ["tests.fixtures.postgres"]

# Examples are judged by their result: how long one takes on a shared machine says nothing about the code.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("default", _PATIENT)
settings.register_profile("nightly", _PATIENT, max_examples=5000)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """A command that serves sets logging up for its process; here that would be a file closed with the test."""
    yield
    structlog.reset_defaults()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Literal["sqlite", "postgres"]:
    """The kind of database this run of the test is on."""
    kind: Literal["sqlite", "postgres"] = request.param
    return kind


@pytest.fixture
def database_url(database: str, request: pytest.FixtureRequest) -> str:
    """A database of its own for the test, once on SQLite and once on PostgreSQL: the present schema, no rows."""
    url: str = request.getfixturevalue(f"migrated_{database}_url")
    return url


@pytest.fixture
def bare_database_url(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """As `database_url`, but for what begins with nothing at all."""
    if database == "sqlite":
        return f"sqlite:///{tmp_path}/tarimba.db"
    url: str = request.getfixturevalue("postgres_url")
    return url
