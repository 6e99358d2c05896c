"""The forms of the providers' APIs: what a request holds in the order in which the model reads it, and an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

SEARCH = "search_agent_memory"
QUERY = {"query": "credit an invoice"}
LOOK_UP = "Look it up"
SAID = "Done."
# Tools by which some frameworks have a model end its turn, instead of by text.
ENDING = frozenset({"submit", "final_answer"})
# Some frameworks tell what a tool answered as a text of the user's that begins so.
OBSERVED = "Observation:"
JSON = "application/json"
EVENTS = "text/event-stream"
MODEL = "gpt-5.6"
# By this end of a path, clients of Anthropic's ask how long a request would be.
COUNT = "/messages/count_tokens"


@dataclass(frozen=True)
class Piece:
    """A text that the model reads. `marked` says that a provider's cache is told to keep everything up to its end."""

    role: str
    text: str = field(repr=False)
    marked: bool = False


class Form(Protocol):
    """One provider's API."""

    def pieces(self, body: Mapping[str, Any]) -> list[Piece]:
        """The texts of a request, in the order in which the model reads them."""
        ...

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        """The names of the tools that were offered."""
        ...

    def results(self, body: Mapping[str, Any]) -> list[str]:
        """What tools answered so far."""
        ...

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[str, bytes]:
        """The type and bytes of the answer."""
        ...


def of(path: str) -> Form:
    """The form that a path speaks."""
    from tests.recipes.adapters import form_anthropic, form_bedrock, form_chat, form_gemini, form_responses

    if path.endswith("/chat/completions"):
        return form_chat
    if path.endswith("/responses"):
        return form_responses
    if path.partition("?")[0].endswith(("/messages", COUNT)):
        return form_anthropic
    if "/converse" in path:
        return form_bedrock
    return form_gemini


def calls(form: Form, body: Mapping[str, Any], pieces: Sequence[Piece]) -> bool:
    """Whether the model now wants the tool."""
    asked = any(LOOK_UP in one.text for one in pieces if one.role == "user")
    return asked and SEARCH in form.tools(body) and not form.results(body)


def called(form: Form, body: Mapping[str, Any], pieces: Sequence[Piece]) -> tuple[str, dict[str, str]] | None:
    """(name, arguments) of the tool that the model calls now, if any: to look something up, or to end its turn."""
    if calls(form, body, pieces):
        return SEARCH, QUERY
    ending = next((name for name in form.tools(body) if name in ENDING), None)
    return (ending, {"answer": SAID}) if ending else None


def texts(content: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(text, the part that holds it) of a content that is a string or a list of parts."""
    if isinstance(content, str):
        yield content, {}
        return
    for part in content or ():
        if isinstance(part, str):
            yield part, {}
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"], part


def events(*documents: Mapping[str, Any], named: bool = False, done: bool = False) -> bytes:
    """Server-sent events; `named` ones carry their `type` as the event's name."""
    written = "".join(
        (f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n" for one in documents
    )
    return (written + ("data: [DONE]\n\n" if done else "")).encode()
