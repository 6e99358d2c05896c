"""What no path, link, mount or race gets out of, and what is written whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tarimba import openat2
from tarimba.confined import Confined, EscapedError, IrregularError, UnconfinedError, remove
from tarimba.errors import Refusal

LIMIT = 1 << 20
FEW_AND_MANY = [1000, pytest.param(10_000, marks=pytest.mark.nightly)]


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/MEMORY.md").write_bytes(b"kept")
    (tmp_path / "outside").mkdir()
    return folder


@pytest.fixture
def confined(inside: Path) -> Iterator[Confined]:
    with Confined.at(inside) as opened:
        yield opened


SWAPS = """
import os, sys
from tarimba.confined import exchange
folder = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
print("swapping", flush=True)
while True:
    exchange(folder, sys.argv[2], folder, sys.argv[3])
"""


@contextmanager
def swapping(folder: Path, name: str, other: str) -> Iterator[None]:
    """Two names change places again and again while the block runs, in a process that waits for nobody."""
    command = [sys.executable, "-c", SWAPS, str(folder), name, other]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"swapping\n"
        try:
            yield
        finally:
            process.kill()


def attempted(write: Callable[[], object], times: int) -> set[str]:
    """What came of so many attempts, and more until one was refused and one went well."""
    seen: set[str] = set()
    for number in count(1):
        try:
            write()
            seen.add("written")
        except (EscapedError, NotADirectoryError) as refused:
            seen.add(type(refused).__name__)
        if number >= times and len(seen) > 1:
            break
    return seen


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize("times", FEW_AND_MANY)
def test_a_component_swapped_for_a_link_while_writing_lets_no_byte_out(inside: Path, times: int) -> None:
    outside = inside.parent / "outside"
    (inside / "link").symlink_to(outside)
    with Confined.at(inside) as confined, swapping(inside, "memory", "link"):
        seen = attempted(lambda: confined.replace("memory/MEMORY.md", b"secret"), times)
    assert seen == {"written", "EscapedError"}
    assert list(outside.iterdir()) == []


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize("times", FEW_AND_MANY)
def test_a_component_swapped_for_a_link_while_reading_lets_no_byte_in(inside: Path, times: int) -> None:
    outside = inside.parent / "outside"
    (outside / "MEMORY.md").write_bytes(b"secret")
    (inside / "link").symlink_to(outside)
    with Confined.at(inside) as confined, swapping(inside, "memory", "link"):

        def read() -> None:
            assert confined.read("memory/MEMORY.md", LIMIT) == b"kept"
            assert [entry.size for entry in confined.entries("memory")] == [4]

        assert attempted(read, times) == {"written", "EscapedError"}


def test_the_same_race_takes_a_write_out_that_only_does_not_follow_the_last_name(inside: Path) -> None:
    outside = inside.parent / "outside"
    (inside / "link").symlink_to(outside)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
    with swapping(inside, "memory", "link"):
        while not (outside / "MEMORY.md").exists():
            os.close(os.open(inside / "memory/MEMORY.md", flags))


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize(
    "path",
    [
        "../outside/a", "/etc/hostname", "memory/../a", "a\0b", "", ".", "..", "a//b", "a/", "x" * 256, "a/" * 40 + "b",
        "\ud800",
    ],
)  # fmt: skip
def test_a_path_that_is_none_is_refused(confined: Confined, path: str) -> None:
    with pytest.raises(Refusal) as refused:
        confined.read(path, LIMIT)
    assert refused.value.code == "invalid_input"
    with pytest.raises(Refusal):
        confined.replace(path, b"x")


@pytest.mark.promise("confined-writes")
def test_links_are_refused_wherever_they_stand(inside: Path, confined: Confined) -> None:
    (inside / "folder").symlink_to("memory")
    (inside / "memory/file").symlink_to("MEMORY.md")
    (inside / "magic").symlink_to("/proc/self/root")
    works: list[Callable[[], object]] = [
        lambda: confined.read("folder/MEMORY.md", LIMIT),
        lambda: confined.read("memory/file", LIMIT),
        lambda: confined.read("magic/etc/hostname", LIMIT),
        lambda: confined.replace("folder/MEMORY.md", b"x"),
        lambda: confined.replace("memory/file", b"x"),
        lambda: confined.mkdir("folder/new"),
        lambda: confined.beneath("folder"),
        lambda: confined.beneath("folder/new", make=True),
        lambda: confined.entries("folder"),
        lambda: confined.unlink("folder/MEMORY.md"),
        lambda: confined.rmtree("folder"),
        lambda: confined.rename("folder/MEMORY.md", "moved"),
    ]
    for work in works:
        with pytest.raises(EscapedError):
            work()
    assert (inside / "memory/MEMORY.md").read_bytes() == b"kept"


@pytest.mark.promise("confined-writes")
def test_magic_links_lead_nowhere() -> None:
    with Confined.at(Path(f"/proc/{os.getpid()}")) as process:
        with pytest.raises(EscapedError):
            process.read("root/etc/hostname", LIMIT)
        with pytest.raises(EscapedError):
            process.read("exe", LIMIT)
        with pytest.raises(EscapedError):
            process.entries("cwd")


@pytest.mark.promise("confined-writes")
def test_another_file_system_is_outside() -> None:
    with Confined.at(Path("/")) as root, pytest.raises(EscapedError):
        root.read("proc/version", LIMIT)


@pytest.mark.promise("confined-writes")
def test_pipes_devices_sockets_and_second_names_are_no_files(inside: Path, confined: Confined) -> None:
    os.mkfifo(inside / "pipe")
    os.link(inside / "memory/MEMORY.md", inside / "second")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(inside / "socket"))
    for name in ("pipe", "second", "socket", "memory/MEMORY.md"):
        with pytest.raises(IrregularError):
            confined.read(name, LIMIT)
    for name in ("pipe", "socket", "memory"):
        with pytest.raises(IrregularError):
            confined.replace(name, b"x")
    with Confined.at(Path("/dev")) as devices, pytest.raises(IrregularError):
        devices.read("null", LIMIT)


@pytest.mark.promise("confined-writes")
def test_replacing_a_second_name_leaves_the_first_as_it_was(inside: Path, confined: Confined) -> None:
    os.link(inside / "memory/MEMORY.md", inside / "second")
    confined.replace("second", b"new")
    assert (inside / "memory/MEMORY.md").read_bytes() == b"kept"
    assert confined.read("second", LIMIT) == b"new"


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EPERM])
def test_without_openat2_everything_is_refused(
    confined: Confined, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    class Filtered:
        @staticmethod
        def syscall(*_: object) -> int:
            ctypes.set_errno(number)
            return -1

    monkeypatch.setattr(openat2, "_LIBC", Filtered)
    for work in (lambda: confined.read("memory/MEMORY.md", LIMIT), lambda: confined.replace("a", b"x")):
        with pytest.raises(UnconfinedError):
            work()


def test_a_rename_elsewhere_is_no_reason_to_refuse(
    confined: Confined, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, left = openat2._LIBC, [errno.EAGAIN] * 20

    class Busy:
        @staticmethod
        def syscall(*given: object) -> int:
            if not left:
                return int(real.syscall(*given))
            ctypes.set_errno(left.pop())
            return -1

    monkeypatch.setattr(openat2, "_LIBC", Busy)
    assert confined.read("memory/MEMORY.md", LIMIT) == b"kept"


def test_reading_never_creates_and_is_bounded(inside: Path, confined: Confined) -> None:
    for work in (
        lambda: confined.read("absent", 9),
        lambda: confined.beneath("absent"),
        lambda: confined.look("a/b"),
    ):
        with pytest.raises(FileNotFoundError):
            work()
    with pytest.raises(Refusal) as refused:
        confined.read("memory/MEMORY.md", 3)
    assert refused.value.code == "too_large"
    assert confined.read("memory/MEMORY.md", 4) == b"kept"
    assert [entry.name for entry in confined.entries()] == ["memory"]
    assert sorted(path.name for path in inside.iterdir()) == ["memory"]


def test_a_write_that_fails_leaves_what_stood_there_and_nothing_beside_it(
    inside: Path, confined: Confined, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="full"):
        confined.replace("memory/MEMORY.md", b"x" * 10_000)
    assert {path.name: path.read_bytes() for path in (inside / "memory").iterdir()} == {"MEMORY.md": b"kept"}


def test_the_mode_and_the_owner_are_kept(inside: Path, confined: Confined) -> None:
    (inside / "memory/MEMORY.md").chmod(0o640)
    confined.replace("memory/MEMORY.md", b"new")
    confined.replace("memory/NEW.md", b"new")
    confined.beneath("memory/a/b", make=True).close()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (inside / "memory").iterdir()}
    assert modes == {"MEMORY.md": 0o640, "NEW.md": 0o600, "a": 0o700}
    owner = (inside / "memory").stat().st_uid
    assert {path.stat().st_uid for path in inside.rglob("*")} == {owner}


def test_files_of_a_process_with_all_rights_belong_to_the_owner_of_the_directory(
    inside: Path, confined: Confined, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", lambda _, user, group: given.append((user, group)))
    real = os.fstat

    def another(handle: int) -> os.stat_result:
        found = real(handle)
        changed = [*found[:4], 4242, 4343, *found[6:]]
        return os.stat_result(changed) if stat.S_ISDIR(found.st_mode) else found

    monkeypatch.setattr(os, "fstat", another)
    confined.replace("memory/NEW.md", b"new")
    assert given == [(4242, 4343)]


def test_a_new_file_takes_no_ones_place(confined: Confined) -> None:
    with pytest.raises(FileExistsError):
        confined.replace("memory/MEMORY.md", b"x", is_new=True)
    confined.replace("memory/NEW.md", b"x", is_new=True)
    with pytest.raises(FileExistsError):
        confined.rename("memory/NEW.md", "memory/MEMORY.md")
    confined.exchange("memory/NEW.md", "memory/MEMORY.md")
    assert confined.read("memory/NEW.md", LIMIT) == b"kept"
    confined.rename("memory/NEW.md", "memory/MEMORY.md", replaces=True)
    assert [entry.name for entry in confined.entries("memory")] == ["MEMORY.md"]


def test_a_directory_that_is_being_filled_is_left_after_so_many_names(
    inside: Path, confined: Confined, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inside / "busy/deep").mkdir(parents=True)
    (inside / "busy/deep/first").touch()
    unlinked = count()

    def unlink(name: str, *, dir_fd: int) -> None:
        """What another process would do at that moment: for each name that goes, another one comes."""
        assert next(unlinked) < LIMIT
        os.rename(name, f"again-{name}"[:200], src_dir_fd=dir_fd, dst_dir_fd=dir_fd)

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", unlink)
        assert not remove(confined.fileno(), "busy", 50)
    assert next(unlinked) <= 50
    assert remove(confined.fileno(), "busy")
    assert [one.name for one in inside.iterdir()] == ["memory"]


def test_a_removal_ends_after_so_many_names_and_the_next_ones_do_the_rest(
    inside: Path, confined: Confined
) -> None:
    for number in range(120):
        (inside / f"tree/{number % 3}/{number}").mkdir(parents=True)
    assert not remove(confined.fileno(), "tree", 50)
    rounds = count(1)
    while not remove(confined.fileno(), "tree", 50):
        assert next(rounds) < 20
    assert [one.name for one in inside.iterdir()] == ["memory"]


def test_what_is_no_file_is_refused_and_keeps_no_handle_open(inside: Path, confined: Confined) -> None:
    os.mkfifo(inside / "pipe")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for name in ("memory", "pipe") * 20:
        with pytest.raises(IrregularError):
            confined.read(name, LIMIT)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.promise("confined-writes")
def test_a_tree_of_any_depth_goes_and_links_in_it_lead_nowhere(inside: Path, confined: Confined) -> None:
    (inside / "tree").mkdir()
    deep = os.open(inside / "tree", os.O_RDONLY)
    for _ in range(2000):
        os.mkdir("d", dir_fd=deep)
        os.symlink(inside / "memory", "link", dir_fd=deep)
        below = os.open("d", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    confined.rmtree("tree")
    assert [entry.name for entry in confined.entries()] == ["memory"]
    assert (inside / "memory/MEMORY.md").read_bytes() == b"kept"
    with pytest.raises(NotADirectoryError):
        confined.rmtree("memory/MEMORY.md")


def test_a_file_that_somebody_holds_is_told_by_that(tmp_path: Path) -> None:
    """A lease: whoever opens the file waits for its holder, and with no time to wait is told to come again."""
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)
    try:
        with (tmp_path / "note").open("w") as held, Confined.at(tmp_path) as confined:
            fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            with pytest.raises(Refusal, match="The agent holds the file") as refused:
                confined.read("note", 10)
        assert refused.value.status == 409
    finally:
        signal.signal(signal.SIGIO, before)
