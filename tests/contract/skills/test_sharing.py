"""Files that administrators share: at paths that every disk takes, once for each content."""

from __future__ import annotations

import base64
import json

import pytest
from sqlalchemy import select

from tarimba.skills import exporting, looking, published, sharing
from tarimba.skills.access import Asked
from tarimba.storage.tables import blob, shared_file
from tests.contract.notes.world import World, code, refusal
from tests.contract.skills.stage import NORTH, SPACE, Stage, stage_of, text_of


@pytest.fixture
def stage(world: World) -> Stage:
    return stage_of(world)


def content(stage: Stage, path: str = "rates.csv", asked: Asked = SPACE) -> bytes:
    return looking.read_file(stage.kernel, stage.caller("auditor"), asked, path).content


def kept(stage: Stage) -> set[bytes]:
    with stage.kernel.database.read() as connection:
        rows = connection.scalars(select(blob.c.content).where(blob.c.space_id == stage.world.space_id))
        return {bytes(row) for row in rows}


@pytest.mark.promise("shared-files")
def test_a_file_is_shared_anew_and_removed_with_its_bytes(stage: Stage) -> None:
    assert stage.share().status == 201
    again = stage.share()
    assert (again.status, again.seq) == (200, None)
    stage.share(content=b"c,d")
    assert (content(stage), kept(stage)) == (b"c,d", {b"c,d"})
    stage.share("copy.csv", b"c,d")
    stage.unshare()
    assert code(lambda: content(stage)) == "not_found"
    assert (content(stage, "copy.csv"), kept(stage)) == (b"c,d", {b"c,d"})
    stage.unshare("copy.csv")
    assert kept(stage) == set()
    actions = [one["action"] for one in stage.world.receipts() if one["action"].startswith("file.")]
    assert actions == ["file.publish"] * 3 + ["file.remove"] * 2
    assert "rates" not in json.dumps(stage.world.receipts())


@pytest.mark.promise("shared-files")
@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../a", "a/../../b", "a\\b", "C:/a", "c:a", "a//b", "./a", "a/", "a\0b", "a\nb", "a\u202eb",
        " a", "a ", "x" * 256, "a/b/c/d/e/f/g/h/i", "/".join(["x" * 200] * 6),
    ],
)  # fmt: skip
def test_a_path_that_some_disk_does_not_take_is_refused(stage: Stage, path: str) -> None:
    refused = refusal(lambda: stage.share(path))
    assert (refused.code, refused.detail[:6]) == ("invalid_input", "path: ")
    assert stage.world.count(shared_file) == 0


@pytest.mark.promise("shared-files")
@pytest.mark.parametrize("other", ["Rates/A.csv", "rates", "rates/a.csv/b", "RATES/a.csv/b"])
def test_paths_that_some_disk_takes_for_one_do_not_stand_side_by_side(stage: Stage, other: str) -> None:
    stage.share("rates/a.csv")
    assert code(lambda: stage.share(other)) == "conflict"
    stage.share(other, asked=NORTH)
    stage.share("rates/b.csv")


def test_a_scope_holds_so_many_files_and_each_so_many_bytes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "FILES_MAX", 1)
    stage.share()
    stage.share(content=b"anew")
    assert code(lambda: stage.share("b.csv")) == "conflict"
    assert code(lambda: stage.share(content=bytes(sharing.BYTES_MAX + 1))) == "too_large"


def test_who_names_a_file_must_have_seen_it(stage: Stage) -> None:
    stage.share()
    for work in (lambda: stage.share(content=b"x", seen='"0"'), lambda: stage.unshare(seen='"0"')):
        assert code(work) == "precondition_failed"
    seen = looking.read_file(stage.kernel, stage.caller("admin"), SPACE, "rates.csv").hash
    stage.unshare(seen=f'"{seen}"')


def test_the_files_of_an_agent_come_by_layers(stage: Stage) -> None:
    for asked in (Asked("subscription", "north", "billing"), NORTH, Asked(agent="billing"), SPACE):
        stage.share(asked=asked)
    source_id = stage.world.sources["billing"]
    with stage.kernel.database.read() as connection:
        north = published.file_layers(
            connection, stage.world.space_id, stage.subscriptions["north"], source_id
        )
        none = published.file_layers(connection, stage.world.space_id, "", "")
    assert [one.place.layer for one in north] == [1, 2, 3, 4]
    assert [one.place.layer for one in none] == [1]


@pytest.mark.promise("skills-exported")
def test_everything_that_was_ever_published_can_be_taken_along(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_AT_ONCE", 2)
    for words in ("One.", "Two.", "Three."):
        stage.publish(b"\n" + text_of(words=words))
    stage.publish(files={"SKILL.md": text_of("other"), "x.bin": b"\0\xff"}, asked=NORTH)
    stage.remove()
    for path in ("a", "b", "c"):
        stage.share(path)
    made = exporting.export(stage.kernel, stage.caller("owner"))
    lines = [json.loads(line) for line in b"".join(made.pieces).splitlines()]
    assert [line["kind"] for line in lines[:1]] == ["export"]
    versions = [line for line in lines if line["kind"] == "version"]
    assert [(one["name"], one["version"], one["in_force"]) for one in versions] == [
        ("close-month", 1, False), ("close-month", 2, False), ("close-month", 3, False), ("other", 1, True),
    ]  # fmt: skip
    assert [line["path"] for line in lines if line["kind"] == "file"] == ["a", "b", "c"]
    contents = {line["hash"]: base64.b64decode(line["base64"]) for line in lines if line["kind"] == "bytes"}
    assert set(contents.values()) == kept(stage)
    named = {file["hash"] for one in versions for file in one["files"]}
    named |= {file["original"] for one in versions for file in one["files"] if "original" in file}
    assert named | {line["hash"] for line in lines if line["kind"] == "file"} == contents.keys()
    (receipt,) = stage.world.receipts("export")
    assert receipt["id"] == made.receipt.id
