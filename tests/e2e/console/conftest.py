"""A browser of the system, and a company to look around in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.e2e.company import Place
from tests.e2e.console.lived import Lived, lived

_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    """On SQLite: what is shown does not depend on the database."""
    with lived(Place(tmp_path_factory.mktemp("lived"), None)) as found:
        yield found


@pytest.fixture
def empty(tmp_path: Path) -> Place:
    """Where nobody was yet."""
    return Place(tmp_path, None)
