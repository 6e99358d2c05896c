"""Moments: in the zone of the browser with scripts, in UTC and said so without."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.console.lived import Lived

ZONE = "America/Sao_Paulo"
IN_UTC = re.compile(r"\d\d:\d\d UTC")


@pytest.mark.promise("console-times")
def test_a_moment_is_told_in_the_zone_of_the_browser(browser: Browser, company: Lived) -> None:
    with company.browsing(browser, "owner", timezone_id=ZONE) as (page, heard):
        page.goto(f"{company.url}/receipts")
        moment = page.locator("time").first
        expect(moment).to_have_attribute("title", IN_UTC)
        expect(moment).to_have_text(re.compile(r"\d\d:\d\d (BRT|GMT-3)"))
        told, at = moment.inner_text(), moment.get_attribute("datetime")
        told_again = "(at) => new Date(at).toLocaleTimeString('pt-BR', {hour: '2-digit', minute: '2-digit'})"
        assert page.evaluate(told_again, at) in told
        assert heard.problems == []


@pytest.mark.promise("console-times")
def test_a_moment_is_told_in_utc_without_scripts_and_where_that_is_the_zone(
    browser: Browser, company: Lived
) -> None:
    for options in ({"timezone_id": ZONE, "java_script_enabled": False}, {"timezone_id": "UTC"}):
        with company.browsing(browser, "owner", **options) as (page, _):
            page.goto(f"{company.url}/receipts")
            expect(page.locator("time").first).to_have_text(IN_UTC)
