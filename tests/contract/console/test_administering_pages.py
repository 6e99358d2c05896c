"""Agents and keys, people, subscriptions and webhooks: the pages say what the API says and do what they say."""

from __future__ import annotations

import re
from functools import partial
from html import unescape

import pytest

from tarimba.webhooks import delivering
from tests.contract.console.visitor import PASSWORD, Office, Visitor

_SECRET = re.compile(r'id="secret">([^<]+)<')
_ONCE = re.compile(r'name="once" value="([^"]+)"')


def made_by(one: Visitor, path: str, **form: str) -> str:
    """The id of what a form made, from where the browser is sent."""
    answer = one.send(path, **form)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"].partition("?")[0].rpartition("/")[2])


def shown_once(one: Visitor) -> str:
    found = _SECRET.search(one.page)
    assert found is not None
    return unescape(found[1]).strip()


def once_in(one: Visitor) -> str:
    found = _ONCE.search(one.page)
    assert found is not None
    return found[1]


@pytest.mark.promise("console-keys")
def test_an_agent_gets_a_key_that_is_shown_once_works_and_is_revoked(office: Office) -> None:
    one = office.enter("owner")
    one.open("/agents")
    assert one.send("/agents/vendors", slug="west", name="West Systems").status_code == 303
    one.open("/agents/new")
    source_id = made_by(one, "/agents/new", vendor="west", slug="clerk", name="Clerk", harness="picoclaw")
    one.open(f"/agents/{source_id}")
    form = {"once": once_in(one), "name": "prod", "scope": "agent_memory", "expires_at": "2099-01-31"}
    answer = one.send(f"/agents/{source_id}/keys", **form)
    assert answer.status_code == 200
    key = shown_once(one)
    assert office.api.http.get("/v1/sources/me", headers={"authorization": f"Bearer {key}"}).json()[
        "scopes"
    ] == ["agent_memory"]
    # The same form again, as a browser sends it when the page is loaded anew: no second key, and no look at the first.
    again = one.send(f"/agents/{source_id}/keys", **form)
    assert key not in again.text
    assert office.api.actions(office.company).count("key.create") == _keys_made(office) + 1
    key_id = key.split("_")[3]
    assert "Jan 31, 2099" in one.open(f"/agents/{source_id}").text
    one.open(f"/agents/keys/{key_id}/revoke")
    assert one.send(f"/agents/keys/{key_id}/revoke").status_code == 303
    refused = office.api.http.get("/v1/sources/me", headers={"authorization": f"Bearer {key}"})
    assert refused.status_code == 401


def _keys_made(office: Office) -> int:
    """Those of the company as it was founded: one of each agent, one of the space."""
    return len(office.company.sources) + 1


@pytest.mark.promise("console-keys")
def test_what_was_typed_for_an_agent_or_a_key_is_not_lost_to_a_refusal(office: Office) -> None:
    one = office.enter("owner")
    one.open("/agents/new")
    refused = one.send("/agents/new", vendor="north", slug="billing", name="Another <b>")
    assert refused.status_code == 409
    assert "Another &lt;b&gt;" in refused.text
    source_id = office.company.sources["billing"]
    one.open(f"/agents/{source_id}")
    refused = one.send(f"/agents/{source_id}/keys", name="Night runs", scope="track", expires_at="2020-01-01")
    assert refused.status_code == 422
    assert 'value="Night runs"' in refused.text
    assert re.search(r'value="track" checked', refused.text)
    assert not re.search(r'value="agent_memory" checked', refused.text)
    assert one.send(f"/agents/{source_id}/keys", name="None").status_code == 422


@pytest.mark.promise("console-keys")
def test_a_key_of_the_space_is_made_by_an_owner_alone(office: Office) -> None:
    one, manager = office.enter("owner"), office.enter("manager")
    manager.open("/agents/keys")
    assert "New key of the space" not in manager.page
    assert manager.send("/agents/keys", name="ci").status_code == 403
    one.open("/agents/keys")
    assert one.send("/agents/keys", name="ci", once=once_in(one)).status_code == 200
    headers = {"authorization": f"Bearer {shown_once(one)}"}
    assert office.api.http.get("/v1/admin/agents", headers=headers).status_code == 200


