"""Every page of the Console as people reach it: from where they land, link by link."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from tarimba.console.pages import PAGES
from tarimba.http.table import Table
from tests.contract.console.visitor import Visitor
from tests.e2e.console.lived import links

# What sends on, and what is saved as a file.
NO_PAGES = {
    "",
    "/choose",
    "/inbox/next",
    "/preview/text",
    "/receipts/bundle",
    "/skills/archive",
    "/skills/content",
    "/skills/files/content",
}
# What is shown only while something is under way.
PASSING = {"/account/second-factor", "/receipts/verify/{check_id}", "/settings/off"}
_TABLE = Table((page.path, "GET", page.path) for page in PAGES if page.method == "GET")
_KEPT = 4
# Where a form leads, and what is only shown when a log is damaged.
_BY_FORM = {"owner": ("/receipts?conversation=conversa-0001", "/receipts/at/3"), "member": ()}


class Open(Protocol):
    """Where people of each role can come in."""

    def visitor(self, role: str, /) -> AbstractContextManager[Visitor]: ...


def template_of(address: str) -> str | None:
    """The path of the page that answers at an address of the Console."""
    found = _TABLE.find(address.partition("?")[0])
    return None if found is None else str(found[0]["GET"])


def walk(one: Visitor, begun: Sequence[str] = (), kept: int = _KEPT) -> Iterator[tuple[str, str, str]]:
    """Each page that a person reaches from where they land and from `begun`: its path, its address, its HTML.

    Of every page there are up to `kept` addresses.
    """
    start = one.open("").headers["location"].removeprefix("/console")
    addresses = (start, "/account", *begun)
    waiting, seen, counted = deque(addresses), set(addresses), Counter[str]()
    while waiting:
        address = waiting.popleft()
        template = template_of(address)
        if template is None or template in NO_PAGES or counted[template] == kept:
            continue
        answer = one.open(address)
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        assert answer.status_code == 200, (address, answer.status_code)
        counted[template] += 1
        yield template, address, answer.text
        fresh = [link for link in links(answer.text) if link not in seen]
        seen.update(fresh)
        waiting.extend(fresh)


def reached(company: Open, role: str) -> dict[str, list[str]]:
    """Addresses that the person of a role reaches, by their pages: the first few of each."""
    found: dict[str, list[str]] = {}
    with company.visitor(role) as one:
        for template, address, _ in walk(one, _BY_FORM.get(role, ())):
            found.setdefault(template, []).append(address)
    return found


def every_page(company: Open, roles: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """One address of each page, and a role that reaches it."""
    found: dict[str, tuple[str, str]] = {}
    for role in roles:
        for template, addresses in reached(company, role).items():
            found.setdefault(template, (role, addresses[-1]))
    return found


def missing(found: dict[str, tuple[str, str]]) -> set[str]:
    """Pages that no link led to."""
    shown = {page.path for page in PAGES if page.method == "GET" and not page.guest}
    return shown - NO_PAGES - PASSING - set(found)
