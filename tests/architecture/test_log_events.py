"""What is logged: constant names of the catalogue, with the fields that it says and no others."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tarimba.telemetry.events import EVENTS, FIELDS
from tests.architecture.house import Module, modules

LEVELS = frozenset({"debug", "info", "warning", "error", "critical", "exception"})
LOGGERS = frozenset({"_log", "log"})
# These are spread from a seat, whose properties are ids.
SPREAD = frozenset({"source_id", "subscription_id", "person_id"})
# What the formatter of libraries' lines says, which is no call.
OTHERWISE = frozenset({"library.log"})


@dataclass(frozen=True)
class Line:
    """A call of a logger. `name` is None unless it is constant; None among the fields is a mapping spread out."""

    where: str
    level: str
    name: str | None
    fields: tuple[str | None, ...]


def lines() -> list[Line]:
    return [line for module in modules().values() if _is_server(module) for line in _lines(module)]


def _is_server(module: Module) -> bool:
    # The client logs with the standard library, in the words of the application that it is in.
    return module.parts[:1] != ("client",)


def _lines(module: Module) -> Iterator[Line]:
    constants = dict(_constants(module.tree))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS:
            if _last(node.func.value) not in LOGGERS:
                continue
            first = node.args[0] if len(node.args) == 1 else None
            name = _said(first) or constants.get(_last(first))
            fields = tuple(keyword.arg for keyword in node.keywords)
            yield Line(f"{module.name}:{node.lineno}", node.func.attr, name, fields)


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and (said := _said(node.value)):
            yield _last(node.target), said


def _said(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _last(node: ast.expr | None) -> str:
    """`self._log` and `_log` are both `_log`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.promise("log-events-known")
def test_every_line_that_is_logged_is_in_the_catalogue_with_its_fields() -> None:
    wrong = []
    for line in lines():
        known = EVENTS.get(line.name or "")
        if known is None or known.level != line.level:
            wrong.append(f"{line.where}: {line.name} at {line.level}")
            continue
        named = {field for field in line.fields if field is not None}
        spread = SPREAD if None in line.fields else frozenset()
        if not named <= set(known.fields) or not spread <= set(known.fields):
            wrong.append(f"{line.where}: {sorted(named)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.promise("log-events-known")
def test_nothing_is_in_the_catalogue_that_is_not_logged() -> None:
    found = lines()
    assert EVENTS.keys() == {line.name for line in found} | OTHERWISE
    for name, event in EVENTS.items():
        told = [field for line in found if line.name == name for field in line.fields]
        logged = {field for field in told if field is not None} | (SPREAD if None in told else frozenset())
        assert name in OTHERWISE or logged == set(event.fields), name


@pytest.mark.promise("log-events-known")
def test_every_field_has_a_meaning_and_is_used() -> None:
    assert FIELDS.keys() == {field for event in EVENTS.values() for field in event.fields}


def test_a_name_that_is_put_together_is_seen() -> None:
    tree = ast.parse('A: Final = "a.b"\n_log.info(A, n=1)\nself._log.error(f"a.{x}")\n_log.info("a %s", x)')
    module = Module("tarimba.toy", modules()["tarimba.kernel"].path, "", tree, ())
    assert [(line.name, line.fields) for line in _lines(module)] == [("a.b", ("n",)), (None, ()), (None, ())]
