"""Amazon Bedrock's Converse: `client = wrap(boto3.client("bedrock-runtime"))`, and its requests have the agent's notes.

    import boto3
    from tarimba.client.integrations.bedrock import wrap

    client = wrap(boto3.client("bedrock-runtime"))
    with customer_context(context):
        answer = client.converse(modelId=model, system=[{"text": instructions}], messages=messages)

The client itself is changed: `converse` and `converse_stream` put the notes after `system`, with a `cachePoint` of
their own for the models that take one (Claude and Nova), as long as the request has fewer than four. What the model
asks of `search_agent_memory` is answered here, so the caller sees the caller's own tools only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tarimba.client.composing import Composed
from tarimba.client.integrations.bedrock_stream import BedrockRelay
from tarimba.client.integrations.blocks import MOST_MARKS, POINT, apart, counted, placed, point
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.integrations.rounds import Call, Kept, Relay, Request, Results, Rounds
from tarimba.client.tools import Tool

Message = Mapping[str, Any]
Block = Mapping[str, Any]


def wrap(client: Any, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """The client, from now on with the notes in its conversations."""
    notes = Notes.of(agent_memory, write=write)
    if notes is not None:
        made = _Conversing(Rounds(notes, ConverseForm()), client)
        client.converse, client.converse_stream = made.converse, made.converse_stream
    return client


class _Conversing:
    """What the client's own calls are exchanged for."""

    def __init__(self, rounds: Rounds, client: Any) -> None:
        self._rounds = rounds
        self._converse = client.converse
        self._stream = client.converse_stream

    def converse(self, **request: Any) -> Any:
        return self._rounds.answer(self._converse, request)

    def converse_stream(self, **request: Any) -> Any:
        answers: list[dict[str, Any]] = []

        def send(**asked: Any) -> Any:
            answers.append(self._stream(**asked))
            return answers[-1]["stream"]

        stream = self._rounds.stream(send, request)
        return answers[0] | {"stream": stream}


class ConverseForm:
    """A turn is the assistant's message."""

    def offered(self, request: Request) -> set[str]:
        tools = (request.get("toolConfig") or {}).get("tools") or ()
        return {tool["toolSpec"]["name"] for tool in tools if "toolSpec" in tool}

    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        asked = dict(request)
        if composed.text:
            asked["system"] = _with_notes(request, composed)
        if tools:
            config = dict(request.get("toolConfig") or {})
            asked["toolConfig"] = config | {"tools": [*config.get("tools", ()), *map(_spec, tools)]}
        return asked

    def said(self, answer: Any) -> Message:
        message: Message = answer["output"]["message"]
        return message

    def calls(self, said: Message) -> list[Call]:
        return [Call(one["toolUseId"], one["name"], one.get("input") or {}) for one in _uses(said)]

    def answered(self, request: Request, said: Message, results: Results) -> Request:
        told = {"role": "user", "content": _told(results)}
        return request | {"messages": [*request.get("messages", ()), said, told]}

    def without(self, answer: Any, dropped: Collection[str]) -> Any:
        said = self.said(answer)
        left = [one for one in said["content"] if one.get("toolUse", {}).get("toolUseId") not in dropped]
        message = {**said, "content": left}
        calls = answer["stopReason"] == "tool_use" and not _uses(message)
        return answer | {"output": {"message": message}} | ({"stopReason": "end_turn"} if calls else {})

    def restored(self, request: Request, kept: Kept) -> Request:
        messages: list[Message] = []
        results: Results = {}
        for message in request.get("messages") or ():
            if results and message["role"] == "user":
                messages.append({**message, "content": [*_told(results), *message["content"]]})
                results = {}
                continue
            found = kept.of(one["toolUseId"] for one in _uses(message))
            said, results = found or (message, results)
            messages.append(said)
        return request | ({"messages": messages} if messages else {})

    def relay(self, names: Collection[str]) -> Relay:
        return BedrockRelay(names)


def _with_notes(request: Request, composed: Composed) -> Sequence[Block]:
    used = counted([request.get(name) for name in ("system", "messages", "toolConfig")], POINT)
    mark = point(str(request.get("modelId"))) if composed.shared and used < MOST_MARKS else {}
    return apart(placed(list(request.get("system") or ()), composed, mark))


def _spec(tool: Tool) -> Block:
    schema = {"json": dict(tool.parameters)}
    return {"toolSpec": {"name": tool.name, "description": tool.description, "inputSchema": schema}}


def _uses(message: Message) -> list[Mapping[str, Any]]:
    return [block["toolUse"] for block in message.get("content") or () if "toolUse" in block]


def _told(results: Results) -> list[Block]:
    return [{"toolResult": {"toolUseId": one, "content": [{"text": text}]}} for one, text in results.items()]
