"""Every page as a browser shows it: nothing for axe to find, nothing foreign, nothing broken."""

from __future__ import annotations

import re
from itertools import product

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.console.crawl import every_page, missing
from tests.e2e.console.lived import SIZES, Lived
from tests.e2e.console.looking import faults
from tests.e2e.console.pictures import OUTLINE, outline, written

ROLES = ("owner", "member")
LANGUAGES = ("pt", "en", "es")
# What a narrow, dark screen shows in every run; the whole of it nightly.
SAMPLE = (
    "/overview",
    "/inbox/{proposal_id}",
    "/notes/{note_id}",
    "/graph/entity",
    "/memory",
    "/skills/effective",
)
Pages = dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def pages(company: Lived) -> Pages:
    return every_page(company, ROLES)


def look(
    browser: Browser,
    company: Lived,
    pages: Pages,
    size: str,
    theme: str,
    said: dict[str, list[str]] | None = None,
) -> list[str]:
    """What is wrong with the pages; what each says of itself goes into `said`."""
    found: list[str] = []
    for role in ROLES:
        with company.browsing(browser, role, size, theme) as (page, heard):
            for template, (who, address) in pages.items():
                if who == role:
                    found += faults(company, page, heard, address)
                    if said is not None:
                        said[template] = outline(page)
    return found


@pytest.mark.promise("console-accessible")
def test_every_page_is_reached_by_a_link(pages: Pages) -> None:
    assert missing(pages) == set()


@pytest.mark.promise("console-accessible")
def test_nothing_is_wrong_with_any_page_and_each_says_what_is_documented(
    browser: Browser, company: Lived, pages: Pages
) -> None:
    said: dict[str, list[str]] = {}
    assert look(browser, company, pages, "wide", "light", said) == []
    # `make docs` writes it anew, with the pictures.
    assert written(said) == OUTLINE.read_text(encoding="utf-8")


@pytest.mark.promise("console-accessible")
def test_nothing_is_wrong_on_a_narrow_dark_screen(browser: Browser, company: Lived, pages: Pages) -> None:
    sample = {template: pages[template] for template in SAMPLE}
    assert look(browser, company, sample, "narrow", "dark") == []


@pytest.mark.promise("console-accessible")
def test_nothing_is_wrong_with_what_people_see_before_they_are_in(browser: Browser, company: Lived) -> None:
    link = company.link("teo")
    for size, theme in zip(SIZES, ("light", "dark"), strict=True):
        with company.browsing(browser, "", size, theme) as (page, heard):
            assert [one for path in ("/sign-in", link) for one in faults(company, page, heard, path)] == []


@pytest.mark.nightly
@pytest.mark.promise("console-accessible")
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wrong_in_any_language_theme_and_size(
    browser: Browser, company: Lived, pages: Pages, language: str
) -> None:
    for role in ROLES:
        company.speak(role, language)
    found = [
        f"{size} {theme} {one}"
        for size, theme in product(SIZES, ("light", "dark"))
        for one in look(browser, company, pages, size, theme)
    ]
    assert found == []


def press_twice(page: Page, key: str) -> None:
    """As somebody does who looks at what the first press has marked."""
    page.keyboard.press(key)
    since = page.evaluate("performance.now()")
    page.wait_for_function("since => performance.now() - since > 320", arg=since)
    page.keyboard.press(key)


@pytest.mark.promise("console-keyboard")
def test_a_key_that_is_held_or_bounces_decides_nothing(browser: Browser, company: Lived) -> None:
    with company.browsing(browser, "reviewer") as (page, heard):
        page.goto(f"{company.url}/inbox")
        waiting = page.locator("a.list-item").count()
        page.locator("a.list-item[href*='/inbox/']:not([href*='/skill/'])").first.click()
        here = page.url
        for _ in range(20):
            page.keyboard.down("a")
        page.keyboard.up("a")
        page.keyboard.press("a")
        page.keyboard.press("a")
        expect(page.locator("[data-key=a]")).to_be_focused()
        assert page.url == here
        page.evaluate("document.activeElement.blur(); document.querySelector('.menu').open = true")
        page.locator("#keys").select_option("off")
        page.wait_for_load_state()
        expect(page.locator("html")).to_have_attribute("data-keys", "off")
        press_twice(page, "a")
        expect(page.locator("[data-key=a]")).not_to_be_focused()
        page.goto(f"{company.url}/inbox")
        expect(page.locator("a.list-item")).to_have_count(waiting)
        assert heard.problems == []


@pytest.mark.promise("console-keyboard")
def test_the_inbox_is_worked_through_with_the_keyboard_alone(browser: Browser, company: Lived) -> None:
    with company.browsing(browser, "reviewer") as (page, heard):
        page.goto(f"{company.url}/inbox")
        waiting = page.locator("a.list-item").count()
        assert waiting >= 3
        # The first of the list is the draft of a skill.
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/inbox/[0-9a-f-]{36}$"))
        page.keyboard.press("e")
        page.keyboard.press("End")
        page.keyboard.type(" Confira antes.")
        page.keyboard.press("Escape")
        press_twice(page, "a")
        page.wait_for_url(re.compile("done=inbox.done_approved"))
        page.keyboard.press("r")
        expect(page.locator("#f-reason")).to_be_focused()
        page.keyboard.type("Já existe.")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("done=inbox.done_rejected"))
        page.goto(f"{company.url}/inbox")
        expect(page.locator("a.list-item")).to_have_count(waiting - 2)
        assert heard.problems == []
