"""Asking the model server something harmless, to see that it answers and how long that takes."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tarimba.distill.chat import Chat, DeclinedError
from tarimba.distill.model import SilentModelError
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel

_SHOWN: Final = 200
_ASKED: Final = (
    {"role": "user", "content": 'Answer with this JSON object and nothing else: {"ready": true}'},
)
_FORM: Final = MappingProxyType(
    {
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    }
)


@dataclass(frozen=True, slots=True)
class ModelProbe:
    """The first characters of what was answered; `problem` is a word for why nothing was."""

    milliseconds: int
    answer: str = ""
    problem: str = ""


def probe(kernel: Kernel, principal: Principal) -> ModelProbe | None:
    """One question to the model server, with nothing of the space in it. None where there is none. Raises 403."""
    allow(principal, "settings")
    if kernel.settings.llm_url is None:
        return None
    began = time.monotonic()
    with closing(Chat(kernel.settings)) as chat:
        return _asked(chat, began)


def _asked(chat: Chat, began: float) -> ModelProbe:
    form: dict[str, Any] = dict(_FORM)
    try:
        answer = chat.complete(_ASKED, form)
    except SilentModelError as error:
        return ModelProbe(_since(began), problem=error.reason)
    except DeclinedError:
        return ModelProbe(_since(began), problem="declined")
    return ModelProbe(_since(began), answer[:_SHOWN])


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