@pytest.mark.promise("console-people")
def test_a_person_is_added_comes_in_by_a_link_and_loses_access(office: Office) -> None:
    one = office.enter("owner")
    one.open("/people/new")
    form = {"slug": "desk", "name": "Front desk", "email": "desk@acme.example", "language": "es"}
    person_id = made_by(one, "/people/new", **form, role="reviewer")
    one.open(f"/people/{person_id}")
    assert one.send(f"/people/{person_id}/link").status_code == 200
    address = shown_once(one)
    assert address not in one.open(f"/people/{person_id}").text
    other = office.browser()
    other.open(address.partition("/console")[2])
    assert other.send(address.partition("/console")[2], password=PASSWORD).status_code == 303
    assert "Bandeja" in other.open("/inbox").text
    one.open(f"/people/{person_id}")
    # Somebody with a password gets no link from an owner, who could else come in as anybody.
    assert one.send(f"/people/{person_id}/link").status_code == 409
    assert "Revoke every personal token" in one.open(f"/people/{person_id}/tokens").text
    assert one.send(f"/people/{person_id}/tokens").status_code == 303
    one.open(f"/people/{person_id}/disable")
    assert one.send(f"/people/{person_id}/access", access="end").status_code == 303
    assert other.open("/inbox").headers["location"].startswith("/console/sign-in")
    assert office.api.actions(office.company)[-1] == "person.change"


@pytest.mark.promise("console-people")
def test_roles_are_those_that_are_ticked_and_the_last_owner_stays(office: Office) -> None:
    one = office.enter("owner")
    people = office.api.call(office.company, "owner", "GET", "/v1/admin/people").json()["items"]
    ids = {person["slug"]: person["person_id"] for person in people}
    one.open(f"/people/{ids['auditor']}")
    form = {"name": "Books", "email": "auditor@acme.example", "language": "pt", "role": ["auditor", "member"]}
    assert one.send(f"/people/{ids['auditor']}", **form).status_code == 303
    found = office.api.call(office.company, "owner", "GET", "/v1/admin/people").json()["items"]
    changed = next(person for person in found if person["person_id"] == ids["auditor"])
    assert (changed["name"], changed["roles"]) == ("Books", ["auditor", "member"])
    one.open(f"/people/{ids['auditor']}/tokens")
    assert one.send(f"/people/{ids['auditor']}/tokens").status_code == 303
    assert office.api.call(office.company, "auditor", "GET", "/v1/sources/me").status_code == 401
    one.open(f"/people/{ids['owner']}")
    refused = one.send(f"/people/{ids['owner']}", name="Me", email="owner@acme.example", role="auditor")
    assert refused.status_code == 409
    assert 'value="Me"' in refused.text


@pytest.mark.promise("console-people")
def test_members_come_and_go_and_the_tokens_of_their_workspaces_end(office: Office) -> None:
    one = office.enter("owner")
    one.open("/people/subscriptions")
    subscription_id = made_by(one, "/people/subscriptions", slug="shop", name="Shop")
    path = f"/people/subscriptions/{subscription_id}"
    one.open(path)
    assert one.send(f"{path}/members", email="nobody@acme.example").status_code == 404
    assert one.send(f"{path}/members", email="Member@acme.example").status_code == 303
    listed = office.api.call(office.company, "owner", "GET", "/v1/admin/subscriptions").json()["items"]
    assert [entry["members"] for entry in listed] == [["member"]]
    found = re.search(rf"{path}/members/([0-9a-f-]+)", one.open(path).text)
    assert found is not None
    assert "every workspace" in one.open(f"{path}/members/{found[1]}?act=tokens").text.lower()
    assert one.send(f"{path}/members/{found[1]}/tokens").status_code == 303
    assert one.send(f"{path}/members/{found[1]}/remove").status_code == 303
    assert office.api.actions(office.company)[-2:] == ["workspace.change", "person.change"]
    assert "No member yet" in one.open(path).text


