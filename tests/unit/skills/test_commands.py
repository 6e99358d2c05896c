"""`tarimba skills lint`, `fmt` and `new`."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tarimba.cli import run
from tarimba.skills.format import read
from tarimba.skills.model import FILE_BYTES_MAX, Language

CRLF = b"---\r\nname: Crlf\r\ndescription: Use: when\r\nlicense: MIT\r\n---\r\n\r\nbody\r\n"
CANONICAL = b'---\nname: crlf\ndescription: "Use: when"\n---\n\nbody\n'


def skill(root: Path, name: str, data: bytes) -> Path:
    (root / name).mkdir()
    (root / name / "SKILL.md").write_bytes(data)
    return root / name / "SKILL.md"


def linted(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    run(["skills", "lint", "--json", *arguments])
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


@pytest.mark.promise("skills-lint")
def test_lint_prints_one_row_for_each_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = skill(tmp_path, "crlf", CRLF)
    skill(tmp_path, "none", b"\xff")
    crlf, none = linted(capsys, str(tmp_path))
    assert list(crlf) == ["path", "dir", "name", "description", "verdict", "problems"]
    assert (crlf["path"], crlf["dir"], crlf["name"]) == (str(file), "crlf", "crlf")
    assert (crlf["description"], crlf["verdict"]) == ("Use: when", "repaired")
    assert [list(problem) for problem in crlf["problems"]] == [["line", "rule", "message", "fix"]] * 4
    assert (none["name"], none["description"], none["verdict"]) == ("", "", "quarantined")


@pytest.mark.promise("skills-lint")
def test_lint_ends_with_1_where_something_is_quarantined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = skill(tmp_path, "crlf", CRLF)
    assert run(["skills", "lint", str(file)]) == 0
    assert f"{file}: repaired\n  line 1: line-ends: " in capsys.readouterr().out
    skill(tmp_path, "none", b"")
    assert run(["skills", "lint", str(tmp_path)]) == 1


def test_a_directory_may_have_any_bytes_for_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skill(tmp_path, os.fsdecode(b"caf\xe9"), CRLF)
    (row,) = linted(capsys, str(tmp_path))
    assert (row["dir"], row["name"]) == ("caf\ufffd", "crlf")
    assert run(["skills", "fmt", str(tmp_path)]) == 0


@pytest.mark.parametrize(("language", "word"), [("en", "Lines"), ("pt", "As linhas"), ("es", "Las líneas")])
def test_lint_speaks_three_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, word: str
) -> None:
    (row,) = linted(capsys, "--language", language, str(skill(tmp_path, "crlf", CRLF)))
    assert row["problems"][0]["message"].startswith(word)


@pytest.mark.promise("skills-original-kept")
def test_fmt_writes_canonical_bytes_and_keeps_those_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = skill(tmp_path, "crlf", CRLF)
    assert run(["skills", "fmt", "--check", str(tmp_path)]) == 1
    assert file.read_bytes() == CRLF
    assert run(["skills", "fmt", str(tmp_path)]) == 0
    assert file.read_bytes() == CANONICAL
    assert file.with_name("SKILL.md.original").read_bytes() == CRLF
    assert "left out: license" in capsys.readouterr().out
    assert run(["skills", "fmt", "--check", str(tmp_path)]) == 0
    assert sorted(path.name for path in file.parent.iterdir()) == ["SKILL.md", "SKILL.md.original"]


@pytest.mark.promise("skills-original-kept")
def test_fmt_never_writes_over_bytes_that_it_kept(tmp_path: Path) -> None:
    file = skill(tmp_path, "crlf", CRLF)
    run(["skills", "fmt", str(file)])
    file.write_bytes(CANONICAL.replace(b"\n", b"\r\n"))
    run(["skills", "fmt", str(file)])
    assert file.with_name("SKILL.md.original").read_bytes() == CRLF
    assert file.with_name("SKILL.md.original.2").read_bytes() == CANONICAL.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o666])
def test_fmt_keeps_the_mode_of_the_file(tmp_path: Path, mode: int) -> None:
    file = skill(tmp_path, "crlf", CRLF)
    file.chmod(mode)
    run(["skills", "fmt", str(file)])
    assert file.read_bytes() == CANONICAL
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {mode}


def test_fmt_makes_no_file_too_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = b"---\nname: a\ndescription: Use: when\n---\n"
    file = skill(tmp_path, "a", head + b"x" * (FILE_BYTES_MAX - len(head)))
    before = file.read_bytes()
    assert run(["skills", "fmt", str(tmp_path)]) == 0
    assert file.read_bytes() == before
    assert "too large" in capsys.readouterr().err


def test_fmt_leaves_a_quarantined_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = skill(tmp_path, "none", b"nothing")
    assert run(["skills", "fmt", str(tmp_path)]) == 1
    assert file.read_bytes() == b"nothing"
    assert "no-opening-fence" in capsys.readouterr().err


@pytest.mark.parametrize("language", ["en", "pt", "es"])
def test_a_new_skill_is_well_and_its_description_a_situation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: Language
) -> None:
    assert run(["skills", "new", "late-invoice", "--into", str(tmp_path), "--language", language]) == 0
    capsys.readouterr()
    (row,) = linted(capsys, str(tmp_path))
    assert (row["name"], row["verdict"], row["problems"]) == ("late-invoice", "ok", [])
    assert run(["skills", "fmt", "--check", str(tmp_path)]) == 0


def test_new_touches_nothing_that_exists_and_takes_no_illegal_name(tmp_path: Path) -> None:
    file = skill(tmp_path, "a", b"mine")
    assert run(["skills", "new", "a", "--into", str(tmp_path)]) == 1
    assert file.read_bytes() == b"mine"
    for name in ("../b", "A", "shared-content"):
        assert run(["skills", "new", name, "--into", str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_new_says_which_name_every_harness_would_see(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["skills", "new", "a_b", "--into", str(tmp_path)]) == 0
    assert "a-b" in capsys.readouterr().err
    assert read((tmp_path / "a_b" / "SKILL.md").read_bytes(), directory="a_b").verdict == "ok"
