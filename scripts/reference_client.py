"""The page of the Python client, from its signatures and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from tarimba import client
from tarimba.client import errors


def page() -> str:
    """Markdown."""
    parts = [
        "# Python client",
        "`from tarimba.client import Tarimba` needs `httpx` and `pydantic` and nothing of the server.",
        "## `Tarimba`",
        _words(client.Tarimba),
    ]
    parts += [_method(name) for name in ("agent_memory", "search_agent_memory", "remember", "close")]
    parts.append("## Options")
    parts += [_fields(kind) for kind in (client.Options, client.Budgets, client.Retries)]
    parts.append("## What calls return")
    names = ("AgentMemory", "Found", "Remembered", "Note", "Evidence", "Finding", "NoteWarning")
    parts += [_shape(getattr(client, name)) for name in names]
    parts += ["## Errors", _words(errors), _errors()]
    return "\n\n".join(parts)


def _method(name: str) -> str:
    method = getattr(client.Tarimba, name)
    signature = str(inspect.signature(method)).replace("self, ", "").replace("(self)", "()").replace("'", "")
    return f"### `{name}`\n\n```text\n{name}{signature}\n```\n\n{_words(method)}"


def _fields(kind: Any) -> str:
    # What can be called is there to be replaced in tests, as the docstring says.
    shown = [field for field in dataclasses.fields(kind) if not callable(field.default)]
    rows = [f"| `{field.name}` | {_default(field)} |" for field in shown]
    head = [f"### `{kind.__name__}`", "", _words(kind), "", "| field | default |", "| --- | --- |"]
    return "\n".join([*head, *rows])


def _default(field: Any) -> str:
    made = field.default is dataclasses.MISSING
    return f"`{field.default_factory.__name__}()`" if made else f"`{field.default}`"


def _shape(kind: Any) -> str:
    names = getattr(kind, "model_fields", {"error": None, "receipt_id": None})
    return (
        f"### `{kind.__name__}`\n\n{_words(kind)}\n\nFields: "
        + ", ".join(f"`{name}`" for name in names)
        + "."
    )


def _errors() -> str:
    kinds = [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.TarimbaError)
    ]
    kinds.sort(key=lambda kind: (kind.__mro__.index(Exception), kind.__name__))
    rows = [f"| `{kind.__name__}` | {_words(kind)} |" for kind in kinds]
    return "\n".join(["| exception | when |", "| --- | --- |", *rows])


def _words(what: Any) -> str:
    """The docstring, its line breaks folded within each paragraph."""
    paragraphs = (inspect.getdoc(what) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