@pytest.mark.promise("console-webhooks")
def test_a_webhook_is_made_paused_rotated_and_removed(office: Office) -> None:
    one = office.enter("manager")
    one.open("/webhooks/new")
    assert one.send("/webhooks/new", url="http://hooks.example/x").status_code == 422
    assert 'value="http://hooks.example/x"' in one.page
    form = {"url": "https://hooks.example/x", "event": ["agent_note.created", "agent_note.retired"]}
    answer = one.send("/webhooks/new", once=once_in(one), **form)
    assert answer.status_code == 200
    first = shown_once(one)
    assert first.startswith("whsec_")
    listed = office.api.call(office.company, "owner", "GET", "/v1/admin/webhooks").json()["items"]
    assert [entry["events"] for entry in listed] == [form["event"]]
    path = f"/webhooks/{listed[0]['webhook_id']}"
    one.open(path)
    assert one.send(f"{path}/rotate", once=once_in(one)).status_code == 200
    assert shown_once(one) != first
    one.open(path)
    assert "signs too until" in one.page
    assert one.send(f"{path}/state", state="off").status_code == 303
    assert "paused" in one.open(path).text
    one.open(f"{path}/remove")
    assert one.send(f"{path}/remove").status_code == 303
    assert "No webhook yet" in one.open("/webhooks").text
    assert office.api.actions(office.company).count("webhook.change") == 4


@pytest.mark.promise("console-webhooks")
def test_a_delivery_is_seen_and_sent_again(office: Office) -> None:
    one = office.enter("owner")
    one.open("/webhooks/new")
    one.send("/webhooks/new", url="https://hooks.example/x")
    office.api.write(office.company)
    webhook_id = office.api.call(office.company, "owner", "GET", "/v1/admin/webhooks").json()["items"][0][
        "webhook_id"
    ]
    # What the worker does first with what was announced: nothing is sent here.
    planned = partial(delivering.plan, webhook_id=webhook_id)
    office.api.kernel.writer.commit(office.company.space_id, planned)
    page = one.open(f"/webhooks/{webhook_id}")
    found = re.search(rf"/webhooks/{webhook_id}/deliveries/([0-9a-f-]+)", page.text)
    assert found is not None
    assert "agent_note.created" in page.text
    sent = one.send(f"/webhooks/{webhook_id}/deliveries/{found[1]}")
    assert "?done=webhooks.done_again~" in sent.headers["location"]
    assert "No delivery here" in one.open(f"/webhooks/{webhook_id}?state=failed").text
    one.open(f"/webhooks/{webhook_id}")
    one.send(f"/webhooks/{webhook_id}/state", state="off")
    one.open(f"/webhooks/{webhook_id}")
    assert one.send(f"/webhooks/{webhook_id}/deliveries/{found[1]}").status_code == 409


@pytest.mark.promise("console-roles")
def test_each_page_of_administration_is_for_its_roles_alone(office: Office) -> None:
    allowed = {
        "/agents": {"owner", "manager"},
        "/agents/keys": {"owner", "manager"},
        "/people": {"owner"},
        "/people/subscriptions": {"owner"},
        "/webhooks": {"owner", "manager"},
        "/settings/words": {"owner", "manager", "reviewer"},
        "/settings/servers": {"owner"},
        "/settings/data": {"owner"},
        "/settings/jobs": {"owner", "manager"},
    }
    for role in ("owner", "manager", "reviewer", "operator", "auditor", "member"):
        one = office.enter(role)
        for path, roles in allowed.items():
            assert one.open(path).status_code == (200 if role in roles else 403), (role, path)
            if role not in roles:
                assert one.send(path, name="x", email="x@acme.example").status_code in {403, 404}


@pytest.mark.promise("console-inert")
def test_names_of_agents_people_and_places_are_text(office: Office) -> None:
    payload = "<script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}"
    one = office.enter("owner")
    one.open("/agents")
    one.send("/agents/vendors", slug="west", name=payload)
    one.open("/agents/new")
    source_id = made_by(one, "/agents/new", vendor="west", slug="clerk", name=payload)
    one.open(f"/agents/{source_id}")
    one.send(f"/agents/{source_id}/keys", name=payload, scope="track", once=once_in(one))
    assert "<script>alert" not in one.page
    one.open("/people/new")
    form = {"slug": "desk", "name": payload, "email": "desk@acme.example"}
    person_id = made_by(one, "/people/new", **form)
    one.open("/people/subscriptions")
    subscription_id = made_by(one, "/people/subscriptions", slug="shop", name=payload)
    paths = (
        "/agents",
        "/agents/new",
        f"/agents/{source_id}",
        "/agents/keys",
        "/people",
        f"/people/{person_id}",
        f"/people/{person_id}/disable",
        "/people/subscriptions",
        f"/people/subscriptions/{subscription_id}",
        "/settings/data",
    )
    for path in paths:
        page = one.open(path)
        assert page.status_code == 200, path
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
