"""LiteLLM: `complete = wrap(litellm.completion)`, and every completion has the agent's notes, whatever the model.

    import litellm
    from tarimba.client.integrations.litellm import wrap

    complete = wrap(litellm.completion)
    with customer_context(context):
        answer = complete(model="anthropic/claude-sonnet-4-5", messages=messages)

Also for `litellm.acompletion` and both of a `Router`, whole and with `stream=True`. The notes follow the first system
message, with a `cache_control` behind them where LiteLLM knows that the model takes one. What the model asks of
`search_agent_memory` is answered here, so the caller sees the caller's own tools only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from litellm import stream_chunk_builder
from litellm.utils import supports_prompt_caching

from tarimba.client.integrations.blocks import ANTHROPIC, Mark
from tarimba.client.integrations.chat_form import ChatForm
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.integrations.rounds import Request, Rounds


def wrap(
    completion: Callable[..., Any], agent_memory: AgentMemoryLike = True, *, write: bool = False
) -> Callable[..., Any]:
    """A function like `completion`, awaited or not, whose requests have the notes. Its arguments go by name."""
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return completion
    rounds = Rounds(notes, ChatForm(_mark_of, _joined))

    @wraps(completion)
    def noted(**request: Any) -> Any:
        run = rounds.stream if request.get("stream") else rounds.answer
        return run(completion, request)

    @wraps(completion)
    async def anoted(**request: Any) -> Any:
        run = rounds.astream if request.get("stream") else rounds.aanswer
        return await run(completion, request)

    return anoted if inspect.iscoroutinefunction(completion) else noted


def _mark_of(request: Request) -> Mark:
    """LiteLLM says it in each provider's own way, also in OpenAI's."""
    takes_one = supports_prompt_caching(str(request.get("model")), request.get("custom_llm_provider"))
    return ANTHROPIC if takes_one else {}


def _joined(chunks: Sequence[Any]) -> dict[str, Any]:
    whole = stream_chunk_builder(list(chunks))
    message: dict[str, Any] = whole.choices[0].message.model_dump(exclude_none=True) if whole else {}
    return message
