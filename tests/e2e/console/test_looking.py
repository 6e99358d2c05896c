"""Every page as a browser shows it: nothing for axe to find, nothing foreign, nothing broken."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.sync_api import Browser

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
