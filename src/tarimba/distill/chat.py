"""One question to a model behind an OpenAI-compatible endpoint: a whole answer within its time, or none.

Neither the question nor the answer is ever logged, stored or named in an error.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from tarimba.distill.model import SilentModelError
from tarimba.exchange import Exchange, NoAnswerError, Reply
from tarimba.settings import Settings

_PATH: Final = "/chat/completions"
# What a server says to a request with a member that it does not know.
_NOT_UNDERSTOOD: Final = frozenset({400, 415, 422, 501})
# Later it may say something else; to any other refusal it will say the same again until somebody mends it.
_PASSING: Final = frozenset({408, 409, 425, 429})


class DeclinedError(Exception):
    """The model answered that it will not write this."""


class Carrier(Protocol):
    """What brings a request to the server and an answer back: an `Exchange`."""

    def send(
        self, method: str, path: str, body: bytes, until: float, headers: Mapping[str, str]
    ) -> Reply: ...

    def close(self) -> None: ...


class Chat:
    """The endpoint of `TARIMBA_LLM_URL`. Close it after use."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.monotonic,
        carrier: Carrier | None = None,
    ) -> None:
        assert settings.llm_url is not None
        self._settings = settings
        self._clock = clock
        self._carrier = carrier or Exchange(settings.llm_url, clock)

    def complete(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any]) -> str:
        """The text of the answer, held to `schema` where the server can do that.

        Raises `SilentModelError`, and `DeclinedError` when the model says no.
        """
        reply = self._send(messages, schema)
        if reply.status in _NOT_UNDERSTOOD:
            # The form is asked for in words too, and whoever reads the answer checks it anyhow.
            reply = self._send(messages, None)
        if reply.status != 200:
            raise SilentModelError(
                f"status_{reply.status}", again=reply.status >= 500 or reply.status in _PASSING
            )
        return _content(reply)

    def close(self) -> None:
        """Closes the connections that are kept open."""
        self._carrier.close()

    def _send(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any] | None) -> Reply:
        asked: dict[str, Any] = {"messages": [dict(one) for one in messages], "stream": False}
        if self._settings.llm_model:
            asked["model"] = self._settings.llm_model
        if schema is not None:
            form = {"name": "answer", "strict": True, "schema": dict(schema)}
            asked["response_format"] = {"type": "json_schema", "json_schema": form}
        until = self._clock() + self._settings.llm_timeout_s
        try:
            return self._carrier.send("POST", _PATH, json.dumps(asked).encode(), until, self._headers())
        except NoAnswerError as error:
            raise SilentModelError(error.reason, again=error.again) from None

    def _headers(self) -> Mapping[str, str]:
        key = self._settings.llm_api_key
        return {} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"}


def _content(reply: Reply) -> str:
    try:
        choice = json.loads(reply.body)["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise SilentModelError("malformed") from None
    if refusal or choice.get("finish_reason") == "content_filter":
        raise DeclinedError
    if not isinstance(content, str) or not content.strip():
        raise SilentModelError("empty")
    return content
