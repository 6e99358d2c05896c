"""Skills on a disk: what is found, and what is refused without being opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tarimba.skills.folders import FILES_MAX, found_in

GOOD = b"---\nname: {name}\ndescription: Use when x\n---\n"


def skill(root: Path, name: str, data: bytes | None = None) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    file = folder / "SKILL.md"
    file.write_bytes(GOOD.replace(b"{name}", name.encode()) if data is None else data)
    return file


def verdicts(root: Path, *, is_recursive: bool = False) -> dict[str, tuple[str, list[str]]]:
    return {
        str(found.path.relative_to(root)): (
            found.reading.verdict,
            [problem.rule for problem in found.reading.problems],
        )
        for found in found_in(root, is_recursive=is_recursive)
    }


def test_a_file_a_skill_and_a_root_are_found_alike(tmp_path: Path) -> None:
    file = skill(tmp_path, "a")
    for path in (file, file.parent, tmp_path):
        (found,) = found_in(path)
        assert (found.path, found.directory, found.reading.verdict) == (file, "a", "ok")


def test_they_come_in_the_order_of_names_one_level_deep(tmp_path: Path) -> None:
    for name in ("b", "a", "deep/c"):
        skill(tmp_path, name)
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("no skill")
    assert list(verdicts(tmp_path)) == ["a/SKILL.md", "b/SKILL.md"]
    assert list(verdicts(tmp_path, is_recursive=True)) == ["a/SKILL.md", "b/SKILL.md", "deep/c/SKILL.md"]


@pytest.mark.promise("skills-verdict")
def test_one_that_is_quarantined_hides_no_other(tmp_path: Path) -> None:
    skill(tmp_path, "a", b"nothing")
    skill(tmp_path, "b")
    assert verdicts(tmp_path) == {
        "a/SKILL.md": ("quarantined", ["no-opening-fence"]),
        "b/SKILL.md": ("ok", []),
    }


@pytest.mark.promise("skills-verdict")
def test_a_file_of_another_name_is_told(tmp_path: Path) -> None:
    file = skill(tmp_path, "a")
    file.rename(file.with_name("Skill.md"))
    assert verdicts(tmp_path) == {"a/Skill.md": ("quarantined", ["file-name"])}


@pytest.mark.promise("skills-verdict")
def test_a_link_that_leaves_the_skill_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "secret"
    outside.write_bytes(GOOD)
    root = tmp_path / "root"
    skill(root, "a").unlink()
    (root / "a" / "SKILL.md").symlink_to(outside)
    skill(root, "b").with_name("notes").symlink_to(outside)
    skill(root, "c").with_name("folder").symlink_to(tmp_path)
    (skill(root, "d").parent / "again.md").symlink_to("SKILL.md")
    assert verdicts(root) == {
        "a/SKILL.md": ("quarantined", ["outside"]),
        "b/SKILL.md": ("quarantined", ["outside"]),
        "c/SKILL.md": ("quarantined", ["outside"]),
        "d/SKILL.md": ("ok", []),
    }


@pytest.mark.promise("skills-verdict")
def test_a_skill_that_is_a_link_is_one_only_among_its_neighbours(tmp_path: Path) -> None:
    skill(tmp_path / "elsewhere", "a")
    root = tmp_path / "root"
    skill(root, "b")
    (root / "a").symlink_to("../elsewhere/a")
    (root / "c").symlink_to("b")
    (root / "d").symlink_to("/")
    expected = {
        "a/SKILL.md": ("quarantined", ["outside"]),
        "b/SKILL.md": ("ok", []),
        "c/SKILL.md": ("repaired", ["name-directory"]),
    }
    assert verdicts(root) == expected
    assert verdicts(root, is_recursive=True) == expected
    (tmp_path / "linked").symlink_to(root)
    assert verdicts(tmp_path / "linked") == expected


def test_links_that_lead_around_a_circle_end_in_a_verdict(tmp_path: Path) -> None:
    skill(tmp_path, "a").unlink()
    (tmp_path / "a" / "SKILL.md").symlink_to("SKILL.md")
    (skill(tmp_path, "b").parent / "again").symlink_to("again")
    (tmp_path / "c").symlink_to("c")
    assert verdicts(tmp_path) == {
        "a/SKILL.md": ("quarantined", ["outside"]),
        "b/SKILL.md": ("quarantined", ["outside"]),
    }


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    skill(tmp_path, "a").unlink()
    os.mkfifo(tmp_path / "a" / "SKILL.md")
    assert verdicts(tmp_path) == {"a/SKILL.md": ("quarantined", ["unreadable"])}


def test_more_files_than_may_be_published_are_warned_of(tmp_path: Path) -> None:
    file = skill(tmp_path, "a")
    for number in range(FILES_MAX):
        (file.parent / str(number)).touch()
    assert verdicts(tmp_path) == {"a/SKILL.md": ("ok", ["too-many-files"])}


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(found_in(tmp_path / "none"))
