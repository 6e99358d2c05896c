"""A browser of the system, and a company to look around in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.e2e.company import Place
from tests.e2e.console.lived import Lived, lived
from tests.e2e.console.pictures import ARGUMENTS, CHROMIUM


# Ended with its module: while it lives, an event loop of its own is current in this thread, and no other test of the
# same process could run one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    """On SQLite: what is shown does not depend on the database."""
    with lived(Place(tmp_path_factory.mktemp("lived"), None)) as found:
        yield found
