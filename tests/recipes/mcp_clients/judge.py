"""Run by the interpreter of the recipe: holds tools against the types with which three APIs of models take them.

Tools come as JSON on the standard input. The answer is JSON: what each library made of them, as it would be sent.
"""

import json
import sys
from typing import Any

from anthropic.types import ToolParam
from google.genai import types as genai
from openai.types.chat import ChatCompletionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import TypeAdapter


def openai(tool: dict[str, Any]) -> list[Any]:
    """As a tool of chat completions, and of responses."""
    function = {"name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"]}
    chat = TypeAdapter(ChatCompletionToolParam).validate_python({"type": "function", "function": function})
    told = {"type": "function", "strict": False, **function}
    return [chat, TypeAdapter(FunctionToolParam).validate_python(told)]


def anthropic(tool: dict[str, Any]) -> Any:
    """As a tool of messages."""
    told = {"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]}
    return TypeAdapter(ToolParam).validate_python(told)


def google(tool: dict[str, Any]) -> list[Any]:
    """As a function with JSON Schema, and with the API's own kind of schema, which takes no unknown member."""
    named = {"name": tool["name"], "description": tool["description"]}
    plain = genai.FunctionDeclaration(**named, parameters_json_schema=tool["inputSchema"])
    own = genai.FunctionDeclaration(**named, parameters=genai.Schema.model_validate(tool["inputSchema"]))
    return [one.model_dump(exclude_none=True, by_alias=True, mode="json") for one in (plain, own)]


tools = json.load(sys.stdin)
made = {
    name: [use(tool) for tool in tools]
    for name, use in (("openai", openai), ("anthropic", anthropic), ("google", google))
}
print(json.dumps(made))  # noqa: T201 - this is how it answers
