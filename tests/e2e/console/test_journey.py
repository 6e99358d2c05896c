"""From the first link to erasing: a company begins, its agent writes, its people decide, in a browser and for real."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.contract.console.visitor import PASSWORD
from tests.e2e.company import MEMORY, Place
from tests.e2e.console.lived import Heard
from tests.fixtures.cluster import PostgresServer
from tests.fixtures.server import RunningServer, running_server

PERSONAL = "Ligue para (11) 98765-4321 antes."
NOTE = {
    "kind": "procedure",
    "title": "Segunda via",
    "body": "Gere no ERP antes do acordo.",
    "tags": ["boleto"],
}
# What a browser is told by the answer with a form that was refused.
REFUSED = "the server responded with a status of 422"
_KINDS = [pytest.param("sqlite"), pytest.param("postgres", marks=pytest.mark.nightly)]


@pytest.fixture(params=_KINDS)
def nobody(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Where nobody was yet."""
    if request.param == "sqlite":
        yield Place(tmp_path, None)
        return
    cluster: PostgresServer = request.getfixturevalue("postgres_server")
    url = cluster.create_database()
    yield Place(tmp_path, url)
    cluster.drop_database(url)


class Journey:
    """One person's browser, and what an agent does meanwhile."""

    def __init__(self, server: RunningServer, page: Page) -> None:
        self.server = server
        self.page = page
        self.url = f"{server.base_url}/console"
        self.key = ""

    def go(self, path: str) -> None:
        self.page.goto(self.url + path)

    def fill(self, **fields: str) -> None:
        for name, value in fields.items():
            self.page.fill(f"#f-{name}", value)

    def press(self, form: str) -> None:
        """Sends the form with that address."""
        self.page.locator(f"form[action$='{form}'] button").first.click()

    def agent(self, method: str, path: str, **request: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.key}"}
        return httpx.request(
            method, f"{self.server.base_url}{path}", headers=headers, trust_env=False, timeout=60, **request
        )

    def found(self) -> None:
        """The first link becomes an owner, whom the overview tells what to do first."""
        link = re.search(r"http://\S+/console/first/\S+", self.server.errors())
        assert link is not None
        self.page.goto(link[0])
        self.fill(space="Acme", slug="acme", name="Rita", email="rita@acme.example", password=PASSWORD)
        self.page.locator("button.main").click()
        expect(self.page).to_have_url(re.compile("/console/overview"))

    def switch_on(self) -> None:
        self.go("/settings")
        self.press("/settings/memory")
        expect(self.page.locator("#memory + .badge.good")).to_be_visible()

    def hire(self) -> None:
        """A vendor, an agent, and its key, which is shown once."""
        self.go("/agents")
        self.fill(slug="norte", name="Norte")
        self.press("/agents/vendors")
        self.go("/agents/new")
        self.fill(slug="cobranca", name="Cobrança")
        self.press("/agents/new")
        self.page.fill("#key-name", "producao")
        for scope in self.page.locator("input[name=scope]").all():
            scope.check()
        self.page.locator("form[action$='/keys'] button.main").click()
        self.key = self.page.locator("#secret").inner_text().strip()
        self.page.go_back()
        assert self.key not in self.page.content()

    def ask_people(self) -> None:
        """From now on what the agent writes waits."""
        self.go("/settings")
        self.page.select_option("select[name='agent_memory.writes']", "human_only")
        self.page.locator("form:has(select[name='agent_memory.writes']) button").click()
        expect(self.page.locator("select[name='agent_memory.writes']")).to_have_value("human_only")

    def decide(self) -> None:
        """Something personal is marked while it is typed, refused when it is sent, and not lost."""
        made = self.agent("POST", f"{MEMORY}/notes", json=NOTE)
        assert made.status_code == 201, made.text
        self.go("/inbox")
        self.page.locator("a.list-item").first.click()
        self.page.locator("#f-body").press_sequentially(f" {PERSONAL}")
        expect(self.page.locator("#checked mark")).to_contain_text("(11) 98765-4321")
        self.press("/approve")
        expect(self.page.locator("#refusal")).to_be_visible()
        assert PERSONAL in self.page.locator("#f-body").input_value()
        self.fill(body="Gere no ERP, em Financeiro, antes do acordo.")
        self.press("/approve")
        expect(self.page).to_have_url(re.compile("done=inbox.done_approved"))

    def change(self) -> None:
        """A second version, and what is different in it word by word."""
        self.go("/notes")
        self.page.locator("a:has-text('Segunda via')").first.click()
        self.page.locator("summary[data-key=e]").click()
        self.fill(body="Gere no ERP, em Títulos, antes do acordo.")
        self.page.locator("form:has(#f-body) button.main").click()
        expect(self.page.locator("ins", has_text="Títulos").first).to_be_visible()
        expect(self.page.locator("del", has_text="Financeiro").first).to_be_visible()

    def preview(self) -> None:
        self.go("/preview")
        block = self.agent("GET", f"{MEMORY}/block").json()["text"]
        assert "Títulos" in block
        assert self.page.evaluate("document.getElementById('block').textContent") == block

    def erase(self) -> None:
        """Takes everything along, then erases by typing the agent's name."""
        self.go("/settings/data")
        with self.page.expect_download() as saved:
            self.press("/settings/data/export")
        assert "Títulos" in Path(saved.value.path()).read_text(encoding="utf-8")
        self.page.select_option("#erase-agent", label="Cobrança")
        self.fill(typed="outro nome")
        self.press("/settings/data/erase")
        expect(self.page.locator("#refusal")).to_be_visible()
        assert self.agent("GET", f"{MEMORY}/notes").json()["items"]
        self.fill(typed="Cobrança")
        self.press("/settings/data/erase")
        expect(self.page.locator("#refusal")).to_have_count(0)
        assert self.agent("GET", f"{MEMORY}/notes").json()["items"] == []


@contextmanager
def journey(browser: Browser, place: Place) -> Iterator[Journey]:
    with running_server(place.data, place.db, env=place.environment) as server:
        context = browser.new_context(locale="pt-BR")
        page = context.new_page()
        heard = Heard(server.base_url)
        heard.listen(page)
        try:
            yield Journey(server, page)
            assert [one for one in heard.problems if REFUSED not in one] == []
        finally:
            context.close()


@pytest.mark.promise("console-journey")
def test_a_company_begins_learns_decides_and_erases(browser: Browser, nobody: Place) -> None:
    with journey(browser, nobody) as one:
        one.found()
        one.switch_on()
        one.hire()
        one.ask_people()
        one.decide()
        one.change()
        one.preview()
        one.erase()
