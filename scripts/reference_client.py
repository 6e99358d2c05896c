"""The page of the Python client, from its signatures and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from client_names import GROUPS

from tarimba import client, testing
from tarimba.client import errors
from tarimba.client.integrations import notes


def page() -> str:
    """Markdown."""
    parts = [
        "# Python client",
        (
            "`from tarimba.client import Tarimba` needs `httpx` and `pydantic` and nothing of the server. "
            "[Use the Python client](../how-to/python-client.md) shows it at work."
        ),
        "## `Tarimba`",
        _words(client.Tarimba),
    ]
    parts += [_method(client.Tarimba, name) for name in _methods(client.Tarimba)]
    parts += ["## `AsyncTarimba`", _words(client.AsyncTarimba)]
    own = [name for name in _methods(client.AsyncTarimba) if name not in _methods(client.Tarimba)]
    parts += [_method(client.AsyncTarimba, name) for name in own]
    parts += ["## Calls of `client.api`", _words(client.Tarimba.api), _groups()]
    parts += ["## What is recorded", _words(client.Conversation)]
    parts += [_method(client.Conversation, name) for name in _methods(client.Conversation)]
    parts += [_shown(kind) for kind in (client.Handle, client.Tally)]
    parts += [
        "## Prompts and tools",
        _method(client, "compose"),
        _shown(client.Composed),
        _shown(client.Tool),
    ]
    parts += ["## What adapters take", _shown(notes.Notes), _method(notes, "customer_context")]
    parts.append("## Options")
    parts += [_fields(kind) for kind in (client.Options, client.Budgets, client.Retries)]
    parts.append("## What calls return")
    names = ("AgentMemory", "Found", "Remembered", "Note", "Evidence", "Finding", "NoteWarning")
    parts += [_shape(getattr(client, name)) for name in names]
    parts += ["## For tests: `tarimba.testing`", _words(testing), _shown(testing.Company)]
    parts += [_method(testing.Company, name) for name in _methods(testing.Company)]
    parts += ["## Errors", _words(errors), _errors()]
    return "\n\n".join(parts)


def _methods(kind: Any) -> list[str]:
    return [
        name for name, one in vars(kind).items() if not name.startswith("_") and not isinstance(one, property)
    ]


def _method(kind: Any, name: str) -> str:
    method = getattr(kind, name)
    return f"### `{name}`\n\n```text\n{name}{_signature(method)}\n```\n\n{_words(method)}"


class _Said:
    """What stands in a signature as these very words."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __repr__(self) -> str:
        return self._words


def _signature(method: Any) -> str:
    found = inspect.signature(method)
    parameters = [
        # The fields of options are shown where they are documented.
        one.replace(
            annotation=_Said(one.annotation),
            default=_Said("Options()") if isinstance(one.default, client.Options) else one.default,
        )
        for one in found.parameters.values()
        if one.name != "self"
    ]
    return str(found.replace(parameters=parameters, return_annotation=_Said(found.return_annotation)))


def _shown(kind: Any) -> str:
    return f"### `{kind.__name__}`\n\n{_words(kind)}"


def _groups() -> str:
    rows = [f"| `{group}` | {', '.join(f'`{name}`' for name in calls)} |" for group, calls in GROUPS.items()]
    intro = (
        "Arguments are the fields of the [HTTP API](http-api.md) by their own names; a field that is left out is not "
        "sent, and None says null. A list also has `each...`, which goes through all of its pages."
    )
    return "\n".join([intro, "", "| group | calls |", "| --- | --- |", *rows])


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
