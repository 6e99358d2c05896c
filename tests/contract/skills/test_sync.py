"""Another host's directory: the same as the server's own, fetched once, and never of what the list does not name."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tarimba.app import all_routes
from tarimba.cli import run
from tarimba.jobs.service import Worker
from tarimba.skills import disk
from tarimba.skills.staging import Tree
from tarimba.skills.swapping import tag_of
from tarimba.skills.syncing import Origin, SyncError, connected, sync
from tests.contract.api.conftest import api, company  # noqa: F401
from tests.contract.api.served import Api
from tests.contract.skills.shelf import files_in
from tests.contract.skills.test_disk import listing
from tests.e2e.company import Company
from tests.e2e.conftest import place  # noqa: F401

SET = "/v1/skills/effective-set"
LATER = 1_900_000_000
Send = Callable[[httpx.Request], httpx.Response]


class Counting(httpx.BaseTransport):
    """Passes requests on, through `change` if there is one, and tells which files were fetched."""

    def __init__(self, change: Callable[[httpx.Request, Send], httpx.Response] | None = None) -> None:
        self._real = httpx.HTTPTransport()
        self._change = change
        self.fetched: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if "/blobs/" in request.url.path:
            self.fetched.append(request.url.params["name"])
        return self._change(request, self._whole) if self._change else self._whole(request)

    def _whole(self, request: httpx.Request) -> httpx.Response:
        answer = self._real.handle_request(request)
        answer.read()
        headers = {name: answer.headers[name] for name in ("etag", "content-type") if name in answer.headers}
        return httpx.Response(answer.status_code, headers=headers, content=answer.content)

    def close(self) -> None:
        self._real.close()


def skill(name: str, words: str) -> str:
    return f"---\nname: {name}\ndescription: When a customer asks for {name} of an order.\n---\n\n{words}\n"


def publish(api: Api, company: Company, name: str, words: str, **scope: str) -> None:  # noqa: F811
    form = {"body": skill(name, words).encode()}
    answer = api.call(company, "admin", "POST", "/v1/admin/skills", files=form, params=scope)
    assert answer.status_code == 201, answer.text


@pytest.fixture
def team(api: Api, company: Company) -> str:  # noqa: F811
    """A subscription with two skills for it and the space."""
    answer = api.call(company, "owner", "POST", "/v1/admin/subscriptions", json={"slug": "team"})
    assert answer.is_success
    publish(api, company, "refunds", "Ask for the order first.")
    publish(api, company, "closing", "Count twice.", scope="subscription", subscription="team")
    return str(answer.json()["subscription_id"])


def origin_of(api: Api, company: Company, who: str = "billing", **whose: str) -> Origin:  # noqa: F811
    named = {"subscription": "team", **whose}
    return Origin(str(api.http.base_url), company.bearers[who], **named)


@pytest.fixture
def client(api: Api, company: Company) -> Iterator[httpx.Client]:  # noqa: F811
    with connected(origin_of(api, company)) as opened:
        yield opened


def through(client: httpx.Client, transport: httpx.BaseTransport) -> httpx.Client:
    return httpx.Client(base_url=client.base_url, headers=client.headers, transport=transport)


@pytest.mark.promise("skills-synced")
def test_another_host_has_the_bytes_modes_and_times_of_the_server(
    api: Api, company: Company, team: str, client: httpx.Client, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    into, origin = tmp_path / "skills", origin_of(api, company)
    own = disk.flatten(api.kernel, company.space_id, team, company.sources["billing"]).path
    sync(client, origin, into, LATER)
    assert {"refunds/SKILL.md", "closing/SKILL.md"} <= files_in(into).keys()
    assert listing(into) == listing(own)
    publish(api, company, "refunds", "Ask for the order, and then for the day.")
    removed = {"scope": "subscription", "subscription": "team", "name": "closing"}
    assert api.call(company, "admin", "DELETE", "/v1/admin/skills", params=removed).is_success
    settled = sync(client, origin, into, LATER)
    assert (settled.copied, settled.removed) == (1, 1)
    disk.flatten(api.kernel, company.space_id, team, company.sources["billing"])
    assert listing(into) == listing(own)


def test_publishing_over_the_api_reaches_the_disk_by_its_job(
    api: Api, company: Company, team: str  # noqa: F811
) -> None:  # fmt: skip
    own = disk.flatten(api.kernel, company.space_id, team, company.sources["billing"]).path
    publish(api, company, "refunds", "Ask for the day.")
    worker = Worker(api.kernel, {disk.FLATTEN: disk.work})
    while worker.piece():
        pass
    assert files_in(own)["refunds/SKILL.md"].endswith(b"Ask for the day.\n")


@pytest.mark.promise("skills-synced")
@pytest.mark.usefixtures("team")
def test_nothing_is_fetched_again(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    into, origin, counting = tmp_path / "skills", origin_of(api, company), Counting()
    with through(client, counting) as counted:
        sync(counted, origin, into, LATER)
        first = len(counting.fetched)
        (into / "stray").mkdir()
        sync(counted, origin, into, LATER)
        assert len(counting.fetched) == first
        assert not (into / "stray").exists()
        publish(api, company, "refunds", "Other words.")
        sync(counted, origin, into, LATER)
    assert counting.fetched[first:] == ["refunds"]


@pytest.mark.promise("skills-synced")
@pytest.mark.usefixtures("team")
def test_a_broken_connection_shows_nothing_and_what_was_fetched_stays(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    into, origin = tmp_path / "skills", origin_of(api, company)

    def breaks(request: httpx.Request, send: Send) -> httpx.Response:
        if len(broken.fetched) > 1:
            raise httpx.ReadError("gone")
        return send(request)

    broken, whole = Counting(breaks), Counting()
    with through(client, broken) as breaking, pytest.raises(SyncError, match="does not answer"):
        sync(breaking, origin, into, LATER)
    assert list(into.iterdir()) == []
    with through(client, whole) as counted:
        settled = sync(counted, origin, into, LATER)
    assert settled.copied >= 2
    assert broken.fetched[0] not in whole.fetched
    assert len(list((tmp_path / ".skills.tarimba").iterdir())) == 4


@pytest.mark.promise("skills-synced")
@pytest.mark.usefixtures("team")
def test_bytes_that_the_list_does_not_name_are_never_shown(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    into, origin = tmp_path / "skills", origin_of(api, company)
    sync(client, origin, into, LATER)
    before = files_in(into)
    publish(api, company, "refunds", "Other words.")

    def lying(lie: Callable[[bytes], bytes]) -> Counting:
        def answer(request: httpx.Request, send: Send) -> httpx.Response:
            told = send(request)
            return httpx.Response(200, content=lie(told.content)) if "/blobs/" in request.url.path else told

        return Counting(answer)

    for lie in (lambda data: data[::-1], lambda data: data + b"x", lambda data: data[:-1], lambda _: b""):
        with through(client, lying(lie)) as liar, pytest.raises(SyncError):
            sync(liar, origin, into, LATER)
        assert files_in(into) == before


def listed(*skills: dict[str, Any], etag: str = "") -> bytes:
    trees = {one["name"]: Tree(one["name"], one["content_hash"], 0) for one in skills}
    return json.dumps(
        {"etag": etag or tag_of(trees), "count": 1, "items": skills, "next_cursor": None}
    ).encode()


def entry(name: str, *paths: str, digest: str | None = None) -> dict[str, Any]:
    told = hashlib.sha256(b"x").hexdigest()
    files = [{"hash": told, "path": path, "size": 1} for path in sorted(paths)]
    written = json.dumps(files, separators=(",", ":"), sort_keys=True).encode()
    content = digest or hashlib.sha256(written).hexdigest()
    return {"name": name, "content_hash": content, "published_at": "1970-01-01T00:00:00Z", "files": files}


@pytest.mark.promise("skills-synced")
@pytest.mark.parametrize(
    "answer",
    [
        listed(entry("../up", "SKILL.md")),
        listed(entry("up", "../SKILL.md")),
        listed(entry("up", "/etc/SKILL.md")),
        listed(entry("up", "a/../../SKILL.md")),
        listed(entry("up", "a", "a/b")),
        listed(entry("up", "a", "a")),
        listed(entry("up", "nul\0")),
        listed(entry("up", "SKILL.md"), entry("up", "SKILL.md")),
        listed(entry("up", "SKILL.md", digest="0" * 64)),
        listed(entry("up", "SKILL.md"), etag="0" * 64),
        b'{"etag": 1}',
        b"<html>",
        b"x" * 1000,
    ],
)
def test_a_server_that_lists_nonsense_changes_nothing(tmp_path: Path, answer: bytes) -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=b"x" if "/blobs/" in request.url.path else answer)

    into = tmp_path / "deep/skills"
    lying = httpx.Client(base_url="http://127.0.0.1", transport=httpx.MockTransport(serve))
    with lying, pytest.raises((SyncError, OSError)):
        sync(lying, Origin("", ""), into, LATER)
    assert list(into.iterdir()) == []
    assert {path.name for path in tmp_path.rglob("*") if path.name == "up"} == set()


@pytest.mark.usefixtures("team")
def test_a_set_in_several_pages_is_one_set_or_is_read_anew(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    into, origin = tmp_path / "skills", origin_of(api, company)
    for number in range(3):
        publish(api, company, f"more-{number}", "More.")
    waiting = ["one more"]

    def single(request: httpx.Request, send: Send) -> httpx.Response:
        if request.url.path == SET:
            request.url = request.url.copy_merge_params({"limit": "1"})
            if "cursor" in request.url.params and waiting:
                publish(api, company, "late", waiting.pop())
        return send(httpx.Request("GET", request.url, headers=request.headers))

    with through(client, Counting(single)) as paged:
        sync(paged, origin, into, LATER)
    names = {path.name for path in into.iterdir()}
    assert {"refunds", "closing", "late", "more-0", "more-1", "more-2"} <= names


@pytest.mark.promise("skills-synced")
@pytest.mark.usefixtures("team")
def test_an_agent_is_given_its_own_set_and_no_other_file(api: Api, company: Company) -> None:  # noqa: F811
    publish(api, company, "theirs", "For the others.", agent="support")
    other = api.call(company, "support", "GET", SET).json()
    (theirs,) = [one for one in other["items"] if one["name"] == "theirs"]
    url = f"/v1/skills/blobs/{theirs['files'][0]['hash']}"
    assert api.call(company, "support", "GET", f"{url}?name=theirs").content.endswith(b"For the others.\n")
    assert api.call(company, "billing", "GET", f"{url}?name=theirs").status_code == 404
    assert api.call(company, "support", "GET", f"{url}?name=refunds").status_code == 404
    assert api.call(company, "billing", "GET", f"{SET}?agent=support").status_code == 404
    assert api.call(company, "admin", "GET", f"{SET}?agent=support").json()["etag"] == other["etag"]
    assert api.call(company, "admin", "GET", SET).status_code == 422
    tag = {"if-none-match": f'"{other["etag"]}"'}
    assert api.call(company, "support", "GET", SET, headers=tag).status_code == 304
    assert len([one for one in api.actions(company) if one == "skill.index"]) >= 4


@pytest.mark.usefixtures("team")
def test_the_command_says_what_it_did_and_fails_with_a_sentence(
    api: Api, company: Company, tmp_path: Path, capsys: pytest.CaptureFixture[str]  # noqa: F811
) -> None:  # fmt: skip
    key = tmp_path / "key"
    key.write_text(company.bearers["billing"] + "\n")
    server = ["workspace", "sync", "--server", str(api.http.base_url), "--into", str(tmp_path / "skills")]
    assert run([*server, "--key-file", str(key), "--subscription", "team"]) == 0
    assert "copied, 0 removed." in capsys.readouterr().out
    assert run([*server, "--key", "unknown"]) == 1
    assert "status 401" in capsys.readouterr().err
    assert run(server) == 2
    away = ["workspace", "sync", "--server", "http://skills.example.com", "--key", "k"]
    assert run([*away, "--into", str(tmp_path / "other")]) == 1
    assert "must be https" in capsys.readouterr().err


def test_watching_goes_on_after_a_failure_and_tells_only_what_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    came = (
        ["1 skills: 0 copied, 0 removed."] * 2
        + ["The server does not answer."]
        + ["1 skills: 1 copied, 0 removed."]
    )
    left = iter(came)
    waits: list[float] = []

    def once(*_: object) -> tuple[str, bool]:
        line = next(left, None)
        if line is None:
            raise KeyboardInterrupt
        return line, "skills" in line

    # The group of commands has the name of its module.
    module = sys.modules["tarimba.cli.workspace"]
    monkeypatch.setattr(module, "_once", once)
    still = SimpleNamespace(Event=lambda: SimpleNamespace(wait=waits.append))
    monkeypatch.setattr(module, "threading", still)
    asked = ["workspace", "sync", "--server", "http://127.0.0.1:9", "--key", "k", "--into", str(tmp_path)]
    assert run([*asked, "--watch", "7"]) == 130
    told = capsys.readouterr()
    assert (told.out.splitlines(), told.err.splitlines()[:1]) == ([came[0], came[3]], [came[2]])
    assert waits == [7] * 4


def test_both_urls_are_served() -> None:
    assert {SET, "/v1/skills/blobs/{hash}"} <= {route.path for route in all_routes()}
