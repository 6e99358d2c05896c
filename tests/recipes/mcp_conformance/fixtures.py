"""What the conformance program wants to find in a server: one tool, prompt or resource for each kind of content.

Our servers have none of these. Put behind our front they show that the front and the protocol under it carry them.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from typing import Any, Final

from mcp import types
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.shared.exceptions import MCPError

Context = Any
PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# A header of a WAV file without a sample.
_SOUND: Final = (
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00",
    b"@\x1f\x00\x00@\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00",
)
SOUND: Final = base64.b64encode(b"".join(_SOUND)).decode()
_KEY: Final = b"a key of the fixtures"
_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str) -> types.EmbeddedResource:
    held = types.TextResourceContents(uri=uri, mime_type="text/plain", text="Held in the result.")
    return types.EmbeddedResource(type="resource", resource=held)


CONTENTS: Final[Mapping[str, list[Any]]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")],
    "test_embedded_resource": [embedded("test://embedded-resource")],
    "test_multiple_content_types": [
        text("Several kinds."),
        image(),
        embedded("test://mixed-content-resource"),
    ],
    "test_logging_tool": [text("Nothing is logged.")],
    "test_streaming_elicitation": [text("Nothing is asked.")],
}


def elicit(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest.model_validate(
        {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}
    )


def sample(words: str) -> types.CreateMessageRequest:
    said = {"role": "user", "content": {"type": "text", "text": words}}
    params = {"messages": [said], "maxTokens": 50}
    return types.CreateMessageRequest.model_validate({"method": "sampling/createMessage", "params": params})


def roots() -> types.ListRootsRequest:
    return types.ListRootsRequest.model_validate({"method": "roots/list", "params": {}})


NAME: Final = elicit("What is your name?", "name")
# What a tool asks for before it answers, round by round.
ROUNDS: Final[Mapping[str, list[dict[str, Any]]]] = {
    "test_input_required_result_elicitation": [{"user_name": NAME}],
    "test_input_required_result_sampling": [{"capital_question": sample("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": roots()}],
    "test_input_required_result_request_state": [{"confirm": elicit("Please confirm", "ok", "boolean")}],
    "test_input_required_result_multiple_inputs": [
        {"user_name": NAME, "greeting": sample("Generate a greeting"), "client_roots": roots()}
    ],
    "test_input_required_result_multi_round": [
        {"step1": elicit("Step 1: What is your name?", "name")},
        {"step2": elicit("Step 2: What is your favorite color?", "color")},
    ],
    "test_input_required_result_tampered_state": [{"confirm": elicit("Please confirm", "ok", "boolean")}],
}
STATEFUL: Final = frozenset(
    name for name in ROUNDS if name.endswith(("state", "multi_round", "multiple_inputs"))
)


def signed(round_no: int) -> str:
    return f"{round_no}.{hmac.digest(_KEY, str(round_no).encode(), 'sha256').hex()}"


def asked(name: str, params: Any) -> types.InputRequiredResult | None:
    """What is still to be asked for; None when everything was answered."""
    if params.request_state is None:
        number = 0
    else:
        number = int(params.request_state.partition(".")[0])
        if not hmac.compare_digest(params.request_state, signed(number)):
            raise MCPError(types.INVALID_PARAMS, "The state was changed.")
    rounds = ROUNDS[name]
    if params.input_responses and rounds[number].keys() <= params.input_responses.keys():
        number += 1
    if number == len(rounds):
        return None
    state = signed(number) if name in STATEFUL else None
    return types.InputRequiredResult(input_requests=rounds[number], request_state=state)


def answered(params: Any) -> types.CallToolResult:
    given = [one.model_dump_json() for one in (params.input_responses or {}).values()]
    return types.CallToolResult(content=[text(" ".join(["Hello, state-ok", *given]))])


def _capabilities(context: Context) -> Mapping[str, Any]:
    meta: Mapping[str, Any] = context.meta or {}
    found: Mapping[str, Any] = meta.get(_CAPABILITIES) or {}
    return found


async def call_tool(
    context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    if params.name in CONTENTS:
        return types.CallToolResult(content=CONTENTS[params.name])
    if params.name == "test_error_handling":
        said = text("This tool intentionally returns an error for testing")
        return types.CallToolResult(content=[said], is_error=True)
    if params.name == "test_missing_capability":
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "It needs sampling.", needed)
    if params.name == "test_input_required_result_capabilities":
        able = _capabilities(context)
        return types.InputRequiredResult(
            input_requests={"one": sample("Say something.") if "sampling" in able else NAME}
        )
    if params.name in ROUNDS:
        return asked(params.name, params) or answered(params)
    raise MCPError(types.INVALID_PARAMS, "There is no such tool.")


async def list_tools(_context: Context, _params: Any) -> types.ListToolsResult:
    names = [
        *CONTENTS,
        *ROUNDS,
        "test_error_handling",
        "test_missing_capability",
        "test_input_required_result_capabilities",
    ]
    plain: dict[str, Any] = {"type": "object", "properties": {}}
    return types.ListToolsResult(
        tools=[types.Tool(name=name, description="A fixture.", input_schema=plain) for name in names]
    )


async def list_resources(_context: Context, _params: Any) -> types.ListResourcesResult:
    listed = [
        types.Resource(uri=f"test://static-{kind}", name=f"static-{kind}", mime_type=mime)
        for kind, mime in (("text", "text/plain"), ("binary", "image/png"))
    ]
    return types.ListResourcesResult(resources=listed)


async def list_templates(_context: Context, _params: Any) -> types.ListResourceTemplatesResult:
    one = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
    return types.ListResourceTemplatesResult(resource_templates=[one])


async def read_resource(
    _context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    held: types.TextResourceContents | types.BlobResourceContents
    if uri == "test://static-binary":
        held = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    elif uri == "test://static-text" or (uri.startswith("test://template/") and uri.endswith("/data")):
        held = types.TextResourceContents(uri=uri, mime_type="text/plain", text=f"What {uri} holds.")
    else:
        raise MCPError(types.INVALID_PARAMS, "There is no such resource.", {"uri": uri})
    return types.ReadResourceResult(contents=[held])


PROMPTS: Final[Mapping[str, tuple[str, ...]]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def list_prompts(_context: Context, _params: Any) -> types.ListPromptsResult:
    listed = [
        types.Prompt(
            name=name,
            description="A fixture.",
            arguments=[
                types.PromptArgument(name=one, description="A word.", required=True) for one in arguments
            ],
        )
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=listed)


async def get_prompt(
    _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    contents: list[Any] = [text("This is a simple prompt for testing.")]
    if params.name == "test_input_required_result_prompt" and not params.input_responses:
        needed = elicit("What context should the prompt use?", "context")
        return types.InputRequiredResult(input_requests={"user_context": needed})
    if params.name == "test_prompt_with_arguments":
        contents = [text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")]
    elif params.name == "test_prompt_with_embedded_resource":
        contents = [embedded(given.get("resourceUri", "test://embedded")), text("Look at it.")]
    elif params.name == "test_prompt_with_image":
        contents = [image(), text("Look at it.")]
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=content) for content in contents]
    )


async def complete(_context: Context, _params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(
        completion=types.Completion(values=["paris", "park"], total=2, has_more=False)
    )


def server() -> Server[Any]:
    """A protocol server with all of it."""
    hint = CacheHint(ttl_ms=60_000, scope="private")
    methods = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read")
    return Server(
        "fixtures",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        cache_hints=dict.fromkeys(methods, hint),  # type: ignore[arg-type]
        get_tool_input_schema=lambda _name: None,
    )
