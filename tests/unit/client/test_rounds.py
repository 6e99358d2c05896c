"""The rounds of raw SDKs: an answer that asks for our tool and the caller's own, whole and streamed; and the marks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from tarimba.client.composing import Composed, compose
from tarimba.client.integrations import bedrock
from tarimba.client.integrations.anthropic_form import AnthropicForm
from tarimba.client.integrations.blocks import ANTHROPIC, OPENAI, counted, openai_mark
from tarimba.client.integrations.chat_form import ChatForm
from tarimba.client.integrations.responses_form import ResponsesForm
from tarimba.client.integrations.rounds import Form, Rounds
from tarimba.client.tools import Tool

pytestmark = [pytest.mark.promise("adapters")]

NOTES = "<agent_notes>\nNotes\n- [procedure] Credit: Call post_credit.\n</agent_notes>"
TOLD = "what the notes say"
OURS, OWN = "search_agent_memory", "post_credit"


class Thing(BaseModel):
    """An object of an SDK."""

    model_config = ConfigDict(extra="allow")


def thing(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Thing(**{name: thing(one) for name, one in value.items()})
    return [thing(one) for one in value] if isinstance(value, list) else value


def _tool() -> Tool:
    async def arun(_given: Mapping[str, Any]) -> str:
        return TOLD

    return Tool(OURS, "Looks into the notes.", {"type": "object"}, lambda _given: TOLD, arun)


class FixedNotes:
    """The notes of a run, always the same."""

    def compose(self, instructions: str) -> Composed:
        return compose(instructions, NOTES)

    async def acompose(self, instructions: str) -> Composed:
        return self.compose(instructions)

    def tools(self) -> tuple[Tool, ...]:
        return (_tool(),)

    async def atools(self) -> tuple[Tool, ...]:
        return self.tools()


@dataclass
class Model:
    """An SDK's own call: gives what it is told to, one after the other, and keeps the requests."""

    answers: list[Any]
    requests: list[dict[str, Any]] = field(default_factory=list)

    def send(self, **request: Any) -> Any:
        self.requests.append(request)
        return self.answers.pop(0)

    async def asend(self, **request: Any) -> Any:
        given = self.send(**request)
        return _awaited(given) if isinstance(given, list) else given


