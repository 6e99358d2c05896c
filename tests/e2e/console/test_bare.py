"""Where little works: a browser without scripts, and a session that ended while somebody wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.contract.console.visitor import PASSWORD
from tests.e2e.console.lived import Lived

SEAT = "financeiro~cobranca"
SKILL = "---\nname: conferir-saldo\ndescription: Use quando o saldo não fecha.\n---\nComece pelos estornos.\n"
SAVE = "form[action*='/memory?'] button.main"


@contextmanager
def bare(browser: Browser, company: Lived, role: str) -> Iterator[Page]:
    """A browser without scripts, which hears of nothing foreign."""
    with company.browsing(browser, role, java_script_enabled=False) as (page, heard):
        yield page
        assert heard.problems == []


@pytest.mark.promise("console-bare")
def test_proposals_are_decided_without_scripts(browser: Browser, company: Lived) -> None:
    with bare(browser, company, "reviewer") as page:
        page.goto(f"{company.url}/inbox")
        page.locator("a.list-item[href*='/inbox/']:not([href*='/skill/'])").first.click()
        page.fill("#f-body", "Confira o horário antes.")
        page.locator("form[action$='/approve'] button.main").click()
        expect(page).to_have_url(re.compile("done=inbox.done_approved"))
        page.goto(f"{company.url}/inbox")
        page.locator("a.list-item[href*='/inbox/']:not([href*='/skill/'])").first.click()
        page.fill("#f-reason", "Já existe.")
        page.locator("form[action$='/reject'] button").click()
        expect(page).to_have_url(re.compile("done=inbox.done_rejected"))


@pytest.mark.promise("console-bare")
def test_a_skill_is_published_and_its_layers_shown_without_scripts(browser: Browser, company: Lived) -> None:
    with bare(browser, company, "manager") as page:
        page.goto(f"{company.url}/skills/new")
        page.fill("#f-body", SKILL)
        page.click("button[value=check]")
        page.click("button[value=publish]")
        expect(page).to_have_url(re.compile("name=conferir-saldo"))
        page.goto(f"{company.url}/skills/effective")
        page.select_option("select[name=subscription]", label="Financeiro")
        page.locator("form.filters button").click()
        expect(page.locator("main")).to_contain_text("conferir-saldo")
        page.locator("main a", has_text="fechar-o-mes").click()
        # The copy of the subscription hides that of the space, and says in what they differ.
        expect(page.locator("main .badge", has_text="vale").first).to_be_visible()
        expect(page.locator("main ins").first).to_be_visible()
        expect(page.locator("main del").first).to_be_visible()


@pytest.mark.promise("console-bare")
def test_entities_are_merged_and_parted_without_scripts(browser: Browser, company: Lived) -> None:
    with bare(browser, company, "member") as page:
        page.goto(f"{company.url}/graph/merge?name={quote('Boleto bancário')}&seat={SEAT}")
        page.fill("#f-target", "Boleto")
        page.locator("form:has(#f-target) button").click()
        page.goto(f"{company.url}/graph/entity?name=Boleto&seat={SEAT}")
        expect(page.locator("main")).to_contain_text("O mesmo que boleto")
        page.goto(f"{company.url}/graph/changes?seat={SEAT}")
        page.locator("form[action*='/graph/undo'] button").first.click()
        page.goto(f"{company.url}/graph/entity?name={quote('Boleto bancário')}&seat={SEAT}")
        expect(page.locator("h1")).to_contain_text("Boleto bancário")


@pytest.mark.promise("console-bare")
def test_an_owner_sends_again_switches_off_and_erases_without_scripts(
    browser: Browser, company: Lived
) -> None:
    with bare(browser, company, "owner") as page:
        page.goto(f"{company.url}/webhooks")
        page.locator("a", has_text="/erp-antigo").first.click()
        page.locator("form[action*='/deliveries/'] button").first.click()
        expect(page).to_have_url(re.compile("done=webhooks.done"))
        page.goto(f"{company.url}/settings/off")
        page.locator("main form button").first.click()
        expect(page.locator("#memory + .badge.good")).to_have_count(0)
        page.locator("form[action$='/settings/memory'] button").click()
        expect(page.locator("#memory + .badge.good")).to_be_visible()
        page.goto(f"{company.url}/settings/data")
        page.select_option("#erase-agent", label="Compras")
        page.fill("#f-typed", "Compras")
        page.locator("form[action$='/settings/data/erase'] button").click()
        expect(page.locator(".notice.done")).to_be_visible()


@pytest.mark.promise("console-bare")
@pytest.mark.parametrize("has_scripts", [True, False])
def test_what_was_written_outlives_the_session(
    browser: Browser, company: Lived, *, has_scripts: bool
) -> None:
    with (
        company.visitor("member"),
        company.browsing(browser, "", java_script_enabled=has_scripts) as (page, _),
    ):
        sign_in(page, f"{company.url}/sign-in")
        page.goto(f"{company.url}/memory?seat={SEAT}")
        page.locator("#f-text").press_sequentially("- Escrito antes.\n")
        other = page.context.new_page()
        other.goto(f"{company.url}/account")
        other.locator("form[action$='/sign-out'] button").click()
        expect(other).to_have_url(re.compile("/console/sign-in"))
        page.click(SAVE)
        with page.expect_popup() as opened:
            page.locator("a.button.main").click()
        sign_in(opened.value)
        page.go_back()
        assert "Escrito antes." in page.locator("#f-text").input_value()
        page.click(SAVE)
        expect(page).to_have_url(re.compile("done=memory.done_saved"))


def sign_in(page: Page, address: str = "") -> None:
    if address:
        page.goto(address)
    page.fill("#f-email", "lia@acme.example")
    page.fill("#f-password", PASSWORD)
    page.locator("button.main").click()
    expect(page).to_have_url(re.compile("/console/memory"))
