"""promises.toml and the tests that prove it, bound both ways."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.architecture.house import ROOT, python_files

pytestmark = pytest.mark.promise("promises-bound")


def test_every_promise_has_a_test() -> None:
    assert sorted(set(_promised()) - set(_proved())) == []


def test_every_mark_names_a_promise() -> None:
    assert sorted(set(_proved()) - set(_promised())) == []


def test_an_id_is_promised_once_and_says_one_sentence() -> None:
    assert not [name for name, count in Counter(_promised()).items() if count > 1]
    assert not [
        entry["id"] for entry in _entries() if set(entry) != {"id", "text"} or entry["text"][-1] != "."
    ]


def test_marks_are_read_wherever_pytest_takes_them() -> None:
    text = 'pytestmark = pytest.mark.promise("a")\n@pytest.mark.promise("b")\ndef test_x(): ...\n'
    assert list(_marks(text + 'cases = [pytest.param(1, marks=pytest.mark.promise("c"))]\n')) == [
        "a",
        "b",
        "c",
    ]


def _entries() -> list[dict[str, str]]:
    with (ROOT / "promises.toml").open("rb") as file:
        entries: list[dict[str, str]] = tomllib.load(file)["promise"]
    return entries


def _promised() -> list[str]:
    return [entry["id"] for entry in _entries()]


def _proved() -> list[str]:
    return [name for path in python_files("tests") for name in _marks(path.read_text(encoding="utf-8"))]


def _marks(text: str) -> Iterator[str]:
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: call.lineno):
        if ast.unparse(call.func) == "pytest.mark.promise":
            # An id that is computed can't be checked, so it is refused here.
            yield ast.literal_eval(call.args[0])
