"""Fifty texts that would run as scripts, in every field, read back on every page: each is text, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tarimba.evolution import service as evolution
from tarimba.jobs.service import Worker
from tarimba.receipts.index import index
from tests.contract.console.judging import Judged
from tests.contract.console.seat import Own
from tests.contract.console.visitor import Office, Visitor
from tests.contract.console.writing import FIELDS, Pen, marked, write_everything
from tests.e2e.console.crawl import template_of, walk
from tests.e2e.console.payloads import PAYLOADS

ROLES = ("owner", "member")
# In a run of every day each field takes a few, each form and address one alone and all in one; nightly all of them, a
# part at a time, so that none takes as long as a test that hangs.
SOME = PAYLOADS[::9]
JOINED = (PAYLOADS[12], " ".join(PAYLOADS))
PARTS = [PAYLOADS[number::5] for number in range(5)]
# A failure of the server, or of us.
BROKEN = 500
_TEXTS = {"", "text", "search", "email", "date", "url", "number"}
# What would end the visit that the test makes.
_ENDING = {"/sign-out", "/account/sessions", "/account/language", "/looks", "/looks/keys"}


def sets(some: tuple[str, ...]) -> pytest.MarkDecorator:
    every = [
        pytest.param(part, id=f"part-{number}", marks=pytest.mark.nightly)
        for number, part in enumerate(PARTS, 1)
    ]
    return pytest.mark.parametrize("payloads", [pytest.param(some, id="some"), *every])


def draft(own: Own) -> None:
    """What evolution makes of the tasks that were recorded."""
    own.call("owner", "PATCH", "/v1/admin/settings", json={"evolution": {"mode": "draft"}})
    made = own.call("operator", "POST", "/v1/agent-memory/skill-drafts/round", json={"again": True})
    assert made.status_code == 202, made.text
    handlers = {evolution.DRAFT_JOB: evolution.write_draft, evolution.ROUND_JOB: evolution.make_round}
    worker = Worker(own.office.api.kernel, handlers)
    while worker.piece():
        continue


def call_the_space(own: Own, payloads: tuple[str, ...], judged: Judged) -> None:
    """Its one name, each after the other."""
    one = own.office.enter("owner")
    for number, payload in enumerate(payloads):
        Pen(own, number, payload).ask(
            "owner", "PATCH", "/v1/admin/settings", json={"name": marked("space", number, payload)}
        )
        judged.judge("/overview", one.open("/overview").text)


def beyond_links(payloads: tuple[str, ...]) -> list[str]:
    """Where a form leads: what was said in one conversation."""
    said = [marked(field, n, one) for field in ("read_talk", "search_talk") for n, one in enumerate(payloads)]
    return [f"/receipts?{urlencode({'conversation': one})}" for one in said]


@sets(SOME)
@pytest.mark.promise("console-inert")
def test_no_text_in_any_field_becomes_a_part_of_any_page(office: Office, payloads: tuple[str, ...]) -> None:
    own, judged = Own(office), Judged(payloads)
    decided = write_everything(own, payloads)
    draft(own)
    index(office.api.kernel, office.company.space_id)
    begun = {"owner": [*decided, *beyond_links(payloads)], "member": []}
    for role in ROLES:
        for _, address, page in walk(office.enter(role), begun[role], kept=8 * len(payloads)):
            judged.judge(address, page)
    call_the_space(own, payloads, judged)
    assert judged.faults == []
    # Each was there to be judged, in every field that a page shows.
    assert {name: sorted(found) for name, found in judged.missing(FIELDS).items() if found} == {}


@dataclass(frozen=True)
class Form:
    """A form of a page: where it goes and what it holds. `texts` are what people type."""

    page: str
    method: str
    action: str
    values: tuple[tuple[str, str], ...]
    texts: frozenset[str]

    def filled(self, text: str, *, all_of: bool) -> dict[str, list[str]]:
        """What a browser sends when that text is typed everywhere; with `all_of`, when the page was changed before."""
        sent: dict[str, list[str]] = {}
        for name, value in self.values:
            is_taken = name in self.texts or (all_of and name != "form_token")
            sent.setdefault(name, []).append(text if is_taken else value)
        return sent


def forms(address: str, page: str) -> Iterator[Form]:
    for form in LexborHTMLParser(page).css("form"):
        fields = [one for one in form.css("input, textarea, select") if one.attributes.get("name")]
        yield Form(
            address,
            (form.attributes.get("method") or "get").upper(),
            (form.attributes.get("action") or "").removeprefix("/console"),
            tuple((str(one.attributes["name"]), _value(one)) for one in fields),
            frozenset(str(one.attributes["name"]) for one in fields if _is_text(one)),
        )


def _is_text(field: LexborNode) -> bool:
    return field.tag == "textarea" or (
        field.tag == "input" and (field.attributes.get("type") or "") in _TEXTS
    )


def _value(field: LexborNode) -> str:
    if field.tag == "select":
        chosen = field.css_first("option[selected]") or field.css_first("option")
        return "" if chosen is None else chosen.attributes.get("value") or ""
    return field.text() if field.tag == "textarea" else field.attributes.get("value") or ""


def every_form(one: Visitor) -> list[Form]:
    """One of each that the person meets."""
    found: dict[tuple[str, str | None, frozenset[str]], Form] = {}
    for _, address, page in walk(one, kept=2):
        for form in forms(address, page):
            if form.texts and form.action not in _ENDING:
                found.setdefault((form.method, _path(form.action), form.texts), form)
    return list(found.values())


def _path(address: str) -> str:
    return urlsplit(address).path


def send(one: Visitor, form: Form, sent: dict[str, list[str]]) -> httpx.Response:
    """Sends a form from the page that it stands on, and goes where it leads."""
    if form.method == "GET":
        return one.open(f"{_path(form.action)}?{urlencode(sent, doseq=True)}")
    one.open(form.page)
    answer = one.send(form.action, **{name: value for name, value in sent.items() if name != "form_token"})
    return one.follow(answer) if answer.status_code == 303 else answer


@sets(JOINED)
@pytest.mark.promise("console-inert")
def test_no_form_gives_back_what_was_typed_as_a_part_of_its_page(
    office: Office, payloads: tuple[str, ...]
) -> None:
    own, judged = Own(office), Judged(payloads)
    write_everything(own, ("plain",))
    for role in ROLES:
        one = office.enter(role)
        for form in every_form(one):
            for text in payloads:
                for all_of in (False, True):
                    answer = send(one, form, form.filled(text, all_of=all_of))
                    assert answer.status_code < BROKEN, (form.page, form.action, text)
                    if answer.headers.get("content-type", "").startswith("text/html"):
                        judged.judge(f"{form.method} {form.action}", answer.text)
    assert judged.faults == []


def asked(one: Visitor) -> dict[str, tuple[str, dict[str, str]]]:
    """Of each page an address, and all that addresses of it ask for."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for template, address, page in walk(one):
        for link in [address, *(form.action for form in forms(address, page) if form.method == "GET")]:
            query = dict(parse_qsl(urlsplit(link).query, keep_blank_values=True))
            known = found.setdefault(template, (_path(address), {}))
            known[1].update(query)
        for form in forms(address, page):
            if form.method == "GET" and template_of(form.action) is not None:
                target = found.setdefault(str(template_of(form.action)), (_path(form.action), {}))
                target[1].update(dict(form.values))
    return found


@sets(JOINED)
@pytest.mark.promise("console-inert")
def test_no_address_makes_its_text_a_part_of_a_page(office: Office, payloads: tuple[str, ...]) -> None:
    own, judged = Own(office), Judged(payloads)
    write_everything(own, ("plain",))
    for role in ROLES:
        one = office.enter(role)
        for path, query in asked(one).values():
            for name in [*query, "done", "next", "cursor"]:
                for text in payloads:
                    answer = one.open(f"{path}?{urlencode(query | {name: text})}")
                    assert answer.status_code < BROKEN, (path, name, text)
                    if answer.headers.get("content-type", "").startswith("text/html"):
                        judged.judge(f"{path} {name}", answer.text)
    assert judged.faults == []
