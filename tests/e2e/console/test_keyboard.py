"""The inbox by keyboard. A module of its own, since its company changes: what the others look at stays as it was."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.console.lived import Lived

# In one go: what comes from outside may come late, and then it is no bounce any more.
BOUNCES = """
for (const type of ["keydown", "keyup", "keydown", "keyup", "keydown", "keyup"])
  document.activeElement.dispatchEvent(new KeyboardEvent(type, { key: "a", bubbles: true, cancelable: true }));
"""


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
        expect(page.locator("[data-key=a]")).to_be_focused()
        page.reload()
        page.keyboard.up("a")
        page.evaluate(BOUNCES)
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
