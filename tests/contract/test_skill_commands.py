"""`tarimba skills publish` and its like, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.skills.stage import NAME, text_of, zipped
from tests.contract.test_cli import Host, host  # noqa: F401


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "any-folder"
    (made / "scripts").mkdir(parents=True)
    (made / "SKILL.md").write_bytes(text_of())
    (made / "SKILL.md.original").write_bytes(b"as it was")
    (made / "scripts" / "run.py").write_bytes(b"print(1)\n")
    return made


def test_a_skill_goes_its_whole_way(host: Host, folder: Path, tmp_path: Path) -> None:  # noqa: F811
    host.apply()
    made = host.json("skills", "publish", str(folder))
    assert (made["version"], made["is_new"], made["warnings"]) == (1, True, [])
    assert [file["path"] for file in made["files"]] == ["SKILL.md", "scripts/run.py"]
    text = tmp_path / "SKILL.md"
    text.write_bytes(text_of(words="Anew."))
    code, output, _ = host.run("skills", "publish", str(text))
    assert (code, output.split(",")[0]) == (0, "close-month is published: version 2")
    assert host.run("skills", "publish", str(text))[1] == "close-month is published so already: version 2.\n"
    archive = tmp_path / "skill.zip"
    archive.write_bytes(zipped({"SKILL.md": text_of(words="For one agent.")}))
    assert host.json("skills", "publish", str(archive), "--agent", "cobranca")["source_id"] is not None
    (skill,) = host.json("skills", "effective", "--agent", "cobranca")["items"]
    assert (skill["won"], skill["hides"]) == (2, [1])
    assert "+For one agent." in host.run("skills", "effective", NAME, "--agent", "cobranca")[1]
    assert host.json("skills", "rollback", NAME)["version"] == 3
    assert [one["version"] for one in host.json("skills", "list")] == [3, 1]
    assert [one["version"] for one in host.json("skills", "list", "--agent", "cobranca")] == [1]
    host.json("skills", "remove", NAME)
    assert host.refused("skills", "remove", NAME) == (1, "There is no such skill that you can read.")
    assert host.json("skills", "rollback", NAME, "--version", "1")["version"] == 4
    assert host.run("skills", "remove", NAME, "--erase")[1] == "close-month is erased.\n"
    assert host.refused("skills", "rollback", NAME)[0] == 1
    assert host.json("receipts", "verify")["ok"] is True


def test_a_directory_and_its_archive_leave_out_the_same(host: Host, folder: Path, tmp_path: Path) -> None:  # noqa: F811
    host.apply()
    for path in (".git/objects/aa", ".git/config", "scripts/.env", ".DS_Store", "__MACOSX/._SKILL.md"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"of one machine")
    (folder / ".git/link").symlink_to("/etc/passwd")
    made = host.json("skills", "publish", str(folder))
    assert [file["path"] for file in made["files"]] == ["SKILL.md", "scripts/run.py"]
    # The copy before, two folders and two files.
    assert made["ignored"] == 5
    assert "Left out: 5, " in host.run("skills", "publish", str(folder))[1]
    (folder / ".git/link").unlink()
    files = [path for path in folder.rglob("*") if path.is_file()]
    archive = tmp_path / "whole.zip"
    archive.write_bytes(zipped({str(path.relative_to(folder)): path.read_bytes() for path in files}))
    again = host.json("skills", "publish", str(archive))
    assert (again["content_hash"], again["ignored"]) == (made["content_hash"], 6)


def test_what_can_not_be_published_says_why(host: Host, folder: Path, tmp_path: Path) -> None:  # noqa: F811
    host.apply()
    (folder / "SKILL.md").write_bytes(text_of("Close Month"))
    code, _, errors = host.run("skills", "publish", str(folder))
    assert (code, "--name close-month" in errors) == (2, True)
    assert host.json("skills", "publish", str(folder), "--name", NAME)["name"] == NAME
    (folder / "link").symlink_to("/etc/passwd")
    assert host.refused("skills", "publish", str(folder)) == (
        2,
        "PATH: must hold files and folders alone: no links",
    )
    broken = tmp_path / "SKILL.md"
    broken.write_bytes(b"Lock it.")
    code, _, errors = host.run("skills", "publish", str(broken))
    assert (code, "O arquivo não começa por `---`." in errors) == (2, True)
    assert host.refused("skills", "list", "--subscription", "nowhere")[0] == 1
