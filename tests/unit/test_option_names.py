"""Names in the environment that only look like options: refused, with the nearest known one, and never a value."""

import re

import pytest

from tarimba import cli, option_names
from tarimba.settings import Settings
from tests.architecture.house import ROOT

KNOWN = Settings.variables() | option_names.OF_THE_CLIENT

pytestmark = pytest.mark.promise("unknown-options-refused")


@pytest.mark.parametrize(
    "arguments", [["space", "list"], ["serve"], ["detectors", "serve"], ["db", "upgrade"]]
)
def test_every_command_refuses_a_misspelled_option(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TARIMBA_MASTERKEY", "c2VjcmV0IG9mIHRoZSBob3VzZSwgbWlzc3BlbGxlZA==")
    assert cli.run(arguments) == 1
    said = capsys.readouterr()
    assert said.err == (
        "The environment sets what is no option: TARIMBA_MASTERKEY (did you mean TARIMBA_MASTER_KEY?). "
        "Correct or unset it.\n"
    )
    assert said.out == ""


def test_the_options_and_the_variables_of_the_client_are_known() -> None:
    assert option_names.problem_of([*KNOWN, "PATH", "CRAB_MCP_TOKEN_SECRET", "tarimba_data"], KNOWN) is None


def test_a_name_without_a_near_one_is_told_alone_and_many_are_counted() -> None:
    problem = option_names.problem_of([f"TARIMBA_QQ{at}QQ" for at in range(7)], KNOWN)
    assert problem is not None
    assert "TARIMBA_QQ0QQ, TARIMBA_QQ1QQ" in problem
    assert " and 2 more. Correct" in problem
    assert "did you mean" not in problem


def test_what_an_orchestrator_sets_for_a_service_is_told_as_such() -> None:
    given = ["TARIMBA_SERVICE_HOST", "TARIMBA_PORT_8750_TCP", "TARIMBA_PORT_8750_TCP_ADDR"]
    assert "enableServiceLinks: false" in str(option_names.problem_of(given, KNOWN))
    assert "enableServiceLinks" not in str(option_names.problem_of(["TARIMBA_DATABASE"], KNOWN))


def test_a_long_name_is_cut() -> None:
    assert len(str(option_names.problem_of(["TARIMBA_" + "X" * 10_000], KNOWN))) < 400


def test_whatever_variable_the_package_speaks_of_is_known() -> None:
    spoken = {
        name
        for path in (ROOT / "src" / "tarimba").rglob("*.py")
        for name in re.findall(r"\bTARIMBA_[A-Z][A-Z0-9_]*[A-Z0-9]\b", path.read_text(encoding="utf-8"))
    }
    assert spoken - KNOWN == set()
