"""How modules and functions look: short, named for what they do, honest about errors."""

import ast
import re
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.architecture.house import (
    ROOT,
    FunctionNode,
    functions,
    length,
    modules,
    python_files,
    tracked_files,
)

MODULE_LINES = 400
FUNCTION_LINES = 60
MEDIAN_LINES = 12
P90_LINES = 30
NAMES_THAT_SAY_NOTHING = frozenset(
    {"util", "utils", "helper", "helpers", "manager", "managers", "base", "bases"}
)
CODE = ("src", "tests", "benchmarks", "scripts", "measure", "training")
# Brackets keep these patterns from naming what they forbid.
OPEN_WORK = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X])\b")
PLACES_OF_ONE_MACHINE = re.compile(
    r"(?<![\w.])/(work/(main|shared)|tmp/w/|opt/(wheels|pypi)|root/|home/\w+/)"
    r"|\b(pypi[.]org|pythonhosted[.]org|registry[.]npmjs|deb[.]debian[.]org|proxy[.]golang|static[.]crates)"
)
SOURCE_SUFFIXES = frozenset({".py", ".ts", ".js", ".sql", ".sh", ".toml", ".css", ".html", ".mako", ""})


@pytest.mark.promise("small-modules")
def test_no_module_is_longer_than_the_limit() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(*CODE)}
    too_long = [f"{path.relative_to(ROOT)}: {lines}" for path, lines in sizes.items() if lines > MODULE_LINES]
    assert not too_long, "\n".join(too_long)


@pytest.mark.promise("short-functions")
def test_no_function_is_longer_than_the_limit() -> None:
    too_long = [
        f"{path.relative_to(ROOT)}: {function.name} has {length(function)} lines"
        for path in python_files(*CODE)
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
        if length(function) > FUNCTION_LINES
    ]
    assert not too_long, "\n".join(too_long)


@pytest.mark.promise("short-functions")
def test_most_functions_are_short() -> None:
    lengths = sorted(length(f) for module in modules().values() for f in functions(module.tree))
    # Three functions have no distribution.
    if len(lengths) >= 10:
        assert statistics.median(lengths) <= MEDIAN_LINES
        assert statistics.quantiles(lengths, n=10)[-1] <= P90_LINES


@pytest.mark.promise("telling-names")
def test_no_module_has_a_name_that_says_nothing() -> None:
    named = [path for path in python_files(*CODE) if {*path.parts, path.stem} & NAMES_THAT_SAY_NOTHING]
    assert not named


@pytest.mark.promise("no-open-work")
def test_no_source_holds_a_note_of_open_work() -> None:
    sources = [
        path for path in tracked_files() if path.suffix in SOURCE_SUFFIXES and "data" not in path.parts
    ]
    assert not _lines_with(OPEN_WORK, sources)


@pytest.mark.promise("no-machine-paths")
def test_nothing_names_a_place_of_one_machine_or_a_registry_host() -> None:
    assert not _lines_with(PLACES_OF_ONE_MACHINE, tracked_files())


@pytest.mark.promise("no-silent-errors")
def test_no_error_is_swallowed() -> None:
    silent = [
        f"{path.relative_to(ROOT)}:{handler.lineno}"
        for path in python_files(*CODE)
        for handler in _handlers(path.read_text(encoding="utf-8"))
        if _is_silent(handler)
    ]
    assert not silent, "\n".join(silent)


def test_a_swallowed_error_is_seen() -> None:
    silent = ["try: f()\nexcept E: pass", "try: f()\nexcept E: ...", "try: f()\nexcept E:\n  'why'\n  pass"]
    spoken = [
        "try: f()\nexcept E: g()",
        "try: f()\nexcept E: return_value = None",
        "try: f()\nexcept E: raise",
    ]
    assert [_is_silent(next(_handlers(text))) for text in silent + spoken] == [True] * 3 + [False] * 3


@pytest.mark.promise("no-module-state")
def test_no_function_rebinds_a_name_of_its_module() -> None:
    rebinding = [
        f"{module.name}: {function.name}"
        for module in modules().values()
        for function in functions(module.tree)
        if _rebinds(function)
    ]
    assert not rebinding, "\n".join(rebinding)


@pytest.mark.promise("no-module-state")
def test_no_module_begins_with_an_empty_container_to_fill() -> None:
    filled = [
        f"{module.name}:{statement.lineno}"
        for module in modules().values()
        for statement in module.tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _is_empty_container(statement.value)
    ]
    assert not filled, "\n".join(filled)


def _handlers(text: str) -> Iterator[ast.ExceptHandler]:
    return (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ExceptHandler))


def _is_silent(handler: ast.ExceptHandler) -> bool:
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in handler.body
    )


def _rebinds(function: FunctionNode) -> bool:
    return any(isinstance(node, ast.Global) for node in ast.walk(function))


def _is_empty_container(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List | ast.Set):
        return not value.elts
    makers = {"dict", "list", "set", "defaultdict", "deque", "OrderedDict"}
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in makers
        and not value.args
    )


def _lines_with(pattern: re.Pattern[str], paths: Sequence[Path]) -> list[str]:
    found = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(text.splitlines(), 1)
            if pattern.search(line)
        ]
    return found
