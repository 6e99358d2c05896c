"""What the SDKs of OpenAI and Anthropic have in common, being made by one generator: fields left out, raw answers."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

_RAW: Final = "x-stainless-raw-response"
_LEFT_OUT: Final = frozenset({"NotGiven", "Omit"})


def given(request: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that are said: both SDKs have values that mean that one is left out."""
    return {name: value for name, value in request.items() if type(value).__name__ not in _LEFT_OUT}


def has_rounds(request: Mapping[str, Any]) -> bool:
    """Whether an answer can be looked into: not one whose bytes the caller reads as they come."""
    headers = request.get("extra_headers") or {}
    asked = next((value for name, value in headers.items() if name.lower() == _RAW), None)
    return asked is None or (asked != "stream" and not request.get("stream"))


@dataclass(frozen=True, slots=True)
class Opened:
    """An answer of `with_raw_response` and what it holds."""

    answer: Any
    held: Any


def opened(answer: Any) -> Any:
    """What an answer holds; a raw one keeps what it was read as."""
    if isinstance(answer, Opened):
        return answer.held
    return answer.parse() if hasattr(answer, "http_response") else answer


async def read(send: Callable[..., Awaitable[Any]], **request: Any) -> Any:
    """Sends a request and reads what came, which one of the two SDKs has waited for."""
    answer = await send(**request)
    if not hasattr(answer, "http_response"):
        return answer
    held = answer.parse()
    return Opened(answer, await held if inspect.isawaitable(held) else held)


def closed(answer: Any) -> Any:
    """An answer as the caller gets it."""
    return answer.answer if isinstance(answer, Opened) else answer


class LaterStream:
    """A stream manager of asyncio that is made when it is entered: before, the notes are waited for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    async def __aenter__(self) -> Any:
        self._made = await self._make()
        return await self._made.__aenter__()

    async def __aexit__(self, *told: object) -> None:
        await self._made.__aexit__(*told)
