"""What the agent lays out in `public/`: listed in pages, sent byte by byte, and nothing from behind a link."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest
from structlog.testing import capture_logs

from tests.contract.memory_files.room import Room
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("members-files")

ODD = (
    "a b.txt",
    ".hidden",
    "Relatório nº 1.pdf",
    "a&b=c#d?.txt",
    "%2e%2e",
    "a\\b",
    "a\nb",
    "'; --",
    '"q"',
    "x" * 255,
)


def names(answer: httpx.Response) -> dict[str, tuple[str, int]]:
    assert answer.status_code == 200, answer.text
    return {one["path"]: (one["kind"], one["size"]) for one in answer.json()["items"]}


def test_without_anything_there_is_nothing_and_nothing_is_made(room: Room) -> None:
    assert room.files().json() == {"items": [], "left_out": False}
    assert_problem(room.files("report.pdf"), "not_found", 404, public={"report.pdf"})
    assert not room.home.exists()


def test_folders_are_listed_and_files_are_sent_as_what_nobody_opens(room: Room) -> None:
    page = b"<script>alert(1)</script>"
    room.agent_writes("public/reports/june.html", page)
    room.agent_writes("public/logo.png", b"")
    assert names(room.files()) == {"logo.png": ("file", 0), "reports": ("directory", 0)}
    assert names(room.files("reports")) == {"reports/june.html": ("file", len(page))}
    sent = room.files("reports/june.html")
    assert (sent.status_code, sent.content) == (200, page)
    assert {
        name: sent.headers[name] for name in ("content-type", "content-length", "content-disposition")
    } == {
        "content-type": "application/octet-stream",
        "content-length": str(len(page)),
        "content-disposition": "attachment; filename=\"june.html\"; filename*=UTF-8''june.html",
    }
    assert sent.headers["x-content-type-options"] == "nosniff"
    assert room.files("logo.png").content == b""


def test_a_large_file_is_sent_whole_and_one_that_is_too_large_not_at_all(room: Room) -> None:
    large = os.urandom(3_000_001)
    path = room.agent_writes("public/large.bin", large)
    assert hashlib.sha256(room.files("large.bin").content).digest() == hashlib.sha256(large).digest()
    os.truncate(path, 256 * 1024 * 1024 + 1)
    assert_problem(room.files("large.bin"), "too_large", 413)


def test_every_name_that_a_disk_takes_is_listed_and_every_name_that_a_url_holds_can_be_asked_for(
    room: Room,
) -> None:
    for name in ODD:
        room.agent_writes(f"public/{name}", name)
    unnamed = os.fsencode(room.workspace / "public") + b"/\xff\xfe.txt"
    Path(os.fsdecode(unnamed)).write_bytes(b"unnamed")
    rows = room.files().json()["items"]
    assert {row["path"] for row in rows} == {*ODD, None}
    (row,) = [row for row in rows if row["path"] is None]
    assert (row["name"], row["kind"], row["size"]) == ("\ufffd\ufffd.txt", "file", 7)
    for name in ODD:
        sent = room.files(name)
        assert sent.content == name.encode()
        assert sent.headers["content-disposition"].isascii()


def test_a_long_folder_comes_in_pages(room: Room) -> None:
    for number in range(7):
        room.agent_writes(f"public/{number}.txt", "x")
    seen: list[str] = []
    first = page = room.files(limit=3).json()
    while True:
        seen += [one["name"] for one in page["items"]]
        if "next_cursor" not in page:
            break
        page = room.files(limit=3, cursor=page["next_cursor"]).json()
    assert seen == [f"{number}.txt" for number in range(7)]
    foreign = room.files("other", cursor=first["next_cursor"])
    assert_problem(foreign, "invalid_input", 422, public={"cursor"})


@pytest.mark.promise("confined-writes")
def test_only_plain_files_of_the_workspace_are_sent(room: Room) -> None:
    public = room.agent_writes("public/plain.txt", "plain").parent
    secret = room.agent_writes("config.json", "secret", room.home)
    (public / "link").symlink_to(secret)
    (public / "folder").symlink_to(room.home)
    (public / "magic").symlink_to("/proc/self/root")
    os.link(secret, public / "second")
    os.mkfifo(public / "pipe")
    with socket.socket(socket.AF_UNIX) as listening, TemporaryDirectory() as short:
        # An address has at most 108 bytes.
        listening.bind(f"{short}/socket")
        Path(f"{short}/socket").rename(public / "socket")
    if os.geteuid() == 0:
        os.mknod(public / "device", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    kinds = {path: kind for path, (kind, _) in names(room.files()).items()}
    assert kinds.pop("plain.txt") == "file"
    assert {"link", "folder", "magic", "second", "pipe", "socket"} <= kinds.keys()
    assert set(kinds.values()) == {"other"}
    for path in (*kinds, "folder/config.json", "magic/etc/hostname"):
        assert_problem(room.files(path), "conflict", 409, public={"folder", "second"})
    for path in ("../config.json", "/etc/hostname", "a/../../config.json", ".", "a//b", "x/" * 40 + "x"):
        assert_problem(room.files(path), "invalid_input", 422)
    assert_problem(room.files("plain.txt/more"), "conflict", 409)


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize("is_link", [True, False])
def test_another_thing_in_the_place_of_the_folder_is_refused(room: Room, is_link: bool) -> None:
    room.agent_writes("config.json", "secret", room.home)
    room.workspace.mkdir(parents=True, exist_ok=True)
    if is_link:
        (room.workspace / "public").symlink_to("..")
    else:
        (room.workspace / "public").write_text("x")
    with capture_logs() as logs:
        assert_problem(room.files(), "conflict", 409)
        assert_problem(room.files("config.json"), "conflict", 409)
    assert [one["event"] for one in logs].count("workspace.escaped") == (2 if is_link else 0)


@pytest.mark.promise("members-memory-private")
def test_a_project_shows_its_own_and_receipts_name_no_file(room: Room) -> None:
    room.agent_writes("public/wallaby.txt", "main")
    room.agent_writes("public/wallaby.txt", "roof", room.home / "workspace-roof")
    assert room.files("wallaby.txt", project="roof").content == b"roof"
    assert room.files("wallaby.txt").content == b"main"
    assert room.files(project="roof").status_code == 200
    told = [one for one in room.log() if one["action"] == "member_file.read"]
    key = room.api.kernel.keys.of(room.company.space_id)
    assert [one["detail"]["file"] for one in told[:2]] == [key.commit("wallaby.txt")] * 2
    assert [one["detail"].get("project") for one in told] == [key.commit("roof"), None, key.commit("roof")]
    assert "wallaby" not in str(told)
