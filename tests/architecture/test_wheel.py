"""The wheel is the same bytes for everybody, holds the package and nothing else, and the client stays light."""

from __future__ import annotations

import os
import subprocess
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.house import ROOT

PACKAGES_MAX = 15
BYTES_MAX = 25 * 1024 * 1024


def git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def wheel(folder: Path, commit: str, umask: int = 0o022, **environment: str) -> Path:
    command = [str(ROOT / "scripts/wheel"), str(folder), commit]
    subprocess.run(
        command, check=True, capture_output=True, umask=umask, cwd="/", env={**os.environ, **environment}
    )
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The wheel of the last commit, and that commit."""
    commit = git("rev-parse", "HEAD")
    return wheel(tmp_path_factory.mktemp("wheel"), commit), commit


@pytest.mark.promise("wheel-reproducible")
def test_the_wheel_is_the_same_bytes_elsewhere_and_under_other_circumstances(
    built: tuple[Path, str], tmp_path: Path
) -> None:
    first, commit = built
    other = wheel(
        tmp_path / "elsewhere",
        commit,
        0o077,
        TZ="Asia/Tokyo",
        LC_ALL="C",
        PYTHONHASHSEED="7",
        TMPDIR=str(tmp_path),
    )
    assert other.name == first.name
    assert other.read_bytes() == first.read_bytes()


@pytest.mark.promise("wheel-reproducible")
def test_the_wheel_holds_the_package_as_committed_and_nothing_else(built: tuple[Path, str]) -> None:
    path, commit = built
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert all(archive.getinfo(name).external_attr >> 16 & 0o777 == 0o644 for name in names)
    ours = {name for name in names if ".dist-info/" not in name}
    tracked = git("ls-tree", "-r", "--name-only", commit, "src/tarimba").splitlines()
    assert ours == {name.removeprefix("src/") for name in tracked}
    described = {name.partition(".dist-info/")[2] for name in names} - {""}
    assert described == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE", "licenses/NOTICE",
    }  # fmt: skip


@pytest.mark.promise("light-client")
def test_the_client_brings_few_packages_of_little_weight(built: tuple[Path, str]) -> None:
    needed, todo = set[str](), ["httpx", "pydantic"]
    while todo:
        name = canonicalize_name(todo.pop())
        if name not in needed:
            needed.add(name)
            wanted = (Requirement(line) for line in metadata.requires(name) or [])
            todo += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    with zipfile.ZipFile(built[0]) as archive:
        own = sum(entry.file_size for entry in archive.infolist())
    others = sum(file.size or 0 for name in needed for file in metadata.files(name) or [])
    assert len(needed) + 1 <= PACKAGES_MAX
    assert own + others <= BYTES_MAX, f"{own} bytes of ours and {others} of others"
