"""The reference equals the code, and prose names only what exists."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import click
import pytest

from tarimba.app import all_routes
from tarimba.cli import cli
from tarimba.errors import CODES
from tarimba.mcp.graph_server import PATH as GRAPH
from tarimba.settings import Settings
from tests.architecture.house import ROOT
from tests.docs.markdown import documents, name

# Options of the client and of its callers, which the server does not read.
CLIENT_OPTIONS = frozenset({"TARIMBA_API_KEY", "TARIMBA_BASE_URL"})
_COMMAND = re.compile(
    r"`tarimba ([a-z][a-z-]*(?: [a-z][a-z-]*)?)|^tarimba ([a-z][a-z-]*(?: [a-z][a-z-]*)?)", re.MULTILINE
)


@pytest.mark.promise("reference-equals-code")
def test_the_reference_is_what_the_code_says() -> None:
    command = [sys.executable, "scripts/generate_reference.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.promise("reference-equals-code")
def test_prose_names_only_routes_that_exist() -> None:
    # One server speaks another protocol there.
    known = [GRAPH, *(re.sub(r"\{\w+(:path)?\}", "[^/]+", route.path) for route in all_routes())]
    assert not _unknown(r"/v1/[\w/{}$-]+", lambda path: any(re.fullmatch(one, path) for one in known))


@pytest.mark.promise("reference-equals-code")
def test_prose_names_only_options_and_codes_that_exist() -> None:
    options = {f"TARIMBA_{field.upper()}" for field in Settings.model_fields} | CLIENT_OPTIONS
    # A name ends with a letter; what Kubernetes makes of a service begins like one of ours and goes on with a number.
    assert not _unknown(r"TARIMBA_[A-Z_]*[A-Z]\b", options.__contains__)
    assert not _unknown(r"\b[45]\d\d `(\w+)`", CODES.__contains__)


@pytest.mark.promise("reference-equals-code")
def test_prose_names_only_commands_that_exist() -> None:
    known = set(_commands(cli, ""))
    for path in documents():
        for quoted, typed in _COMMAND.findall(path.read_text(encoding="utf-8")):
            group, _, command = (quoted or typed).partition(" ")
            assert group in known, f"{name(path)}: tarimba {group}"
            if isinstance(cli.commands[group], click.Group) and command:
                assert f"{group} {command}" in known, f"{name(path)}: tarimba {group} {command}"


def _unknown(pattern: str, is_known: Callable[[str], bool]) -> list[str]:
    return [
        f"{name(path)}: {found}"
        for path in documents()
        for found in re.findall(pattern, path.read_text(encoding="utf-8"))
        if not is_known(found)
    ]


def _commands(group: click.Group, before: str) -> Iterator[str]:
    for child, command in group.commands.items():
        yield f"{before}{child}"
        if isinstance(command, click.Group):
            yield from _commands(command, f"{before}{child} ")
