"""Whatever people and agents write stays text in a browser: no script runs, no element appears."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.e2e.console.crawl import every_page
from tests.e2e.console.lived import Lived
from tests.e2e.console.payloads import PAYLOADS

NOTES = "/v1/agent-memory/notes"
SEAT = {"subscription": "financeiro", "agent": "cobranca"}
# What no page of ours has: elements that load or run something, handlers on elements, addresses that are scripts.
FOREIGN = """() => [
  ...document.querySelectorAll(`iframe, object, embed, base, video, audio, math, marquee, template, style, img,
    meta[http-equiv], script:not([src^='/console/static/']), link:not([href^='/console/static/']), svg script, animate,
    [href^='javascript' i], [src^='javascript' i], [formaction]:not([formaction^='/console/'])`),
  ...[...document.querySelectorAll('*')].filter(
    (one) => one.getAttributeNames().some((name) => /^(on|hx-on)/.test(name))
  ),
].map((one) => one.outerHTML.slice(0, 200))"""
ROOM = {"writes": "agent", "writes_per_hour": 1000, "refusals_per_hour": 1000, "active_notes_max": 1000}


def write_everywhere(company: Lived, number: int, text: str) -> None:
    """Puts a text into every field that a person or an agent fills; what a rule refuses is no field for it."""
    line = text.replace("\n", " ")
    note = {"kind": "procedure", "title": f"{number} {line}", "body": f"Antes {text} depois", "tags": ["erp"]}
    made = company.call("cobranca", "POST", NOTES, json=note)
    assert made.status_code in {201, 422}, made.text
    quoted = json.dumps(f"{number} {line}")
    asks: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        ("lia", "POST", "/v1/memory-graph/entities", {"json": _entity(number, text), "params": SEAT}),
        ("lia", "PUT", "/v1/memory", {"json": {"text": f"# {text}"}, "params": SEAT, "headers": _SEEN}),
        ("lia", "PUT", "/v1/skills", {"json": {"text": _skill(number, quoted)}, "params": _own(number)}),
        ("davi", "POST", "/v1/admin/skills", {"files": {"body": _skill(number, quoted).encode()}}),
        ("rita", "PATCH", f"/v1/admin/agents/{_agent(company)}", {"json": {"name": line[:60]}}),
        ("rita", "POST", "/v1/admin/vendors", {"json": {"slug": f"v{number}", "name": line[:60]}}),
        ("rita", "POST", "/v1/admin/vocabulary", {"json": {"term": line[:60], "reason": "system_name"}}),
        ("rita", "POST", "/v1/admin/subscriptions", {"json": {"slug": f"s{number}", "name": line[:60]}}),
    )
    for who, method, path, sent in asks:
        assert company.call(who, method, path, **sent).status_code in {200, 201, 409, 422}, path


_SEEN = {"if-match": "*"}


def _entity(number: int, text: str) -> dict[str, Any]:
    return {"name": f"{number} {text}", "entity_type": text, "observations": [{"text": f"{number} {text}"}]}


def _skill(number: int, quoted: str) -> str:
    return f"---\nname: x{number}\ndescription: {quoted}\n---\n{json.loads(quoted)}\n"


def _own(number: int) -> dict[str, str]:
    return SEAT | {"name": f"x{number}"}


def _agent(company: Lived) -> str:
    listed = company.call("rita", "GET", "/v1/admin/agents").json()["items"]
    return str(next(one["source_id"] for one in listed if one["slug"] == "compras"))


def reject_with(company: Lived, text: str) -> None:
    """A reason of a person, which the proposal then shows."""
    waiting = company.call("bento", "GET", "/v1/agent-memory/proposals?status=pending").json()["items"]
    path = f"/v1/agent-memory/proposals/{waiting[0]['proposal_id']}/reject"
    assert company.call("bento", "POST", path, json={"reason": text}).status_code == 200


@pytest.mark.nightly
@pytest.mark.promise("console-inert")
def test_no_text_of_anybodys_becomes_a_part_of_a_page(browser: Browser, company: Lived) -> None:
    company.call("rita", "PATCH", "/v1/admin/settings", json={"agent_memory": ROOM})
    for number, text in enumerate(PAYLOADS):
        write_everywhere(company, number, text)
    reject_with(company, " ".join(PAYLOADS)[:500])
    for role in ("owner", "member"):
        with company.browsing(browser, role) as (page, heard):
            for _, address in every_page(company, (role,)).values():
                page.goto(company.url + address, wait_until="load")
                assert page.evaluate(FOREIGN) == [], address
                assert heard.dialogs + heard.problems == [], address
