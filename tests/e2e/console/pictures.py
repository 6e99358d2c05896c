"""Pictures of every page for docs/console/, and what each page says of itself: `python -m tests.e2e.console.pictures`.

Pictures are for people. What is compared is `outline.txt`: the headings, labels, columns and buttons of each page, with
what belongs to the data taken out.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.e2e.company import Place
from tests.e2e.console.crawl import every_page
from tests.e2e.console.lived import Lived, lived

FOLDER = Path(__file__).parents[3] / "docs" / "console"
OUTLINE = FOLDER / "outline.txt"
ROLES = ("owner", "member")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
CHROMIUM = "/usr/bin/chromium"
# Fewer points than a wide screen has are enough to see what a page is about.
_SCALE = 0.6
_WORDS = """() => [...document.querySelector('main').querySelectorAll('h1, h2, h3, label, th[scope=col], button')]
  .filter((one) => one.offsetParent !== null && one.closest('td, .list, .bytes') === null)
  .map((one) => one.innerText.trim().split('\\n')[0])"""
_DATA = re.compile(r"[0-9][0-9.,:/-]*")


def outline(page: Page) -> list[str]:
    """What the page that is open says of itself, each once; a number is that of the data."""
    said = (_DATA.sub("#", one) for one in page.evaluate(_WORDS))
    return list(dict.fromkeys(one for one in said if one))


def written(outlines: dict[str, list[str]]) -> str:
    """The text of `outline.txt`."""
    return "\n".join(
        "\n".join([f"# {path}", *(f"  {line}" for line in lines), ""])
        for path, lines in sorted(outlines.items())
    )


def file_of(template: str) -> str:
    return re.sub(r"[{}]", "", template).strip("/").replace("/", "-") + ".png"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.png"):
        old.unlink()
    with (
        tempfile.TemporaryDirectory() as folder,
        lived(Place(Path(folder), None)) as company,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        pages = every_page(company, ROLES)
        outlines: dict[str, list[str]] = {}
        for role in ROLES:
            with company.browsing(browser, role, device_scale_factor=_SCALE) as (page, _):
                for template, (who, address) in pages.items():
                    if who == role:
                        outlines[template] = _taken(company, page, template, address)
        browser.close()
    OUTLINE.write_text(written(outlines), encoding="utf-8")
    size = sum(path.stat().st_size for path in FOLDER.iterdir())
    sys.stdout.write(f"{len(outlines)} pages, {size // 1024} KiB in {FOLDER}\n")


def _taken(company: Lived, page: Page, template: str, address: str) -> list[str]:
    page.goto(company.url + address, wait_until="networkidle")
    page.screenshot(path=FOLDER / file_of(template))
    return outline(page)


if __name__ == "__main__":
    main()
