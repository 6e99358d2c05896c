"""What is written in the canonical form is read alike by every other reader, each in an environment of its own."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tarimba.skills.format import fold, is_seen_everywhere, read, write
from tests.recipes.environment import ROOT, interpreter
from tests.unit.skills.samples import cases, corpus

pytestmark = [pytest.mark.nightly, pytest.mark.promise("skills-read-everywhere")]

HERE = Path(__file__).parent
# agentskills-tools asks for Python 3.12 and reads on 3.11.
ENVIRONMENTS = {
    "skills-ref": (HERE, "--ignore-requires-python"),
    "agentskills-tools": (HERE, "--ignore-requires-python"),
    "fastmcp": (HERE, "--ignore-requires-python"),
    "nanobot-ai": (HERE.with_name("skills_nanobot"),),
}
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BODY = "\n# Body\n\n---\n\nname: other\n"
# Descriptions that some parser takes for something else.
ODD = (
    "yes", "null", "~", "1.10", "123", "2026-01-01", "0x1F", "1:30", ".inf", "a: b", "a #b", "# a", "- a", "? a", "---",
    "a --- b", "-----", "[a]", "{a: b}", "&a b", "*a", "!a b", "| a", "> a", "%a", "@a", "`a`", '"a" b', "'a' b",
    'a "b"', "it's", 'it\'s "a" \\ b', "C:\\dir", "\\u002d", "a:", "a, b", "é: ü", "技能 when", "👩\u200d💻 when",
    "= a", "<< a", "on", "<system>a</system> & b", "x" * 1024, "é" * 1024, "$HOME {{x}} %s", "a\u00a0b",
    "a\u2028b", "a\x07b",
)  # fmt: skip
MIXED = 500


@pytest.fixture(scope="module")
def expected() -> dict[str, tuple[str, str]]:
    """By the directory's name what each reader must get: files that break parsers, public ones, odd values."""
    found: dict[str, tuple[str, str]] = {}
    files = [(case.data, case.directory) for case in cases()]
    files += [(public.data, public.directory) for public in corpus()]
    for data, directory in files:
        reading = read(data, directory=directory)
        if reading.is_loaded and is_seen_everywhere(reading.name):
            found[reading.name] = (reading.description, reading.body if reading.body.strip() else BODY)
    for number, description in enumerate(ODD):
        found[f"odd-{number}"] = (read(write("a", description, ""), directory="a").description, BODY)
    dice = Random(7)
    for number in range(MIXED):
        description = "".join(dice.choices((*ODD[:-14], " ", "\\", '"', "'", "-"), k=dice.randint(1, 6)))
        found[f"mixed-{number}"] = (fold(description) or "x", BODY)
    for name in ("yes", "null", "0x1f", "1e5", "on", "y"):
        found[name] = ("Use when a name looks like a value", BODY)
    return found


@pytest.fixture(scope="module")
def workspace(expected: Mapping[str, tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `skills/` in it, written by us."""
    made: Path = tmp_path_factory.mktemp("workspace")
    for name, (description, body) in expected.items():
        (made / "skills" / name).mkdir(parents=True)
        (made / "skills" / name / "SKILL.md").write_bytes(write(name, description, body))
    return made


def names_and_descriptions(expected: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    return {name: (name, description) for name, (description, _) in expected.items()}


@pytest.mark.parametrize("reader", ENVIRONMENTS)
def test_a_reader_gets_the_same_names_and_descriptions_and_complains_of_none(
    reader: str, expected: dict[str, tuple[str, str]], workspace: Path
) -> None:
    recipe, *options = ENVIRONMENTS[reader]
    command = [str(interpreter(Path(recipe), *map(str, options))), str(HERE / "reader.py"), reader]
    done = subprocess.run([*command, str(workspace / "skills")], check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    print(f"{reader} {answer['version']} read {len(answer['skills'])} of {len(expected)}")  # noqa: T201 - which one
    complaints = {name: row["complaints"] for name, row in answer["skills"].items() if row["complaints"]}
    assert complaints == {}
    got = {name: (row["name"], row["description"]) for name, row in answer["skills"].items()}
    assert got == names_and_descriptions(expected)


def test_the_command_line_of_npm_lists_the_same(
    expected: dict[str, tuple[str, str]], workspace: Path, tmp_path: Path
) -> None:
    where = folder()
    environment = os.environ | {"HOME": str(tmp_path), "DISABLE_TELEMETRY": "1", "CI": "1", "COLUMNS": "4000"}
    command = ["node", str(where / "node_modules/skills/bin/cli.mjs"), "add", str(workspace), "--list"]
    # It ends before a pipe has taken all that it says; a file takes it at once.
    with (tmp_path / "listed").open("wb") as out:
        subprocess.run(
            command, env=environment, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=out, check=True
        )
    version = json.loads((where / "node_modules/skills/package.json").read_text(encoding="utf-8"))["version"]
    got = listed((tmp_path / "listed").read_text(encoding="utf-8"))
    print(f"skills (npm) {version} read {len(got)} of {len(expected)}")  # noqa: T201 - which one
    assert got == names_and_descriptions(expected)


def listed(text: str) -> dict[str, tuple[str, str]]:
    """Names and the descriptions under them, as the program shows them: the one four spaces deep, the other six."""
    found: dict[str, tuple[str, str]] = {}
    name = ""
    for line in ESCAPES.sub("", text).partition("Available Skills")[2].split("\n"):
        shown = line.removeprefix("│")
        if shown.startswith("      "):
            found[name] = (name, shown[6:])
        elif shown.startswith("    "):
            name = shown.strip()
    return found


def folder() -> Path:
    """A folder with the locked packages, made once for a state of the lock. Every package's hash is checked."""
    state = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    made = ROOT / "build" / f"skills-npm-{state}"
    finished = made / "finished"
    if not finished.exists():
        made.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, made / name)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=made, check=True)
        finished.touch()
    return made
