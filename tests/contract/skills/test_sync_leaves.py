"""What a run of `tarimba workspace sync` puts right, what it leaves beside the directory, and where it does not go."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tarimba.confined import UnconfinedError
from tarimba.skills import swapping
from tarimba.skills.swapping import KEEP_SECONDS
from tarimba.skills.syncing import Origin, SyncError, sync
from tests.contract.api.conftest import api, company  # noqa: F401
from tests.contract.api.served import Api
from tests.contract.skills.shelf import files_in
from tests.contract.skills.test_disk import listing
from tests.contract.skills.test_sync import (  # noqa: F401
    LATER,
    SET,
    Counting,
    Send,
    client,
    origin_of,
    publish,
    team,
    through,
)
from tests.e2e.company import Company
from tests.e2e.conftest import place  # noqa: F401


def _edit(skill: Path) -> None:
    text = skill / "SKILL.md"
    seen = text.stat()
    text.write_bytes(text.read_bytes()[::-1])
    os.utime(text, (seen.st_mtime, seen.st_mtime))


def _link(skill: Path) -> None:
    skill.rename(skill.parent.parent / "elsewhere")
    skill.symlink_to(skill.parent.parent / "elsewhere")


@pytest.mark.promise("skills-synced")
@pytest.mark.parametrize(
    "change",
    [
        _edit,
        _link,
        lambda skill: (skill / "SKILL.md").unlink(),
        lambda skill: (skill / "more.md").write_bytes(b"x"),
        lambda skill: (skill / os.fsdecode(b"\xff.md")).write_bytes(b"x"),
        lambda skill: (skill / "empty").mkdir(),
        lambda skill: os.mkfifo(skill / "pipe"),
        lambda skill: (skill / "SKILL.md").chmod(0o666),
        lambda skill: os.utime(skill / "SKILL.md", (1, 1)),
    ],
)
@pytest.mark.usefixtures("team")
def test_what_somebody_changed_is_put_right_by_the_next_run(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path, change: Callable[[Path], object]  # noqa: F811
) -> None:  # fmt: skip
    into, origin, counting = tmp_path / "skills", origin_of(api, company), Counting()
    sync(client, origin, into, LATER)
    before = listing(into)
    change(into / "refunds")
    with through(client, counting) as counted:
        settled = sync(counted, origin, into, LATER)
    assert listing(into) == before
    assert settled.copied == 1
    assert counting.fetched == ["refunds"]


def held_beside(tmp_path: Path, folder: str) -> bytes:
    """All that lies in a folder of the keeper's own directory."""
    inside = (tmp_path / ".skills.tarimba" / folder).rglob("*")
    return b"".join(path.read_bytes() for path in inside if path.is_file())


@pytest.mark.promise("skills-synced")
@pytest.mark.usefixtures("team")
def test_what_a_broken_run_fetched_goes_with_the_next_that_ends_well(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    into, origin = tmp_path / "skills", origin_of(api, company)
    sync(client, origin, into, LATER)
    names = ("aa-erased", "bb-late")
    for name in names:
        publish(api, company, name, f"Words of {name}.")

    def breaks(request: httpx.Request, send: Send) -> httpx.Response:
        if "/blobs/" in request.url.path and request.url.params["name"] == names[1]:
            raise httpx.ReadError("gone")
        return send(request)

    def break_off() -> None:
        with through(client, Counting(breaks)) as breaking, pytest.raises(SyncError, match="does not answer"):
            sync(breaking, origin, into, LATER)

    def erase(name: str) -> None:
        params = {"name": name, "erase": "true"}
        assert api.call(company, "owner", "DELETE", "/v1/admin/skills", params=params).is_success

    break_off()
    assert b"Words of aa-erased" in held_beside(tmp_path, "got")
    erase(names[0])
    # What the new list does not name goes at once, even if this run breaks too.
    break_off()
    assert b"Words of aa-erased" not in held_beside(tmp_path, "got")
    publish(api, company, names[0], "Words of aa-erased.")
    break_off()
    for name in names:
        erase(name)
    sync(client, origin, into, LATER)
    assert b"Words of aa-erased" not in held_beside(tmp_path, "got")


@pytest.mark.usefixtures("team")
def test_each_run_deletes_what_was_replaced_ten_minutes_ago_however_it_ends(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    into, origin = tmp_path / "skills", origin_of(api, company)
    sync(client, origin, into, LATER)
    publish(api, company, "refunds", "Other words.")
    sync(client, origin, into, LATER)
    sync(client, origin, into, LATER + KEEP_SECONDS)
    assert b"Ask for the order first." in held_beside(tmp_path, "old")

    def breaks(_: httpx.Request, __: Send) -> httpx.Response:
        raise httpx.ConnectError("gone")

    with through(client, Counting(breaks)) as breaking, pytest.raises(SyncError, match="does not answer"):
        sync(breaking, origin, into, LATER + KEEP_SECONDS + 1)
    assert b"Ask for the order first." not in held_beside(tmp_path, "old")


@pytest.mark.parametrize("path", ["x/sub/..", "x/..", "x/../y", "..", "/"])
def test_a_path_that_ends_with_no_name_is_refused_before_anything_is_touched(
    client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str  # noqa: F811
) -> None:  # fmt: skip
    here = tmp_path / "here"
    (here / "x/neighbour").mkdir(parents=True)
    monkeypatch.chdir(here)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SyncError, match="must end with the name of a directory"):
        sync(client, Origin("", ""), Path(path), LATER)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("team")
def test_a_disk_that_can_not_exchange_is_told_of_without_a_promise_that_nothing_changed(
    api: Api, company: Company, client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    into, origin = tmp_path / "skills", origin_of(api, company)
    sync(client, origin, into, LATER)
    before = files_in(into)
    for name in ("aa-new", "refunds"):
        publish(api, company, name, "Other words.")

    def lacking(*_: object) -> None:
        raise UnconfinedError

    monkeypatch.setattr(swapping, "exchange", lacking)
    with pytest.raises(SyncError, match="can't exchange two names") as told:
        sync(client, origin, into, LATER)
    assert "othing is touched" not in str(told.value)
    # One name was moved in before: the sentence must not say otherwise.
    now = files_in(into)
    assert now.keys() - before.keys() == {"aa-new/SKILL.md"}
    assert now | before == now


@pytest.mark.usefixtures("team")
def test_what_comes_with_the_package_is_in_the_set_and_not_in_its_explanation(
    api: Api, company: Company  # noqa: F811
) -> None:  # fmt: skip
    """As docs/how-to/publish-skills.md says."""
    publish(api, company, "skill-creator", "Ours.")
    asked = {"subscription": "team", "agent": "billing"}
    explained = api.call(company, "admin", "GET", "/v1/admin/skills/effective", params=asked).json()
    there = api.call(company, "billing", "GET", SET, params={"subscription": "team"}).json()
    hides = {one["name"]: one["hides"] for one in explained["items"]}
    assert hides == {"closing": [], "refunds": [], "skill-creator": []}
    assert {one["name"] for one in there["items"]} == {*hides, "shared-content"}
    assert explained["hash"] != there["etag"]
