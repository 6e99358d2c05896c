"""What is wrong with a page as a browser shows it: for those who read, and for those who listen."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.e2e.console.lived import Heard, Lived

# What a first visit may load: the page and all that it needs.
WEIGHT = 150_000
_WEIGHED = """() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
  .reduce((sum, one) => sum + one.encodedBodySize, 0)"""


def faults(company: Lived, page: Page, heard: Heard, address: str) -> list[str]:
    """Goes there and says what is wrong, each with where."""
    answer = page.goto(company.url + address, wait_until="load")
    assert answer is not None
    found = [f"answers {answer.status}"] if answer.status != 200 else []
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > page.viewport_size["width"]:  # type: ignore[index]
        found.append(f"is {width} pixels wide")
    weight = page.evaluate(_WEIGHED)
    if weight > WEIGHT:
        found.append(f"weighs {weight} bytes")
    found += [_told(one) for one in Axe().run(page).response["violations"]]
    found += heard.problems
    heard.problems.clear()
    return [f"{address}: {one}" for one in found]


def _told(violation: dict[str, Any]) -> str:
    where = [" ".join(map(str, node["target"])) for node in violation["nodes"][:3]]
    return f"{violation['id']} at {where}"
