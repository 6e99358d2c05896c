"""Writes tests/data/public-api.txt: every public name of the Python client with its signature; `--check` compares.

A line that changes is a change for users: it is made on purpose or not at all.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adapter_list import adapters

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "src" / "tarimba"
FILE: Final = ROOT / "tests" / "data" / "public-api.txt"
_HEAD: Final = (
    "# Made by scripts/public_api.py. Every public name of the Python client: changed only on purpose.\n"
)
_ENTRIES: Final = (
    "client/__init__.py",
    "prompt.py",
    "testing.py",
    "client/errors.py",
    "client/integrations/notes.py",
)


def listing() -> str:
    """One line for each name, by module. Read from the source: the frameworks of adapters need not be installed."""
    modules = [*_ENTRIES, *(str(one.module.relative_to("src/tarimba")) for one in adapters())]
    return _HEAD + "".join(
        f"\n[{_dotted(one)}]\n" + "".join(f"{line}\n" for line in _module(one)) for one in modules
    )


def _dotted(module: str) -> str:
    return "tarimba." + module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _module(module: str) -> Iterator[str]:
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    homes = {
        name.asname or name.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for name in node.names
    }
    for name in _exported(tree) or sorted(one.name for one in tree.body if _is_public(one)):
        home = homes.get(name)
        found = tree if home is None else ast.parse(_path(home).read_text(encoding="utf-8"))
        yield from _lines(next((one for one in found.body if getattr(one, "name", "") == name), None), name)


def _path(dotted: str) -> Path:
    return ROOT / "src" / (dotted.replace(".", "/") + ".py")


def _exported(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value))
    return []


def _is_public(node: ast.AST) -> bool:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return isinstance(node, kinds) and not node.name.startswith("_")


def _lines(node: ast.AST | None, name: str) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield _signature(node)
        case ast.ClassDef():
            bases = ", ".join(map(ast.unparse, node.bases))
            yield f"class {name}({bases})" if bases else f"class {name}"
            yield from (f"    {line}" for member in node.body for line in _member(member))
        case _:
            yield name


def _member(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() if (
            not node.name.startswith("_") or node.name == "__init__"
        ):
            marks = "".join(f"@{ast.unparse(one)} " for one in node.decorator_list)
            yield marks + _signature(node)
        case ast.AnnAssign() if not ast.unparse(node.target).startswith("_"):
            yield ast.unparse(node)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word} {node.name}({ast.unparse(node.args)}){returns}"


def main() -> None:
    text = listing()
    if "--check" not in sys.argv:
        FILE.write_text(text, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text:
        sys.exit(
            "The public names of the client changed: where that is on purpose, run scripts/public_api.py."
        )


if __name__ == "__main__":
    main()
