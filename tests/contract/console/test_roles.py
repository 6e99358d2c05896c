"""Every page and every action of the Console, tried by every role, by nobody, and by a form that is somebody else's."""

from __future__ import annotations

import re

import pytest

from tarimba.console.page import Page
from tarimba.console.pages import PAGES
from tarimba.identity.rules import GRANTS
from tests.contract.api.served import UNKNOWN
from tests.contract.console.visitor import Office, Visitor
from tests.e2e.company import ROLES

# What a member keeps, by where it is shown. Nobody else's role opens it, whatever else they may do.
OF_MEMBERS = ("/memory", "/graph", "/my-skills", "/files")
INSIDE = [page for page in PAGES if not page.guest]
ASKING = [page for page in INSIDE if page.acts]
# What whoever is signed in may do: look after their own account. Nothing else goes without a right.
OWN = ("", "/sign-out", "/account", "/looks")
FORMS = [page for page in PAGES if page.method == "POST"]
# A failure of the server, or of us.
BROKEN = 500
# Who manages one subscription, and who is known and has no role.
MANAGER = "manager@team"
NO_ROLE = ""


def address(page: Page) -> str:
    """Its path with ids that nothing has."""
    return re.sub(r"\{seq\}|\{version\}", "1", re.sub(r"\{\w*(id|token|secret)\}", UNKNOWN, page.path))


def try_all(one: Visitor, pages: list[Page]) -> dict[Page, int]:
    """The status of each page, and of each form sent empty."""
    one.open("/account")
    kept = one.page
    found = {}
    for page in pages:
        one.page = kept
        answer = one.open(address(page)) if page.method == "GET" else one.send(address(page))
        found[page] = answer.status_code
    return found


def is_granted(page: Page, role: str) -> bool:
    """By the table alone. Who manages a subscription opens what the use case then narrows to it."""
    grants = [GRANTS[act] for act in page.acts]
    is_manager = role == MANAGER and any(grant.managers for grant in grants)
    return is_manager or any(role in grant.roles for grant in grants)


def test_every_page_asks_for_a_right_but_those_of_ones_own_account() -> None:
    for page in INSIDE:
        assert bool(page.acts) != page.path.startswith(OWN[1:]) or page.path == OWN[0], page.path
        assert set(page.acts) <= set(GRANTS)


@pytest.mark.promise("console-roles")
@pytest.mark.parametrize("role", [*ROLES, MANAGER, NO_ROLE])
def test_a_role_opens_and_does_what_the_table_says_and_nothing_else(office: Office, role: str) -> None:
    one = enter(office, role)
    before = len(office.api.actions(office.company))
    for page, status in try_all(one, ASKING).items():
        if role == MANAGER and is_granted(page, role):
            # Of nothing in particular, or of what is not theirs.
            assert status in {200, 303, 403, 404, 422}, (page.method, page.path, status)
            continue
        assert (status != 403) == is_granted(page, role), (page.method, page.path, status)
        assert status < BROKEN, (page.method, page.path, status)
    # What was refused did nothing: only what the role may do is in the log.
    done = office.api.actions(office.company)[before:]
    if role in {"member", MANAGER, NO_ROLE}:
        assert {action for action in done if action.startswith(("note.", "proposal.", "settings."))} == set()


def enter(office: Office, role: str) -> Visitor:
    """A browser of somebody with that role alone."""
    if role in ROLES:
        return office.enter(role)
    office.api.call(office.company, "owner", "POST", "/v1/admin/subscriptions", json={"slug": "team"})
    person = {"slug": "one", "email": "one@acme.example", "roles": [role] if role else []}
    made = office.api.call(office.company, "owner", "POST", "/v1/admin/people", json=person)
    assert made.status_code == 201, made.text
    return office.enter("one")


@pytest.mark.promise("console-roles")
def test_who_was_disabled_sees_nothing_and_does_nothing(office: Office) -> None:
    one = office.enter("manager")
    people = office.api.call(office.company, "owner", "GET", "/v1/admin/people").json()["items"]
    (person_id,) = [person["person_id"] for person in people if person["slug"] == "manager"]
    one.open("/account")
    kept = one.page
    path = f"/v1/admin/people/{person_id}"
    office.api.call(office.company, "owner", "PATCH", path, json={"disabled": True})
    before = office.api.actions(office.company)
    for page in INSIDE:
        one.page = kept
        answer = one.open(address(page)) if page.method == "GET" else one.send(address(page))
        assert answer.status_code == (303 if page.method == "GET" else 401), page.path
    assert office.api.actions(office.company) == before


@pytest.mark.promise("console-roles")
def test_whatever_shows_a_member_something_of_theirs_asks_for_the_member() -> None:
    theirs = [page for page in PAGES if page.path.startswith(OF_MEMBERS)]
    assert {act for page in theirs for act in page.acts} == {"own_memory", "member_skills"}
    assert all(GRANTS[act].roles == {"member"} for act in ("own_memory", "member_skills"))


@pytest.mark.promise("console-roles")
def test_who_is_not_in_sees_nothing_and_does_nothing(office: Office) -> None:
    one = office.browser()
    one.open("/sign-in")
    for page in INSIDE:
        answer = one.open(address(page)) if page.method == "GET" else one.send(address(page))
        assert answer.status_code == (303 if page.method == "GET" else 401), page.path
        assert answer.headers.get("location", "/console/sign-in").startswith("/console/sign-in")


@pytest.mark.promise("console-walls")
def test_no_form_is_taken_without_the_token_of_its_page(office: Office) -> None:
    one = office.enter("owner")
    for page in FORMS:
        for headers, form in (({}, {}), ({"sec-fetch-site": "cross-site"}, {"form_token": "made up"})):
            answer = one.http.post(f"/console{address(page)}", data=form, headers=headers)
            assert answer.status_code == 403, page.path
    assert one.open("/account").status_code == 200
