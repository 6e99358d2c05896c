"""What people do in a company that has lived for a while, on both databases: skills, memory, graph, proof, webhooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Dialog, expect

from tests.e2e.company import Place
from tests.e2e.conftest import place  # noqa: F401
from tests.e2e.console.lived import Lived, lived

pytestmark = [pytest.mark.nightly, pytest.mark.promise("console-journey")]
SEAT = "financeiro~cobranca"
BROKEN = "Sem frontmatter: ninguém carrega isto.\n"
SKILL = "---\nname: conciliar-extrato\ndescription: Use quando o extrato do banco chega.\n---\nComece pelas baixas.\n"
REFUSED = re.compile("status of (409|412|422)")


@pytest.fixture(scope="module")
def shop(place: Place) -> Iterator[Lived]:  # noqa: F811
    with lived(place) as found:
        yield found


def unexpected(problems: list[str]) -> list[str]:
    """What a browser said beside that a form was refused."""
    return [one for one in problems if not REFUSED.search(one)]


def test_a_skill_is_judged_line_by_line_published_and_seen_in_its_layer(
    browser: Browser, shop: Lived
) -> None:
    with shop.browsing(browser, "manager") as (page, heard):
        page.goto(f"{shop.url}/skills/new")
        page.fill("#f-body", BROKEN)
        page.click("button[value=check]")
        expect(page.locator("#verdict .badge.bad")).to_be_visible()
        expect(page.locator("button[value=publish]")).to_have_count(0)
        page.fill("#f-body", SKILL)
        page.click("button[value=check]")
        page.click("button[value=publish]")
        page.wait_for_url(re.compile("name=conciliar-extrato"))
        page.goto(f"{shop.url}/skills/effective?subscription=financeiro")
        assert unexpected(heard.problems) == []
    with shop.browsing(browser, "member") as (page, heard):
        page.goto(f"{shop.url}/my-skills?seat={SEAT}")
        expect(page.locator("body")).to_contain_text("conciliar-extrato")
        # What the agent left on the disk is not loaded, and the page says why.
        expect(page.locator("body")).to_contain_text("planilha-de-metas")
        assert heard.problems == []


def test_of_two_tabs_neither_loses_a_word(browser: Browser, shop: Lived) -> None:
    with shop.browsing(browser, "member") as (first, heard):
        second = first.context.new_page()
        for tab in (first, second):
            tab.goto(f"{shop.url}/memory?seat={SEAT}")
        first.locator("#f-text").press_sequentially("- Da primeira aba.\n")
        first.click("form[action*='/memory?'] button.main")
        expect(first).to_have_url(re.compile("done=memory.done_saved"))
        second.locator("#f-text").press_sequentially("- Da segunda aba.\n")
        second.click("form[action*='/memory?'] button.main")
        expect(second.locator("#refusal")).to_be_visible()
        assert "Da segunda aba." in second.locator("#f-text").input_value()
        expect(second.locator(".bytes[aria-labelledby=theirs]")).to_contain_text("Da primeira aba.")
        second.click("form[action*='/memory?'] button.main")
        expect(second).to_have_url(re.compile("done=memory.done_saved"))
        second.goto(f"{shop.url}/memory/versions/3?seat={SEAT}")
        expect(second.locator("body")).to_contain_text("Da primeira aba.")
        assert unexpected(heard.problems) == []


def test_a_text_that_was_not_sent_is_not_left_without_asking(browser: Browser, shop: Lived) -> None:
    with shop.browsing(browser, "member") as (page, heard):
        asked: list[str] = []

        def leave(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.accept()

        page.on("dialog", leave)
        page.goto(f"{shop.url}/memory?seat={SEAT}")
        page.goto(f"{shop.url}/memory?seat={SEAT}")
        assert asked == []
        page.locator("#f-text").press_sequentially("- Ainda não enviada.\n")
        page.goto(f"{shop.url}/files?seat={SEAT}")
        assert asked == ["beforeunload"]
        assert heard.problems == []


def test_two_entities_are_merged_on_the_way_from_the_map_and_parted_again(
    browser: Browser, shop: Lived
) -> None:
    with shop.browsing(browser, "member") as (page, heard):
        page.goto(f"{shop.url}/graph/map?name=Boleto&seat={SEAT}")
        expect(page.locator("canvas").first).to_be_attached()
        page.goto(f"{shop.url}/graph/merge?name={quote('Boleto bancário')}&seat={SEAT}")
        page.fill("#f-target", "Boleto")
        page.locator("form:has(#f-target) button").click()
        page.goto(f"{shop.url}/graph/entity?name=Boleto&seat={SEAT}")
        expect(page.locator("body")).to_contain_text("O mesmo que boleto")
        page.goto(f"{shop.url}/graph/changes?seat={SEAT}")
        page.locator("form[action*='/graph/undo'] button").first.click()
        page.goto(f"{shop.url}/graph/entity?name=Boleto&seat={SEAT}")
        expect(page.locator("#said").locator("xpath=ancestor::section")).not_to_contain_text(
            "O mesmo que boleto"
        )
        assert heard.problems == []


def test_an_event_that_failed_is_sent_again(browser: Browser, shop: Lived) -> None:
    with shop.browsing(browser, "owner") as (page, heard):
        page.goto(f"{shop.url}/webhooks")
        page.locator("a", has_text="/erp-antigo").first.click()
        expect(page.locator(".notice.bad")).to_be_visible()
        page.goto(f"{page.url}?state=failed")
        page.locator("form[action*='/deliveries/'] button").first.click()
        expect(page).to_have_url(re.compile("done=webhooks.done"))
        assert heard.problems == []


def test_a_receipt_is_proved_and_a_changed_one_is_shown_red(browser: Browser, shop: Lived) -> None:
    with shop.browsing(browser, "auditor") as (page, heard):
        page.goto(f"{shop.url}/receipts?action=block.read")
        page.locator("table a").first.click()
        expect(page.locator(".notice.good")).to_be_visible()
        page.goto(f"{shop.url}/receipts/verify")
        page.click("form[action$='/receipts/verify'] button")
        expect(page.locator(".notice.good")).to_be_visible(timeout=60_000)
        seq = tamper(shop)
        page.goto(f"{shop.url}/receipts/verify")
        page.click("form[action$='/receipts/verify'] button")
        expect(page.locator(".notice.bad")).to_contain_text(str(seq), timeout=60_000)
        page.locator("#findings").locator("xpath=ancestor::section").locator("a").first.click()
        expect(page.locator(".notice.bad")).to_be_visible()
        assert heard.problems == []


def tamper(shop: Lived) -> int:
    """Changes one byte of a stored receipt past the server, as somebody with the database could. Its seq."""
    with shop.place.rows() as connection:
        found = "SELECT first_seq, entries FROM receipt_bundle ORDER BY first_seq"
        for first_seq, entries in connection.execute(found).fetchall():
            lines = bytes(entries).split(b"\n")
            for at, line in enumerate(lines):
                if b'"left_out":0' in line:
                    lines[at] = line.replace(b'"left_out":0', b'"left_out":1')
                    mark = "?" if shop.place.db is None else "%s"
                    change = f"UPDATE receipt_bundle SET entries = {mark} WHERE first_seq = {mark}"
                    connection.execute(change, (b"\n".join(lines), first_seq))
                    return int(first_seq) + at
    raise AssertionError("a read of a block left a receipt")
