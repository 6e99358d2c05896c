"""Workspaces in the Console: what stands in each, never what a member keeps; personas without a lost word; secrets."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.contract.console.visitor import Office, Visitor

PRIVATE = "Only the member reads this sentence."


def shown_text(one: Visitor) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", one.page))


def staffed(office: Office) -> tuple[str, str]:
    """A subscription with the member in it: its id and that of the person."""
    made = office.api.call(
        office.company,
        "owner",
        "POST",
        "/v1/admin/subscriptions",
        json={"slug": "team", "members": ["member"]},
    )
    people = office.api.call(office.company, "owner", "GET", "/v1/admin/people").json()["items"]
    (member,) = [one["person_id"] for one in people if one["slug"] == "member"]
    return str(made.json()["subscription_id"]), str(member)


def made_by(one: Visitor, office: Office) -> str:
    """The path of a workspace of the member with `billing`, made in the Console."""
    team, member = staffed(office)
    assert "member" in one.open(f"/workspaces/new?subscription={team}").text
    agent = office.company.sources["billing"]
    answer = one.send("/workspaces/new", subscription=team, agent=agent, member=member)
    assert answer.status_code == 303, answer.text
    path: str = answer.headers["location"].removeprefix("/console").partition("?")[0]
    return path


@pytest.mark.promise("console-workspaces")
def test_a_workspace_is_made_looked_at_and_provisioned_again(office: Office) -> None:
    one = office.enter("operator")
    path = made_by(one, office)
    assert path in one.open("/workspaces?member=member").text
    one.open(path)
    said = shown_text(one)
    assert "/workspace/memory/CONTEXT_RECOVERY.md" in said
    assert re.search(r"MEMORY_CUSTOM\.md\s+not there", said)
    again = one.send(f"{path}/provision")
    assert "done=workspaces.done_provisioned~" in again.headers["location"]
    below = office.api.kernel.settings.data / "spaces" / office.company.space_id
    (persona,) = below.rglob("workspace/AGENT.md")
    persona.unlink()
    persona.mkdir()
    blocked = one.send(f"{path}/provision")
    assert "Something is in the way" in blocked.text
    assert "workspace/AGENT.md" in shown_text(one)
    actions = office.api.actions(office.company)
    assert actions.count("workspace.change") == 4
    assert "workspace.read" in actions


@pytest.mark.promise("console-workspaces")
def test_of_memory_files_only_whether_they_are_there_is_told(office: Office) -> None:
    one = office.enter("owner")
    path = made_by(one, office)
    where = {"subscription": "team", "agent": "billing"}
    put = office.api.call(
        office.company, "member", "PUT", "/v1/memory", params=where, json={"text": PRIVATE},
        headers={"if-none-match": "*"},
    )  # fmt: skip
    assert put.is_success, put.text
    one.open(path)
    assert re.search(r"MEMORY_CUSTOM\.md\s+exists\s+\d+ B", shown_text(one))
    assert PRIVATE not in one.page


@pytest.mark.promise("console-workspaces")
def test_a_project_is_made_and_what_can_not_be_one_is_said_on_the_page(office: Office) -> None:
    one = office.enter("operator")
    agent = office.company.sources["billing"]
    harness = {"harness": "ganglion"}
    office.api.call(office.company, "owner", "PATCH", f"/v1/admin/agents/{agent}", json=harness)
    path = made_by(one, office)
    one.open(path)
    wrong = one.send(f"{path}/projects", project="Not This", name="")
    assert wrong.status_code == 422
    assert 'value="Not This"' in wrong.text
    done = one.send(f"{path}/projects", project="tax-2026", name="Taxes")
    assert one.follow(done).status_code == 200
    assert "workspace-tax-2026" in shown_text(one)


@pytest.mark.promise("console-workspaces")
def test_the_tokens_of_a_membership_are_ended_after_asking(office: Office) -> None:
    one = office.enter("operator")
    path = made_by(one, office)
    assert "stop opening the memory graph" in one.open(f"{path}/revoke").text
    assert one.send(f"{path}/revoke").status_code == 303
    assert "Restart required" in one.open(path).text


@pytest.mark.promise("console-workspaces")
def test_of_two_editors_of_a_persona_nobody_loses_a_word(office: Office) -> None:
    agent = office.company.sources["billing"]
    path = f"/workspaces/personas/{agent}"
    first, second = office.enter("owner"), office.enter("operator")
    first.open(path)
    second.open(path)
    etag = re.findall(r'name="etag" value="(\w+)"', first.page)[0]
    saved = first.send(path, etag=etag, agent_text="You bill.\nBe brief.", soul_text="")
    assert saved.status_code == 303
    late = second.send(path, etag=etag, agent_text="You bill.\nBe kind.", soul_text="Calm.")
    assert late.status_code == 412
    assert "Be kind." in shown_text(second)
    assert "Be brief." in shown_text(second)
    assert re.search(r"<del>.*?brief.*?</del>", late.text)
    newer = re.findall(r'name="etag" value="(\w+)"', late.text)[0]
    assert (
        second.send(path, etag=newer, agent_text="You bill.\nBe kind.", soul_text="Calm.").status_code == 303
    )
    kept = office.api.call(office.company, "owner", "GET", f"/v1/admin/agents/{agent}/persona").json()
    assert kept["documents"]["AGENT.md"]["text"] == "You bill.\nBe kind."
    assert kept["documents"]["SOUL.md"]["text"] == "Calm."


@pytest.mark.promise("console-workspaces")
def test_a_secret_is_set_named_and_removed_and_never_shown(office: Office) -> None:
    one = office.enter("operator")
    one.open("/workspaces/secrets")
    form = {"name": "ERP_TOKEN", "value": "hidden-value-1", "subscription": "", "agent": ""}
    wrong = one.send("/workspaces/secrets", **form | {"name": "erp token"})
    assert (wrong.status_code, "hidden-value-1" in wrong.text, 'value="erp token"' in wrong.text) == (
        422,
        False,
        True,
    )
    assert "done=secrets.done_set~" in one.send("/workspaces/secrets", **form).headers["location"]
    assert "done=secrets.done_changed~" in one.send("/workspaces/secrets", **form).headers["location"]
    page = one.open("/workspaces/secrets").text
    assert "<code>ERP_TOKEN</code>" in page
    assert "hidden-value-1" not in page
    one.open("/workspaces/secrets/remove?name=ERP_TOKEN")
    assert one.send("/workspaces/secrets/remove", name="ERP_TOKEN").status_code == 303
    assert "<code>ERP_TOKEN</code>" not in one.open("/workspaces/secrets").text
    assert office.api.actions(office.company).count("secret.change") == 3


def test_an_auditor_looks_and_changes_nothing_and_others_see_none_of_it(office: Office) -> None:
    path = made_by(office.enter("operator"), office)
    auditor = office.enter("auditor")
    page = auditor.open(path)
    assert page.status_code == 200
    assert "/provision" not in page.text
    assert auditor.send(f"{path}/provision").status_code == 403
    assert auditor.send(f"{path}/projects", project="x").status_code == 403
    assert auditor.open("/workspaces/secrets").status_code == 403
    persona = f"/workspaces/personas/{office.company.sources['billing']}"
    assert "<textarea" not in auditor.open(persona).text
    for role in ("member", "reviewer"):
        one = office.enter(role)
        for place in ("/workspaces", path, persona, "/workspaces/secrets"):
            assert one.open(place).status_code == 403


@pytest.mark.promise("console-inert")
def test_what_people_name_is_text(office: Office) -> None:
    payload = "<script>alert(1)</script>"
    agent = office.company.sources["billing"]
    office.api.call(
        office.company, "owner", "PATCH", f"/v1/admin/agents/{agent}", json={"name": f"B {payload}"}
    )
    one = office.enter("owner")
    path = made_by(one, office)
    persona = f"/workspaces/personas/{agent}"
    one.open(persona)
    etag = re.findall(r'name="etag" value="(\w+)"', one.page)[0]
    one.send(persona, etag=etag, agent_text=f"</textarea>{payload}", soul_text="")
    for place in (
        "/workspaces",
        path,
        "/workspaces/personas",
        persona,
        "/workspaces/new",
        "/workspaces/secrets",
    ):
        page = one.open(place)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
