"""What the locks of requirements/ hold, and under which licence each package is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from license_expression import ExpressionError, get_spdx_licensing

ROOT: Final = Path(__file__).resolve().parents[1]
LOCKS: Final = ROOT / "requirements"
STATED: Final = Path(__file__).with_name("licences.toml")
# Made once: it reads the whole list of SPDX.
_SPDX: Final = get_spdx_licensing()
# The names of classifiers that leave no doubt; "BSD License" may be one of several.
_CLASSIFIERS: Final = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


@dataclass(frozen=True, slots=True)
class Package:
    """One entry of a lock; `hashes` are SHA-256 in hexadecimal, `needed_by` the names of packages that want it."""

    name: str
    version: str
    hashes: tuple[str, ...]
    needed_by: tuple[str, ...]


def packages(lock: str) -> tuple[Package, ...]:
    """The entries of `requirements/<lock>.txt`, in their order."""
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    return tuple(_package(entry) for entry in re.split(r"\n(?=[a-z0-9])", text) if "==" in entry)


def _package(entry: str) -> Package:
    name, version = re.findall(r"^([a-z0-9.-]+)==([^\s;]+)", entry, flags=re.MULTILINE)[0]
    _, _, via = entry.partition("# via")
    wanted_by = re.findall(r"^[ #]*([A-Za-z0-9._-]+)", via, flags=re.MULTILINE)
    return Package(
        name,
        version,
        tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)),
        # A lock made within the bounds of another names that too.
        tuple(sorted({one for one in wanted_by if not one.endswith(".txt") and one != "c"})),
    )


@dataclass(frozen=True, slots=True)
class Rules:
    """`licences.toml`: which licences are taken, of what runs and of what tests alone, and what was looked up."""

    taken: frozenset[str]
    taken_in_tests: frozenset[str]
    taken_for: Mapping[str, list[str]]
    stated: Mapping[str, str]

    @classmethod
    def read(cls, path: Path = STATED) -> Rules:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls(
            frozenset(table["taken"]),
            frozenset(table["taken"]) | frozenset(table["taken_in_tests"]),
            table["taken_for"],
            table["stated"],
        )

    def problem(self, name: str, *, is_shipped: bool) -> str | None:
        """Why a locked package may not be there, as a sentence that names it."""
        told, stated = licence_told(name), self.stated.get(name)
        if told and stated:
            return f"{name} tells its licence itself, {told}: take it out of licences.toml."
        expression = told or stated
        if expression is None:
            return f"{name} does not tell its licence: look it up and write it into licences.toml."
        taken = {*(self.taken if is_shipped else self.taken_in_tests), *self.taken_for.get(name, ())}
        if not _holds(_SPDX.parse(expression, validate=True), taken):
            return f"{name} is under {expression}, which licences.toml does not take."
        return None

    def licence(self, name: str) -> str | None:
        """The licence as an SPDX expression."""
        return licence_told(name) or self.stated.get(name)


def licence_told(name: str) -> str | None:
    """What the metadata of the installed package says, as SPDX, or None when it says nothing that is certain."""
    try:
        told = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    classifiers = [
        _CLASSIFIERS.get(line.rpartition(" :: ")[2])
        for line in told.get_all("Classifier", [])
        if line.startswith("License :: ")
    ]
    by_classifiers = " AND ".join(name for name in classifiers if name) if all(classifiers) else None
    said = (told.get("License-Expression"), told.get("License"), by_classifiers)
    return next(filter(None, map(_spdx, said)), None)


def _spdx(text: str | None) -> str | None:
    if not text or "\n" in text:
        return None
    try:
        return str(_SPDX.parse(text, validate=True, strict=True))
    except ExpressionError:
        return None


def _holds(parsed: Any, taken: Collection[str]) -> bool:
    """Whether one of an OR, and all of an AND, are taken."""
    if parsed.isliteral:
        return str(parsed) in taken
    return (any if parsed.operator.strip() == "OR" else all)(_holds(part, taken) for part in parsed.args)
