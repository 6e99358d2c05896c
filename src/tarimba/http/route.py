"""How a slice declares a URL: what it takes, which use case it calls, which receipt that leaves.

`routes.py` of a slice is a list of these. The HTTP skin reads the request by the declaration (strictly: unknown
fields are refused), authenticates, runs the handler in one hop to a thread, and writes the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded, Via
from tarimba.storage.once import OnceKey

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Call:
    """One request, read and authenticated. `body` and `query` are instances of the declared models.

    `given` holds the names of the body's fields that the caller sent (absent and null differ in a PATCH). `waited` are
    the seconds since a handler said that there is nothing to answer yet.
    """

    principal: Principal
    request_id: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None
    once: OnceKey | None = None
    if_none_match: str | None = None
    if_match: str | None = None
    stream: Any = None
    waited: float = 0.0

    @property
    def given(self) -> frozenset[str]:
        return frozenset(self.body.model_fields_set)


class NotYetError(Exception):
    """A handler has nothing to answer yet: it is called again in a moment."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes out: a JSON value (or None for an empty body), a status, and the receipt of the access."""

    content: Any
    status: int = 200
    receipt: Recorded | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Kernel, Call], Answer]
Identify = Callable[[Kernel, str, Via], Principal]


@dataclass(frozen=True, slots=True)
class Route:
    """A URL. `receipt` names the action that it leaves, or is None for the exempt (then `exempt` says why).

    `body_max` is its largest body in bytes, if that is not the server's. A `tolerant` one takes names that it does not
    declare, and strings that can't be stored: its use case judges what is inside. The body of a `form` comes as
    `multipart/form-data`: its fields of type `bytes` are files. One that `matches` judges If-Match itself. `media` is
    what its answers are, problems apart, and `also` what some are besides: bytes. `identify` tells who a bearer is
    where it is no key or personal token; whom it does not know gets an empty answer. A body that is streamed may come
    as `takes` besides JSON.

    A route has a `handler`, or an `endpoint`: what makes an ASGI application that serves it without the skin.
    """

    method: Literal["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT"]
    path: str
    handler: Handler | None
    summary: str
    tag: str
    receipt: str | None
    exempt: str = ""
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    body_optional: bool = False
    body_max: int | None = None
    tolerant: bool = False
    form: bool = False
    matches: bool = False
    answer: Any = None
    media: str = "application/json"
    also: str = ""
    statuses: tuple[int, ...] = (200,)
    public: bool = False
    idempotent: bool = False
    streams: bool = False
    takes: str = ""
    endpoint: Callable[[Kernel], Any] | None = None
    identify: Identify | None = None

    @property
    def described(self) -> str:
        """The path as the API's description has it: a parameter that takes all that is left is one like others."""
        return self.path.replace(":path}", "}")
