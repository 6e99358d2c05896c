"""Finds what waits inside a transaction: detectors, token counting, models, the network, slow hashes.

Works on one module at a time by names, as a reader would: a function that takes a `Tx`, and what it calls in
the same module. Work that is handed out (`work: Callable[[Tx], ...]`) is judged where it is written.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from tests.architecture.house import FunctionNode, functions

# Receiver and method together: `tokenizer.count(...)` waits, `names.count(...)` does not.
_WORKERS = (
    (re.compile(r"detector|personal_data|verdict_cache"), re.compile(r"check|flags|spans|mask.*")),
    (re.compile(r"token(izer|s)|counter|o200k"), re.compile(r"count\w*|encode\w*")),
    (re.compile(r"hasher|argon2?"), re.compile(r"hash|verify|check_needs_rehash")),
    (
        re.compile(r"embedder|embedding|model_server|llm"),
        re.compile(r"embed\w*|encode|complete\w*|check|ask\w*"),
    ),
)
_WAITING_MODULES = frozenset(
    {"httpx", "requests", "urllib", "socket", "argon2", "subprocess", "smtplib", "toktok"}
)
_WAITING_CALLS = frozenset({"time.sleep", "input", "open"})


def waits(text: str) -> list[str]:
    """`function: call` for each call that waits inside a transaction; empty when the module is sound."""
    tree = ast.parse(text)
    known = {function.name: function for function in functions(tree)}
    inside = _reached([function for function in functions(tree) if _takes_tx(function)], known)
    return [f"{function.name}: {call}" for function in inside for call in _waiting_calls(function)]


def _takes_tx(function: FunctionNode) -> bool:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return any(_names_tx(argument.annotation) for argument in every)


def _names_tx(annotation: ast.expr | None) -> bool:
    # `Callable[[Tx], T]` is work for later, not a transaction in hand.
    written = ast.unparse(annotation).strip("'\"") if annotation else ""
    return re.fullmatch(r"(\w+\.)*Tx( \| None)?", written) is not None


def _reached(start: list[FunctionNode], known: Mapping[str, FunctionNode]) -> list[FunctionNode]:
    found: dict[str, FunctionNode] = {}
    todo = list(start)
    while todo:
        function = todo.pop()
        if function.name not in found:
            found[function.name] = function
            todo += [known[name] for name in _called_names(function) if name in known]
    return [found[name] for name in sorted(found)]


def _called_names(function: FunctionNode) -> Iterator[str]:
    for call in _calls(function):
        if isinstance(call.func, ast.Name):
            yield call.func.id
        elif isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in {"self", "cls"}:
            yield call.func.attr


def _waiting_calls(function: FunctionNode) -> Iterator[str]:
    for call in _calls(function):
        written = ast.unparse(call.func)
        receiver, _, method = written.rpartition(".")
        works = any(who.search(receiver.lower()) and what.fullmatch(method) for who, what in _WORKERS)
        if works or written in _WAITING_CALLS or written.split(".", maxsplit=1)[0] in _WAITING_MODULES:
            yield written


def _calls(function: FunctionNode) -> Iterator[ast.Call]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Call))
