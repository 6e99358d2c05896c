"""The Google GenAI SDK: `client = wrap(genai.Client())`, and all content it generates has the agent's notes.

    from google import genai
    from tarimba.client.integrations.google_genai import wrap

    client = wrap(genai.Client())
    with customer_context(context):
        answer = client.models.generate_content(
            model=model, contents=question, config={"system_instruction": text}
        )

The client itself is changed: the SDK makes no second one over the same connections. `models` and `aio.models` have the
notes after `system_instruction`, whole and streamed, and so have chats. What the model asks of `search_agent_memory`
is answered beneath the SDK's own automatic function calling, which goes on with the caller's functions. Gemini caches
what requests have in common by itself; there is no place for a mark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from google.genai import Client
from google.genai.types import (
    Content,
    FunctionDeclaration,
    FunctionResponse,
    GenerateContentConfig,
    Part,
)
from google.genai.types import Tool as GenaiTool

from tarimba.client.composing import Composed, compose
from tarimba.client.integrations.blocks import part
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.integrations.rounds import Call, Kept, Relay, Request, Results, Rounds
from tarimba.client.tools import Tool


def wrap(client: Client, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Client:
    """The client, from now on with the notes in all that it generates."""
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return client
    rounds = Rounds(notes, _Form())
    for models, whole, streamed in (
        (client.models, rounds.answer, rounds.stream),
        (client.aio.models, rounds.aanswer, rounds.astream),
    ):
        # Beneath automatic function calling, which would answer only a part of a turn that asks for ours too.
        models._generate_content = _Exchanged(whole, models._generate_content)  # noqa: SLF001
        models._generate_content_stream = _Exchanged(streamed, models._generate_content_stream)  # noqa: SLF001
    return client


class _Exchanged:
    """What stands in the place of one of the SDK's requests."""

    def __init__(self, run: Any, send: Any) -> None:
        self._run = run
        self._send = send

    def __call__(self, **request: Any) -> Any:
        return self._run(self._send, request)


class _Form:
    """A turn is the model's `Content`, or None."""

    def offered(self, request: Request) -> set[str]:
        return {name for tool in _config(request).tools or () for name in _names(tool)}

    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        config = _config(request)
        changed: dict[str, Any] = {}
        if composed.text:
            own = _text(config.system_instruction)
            changed["system_instruction"] = compose(own, composed.shared, composed.customer).text
        if tools:
            added = GenaiTool(function_declarations=[_declaration(tool) for tool in tools])
            changed["tools"] = [*(config.tools or ()), added]
        return request | {"config": config.model_copy(update=changed)} if changed else request

    def said(self, answer: Any) -> Content | None:
        candidates = answer.candidates or ()
        return candidates[0].content if candidates else None

    def calls(self, said: Content | None) -> list[Call]:
        found = [one.function_call for one in (said.parts if said else None) or () if one.function_call]
        return [Call(_id(call), call.name or "", call.args or {}) for call in found]

    def answered(self, request: Request, said: Content, results: Results) -> Request:
        told = Content(role="user", parts=_told(said, results))
        return request | {"contents": [*_contents(request), said, told]}

    def without(self, answer: Any, dropped: Collection[str]) -> Any:
        content = self.said(answer)
        if content is not None and content.parts:
            content.parts = _left(content.parts, dropped)
        return answer

    def restored(self, request: Request, kept: Kept) -> Request:
        contents: list[Any] = []
        waiting: list[Part] = []
        for one in _contents(request):
            role, parts = part(one, "role"), part(one, "parts")
            if waiting and role == "user":
                contents.append(Content(role="user", parts=[*waiting, *(parts or ())]))
                waiting = []
                continue
            found = kept.of(_called(parts)) if role == "model" else None
            waiting = _told(*found) if found else waiting
            contents.append(found[0] if found else one)
        return request | {"contents": contents}

    def relay(self, names: Collection[str]) -> Relay:
        return _Relay(names)


class _Relay:
    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._parts: list[Any] = []
        self._held: list[Any] = []

    @property
    def said(self) -> Content:
        return Content(role="model", parts=self._parts)

    def passed(self, event: Any) -> Iterable[Any]:
        parts = _parts(event)
        self._parts += parts
        is_ours = any(one.function_call and one.function_call.name in self._names for one in parts)
        if not self._held and not is_ours:
            return [event]
        self._held.append(event)
        return []

    def again(self) -> None:
        self._parts, self._held = [], []

    def rest(self, dropped: Collection[str]) -> Iterable[Any]:
        for event in self._held:
            if _parts(event):
                event.candidates[0].content.parts = _left(_parts(event), dropped)
            yield event


def _config(request: Request) -> GenerateContentConfig:
    given = request.get("config")
    if isinstance(given, GenerateContentConfig):
        return given
    return GenerateContentConfig.model_validate(given or {})


def _contents(request: Request) -> list[Any]:
    given = request.get("contents")
    return list(given) if isinstance(given, list) else [given]


def _text(instruction: Any) -> str:
    """A system instruction, which is text in any of the forms that the SDK takes."""
    if instruction is None or isinstance(instruction, str):
        return instruction or ""
    parts = part(instruction, "parts")
    if parts is None:
        parts = instruction if isinstance(instruction, list) else [instruction]
    return "\n\n".join(one if isinstance(one, str) else _text(part(one, "text")) for one in parts)


def _names(tool: Any) -> list[str]:
    if callable(tool):
        return [tool.__name__]
    return [str(part(one, "name")) for one in part(tool, "function_declarations") or ()]


def _declaration(tool: Tool) -> FunctionDeclaration:
    return FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
    )


def _parts(event: Any) -> list[Any]:
    candidates = event.candidates or ()
    content = candidates[0].content if candidates else None
    return list(content.parts or ()) if content else []


def _left(parts: Iterable[Any], dropped: Collection[str]) -> list[Any]:
    return [one for one in parts if not (one.function_call and _id(one.function_call) in dropped)]


def _id(call: Any) -> str:
    """Models of one of the two APIs give their calls no id: such a call is known by what it asks."""
    known = part(call, "id")
    asked = {"name": part(call, "name"), "args": part(call, "args") or {}}
    return str(known) if known else json.dumps(asked, sort_keys=True, default=str)


def _called(parts: Any) -> list[str]:
    calls = (part(one, "function_call") for one in parts or ())
    return [_id(call) for call in calls if call]


def _told(said: Content, results: Results) -> list[Part]:
    calls = [one.function_call for one in said.parts or () if one.function_call]
    return [
        Part(
            function_response=FunctionResponse(
                id=call.id, name=call.name, response={"output": results[_id(call)]}
            )
        )
        for call in calls
        if _id(call) in results
    ]
