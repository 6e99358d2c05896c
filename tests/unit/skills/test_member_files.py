"""Changes of a member's files: whole, or as if nothing had been asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from tarimba import confined, openat2
from tarimba.confined import Confined
from tarimba.errors import Refusal
from tarimba.harnesses.service import profile
from tarimba.skills.member_files import GONE, changing, content, pieces, removed, replaced, written
from tarimba.skills.own import OWN_MAX, look
from tarimba.skills.seats import Seat

pytestmark = pytest.mark.promise("member-skills")

IDS = [f"01900000-0000-7000-8000-00000000000{number}" for number in range(4)]
TEXT = b"---\nname: letters\ndescription: Use when a letter is wanted.\n---\nBe brief.\n"


class RefusedError(Exception):
    """Stands for a receipt that could not be kept."""


def refuse(folder: Confined, standing: bytes | None) -> NoReturn:
    """Fails where a receipt is kept, once what stands there is what was asked for."""
    assert content(folder, "letters/SKILL.md") == standing
    raise RefusedError


@pytest.fixture
def seat() -> Seat:
    return Seat(IDS[0], IDS[1], IDS[2], "billing", profile("generic"), IDS[3])


@pytest.fixture
def own(tmp_path: Path, seat: Seat) -> Path:
    return tmp_path / seat.home / "workspace" / "skills"


def test_a_new_skill_whose_receipt_cannot_be_kept_is_gone(tmp_path: Path, seat: Seat, own: Path) -> None:
    with (
        changing(tmp_path, seat) as folder,
        pytest.raises(RefusedError),
        written(folder, "letters/references/tone.md", TEXT, None),
    ):
        raise RefusedError
    assert list(own.iterdir()) == []


def test_a_new_file_of_a_skill_that_stood_there_goes_alone(tmp_path: Path, seat: Seat, own: Path) -> None:
    with changing(tmp_path, seat) as folder:
        with written(folder, "letters/SKILL.md", TEXT, None):
            pass
        with pytest.raises(RefusedError), written(folder, "letters/tone.md", b"x", None):
            raise RefusedError
    assert [one.name for one in (own / "letters").iterdir()] == ["SKILL.md"]


def test_an_edit_and_a_removal_are_taken_back(tmp_path: Path, seat: Seat, own: Path) -> None:
    with changing(tmp_path, seat) as folder:
        with written(folder, "letters/SKILL.md", TEXT, None):
            pass
        with pytest.raises(RefusedError), written(folder, "letters/SKILL.md", b"other", TEXT):
            refuse(folder, b"other")
        assert content(folder, "letters/SKILL.md") == TEXT
        with pytest.raises(RefusedError), removed(folder, "letters"):
            refuse(folder, None)
        assert content(folder, "letters/SKILL.md") == TEXT
    assert [one.name for one in own.iterdir()] == ["letters"]


def test_what_is_no_plain_file_is_put_back(tmp_path: Path, seat: Seat, own: Path) -> None:
    (own / "letters").mkdir(parents=True)
    (own / "letters" / "SKILL.md").symlink_to("elsewhere")
    with (
        changing(tmp_path, seat) as folder,
        pytest.raises(RefusedError),
        replaced(folder, "letters/SKILL.md", TEXT),
    ):
        refuse(folder, TEXT)
    assert (own / "letters" / "SKILL.md").is_symlink()
    assert [one.name for one in own.parent.iterdir()] == ["skills"]


def test_what_a_killed_process_had_put_aside_is_cleared_by_the_next_change(
    tmp_path: Path, seat: Seat, own: Path
) -> None:
    with changing(tmp_path, seat):
        pass
    (own.parent / GONE / "1" / "deep").mkdir(parents=True)
    (own.parent / GONE / "2").write_bytes(TEXT)
    with changing(tmp_path, seat):
        pass
    assert [one.name for one in own.parent.iterdir()] == ["skills"]


def test_what_is_taken_away_is_emptied_by_so_many_names_at_a_time(
    tmp_path: Path, seat: Seat, own: Path
) -> None:
    (own / "busy").mkdir(parents=True)
    for number in range(5000):
        (own / "busy" / f"{number}").touch()
    with changing(tmp_path, seat) as folder, removed(folder, "busy"):
        pass
    assert list(own.iterdir()) == []
    (left,) = (own.parent / GONE).iterdir()
    assert 0 < len(list(left.iterdir())) < 5000
    for _ in range(3):
        with changing(tmp_path, seat):
            pass
    assert [one.name for one in own.parent.iterdir()] == ["skills"]


def test_a_link_where_things_wait_leads_nowhere(tmp_path: Path, seat: Seat, own: Path) -> None:
    (own / "letters").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (own.parent / GONE).symlink_to(tmp_path / "outside")
    with changing(tmp_path, seat) as folder, removed(folder, "letters"):
        assert list((tmp_path / "outside").iterdir()) == []
    assert list(own.iterdir()) == []


def test_who_comes_while_another_one_writes_is_told_so_at_once(tmp_path: Path, seat: Seat) -> None:
    with changing(tmp_path, seat), pytest.raises(Refusal) as refused, changing(tmp_path, seat):
        pass
    assert (refused.value.code, refused.value.retry_after) == ("unavailable", 1)
    with changing(tmp_path, seat):
        pass


def test_the_hosts_data_folder_may_be_behind_a_link(tmp_path: Path, seat: Seat) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "real")
    with changing(tmp_path / "data", seat) as folder, written(folder, "letters/SKILL.md", TEXT, None):
        pass
    assert list(look(tmp_path / "data" / seat.home / "workspace", "skills", "en").skills) == ["letters"]


def test_a_file_in_the_place_of_a_folder_is_a_conflict(tmp_path: Path, seat: Seat, own: Path) -> None:
    own.parent.mkdir(parents=True)
    own.write_bytes(b"")
    with pytest.raises(Refusal) as refused, changing(tmp_path, seat):
        pass
    assert refused.value.code == "conflict"


def test_a_list_of_files_has_an_end_and_holds_the_skill_itself(tmp_path: Path, seat: Seat, own: Path) -> None:
    (own / "letters" / "a").mkdir(parents=True)
    (own / "letters" / "SKILL.md").write_bytes(TEXT)
    for number in range(700):
        (own / "letters" / "a" / f"{number}").touch()
    with changing(tmp_path, seat) as folder:
        found, has_more = pieces(folder, "letters")
    assert has_more
    assert len(found) == 500
    assert "SKILL.md" in {one.path for one in found}


def closed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """What these names lead to can't be opened, as for a server that is not root."""

    def open_beneath(folder: int, path: str, flags: int) -> int:
        if path.endswith(names):
            raise PermissionError
        return openat2.open_beneath(folder, path, flags)

    monkeypatch.setattr(confined, "open_beneath", open_beneath)


