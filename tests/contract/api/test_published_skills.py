"""Publishing over HTTP: forms, versions that are named, downloads, and what a refused upload leaves: nothing."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import httpx
import pytest

from tarimba.errors import CODES
from tests.contract.api.served import Api
from tests.contract.skills.stage import NAME, text_of, zipped
from tests.e2e.company import Company
from tests.unit.skills.archives import ENCRYPTED, LINK, named, whole

SKILLS, FILES = "/v1/admin/skills", "/v1/admin/files"
ONE = {"name": NAME}
WORD = "Xyzzyplugh"
FILES_OF_ONE = {"SKILL.md": text_of(), "scripts/run.py": b"print(1)\n"}


def publish(api: Api, company: Company, content: bytes = text_of(), **options: Any) -> httpx.Response:
    """As a field, or as a file when `field` says so."""
    form: dict[str, Any] = {options.pop("field", "body"): (options.pop("filename", None), content)}
    form |= {name: (None, value) for name, value in options.pop("form", {}).items()}
    who = options.pop("who", "owner")
    return api.call(company, who, "POST", options.pop("path", SKILLS), files=form, **options)


def get(api: Api, company: Company, url: str, **query: Any) -> httpx.Response:
    headers = query.pop("headers", {})
    return api.call(company, "auditor", "GET", url, params=query, headers=headers)


def refused(answer: httpx.Response, code: str) -> dict[str, Any]:
    """The problem, which repeats nothing of what was sent."""
    problem: dict[str, Any] = answer.json()
    assert (answer.status_code, problem["code"]) == (CODES[code].status, code)
    assert WORD not in answer.text
    return problem


@pytest.fixture
def managed(api: Api, company: Company) -> Company:
    """With the subscription `north`, which `keeper` manages."""
    made = api.call(company, "owner", "POST", "/v1/admin/subscriptions", json={"slug": "north"})
    assert made.status_code == 201
    return company


def test_a_skill_is_published_read_and_downloaded(api: Api, company: Company) -> None:
    made = publish(api, company, zipped(FILES_OF_ONE), field="file", filename="any.zip")
    assert made.status_code == 201, made.text
    record = made.json()
    assert (record["name"], record["version"], record["is_new"], record["verdict"]) == (NAME, 1, True, "ok")
    assert [file["path"] for file in record["files"]] == sorted(FILES_OF_ONE)
    assert made.headers["etag"] == f'"{record["content_hash"]}"'
    document = get(api, company, f"{SKILLS}/doc", **ONE)
    assert (document.json()["text"].encode(), document.json()["original"]) == (text_of(), None)
    archive = get(api, company, f"{SKILLS}/archive", **ONE)
    assert archive.headers["content-type"] == "application/zip"
    assert archive.headers["content-disposition"] == f'attachment; filename="{NAME}.zip"'
    assert archive.headers["x-content-type-options"] == "nosniff"
    with zipfile.ZipFile(io.BytesIO(archive.content)) as found:
        assert {name: found.read(name) for name in found.namelist()} == {
            f"{NAME}/{path}": data for path, data in FILES_OF_ONE.items()
        }
    # What was downloaded is what is published.
    again = publish(api, company, archive.content, field="file", filename="x")
    assert (again.status_code, again.json()["is_new"]) == (200, False)
    assert "tarimba-receipt" not in again.headers
    for path in ("doc", "archive"):
        same = get(
            api, company, f"{SKILLS}/{path}", **ONE, headers={"if-none-match": archive.headers["etag"]}
        )
        assert (same.status_code, same.content) == (304, b"")


def test_the_scope_stands_in_the_query_or_in_the_form(api: Api, managed: Company) -> None:
    scope = {"scope": "subscription", "subscription": "north", "agent": "billing"}
    first = publish(api, managed, form=scope, who="admin")
    assert (first.status_code, first.json()["scope"]) == (201, "subscription")
    assert first.json()["source_id"] == managed.sources["billing"]
    assert publish(api, managed, params=scope, who="admin").status_code == 200
    assert publish(api, managed, params=scope, form=scope, who="admin").status_code == 200
    other = publish(api, managed, params=scope, form={"scope": "tenant"}, who="admin")
    assert refused(other, "invalid_input")["detail"].startswith("scope: ")
    refused(publish(api, managed, params=scope), "scope_missing")
    refused(publish(api, managed, params={"scope": "subscription"}, who="admin"), "invalid_input")
    refused(publish(api, managed, params={"subscription": "north"}, who="admin"), "invalid_input")
    refused(publish(api, managed, params={"agent": "nobody"}), "not_found")
    wrong = publish(api, managed, params={"scope": "everywhere"})
    assert refused(wrong, "invalid_input")["detail"].startswith("scope: must be one of")


def test_a_name_that_had_to_be_changed_comes_back_to_be_confirmed(api: Api, company: Company) -> None:
    text = text_of("Close Month")
    problem = refused(publish(api, company, text), "invalid_input")
    assert (problem["name"], [told["rule"] for told in problem["problems"]]) == (NAME, ["name-slug"])
    made = publish(api, company, text, form={"name": problem["name"]})
    assert (made.status_code, made.json()["verdict"]) == (201, "repaired")
    assert [told["rule"] for told in made.json()["warnings"]] == ["name-slug"]
    assert get(api, company, f"{SKILLS}/doc", **ONE).json()["original"].encode() == text


def test_who_says_what_was_seen_changes_only_that(api: Api, company: Company) -> None:
    seen = publish(api, company).headers["etag"]
    second = publish(api, company, text_of(words="Two."), headers={"if-match": seen})
    assert second.status_code == 201
    stale = {"headers": {"if-match": seen}}
    refused(publish(api, company, text_of(words="Three."), **stale), "precondition_failed")
    body = {"name": NAME, "version": 1}
    refused(
        api.call(company, "owner", "POST", f"{SKILLS}/rollback", json=body, **stale), "precondition_failed"
    )
    refused(api.call(company, "owner", "DELETE", SKILLS, params=ONE, **stale), "precondition_failed")
    erasing = ONE | {"erase": "true"}
    refused(api.call(company, "owner", "DELETE", SKILLS, params=erasing, **stale), "precondition_failed")
    fresh = {"headers": {"if-match": second.headers["etag"]}}
    assert api.call(company, "owner", "DELETE", SKILLS, params=ONE, **fresh).status_code == 200


def test_a_request_that_is_sent_again_has_another_boundary_and_is_the_same(
    api: Api, company: Company
) -> None:
    key = {"idempotency-key": "one"}
    answers = [publish(api, company, headers=key) for _ in range(2)]
    assert len({answer.request.headers["content-type"] for answer in answers}) == 2
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.headers["tarimba-receipt"] for answer in answers}) == 1
    refused(publish(api, company, text_of(words="Two."), headers=key), "conflict")


@pytest.mark.promise("skills-refused-writes-nothing")
@pytest.mark.parametrize(
    ("field", "content", "code"),
    [
        ("file", whole(named(f"../{WORD}")), "invalid_input"),
        ("file", whole(named(WORD, mode=LINK)), "invalid_input"),
        ("file", whole(named(WORD, flags=ENCRYPTED)), "invalid_input"),
        ("file", b"PK\3\4", "invalid_input"),
        ("file", b"\0" * (10 * 1024 * 1024 + 1), "too_large"),
        ("file", b"\0" * (12 * 1024 * 1024), "too_large"),
        ("body", b"\xff" + WORD.encode(), "invalid_input"),
        (WORD, b"x", "invalid_input"),
    ],
)
def test_an_upload_that_is_refused_leaves_nothing(
    api: Api, company: Company, field: str, content: bytes, code: str
) -> None:
    before = api.actions(company)
    refused(publish(api, company, content, field=field, filename="x"), code)
    assert get(api, company, SKILLS).json() == {"items": []}
    assert api.actions(company) == before
    assert api.place.count("blob", company) == 0


def test_an_upload_is_a_form_with_one_thing_in_it(api: Api, company: Company) -> None:
    as_json = api.call(company, "owner", "POST", SKILLS, json={"body": "x"})
    refused(as_json, "unsupported_media_type")
    neither = api.call(company, "owner", "POST", SKILLS, files={"name": (None, NAME)})
    assert "exactly one" in refused(neither, "invalid_input")["detail"]
    refused(api.call(company, "owner", "POST", SKILLS), "unsupported_media_type")


def test_what_an_agent_gets_is_explained_page_by_page(api: Api, company: Company) -> None:
    for name in ("a", "b", "c"):
        publish(api, company, text_of(name))
    publish(api, company, text_of("b", words="For one."), params={"agent": "billing"})
    first = get(api, company, f"{SKILLS}/effective", agent="billing", limit=2).json()
    assert [(one["name"], one["won"], one["hides"]) for one in first["items"]] == [
        ("a", 1, []),
        ("b", 2, [1]),
    ]
    assert [layer["layer"] for layer in first["items"][1]["layers"]] == [1, 2]
    assert first["items"][1]["differences"][0]["changed"] == ["SKILL.md"]
    rest = {"agent": "billing", "limit": 2, "cursor": first["next_cursor"]}
    second = get(api, company, f"{SKILLS}/effective", **rest)
    assert [one["name"] for one in second.json()["items"]] == ["c"]
    known = get(
        api, company, f"{SKILLS}/effective", **rest, headers={"if-none-match": second.headers["etag"]}
    )
    assert (known.status_code, known.content) == (304, b"")
    # What is hidden changes the explanation, and not the set.
    publish(api, company, text_of("c"), params={"agent": "billing"})
    other = get(api, company, f"{SKILLS}/effective", agent="billing")
    publish(api, company, text_of("c", words="Hidden."))
    hidden = get(api, company, f"{SKILLS}/effective", agent="billing")
    assert hidden.json()["hash"] == other.json()["hash"]
    assert hidden.headers["etag"] != other.headers["etag"]
    one = get(api, company, f"{SKILLS}/effective", agent="billing", name="b").json()
    assert "+For one." in one["items"][0]["differences"][0]["text"]
    # The set is another one: its pages begin anew.
    publish(api, company, text_of("d"))
    refused(get(api, company, f"{SKILLS}/effective", **rest), "invalid_input")


def test_versions_and_lists_go_page_by_page(api: Api, company: Company) -> None:
    for number in range(3):
        publish(api, company, text_of(words=f"Words {number}."))
    publish(api, company, text_of("other"))
    first = get(api, company, f"{SKILLS}/versions", **ONE, limit=2).json()
    second = get(api, company, f"{SKILLS}/versions", **ONE, limit=2, cursor=first["next_cursor"]).json()
    assert [one["version"] for one in first["items"] + second["items"]] == [3, 2, 1]
    assert (first["in_force"], "next_cursor" in second) == (3, False)
    listed = get(api, company, SKILLS, limit=1).json()
    more = get(api, company, SKILLS, limit=1, cursor=listed["next_cursor"]).json()
    assert [one["name"] for one in listed["items"] + more["items"]] == [NAME, "other"]
    assert get(api, company, SKILLS, scope="tenant", agent="billing").json()["items"] == []


@pytest.mark.promise("skills-erased")
def test_a_skill_is_erased_over_http(api: Api, company: Company) -> None:
    publish(api, company)
    erased = api.call(company, "manager", "DELETE", SKILLS, params=ONE | {"erase": "true"})
    refused(erased, "scope_missing")
    assert api.call(company, "owner", "DELETE", SKILLS, params=ONE | {"erase": "true"}).status_code == 200
    assert api.place.count("blob", company) == api.place.count("skill_version", company) == 0
    refused(get(api, company, f"{SKILLS}/versions", **ONE), "not_found")


def test_a_file_is_shared_and_downloaded_as_nothing_that_a_browser_opens(api: Api, company: Company) -> None:
    page = b"<script>alert(1)</script>"
    made = publish(
        api, company, page, field="file", filename="x.html", path=FILES, params={"path": "a/ç ü.html"}
    )
    assert (made.status_code, made.json()["path"], made.json()["is_new"]) == (201, "a/ç ü.html", True)
    got = get(api, company, f"{FILES}/content", path="a/ç ü.html")
    assert (got.content, got.headers["content-type"]) == (page, "application/octet-stream")
    assert got.headers["content-disposition"] == 'attachment; filename="___.html"'
    assert got.headers["x-content-type-options"] == "nosniff"
    same = publish(api, company, page, field="file", path=FILES, form={"path": "a/ç ü.html"})
    assert (same.status_code, same.json()["is_new"]) == (200, False)
    differ = publish(api, company, page, field="file", path=FILES, form={"path": "a"}, params={"path": "b"})
    refused(differ, "invalid_input")
    assert [one["path"] for one in get(api, company, FILES).json()["items"]] == ["a/ç ü.html"]
    gone = api.call(company, "owner", "DELETE", FILES, params={"path": "a/ç ü.html"})
    assert (gone.status_code, api.place.count("blob", company)) == (200, 0)
