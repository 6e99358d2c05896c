"""A small API over a kernel that is none: what the skin does, without any feature behind it."""

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal, cast

import httpx
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from tarimba.callers import Callers
from tarimba.draining import Draining
from tarimba.errors import Refusal
from tarimba.http.reading import Moment
from tarimba.http.route import Answer, Call, Route
from tarimba.http.skin import make_app
from tarimba.identity.model import Principal
from tarimba.identity.service import unauthenticated
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded, Via
from tarimba.settings import Settings
from tarimba.telemetry import Telemetry
from tarimba.vault import SpaceKey

KEY = "tar_sk_live_0123456789abcdef_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
SPACE = "01900000-0000-7000-8000-000000000001"
CALLER = Principal("agent", SPACE, 1, "agent-1", "http", "pt", "live", 1, scopes=frozenset({"agent_memory"}))
RECEIPT = Recorded("01900000-0000-7000-8000-000000000002", 7, "ab" * 32)
SECRET = "quebra-nozes-4711"


class Evidence(BaseModel):
    model_config = ConfigDict(extra="forbid")
    task_id: str | None = Field(None, max_length=20)


class Toy(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1, max_length=12)
    kind: Literal["ball", "train"] = "ball"
    tags: list[str] = Field(default_factory=list, max_length=3)
    wheels: int = Field(0, ge=0, le=10)
    loud: bool = False
    price: float | None = None
    evidence: Evidence | None = None
    made_at: Moment | None = None
    labels: dict[str, int] = Field(default_factory=dict)


class Wanted(BaseModel):
    limit: int = Field(20, ge=1, le=100)
    tag: list[str] = Field(default_factory=list)
    sizes: list[int] = Field(default_factory=list)
    loud: bool | None = None
    price: float | None = None
    kind: Literal["ball", "train"] | None = None
    q: str | None = Field(None, max_length=10)


class Parcel(BaseModel):
    model_config = ConfigDict(extra="forbid")
    file: bytes | None = None
    label: str = Field("", max_length=12)


class Seen:
    """What the handlers saw, for the tests to look at."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.chunks: list[bytes] = []
        self.threads: list[str] = []
        self.closed = threading.Event()


class Api:
    """The toy app, and requests to it."""

    def __init__(self, **settings: Any) -> None:
        self.seen = Seen()
        self.app: FastAPI = make_app(fake_kernel(**settings), routes(self.seen), identify=identify)

    def send(
        self,
        method: str,
        url: str,
        *,
        body: Any = None,
        content: Any = None,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        key: str | None = KEY,
    ) -> httpx.Response:
        """One request through the whole app. `body` is sent as JSON, `content` as it is; headers in Latin-1."""
        given = list(headers.items()) if isinstance(headers, Mapping) else list(headers)
        names = {name.lower() for name, _ in given}
        if key and "authorization" not in names:
            given.append(("authorization", f"Bearer {key}"))
        if content is not None and "content-type" not in names:
            given.append(("content-type", "application/json"))
        sent = [(name, value.encode("latin-1")) for name, value in given]
        return asyncio.run(self._send(method, url, json=body, content=content, headers=sent))

    async def _send(self, method: str, url: str, **options: Any) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://toys.test") as client:
            return await client.request(method, url, **options)


def fake_kernel(**settings: Any) -> Kernel:
    """Settings and the key of one space: all that the skin itself takes from a kernel."""
    keys = SimpleNamespace(of=lambda _space_id: SpaceKey(b"k" * 32))
    return cast(
        "Kernel",
        SimpleNamespace(
            settings=Settings(**settings),
            keys=keys,
            telemetry=Telemetry(),
            draining=Draining(),
            callers=Callers(),
        ),
    )


def identify(_kernel: Kernel, bearer: str, _via: Via) -> Principal:
    if bearer != KEY:
        raise unauthenticated()
    return CALLER


def routes(seen: Seen) -> list[Route]:
    """One route for each thing that a declaration can say."""

    def note(_kernel: Kernel, call: Call) -> Answer:
        seen.calls.append(call)
        seen.threads.append(threading.current_thread().name)
        return Answer({"ok": True, "shown": "ação"}, receipt=RECEIPT)

    def make(kernel: Kernel, call: Call) -> Answer:
        note(kernel, call)
        return Answer({"name": call.body.name}, 201, headers={"Location": "/toys/1"})

    def refuse(_kernel: Kernel, call: Call) -> Answer:
        raise Refusal("rate_limited", "Wait.", retry_after=9, extra={"kinds": ["x"], "status": 200})

    def break_down(_kernel: Kernel, call: Call) -> Answer:
        raise KeyError(SECRET)

    def unchanged(_kernel: Kernel, call: Call) -> Answer:
        seen.calls.append(call)
        return Answer({"never": "sent"}, 304, RECEIPT, {"ETag": '"am-1"'})

    def take(_kernel: Kernel, call: Call) -> Answer:
        seen.calls.append(call)
        seen.chunks.extend(call.stream)
        return Answer({"bytes": sum(map(len, seen.chunks))})

    def fetch(_kernel: Kernel, _call: Call) -> Answer:
        return Answer(iter([b"PK"]), headers={"content-type": "application/zip"})

    def give(_kernel: Kernel, call: Call) -> Answer:
        return Answer(_pieces(seen, call.query.limit if call.query else 1))

    def give_broken(_kernel: Kernel, call: Call) -> Answer:
        return Answer(_broken(call.path["after"]))

    body: dict[str, Any] = {"body": Toy, "receipt": "note.create", "idempotent": True}
    return [
        Route("GET", "/toys", note, "List", "toys", "notes.list", query=Wanted, answer=dict[str, Any]),
        Route("POST", "/toys", make, "Make", "toys", statuses=(201,), answer=dict[str, str], **body),
        Route("GET", "/toys/{toy_id}", note, "Read", "toys", "note.read", answer=dict[str, Any]),
        Route(
            "PATCH", "/toys/{toy_id}", note, "Edit", "toys", body_optional=True, **body | {"body": Evidence}
        ),
        Route("POST", "/toys/{toy_id}/retire", note, "Retire", "toys", "note.retire", idempotent=True),
        Route("GET", "/toys/newest", unchanged, "Newest", "toys", "note.read", statuses=(200, 304)),
        Route("POST", "/parcels", note, "Send", "toys", **body | {"body": Parcel}, form=True, matches=True),
        Route("GET", "/parcels", fetch, "Fetch", "toys", "note.read", answer=bytes, media="application/zip"),
        Route("GET", "/limited", refuse, "Refuse", "odd", "note.read"),
        Route("GET", "/broken", break_down, "Break", "odd", "note.read"),
        Route("POST", "/import", take, "Import", "bulk", "import", streams=True),
        Route("GET", "/export", give, "Export", "bulk", "export", query=Wanted),
        Route("GET", "/export/{after}", give_broken, "Break off", "bulk", "export"),
        Route("GET", "/healthz", note, "Health", "meta", None, exempt="no data", public=True),
    ]


def _pieces(seen: Seen, count: int) -> Iterator[bytes]:
    seen.threads.append(threading.current_thread().name)
    try:
        yield b"["
        for at in range(count):
            yield b"%d," % at
        yield b"null]"
    finally:
        seen.closed.set()


def _broken(after: str) -> Iterator[bytes]:
    if after == "some":
        yield b"[1,"
    raise KeyError(SECRET)
