#!/usr/bin/env python3
"""Writes the bills of materials of deploy/sbom/ from the locks; with `--check` tells whether they equal them (else 1).

CycloneDX 1.6 in JSON: each package with its hashes, licence and what wants it. The same bytes for the same locks.
"""

from __future__ import annotations

import hashlib
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from locked import LOCKS, ROOT, Package, Rules, packages
from packageurl import PackageURL

FOLDER: Final = ROOT / "deploy" / "sbom"
BILLS: Final = ("server", "container")
# It has no time of its own: what it says depends on the lock alone.
_EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)


def bill(lock: str) -> str:
    """The bill of one lock, as JSON."""
    rules, locked = Rules.read(), packages(lock)
    root = Component(name="tarimba", type=ComponentType.APPLICATION, bom_ref="tarimba")
    root.licenses.add(LicenseFactory().make_from_string("Apache-2.0"))
    components = {package.name: _component(package, rules) for package in locked}
    digest = hashlib.sha256((LOCKS / f"{lock}.txt").read_bytes()).hexdigest()
    bom = Bom(
        components=components.values(), serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"urn:sha256:{digest}")
    )
    bom.metadata.component, bom.metadata.timestamp = root, _EPOCH
    everything = {**components, "tarimba": root}
    for name, component in everything.items():
        needs = [components[package.name] for package in locked if name in package.needed_by]
        bom.register_dependency(component, needs)
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def _component(package: Package, rules: Rules) -> Component:
    expression = rules.licence(package.name)
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        purl=PackageURL("pypi", name=package.name, version=package.version),
        bom_ref=f"{package.name}=={package.version}",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=content) for content in package.hashes],
        licenses=[LicenseFactory().make_from_string(expression)] if expression else [],
    )


def main(arguments: list[str]) -> int:
    wanted = {FOLDER / f"{lock}.cdx.json": bill(lock) for lock in BILLS}
    if arguments != ["--check"]:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in wanted.items() if not _says(path, text)]
    for path in stale:
        print(f"{path.relative_to(ROOT)} differs from its lock: run scripts/sbom.py", file=sys.stderr)
    return int(bool(stale))


def _says(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
