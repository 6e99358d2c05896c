"""Choosing among many: the page stays small, what fits is offered while somebody types, a short name is enough."""

from __future__ import annotations

import pytest

from tarimba.identity import hosting
from tests.contract.console.visitor import Office
from tests.e2e.company import MEMORY

MANY = 120


def crowd(office: Office) -> None:
    """More agents and people than a list of a form has."""
    lines = [f'space = {{slug = "{office.company.slug}", name = "Acme"}}', '[[vendor]]\nslug = "north"']
    for at in range(MANY):
        lines.append(f'[[agent]]\nslug = "crowd-{at}"\nvendor = "north"\nname = "Agent <{at}>"')
        lines.append(
            f'[[person]]\nslug = "person-{at}"\nemail = "person-{at}@acme.example"\nroles = ["member"]'
        )
    hosting.apply_text(office.api.kernel, "\n".join(lines), "owner@acme.example")


@pytest.mark.promise("console-choosing")
def test_of_many_those_are_offered_whose_name_holds_what_is_typed(office: Office) -> None:
    crowd(office)
    one = office.enter("owner")
    page = one.open("/notes").text
    assert 'list="f-agent-offered"' in page
    assert "Agent &lt;7&gt;" not in page
    offered = one.open("/choose?of=agent&agent=AGENT+<7>").text.split()
    assert offered == ["<option", 'value="crowd-7">Agent', "&lt;7&gt;</option>"]
    assert one.open("/choose?of=agent&agent=crowd").text.count("<option") == 20
    assert 'value="person-7"' in one.open("/choose?of=actor&actor=person-7").text
    assert one.open("/choose?of=agent&agent=%25").text.strip() == ""
    assert one.open("/choose?of=nothing").status_code == 422
    assert office.enter("member").open("/choose?of=agent&agent=crowd").status_code == 403


@pytest.mark.promise("console-choosing")
def test_a_short_name_does_what_the_choice_did(office: Office) -> None:
    crowd(office)
    made = office.api.write(office.company)
    one = office.enter("owner")
    assert made["title"] in one.open("/notes?agent=billing").text
    assert made["title"] not in one.open("/notes?agent=crowd-1").text
    assert 'value="billing"' in one.open(f"/notes?agent={office.company.sources['billing']}").text
    assert one.open("/notes?agent=nobody").status_code == 422
    one.open("/notes/new")
    form = {"kind": "procedure", "title": "Open the till", "body": "Count first.", "agent": "crowd-3"}
    one.follow(one.send("/notes/new", **form))
    assert "Agent &lt;3&gt;" in one.page
    one.open("/settings/data")
    sent = one.send("/settings/data/export", agent="billing")
    exported = office.api.call(
        office.company,
        "owner",
        "GET",
        f"{MEMORY}/export",
        params={"source_id": office.company.sources["billing"]},
    )
    assert sent.json()["notes"] == exported.json()["notes"]


@pytest.mark.promise("console-choosing")
def test_personas_of_many_agents_come_page_by_page_and_by_name(office: Office) -> None:
    crowd(office)
    one = office.enter("operator")
    first = one.open("/workspaces/personas").text
    assert 'rel="next"' in first
    assert 'rel="prev"' in one.open("/workspaces/personas?from=100").text
    assert one.open("/workspaces/personas?text=<119>").text.count('class="list-item"') == 1
    assert "No agent has this name" in one.open("/workspaces/personas?text=nobody").text
