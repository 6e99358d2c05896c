"""What `pip install tarimba` weighs: packages, and bytes on the disk."""

from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.house import ROOT, tracked_files

PACKAGES_MAX = 15
BYTES_MAX = 25 * 1024 * 1024
SOURCE = ROOT / "src"


def _with_dependencies(name: str) -> set[str]:
    """The package and all that it brings, without extras."""
    found: set[str] = set()
    todo = [name]
    while todo:
        here = canonicalize_name(todo.pop())
        if here not in found:
            found.add(here)
            required = map(Requirement, distribution(here).requires or ())
            todo += [one.name for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def _size(name: str) -> int:
    """Bytes of an installed package without what Python compiles; of ours, those that its wheel would hold."""
    if name == "tarimba":
        return sum(path.stat().st_size for path in tracked_files() if path.is_relative_to(SOURCE))
    files = distribution(name).files or []
    held = (Path(str(file.locate())) for file in files if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in held if path.is_file())


@pytest.mark.promise("light-client")
def test_the_client_brings_few_packages_and_few_bytes() -> None:
    packages = _with_dependencies("tarimba")
    assert {"tarimba", "httpx", "pydantic"} <= packages
    assert len(packages) <= PACKAGES_MAX, sorted(packages)
    assert sum(map(_size, packages)) <= BYTES_MAX