def test_what_cannot_be_read_costs_one_row_of_the_list(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "letters" / "closed").mkdir(parents=True)
    for name in ("SKILL.md", "shut.md", "closed/inner.md"):
        (own / "letters" / name).write_bytes(TEXT)
    closed(monkeypatch, "shut.md", "closed")
    with Confined.at(own) as folder:
        found = {one.path: one.is_text for one in pieces(folder, "letters")[0]}
    assert found == {"SKILL.md": True, "shut.md": False, "closed": False}


def test_a_root_that_cannot_be_read_is_no_skills(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "letters").mkdir(parents=True)
    (own / "letters" / "SKILL.md").write_bytes(TEXT)
    with monkeypatch.context() as patched:
        closed(patched, "letters/SKILL.md")
        (row,) = look(own.parent, "skills", "en").skills.values()
        assert (row.verdict, row.problems[0].rule) == ("quarantined", "unreadable")
    with monkeypatch.context() as patched:
        closed(patched, "skills")
        assert look(own.parent, "skills", "en").skills == {}
    monkeypatch.setattr(os, "scandir", refused)
    assert look(own.parent, "skills", "en").skills == {}


def refused(_: int) -> NoReturn:
    raise PermissionError


def test_only_what_changed_is_read_again(own: Path) -> None:
    for name in ("letters", "refund"):
        (own / name).mkdir(parents=True)
        (own / name / "SKILL.md").write_bytes(TEXT.replace(b"letters", name.encode()))
    first = look(own.parent, "skills", "en")
    assert look(own.parent, "skills", "en", first) is first
    (own / "refund" / "SKILL.md").write_bytes(TEXT.replace(b"letters", b"refund").replace(b"brief", b"short"))
    second = look(own.parent, "skills", "en", first)
    assert second.skills["letters"] is first.skills["letters"]
    assert second.skills["refund"].mark != first.skills["refund"].mark
    (own / "refund" / "SKILL.md").unlink()
    third = look(own.parent, "skills", "en", second)
    assert third.skills["refund"].verdict == "quarantined"


def test_more_skills_than_anybody_reads_are_counted_and_not_looked_at(own: Path) -> None:
    for number in range(OWN_MAX + 5):
        (own / f"s{number:05}").mkdir(parents=True)
    found = look(own.parent, "skills", "en")
    assert sorted(found.skills) == [f"s{number:05}" for number in range(OWN_MAX)]
    assert found.left_out == 5
    (own / "z").mkdir()
    assert look(own.parent, "skills", "en", found).left_out == 6


def test_a_name_that_is_no_text_is_one_row_and_harms_nothing(own: Path) -> None:
    own.mkdir(parents=True)
    bad = bytes(own) + b"/caf\xe9"
    Path(bad.decode("utf-8", "surrogateescape")).mkdir()
    (row,) = look(own.parent, "skills", "en").skills.values()
    assert (row.verdict, row.directory) == ("quarantined", "caf?")
