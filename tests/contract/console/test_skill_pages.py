"""Skills in the Console: judged before they are published, explained by layers, each manager at their own scopes."""

from __future__ import annotations

import io
import re
import zipfile
from html import unescape
from typing import Any

import pytest

from tests.contract.console.visitor import Office, Visitor

NAME = "close-month"
PAYLOAD = "<script>alert(1)</script>"


def text_of(
    body: str = "Lock it first.", name: str = NAME, description: str = "Use when a month ends."
) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def zipped(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return made.getvalue()


def shown_text(one: Visitor) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", one.page))


def fields_of(one: Visitor) -> dict[str, str]:
    """What the verdict puts into the form for publishing."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', one.page)
    return {name: unescape(value) for name, value in found if name != "form_token"}


def sent(one: Visitor, **form: str) -> Any:
    """Has a text judged, and publishes what was judged."""
    one.open("/skills/new")
    one.upload("/skills/new", {}, form | {"decision": "check"})
    return one.upload("/skills/new", {}, form | fields_of(one) | {"decision": "publish"})


def published(office: Office, **scope: str) -> list[dict[str, Any]]:
    answer = office.api.call(office.company, "admin", "GET", "/v1/admin/skills", params=scope)
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def subscription(office: Office, slug: str) -> str:
    made = office.api.call(
        office.company, "owner", "POST", "/v1/admin/subscriptions", json={"slug": slug, "members": ["member"]}
    )
    assert made.is_success, made.text
    return str(made.json()["subscription_id"])


@pytest.mark.promise("console-skills")
def test_a_skill_is_judged_line_by_line_before_it_is_published(office: Office) -> None:
    one = office.enter("owner")
    one.open("/skills/new")
    odd = text_of(name="Close Month", description="Use when: a month ends")
    checked = one.upload("/skills/new", {}, {"body": odd, "decision": "check"})
    assert checked.status_code == 200
    said = shown_text(one)
    assert "It will be published as close-month." in said
    assert re.search(r"SKILL\.md\s+2\s.*name-slug.*\s3\s.*colon", said, re.DOTALL)
    assert published(office) == []
    # What nobody has seen judged is judged instead of published: the text came to be another one.
    other = one.upload("/skills/new", {}, fields_of(one) | {"body": odd + "More.", "decision": "publish"})
    assert (other.status_code, published(office)) == (200, [])
    made = one.upload("/skills/new", {}, fields_of(one) | {"body": odd + "More.", "decision": "publish"})
    assert one.follow(made).status_code == 200
    (kept,) = published(office)
    assert (kept["name"], kept["verdict"], kept["version"]) == (NAME, "repaired", 1)
    assert "skill.publish" in office.api.actions(office.company)
    # Somebody else publishes between the verdict and the button: nothing is overwritten, nor lost.
    one.open("/skills/new")
    one.upload("/skills/new", {}, {"body": text_of("My way."), "decision": "check"})
    other_way = {"body": text_of("Another way.").encode()}
    office.api.call(office.company, "admin", "POST", "/v1/admin/skills", files=other_way)
    late = one.upload("/skills/new", {}, fields_of(one) | {"body": text_of("My way."), "decision": "publish"})
    assert (late.status_code, "My way." in late.text) == (412, True)


@pytest.mark.promise("console-skills")
def test_what_can_not_be_loaded_or_holds_a_secret_says_why_and_is_not_lost(office: Office) -> None:
    one = office.enter("manager", language="en")
    one.open("/skills/new")
    answer = one.upload("/skills/new", {}, {"body": "name: x\nNo fence.", "decision": "check"})
    assert answer.status_code == 422
    assert "quarantined" in shown_text(one)
    assert "no-opening-fence" in shown_text(one)
    assert "No fence." in shown_text(one)
    assert 'value="publish"' not in one.page
    secret = text_of("Send `Authorization: Bearer sk-live-9fK2mQ8xT4vB7nZ1pL6w`.")
    one.upload("/skills/new", {"file": zipped({"SKILL.md": secret})}, {"decision": "publish"})
    assert "refused" in shown_text(one)
    assert published(office) == []


@pytest.mark.promise("console-skills")
def test_an_archive_is_published_looked_at_and_taken_along(office: Office) -> None:
    one = office.enter("owner")
    one.open("/skills/new")
    files = {"file": zipped({"a/SKILL.md": text_of(), "a/scripts/run.sh": f"echo {PAYLOAD}\n"})}
    one.upload("/skills/new", files, {"decision": "check"})
    assert "Choose the same file above again" in shown_text(one)
    made = one.upload("/skills/new", files, fields_of(one) | {"decision": "publish"})
    one.follow(made)
    one.open(f"/skills/one?name={NAME}&path=scripts/run.sh")
    assert f"echo {PAYLOAD}" in shown_text(one)
    assert PAYLOAD not in one.page
    archive = one.open(f"/skills/archive?name={NAME}")
    with zipfile.ZipFile(io.BytesIO(archive.content)) as found:
        assert sorted(found.namelist()) == [f"{NAME}/SKILL.md", f"{NAME}/scripts/run.sh"]
    content = one.open(f"/skills/content?name={NAME}&path=scripts/run.sh")
    assert content.headers["content-disposition"].startswith("attachment")
    assert office.api.actions(office.company).count("skill.index") == 5


@pytest.mark.promise("console-skills")
def test_versions_are_compared_gone_back_to_and_taken_away(office: Office) -> None:
    one = office.enter("owner")
    assert sent(one, body=text_of("Lock it first.")).status_code == 303
    assert sent(one, body=text_of("Ask the manager.")).status_code == 303
    page = one.open(f"/skills/one?name={NAME}").text
    assert "Lock it first." in re.findall(r"<del>(.*?)</del>", page, re.DOTALL)[0]
    assert "Ask the manager." in re.findall(r"<ins>(.*?)</ins>", page, re.DOTALL)[0]
    back = one.send("/skills/rollback", name=NAME, version="1", in_force_hash=fields_of(one)["in_force_hash"])
    assert back.status_code == 303
    # Somebody who has the page from before would go back to what is in force already, unseen.
    one.open(f"/skills/one?name={NAME}")
    late = one.send("/skills/rollback", name=NAME, version="2", in_force_hash="0" * 64)
    assert late.status_code == 412
    one.open(f"/skills/remove?name={NAME}")
    assert one.send("/skills/remove", name=NAME, decision="remove").status_code == 303
    assert published(office) == []
    assert NAME in one.open("/skills?state=removed").text
    assert "was taken out" in one.open(f"/skills/one?name={NAME}").text
    one.open(f"/skills/remove?name={NAME}")
    assert one.send("/skills/remove", name=NAME, decision="erase", typed="other").status_code == 422
    assert one.send("/skills/remove", name=NAME, decision="erase", typed=NAME).status_code == 303
    assert one.open(f"/skills/one?name={NAME}").status_code == 404


@pytest.mark.promise("console-skills")
def test_the_cascade_says_what_wins_what_it_hides_and_the_difference(office: Office) -> None:
    team = subscription(office, "north")
    agent = office.company.sources["billing"]
    for scope, body in (
        ({}, "For everybody."),
        ({"agent": "billing"}, "For billing."),
        ({"scope": "subscription", "subscription": "north"}, "For the north."),
    ):
        office.api.call(
            office.company,
            "admin",
            "POST",
            "/v1/admin/skills",
            params=scope,
            files={"body": text_of(body).encode()},
        )
    one = office.enter("auditor")
    one.open(f"/skills/effective?agent={agent}&subscription={team}")
    assert "1 skill reaches this agent." in shown_text(one)
    assert "2 differences" in shown_text(one)
    one.open(f"/skills/effective/one?agent={agent}&subscription={team}&name={NAME}")
    assert re.search(r"Subscription\s+wins, version 1", shown_text(one))
    assert re.findall(r"<del>.*?</span>(For [^<]+)</del>", one.page) == ["For billing.", "For everybody."]
    assert re.findall(r"<ins>.*?</span>(For [^<]+)</ins>", one.page) == ["For the north."] * 2


@pytest.mark.promise("console-skills")
def test_the_index_has_the_bytes_that_the_agent_gets(office: Office) -> None:
    for number in range(14):
        body = text_of(name=f"report-{number:02}", description="Use when a report is asked for. " * 30)
        office.api.call(office.company, "admin", "POST", "/v1/admin/skills", files={"body": body.encode()})
    one = office.enter("auditor")
    one.open(f"/skills/index?agent={office.company.sources['billing']}")
    block = re.search(r'<div class="bytes" id="index"[^>]*>(.*?)</div>', one.page, re.DOTALL)
    agent = office.api.call(office.company, "billing", "GET", "/v1/skills/index").json()
    assert block is not None
    assert unescape(block[1]) == agent["text"]
    assert f"{agent['left_out']} skills did not fit" in shown_text(one)
    assert f"{len(agent['text'].encode()):,} of 8,192" in shown_text(one)
    assert "report-00" in shown_text(one).partition("did not fit")[2]


@pytest.mark.promise("console-skills")
def test_files_are_shared_taken_along_and_removed(office: Office) -> None:
    one = office.enter("manager")
    one.open("/skills/files")
    form = {"subscription": "", "agent": "", "path": "rates/2026.csv"}
    assert one.upload("/skills/files", {"file": b"a,b\n"}, form).status_code == 303
    wrong = one.upload("/skills/files", {"file": b"a,b\n"}, form | {"path": "../x"})
    assert (wrong.status_code, "../x" in wrong.text) == (422, True)
    assert "rates/2026.csv" in one.open("/skills/files").text
    assert one.open("/skills/files/content?path=rates/2026.csv").content == b"a,b\n"
    one.open("/skills/files/remove?path=rates/2026.csv")
    assert one.send("/skills/files/remove", path="rates/2026.csv").status_code == 303
    assert "No file is shared here" in one.open("/skills/files").text
    assert office.api.actions(office.company)[-3:] == ["file.publish", "skill.index", "file.remove"]


@pytest.mark.promise("console-skills")
def test_a_manager_of_a_subscription_sees_and_does_theirs_alone(office: Office) -> None:
    north, south = subscription(office, "north"), subscription(office, "south")
    person = {"slug": "keeper", "email": "keeper@acme.example", "roles": ["manager@north"], "language": "en"}
    assert office.api.call(office.company, "owner", "POST", "/v1/admin/people", json=person).is_success
    scopes = ({}, *({"scope": "subscription", "subscription": slug} for slug in ("north", "south")))
    for number, scope in enumerate(scopes):
        office.api.call(
            office.company,
            "admin",
            "POST",
            "/v1/admin/skills",
            params=scope,
            files={"body": text_of(name=f"rule-{number}").encode()},
        )
    one = office.enter("keeper")
    page = one.open("/skills").text
    assert [name for name in ("rule-0", "rule-1", "rule-2") if name in page] == ["rule-0", "rule-1"]
    assert south not in page
    assert one.open(f"/skills/one?subscription={south}&name=rule-2").status_code == 404
    assert one.open(f"/skills/effective?agent=&subscription={south}").status_code == 404
    assert sent(one, body=text_of(), subscription=north).status_code == 303
    for place in ("", south):
        one.open("/skills/new")
        form = {"body": text_of(), "subscription": place, "decision": "check"}
        assert one.upload("/skills/new", {}, form).status_code in {403, 404}
    assert [row["name"] for row in published(office, scope="subscription", subscription="north")] == [
        "rule-1",
        NAME,
    ]


def test_who_only_looks_is_offered_no_change_and_a_member_sees_nothing(office: Office) -> None:
    assert sent(office.enter("owner"), body=text_of()).status_code == 303
    one = office.enter("reviewer")
    page = one.open(f"/skills/one?name={NAME}").text
    assert "/skills/remove" not in page
    assert "/skills/rollback" not in page
    assert one.send("/skills/remove", name=NAME, decision="remove").status_code == 403
    assert one.send("/skills/rollback", name=NAME, version="1").status_code == 403
    member = office.enter("member")
    for path in ("/skills", "/skills/effective", "/skills/index", "/skills/files"):
        assert member.open(path).status_code == 403


@pytest.mark.promise("console-inert")
def test_what_a_skill_says_is_text_on_every_page(office: Office) -> None:
    owner = office.enter("owner")
    description = f"Use when {PAYLOAD}<img src=x onerror=alert(2)> is seen."
    assert sent(owner, body=text_of(f"{PAYLOAD} {{{{7*7}}}}", description=description)).status_code == 303
    agent = office.company.sources["billing"]
    for path in (
        "/skills",
        f"/skills/one?name={NAME}",
        f"/skills/new?name={NAME}",
        f"/skills/remove?name={NAME}",
        f"/skills/effective?agent={agent}",
        f"/skills/effective/one?agent={agent}&name={NAME}",
        f"/skills/index?agent={agent}",
    ):
        page = owner.open(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
