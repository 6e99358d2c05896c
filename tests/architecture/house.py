"""Reads the source of the house: its modules, what they import and how long their functions are."""

import ast
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "tarimba"

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Import:
    """`name` is the module (one of ours resolved as far as a file goes); `late` when inside a function."""

    name: str
    late: bool


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    path: Path
    text: str
    tree: ast.Module
    imports: tuple[Import, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """`tarimba.notes.store` -> ("notes", "store"); the package itself -> ()."""
        return tuple(self.name.split(".")[1:])


@lru_cache(maxsize=1)
def modules() -> Mapping[str, Module]:
    """Every module under src/tarimba by its dotted name."""
    files = {_module_name(path): path for path in sorted((ROOT / "src").rglob("*.py"))}
    return {name: _read(name, path, files.keys()) for name, path in files.items()}


def reach(name: str, found: Mapping[str, Module]) -> frozenset[str]:
    """All modules that importing `name` loads or may load later: ours and the top names of others'."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        if current in found:
            todo += [item.name for item in found[current].imports]
            todo += [parent for parent in _parents(current) if parent in found]
    return frozenset(seen)


def tracked_files() -> list[Path]:
    """Files under version control that exist now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def python_files(*directories: str) -> list[Path]:
    return [path for name in directories for path in sorted((ROOT / name).rglob("*.py"))]


def functions(tree: ast.AST) -> Iterator[FunctionNode]:
    return (node for node in ast.walk(tree) if isinstance(node, FunctionNode))


def length(function: FunctionNode) -> int:
    """Lines from `def` to the end, the docstring not counted: explaining must not look like sprawl."""
    first = function.body[0]
    is_docstring = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if is_docstring else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def _module_name(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(name: str, path: Path, known: Iterable[str]) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, filename=str(path))
    return Module(name, path, text, tree, tuple(_imports(tree, frozenset(known))))


def _imports(tree: ast.Module, known: frozenset[str]) -> Iterator[Import]:
    late = {id(node) for function in functions(tree) for node in ast.walk(function)}
    for node in ast.walk(tree):
        for name in _imported_names(node, known):
            yield Import(name, id(node) in late)


def _imported_names(node: ast.AST, known: frozenset[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        members = [f"{node.module}.{alias.name}" for alias in node.names]
        return [member if member in known else node.module for member in members]
    return []


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