async def _awaited(events: Sequence[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


@dataclass(frozen=True)
class Api:
    """One API: what its model says, and what is to be found in requests."""

    form: Callable[[], Form]
    request: dict[str, Any]
    # An answer that calls the named tools, or says "Done."; whole, and as events.
    whole: Callable[[Sequence[str]], Any]
    events: Callable[[Sequence[str]], list[Any]]
    # The names of the tools that an answer, or a stream's events, call.
    called: Callable[[Any], list[str]]
    streamed: Callable[[Sequence[Any]], list[str]]
    # The caller's next request, after an answer; and what it then tells of calls, in order.
    next: Callable[[Any], dict[str, Any]]
    told: Callable[[dict[str, Any]], list[str]]


def _chat_call(at: int, name: str) -> dict[str, Any]:
    function = {"name": name, "arguments": "{}"}
    return {"index": at, "id": f"id-{name}", "type": "function", "function": function}


def _chat(names: Sequence[str]) -> Any:
    calls = [_chat_call(at, name) for at, name in enumerate(names)]
    message = {"role": "assistant", "content": None if calls else "Done.", "tool_calls": calls or None}
    return thing({"choices": [{"finish_reason": "tool_calls" if calls else "stop", "message": message}]})


def _chat_events(names: Sequence[str]) -> list[Any]:
    deltas: list[Any] = [{"tool_calls": [_chat_call(at, name)]} for at, name in enumerate(names)] or [
        {"content": "Done."}
    ]
    chunks: list[Any] = [{"choices": [{"finish_reason": None, "delta": delta}]} for delta in deltas]
    ends: Any = {"choices": [{"finish_reason": "tool_calls" if names else "stop", "delta": {}}]}
    return [thing(one) for one in (*chunks, ends)]


def _chat_next(answer: Any) -> dict[str, Any]:
    message = answer.choices[0].message.model_dump()
    results = [
        {"role": "tool", "tool_call_id": one["id"], "content": "posted"} for one in message["tool_calls"]
    ]
    return {"messages": [{"role": "user", "content": "Credit it"}, message, *results]}


CHAT = Api(
    lambda: ChatForm(lambda request: openai_mark(str(request["model"]))),
    {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Credit it"}]},
    _chat,
    _chat_events,
    lambda answer: [one.function.name for one in answer.choices[0].message.tool_calls or ()],
    lambda events: [
        one.function.name
        for event in events
        for one in getattr(event.choices[0].delta, "tool_calls", None) or ()
    ],
    lambda answer: {"model": "gpt-5.6", **_chat_next(answer)},
    lambda request: [one["content"] for one in request["messages"] if one["role"] == "tool"],
)


def _block(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"id-{name}", "name": name, "input": {}}


def _message(names: Sequence[str]) -> Any:
    blocks = [_block(name) for name in names] or [{"type": "text", "text": "Done."}]
    return thing({"stop_reason": "tool_use" if names else "end_turn", "content": blocks})


def _message_events(names: Sequence[str]) -> list[Any]:
    text = {"type": "text", "text": ""}
    blocks: list[Any] = []
    for at, block in enumerate([_block(name) for name in names] or [text]):
        delta = (
            {"type": "input_json_delta", "partial_json": "{}"}
            if names
            else {"type": "text_delta", "text": "Done."}
        )
        blocks += [
            {"type": "content_block_start", "index": at, "content_block": block},
            {"type": "content_block_delta", "index": at, "delta": delta},
            {"type": "content_block_stop", "index": at},
        ]
    ends = {"type": "message_delta", "delta": {"stop_reason": "tool_use" if names else "end_turn"}}
    return [thing(one) for one in ({"type": "message_start"}, *blocks, ends, {"type": "message_stop"})]


def _message_next(answer: Any) -> dict[str, Any]:
    content = [one.model_dump() for one in answer.content]
    results = [{"type": "tool_result", "tool_use_id": one["id"], "content": "posted"} for one in content]
    turns = [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
    return {"messages": [{"role": "user", "content": "Credit it"}, *turns]}


ANTHROPICS = Api(
    AnthropicForm,
    {"messages": [{"role": "user", "content": "Credit it"}]},
    _message,
    _message_events,
    lambda answer: [one.name for one in answer.content if one.type == "tool_use"],
    lambda events: [
        one.content_block.name
        for one in events
        if one.type == "content_block_start" and one.content_block.type == "tool_use"
    ],
    _message_next,
    lambda request: [
        one["content"] for one in request["messages"][-1]["content"] if one["type"] == "tool_result"
    ],
)


def _item(name: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"id-{name}", "name": name, "arguments": "{}"}


def _response(names: Sequence[str]) -> Any:
    return thing({"output": [_item(name) for name in names] or [{"type": "message", "content": "Done."}]})


def _response_events(names: Sequence[str]) -> list[Any]:
    items: list[Any] = []
    for at, item in enumerate(_response(names).output):
        items += [
            {"type": "response.output_item.added", "output_index": at, "item": item},
            {"type": "response.output_item.done", "output_index": at, "item": item},
        ]
    ends = {"type": "response.completed", "response": _response(names)}
    return [Thing(**one) for one in ({"type": "response.created"}, *items, ends)]


def _response_next(answer: Any) -> dict[str, Any]:
    items = [one.model_dump() for one in answer.output]
    results = [
        {"type": "function_call_output", "call_id": one["call_id"], "output": "posted"} for one in items
    ]
    return {"input": [{"role": "user", "content": "Credit it"}, *items, *results]}


RESPONSES = Api(
    ResponsesForm,
    {"input": "Credit it"},
    _response,
    _response_events,
    lambda answer: [one.name for one in answer.output if one.type == "function_call"],
    lambda events: [
        one.item.name
        for one in events
        if one.type == "response.output_item.added" and one.item.type == "function_call"
    ],
    _response_next,
    lambda request: [one["output"] for one in request["input"] if one.get("type") == "function_call_output"],
)


def _use(name: str) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": f"id-{name}", "name": name, "input": {}}}


def _converse(names: Sequence[str]) -> Any:
    message = {"role": "assistant", "content": [_use(name) for name in names] or [{"text": "Done."}]}
    return {"output": {"message": message}, "stopReason": "tool_use" if names else "end_turn"}


def _converse_events(names: Sequence[str]) -> list[Any]:
    blocks: list[Any] = []
    for at, name in enumerate(names):
        start = {"toolUse": {"toolUseId": f"id-{name}", "name": name}}
        blocks += [
            {"contentBlockStart": {"start": start, "contentBlockIndex": at}},
            {"contentBlockDelta": {"delta": {"toolUse": {"input": "{}"}}, "contentBlockIndex": at}},
            {"contentBlockStop": {"contentBlockIndex": at}},
        ]
    said = {"contentBlockDelta": {"delta": {"text": "Done."}, "contentBlockIndex": 0}}
    ends = {"messageStop": {"stopReason": "tool_use" if names else "end_turn"}}
    return [{"messageStart": {"role": "assistant"}}, *(blocks or [said]), ends]


def _converse_next(answer: Any) -> dict[str, Any]:
    message = answer["output"]["message"]
    results = [
        {"toolResult": {"toolUseId": one["toolUse"]["toolUseId"], "content": [{"text": "posted"}]}}
        for one in message["content"]
    ]
    asked = {"role": "user", "content": [{"text": "Credit it"}]}
    return {"messages": [asked, message, {"role": "user", "content": results}]}


CONVERSE = Api(
    bedrock.ConverseForm,
    {"messages": [{"role": "user", "content": [{"text": "Credit it"}]}]},
    _converse,
    _converse_events,
    lambda answer: [
        one["toolUse"]["name"] for one in answer["output"]["message"]["content"] if "toolUse" in one
    ],
    lambda events: [
        one["contentBlockStart"]["start"]["toolUse"]["name"] for one in events if "contentBlockStart" in one
    ],
    _converse_next,
    lambda request: [
        one["toolResult"]["content"][0]["text"]
        for one in request["messages"][-1]["content"]
        if "toolResult" in one
    ],
)

APIS = [
    pytest.param(CHAT, id="chat"),
    pytest.param(RESPONSES, id="responses"),
    pytest.param(ANTHROPICS, id="anthropic"),
    pytest.param(CONVERSE, id="converse"),
]


def _rounds(api: Api) -> Rounds:
    notes: Any = FixedNotes()
    return Rounds(notes, api.form())


@pytest.mark.parametrize("api", APIS)
def test_a_call_of_ours_is_answered_and_not_seen(api: Api) -> None:
    model = Model([api.whole([OURS]), api.whole([])])
    assert api.called(_rounds(api).answer(model.send, api.request)) == []
    assert api.told(model.requests[1]) == [TOLD]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("order", [[OURS, OWN], [OWN, OURS]])
def test_of_both_calls_in_one_answer_the_caller_sees_its_own_and_ours_is_told_with_its_result(
    api: Api, order: list[str]
) -> None:
    rounds = _rounds(api)
    model = Model([api.whole(order), api.whole([])])
    answer = rounds.answer(model.send, api.request)
    assert api.called(answer) == [OWN]
    rounds.answer(model.send, api.next(answer))
    assert sorted(api.told(model.requests[1])) == ["posted", TOLD]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("order", [[OURS, OWN], [OWN, OURS]])
def test_a_stream_shows_the_caller_its_own_calls_only(api: Api, order: list[str]) -> None:
    rounds = _rounds(api)
    model = Model([api.events([OURS]), api.events(order)])
    events = list(rounds.stream(model.send, api.request))
    assert api.streamed(events) == [OWN]
    assert api.told(model.requests[1]) == [TOLD]
    assert "Done." not in json.dumps([str(one) for one in events])


@pytest.mark.parametrize("api", APIS)
def test_streams_and_answers_are_the_same_for_asyncio(api: Api) -> None:
    rounds = _rounds(api)

    async def both() -> tuple[Any, list[Any]]:
        model = Model([api.whole([OURS]), api.whole([]), api.events([OURS]), api.events([OURS, OWN])])
        answer = await rounds.aanswer(model.asend, api.request)
        stream = await rounds.astream(model.asend, api.request)
        return answer, [event async for event in stream]

    answer, events = asyncio.run(both())
    assert api.called(answer) == []
    assert api.streamed(events) == [OWN]


@pytest.mark.parametrize("api", APIS)
def test_a_model_that_never_stops_asking_is_left_after_eight_rounds(api: Api) -> None:
    model = Model([api.whole([OURS]) for _ in range(20)])
    assert api.called(_rounds(api).answer(model.send, api.request)) == []
    assert len(model.requests) == 8


def _marked(number: int) -> Iterator[dict[str, Any]]:
    for _ in range(number):
        yield {"type": "text", "text": "x", **ANTHROPIC}


@pytest.mark.parametrize(("own", "all_in_all"), [(0, 1), (3, 4), (4, 4)])
def test_a_mark_is_set_behind_the_notes_and_never_a_fifth(own: int, all_in_all: int) -> None:
    request = {"messages": [{"role": "user", "content": list(_marked(own))}], "system": "Be brief."}
    noted = Rounds(FixedNotes(), AnthropicForm()).noted(request)  # type: ignore[arg-type]
    assert counted(noted, ANTHROPIC) == all_in_all
    assert noted["system"][-1]["text"].endswith("</agent_notes>")
    assert noted["messages"] == request["messages"]


@pytest.mark.parametrize(
    ("model", "takes_one"),
    [("gpt-5.6", True), ("openai/gpt-6", True), ("gpt-5.5", False), ("o3", False), ("llama", False)],
)
def test_only_models_that_take_a_mark_have_one(model: str, takes_one: bool) -> None:
    request = {**CHAT.request, "model": model}
    noted = Rounds(FixedNotes(), CHAT.form()).noted(request)  # type: ignore[arg-type]
    assert counted(noted, OPENAI) == takes_one
