"""One request and its answer."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, MutableMapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

from pydantic import BaseModel

from tarimba.callers import known_by
from tarimba.errors import Refusal, invalid
from tarimba.http import problems
from tarimba.http.body import ClientGoneError, Receive, check_content_type, read_all
from tarimba.http.counted import traceparent
from tarimba.http.form import read_form, told
from tarimba.http.reading import BodyShape, FormShape, QueryShape, refuse_query
from tarimba.http.reply import Reply, Send, of_answer, send_whole
from tarimba.http.route import Call, Identify, Route
from tarimba.http.streams import BodyStream, Outflow
from tarimba.http.threads import Threads
from tarimba.http.waiting import Waiting
from tarimba.identity.model import Principal
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey

REQUEST_SERVED: Final = "http.request"
# What the log says when the caller left before there was an answer.
GONE: Final = 499

_READING: Final = frozenset({"GET", "HEAD"})
_VISIBLE: Final = re.compile(r"[!-~]{1,255}")
_SEPARATOR: Final = b"\x00"
# Public routes are called by nobody: no scope, no role, no space.
_NOBODY: Final = Principal("agent", "", 0, "", "http", "en", "", -1)
_READ: Final = frozenset(
    b"authorization content-type content-length transfer-encoding expect idempotency-key if-none-match if-match".split()
)


class Bound:
    """A route with what serving it needs. Raises `ValueError` when nothing serves it.

    What a request of it may hold is worked out at the first one: most servers are asked for few of the routes.
    """

    def __init__(self, kernel: Kernel, route: Route) -> None:
        if route.handler is None and route.endpoint is None:
            raise ValueError(f"{route.method} {route.path} has neither handler nor endpoint")
        self.route = route
        self.endpoint: Any = None if route.endpoint is None else route.endpoint(kernel)

    @cached_property
    def body(self) -> BodyShape[BaseModel] | None:
        """How a JSON body is read, if one is declared."""
        route = self.route
        return BodyShape(route.body, tolerant=route.tolerant) if route.body and not route.form else None

    @cached_property
    def form(self) -> FormShape[BaseModel] | None:
        """How a form is read, if one is declared."""
        return FormShape(self.route.body) if self.route.body and self.route.form else None

    @cached_property
    def query(self) -> QueryShape[BaseModel] | None:
        """How the query is read, if one is declared."""
        return QueryShape(self.route.query) if self.route.query else None


@dataclass(frozen=True, slots=True)
class Shared:
    """What all exchanges of a server stand on."""

    kernel: Kernel
    identify: Identify
    threads: Threads
    streams: Threads
    waiting: Waiting
    log: Any


class Exchange:
    """Answers one request; `run` once. Nothing it meets is raised to the server."""

    __slots__ = (
        "_caller",
        "_headers",
        "_path",
        "_receive",
        "_request_id",
        "_scope",
        "_send",
        "_shared",
        "_space_id",
    )

    def __init__(
        self,
        shared: Shared,
        scope: MutableMapping[str, Any],
        receive: Receive,
        send: Send,
        path: Mapping[str, str],
    ) -> None:
        self._shared = shared
        self._scope = scope
        self._receive = receive
        self._send = send
        self._path = path
        self._headers = joined(scope["headers"])
        self._request_id = new_id()
        self._space_id: str | None = None
        self._caller = b""

    async def run(self, methods: Mapping[str, Bound] | None) -> None:
        """`methods` are what the path takes; None when nothing is served there."""
        with self._shared.kernel.telemetry.tracing.request(
            traceparent(self._scope), http_route=_template(methods)
        ) as mark:
            mark.set("http.status", await self._run(methods))

    async def _run(self, methods: Mapping[str, Bound] | None) -> int:
        started = time.perf_counter()
        bound = methods.get(self._scope["method"]) if methods else None
        route = _template(methods)
        status = GONE
        try:
            reply = await self._reply(methods, bound)
            if isinstance(reply.body, bytes):
                await send_whole(self._send, reply)
                status = reply.status
            else:
                status = await self._stream(reply, route)
        except ClientGoneError:
            status = GONE
        except Exception as error:  # noqa: BLE001 - the server would print what the error quotes
            status = await self._fail(error, route)
        self._tell(route, status, time.perf_counter() - started)
        return status

    async def _reply(self, methods: Mapping[str, Bound] | None, bound: Bound | None) -> Reply:
        try:
            if methods is None:
                raise problems.unknown_path()
            if bound is None:
                allow = ", ".join(sorted(methods)).encode()
                return problems.reply(problems.wrong_method(methods), self._request_id, [(b"allow", allow)])
            return await self._serve(bound)
        except Refusal as refusal:
            return self._refused(refusal, bound)

    async def _serve(self, bound: Bound) -> Reply:
        shared, route = self._shared, bound.route
        bearer = "" if route.public else problems.read_bearer(self._headers.get(b"authorization"))
        if not route.public:
            self._caller = known_by(bearer)
            if route.method in _READING:
                shared.kernel.callers.admit(self._caller)
        if route.streams:
            stream = BodyStream(self._receive, asyncio.get_running_loop(), shared.kernel.settings.import_max)
            work = self._traced(partial(self._work, bound, bearer, b"", stream))
            return await shared.streams.run(work, self._turn())
        if route.body_max is not None:
            # Nobody unknown makes the server hold a large body.
            known = partial(_identifier(shared, route), shared.kernel, bearer, "http")
            await shared.threads.run(known, self._turn())
        raw = await self._body(route)
        return await shared.waiting.patiently(partial(self._hop, bound, bearer, raw), self._receive)

    async def _hop(self, bound: Bound, bearer: str, raw: bytes, waited: float) -> Reply:
        work = self._traced(partial(self._work, bound, bearer, raw, None, waited))
        return await self._shared.threads.run(work, self._turn())

    def _turn(self) -> str:
        """Whose turn it takes: the space's of the caller, who was seen before."""
        return self._shared.kernel.callers.space_of(self._caller)

    def _traced(self, work: Callable[[], Reply]) -> Callable[[], Reply]:
        """The work within the span of the request, also in another thread."""
        is_on = self._shared.kernel.telemetry.tracing.is_on
        return partial(copy_context().run, work) if is_on else work

    async def _body(self, route: Route) -> bytes:
        headers = self._headers
        declared = headers.get(b"content-length", b"0")
        if route.body is None and declared == b"0" and b"transfer-encoding" not in headers:
            return b""
        return await read_all(
            self._receive,
            route.body_max or self._shared.kernel.settings.body_max,
            declared=int(declared) if declared.isdigit() else 0,
            patient=b"expect" not in headers,
        )

    def _work(
        self, bound: Bound, bearer: str, raw: bytes, stream: BodyStream | None, waited: float = 0.0
    ) -> Reply:
        """The one hop: authenticates, reads, calls the use case and encodes what it gave."""
        shared, route = self._shared, bound.route
        try:
            principal = _NOBODY if route.public else _identifier(shared, route)(shared.kernel, bearer, "http")
            self._space_id = principal.space_id or None
            if self._space_id is not None:
                shared.kernel.callers.learn(self._caller, self._space_id)
            call = self._call(bound, principal, raw, stream, waited)
            assert route.handler is not None
            return of_answer(route.handler(shared.kernel, call), self._request_id)
        except Refusal as refusal:
            return self._refused(refusal, bound)

    def _refused(self, refusal: Refusal, bound: Bound | None) -> Reply:
        self._shared.kernel.telemetry.metrics.refused(refusal)
        if refusal.status == 401 and bound is not None and bound.route.identify is not None:
            return problems.wordless(refusal, self._request_id)
        return problems.reply(refusal, self._request_id)

    def _call(
        self, bound: Bound, principal: Principal, raw: bytes, stream: BodyStream | None, waited: float
    ) -> Call:
        route, query = bound.route, self._scope["query_string"]
        known = self._headers.get(b"if-none-match")
        for value in self._path.values():
            # Whatever no id can hold can't be found, and must not reach the database either.
            if not value.isprintable() or len(value) > 512:
                raise problems.unknown_path()
        if bound.query is None and query:
            refuse_query(query)
        seen = self._headers.get(b"if-match")
        self._require_match(route, seen)
        body, raw = self._read(bound, raw, stream)
        return Call(
            principal,
            self._request_id,
            self._path,
            None if bound.query is None else bound.query.read(query),
            body,
            self._once(route, principal, raw),
            None if known is None else known.decode("latin-1"),
            None if seen is None else seen.decode("latin-1"),
            stream,
            waited,
        )

    def _require_match(self, route: Route, seen: bytes | None) -> None:
        """RFC 9110, 13.1.1: who changes a thing may say which version it has seen. A note's id is its version's."""
        if seen is None or route.method in ("GET", "HEAD") or route.matches:
            return
        named = {part.strip().removeprefix("W/").strip('"') for part in seen.decode("latin-1").split(",")}
        if named.isdisjoint({"*", *self._path.values()}):
            raise Refusal("precondition_failed", "If-Match does not name this version: read it again.")

    def _read(self, bound: Bound, raw: bytes, stream: BodyStream | None) -> tuple[BaseModel | None, bytes]:
        """The body as it is declared, and the bytes by which the request is known again."""
        content_type = self._headers.get(b"content-type")
        if bound.form is not None:
            fields = read_form(content_type, raw)
            return bound.form.read(fields), told(fields)
        return self._read_json(bound, raw, stream, content_type), raw

    def _read_json(
        self, bound: Bound, raw: bytes, stream: BodyStream | None, content_type: bytes | None
    ) -> BaseModel | None:
        if stream is not None:
            check_content_type(content_type, also=bound.route.takes)
        elif bound.body is None:
            if raw.strip() not in (b"", b"{}"):
                raise Refusal("invalid_input", "This route takes no body.")
        elif raw or not bound.route.body_optional:
            check_content_type(content_type)
            return bound.body.read(raw)
        else:
            return bound.body.read(b"{}")
        return None

    def _once(self, route: Route, principal: Principal, raw: bytes) -> OnceKey | None:
        raw_header = self._headers.get(b"idempotency-key")
        if raw_header is None or not route.idempotent:
            return None
        header = raw_header.decode("latin-1")
        if _VISIBLE.fullmatch(header) is None:
            raise invalid("Idempotency-Key", "must have 1 to 255 visible ASCII characters")
        # The path and the query say what the request is about, as much as the body does.
        path = self._scope["path"].encode("utf-8", "surrogatepass")
        whole = _SEPARATOR.join((path, self._scope["query_string"], raw))
        key = self._shared.kernel.keys.of(principal.space_id)
        return OnceKey.of(key, principal.id, f"{route.method} {route.path}", header, whole)

    async def _stream(self, reply: Reply, route: str) -> int:
        outflow = Outflow(reply, self._receive, self._send)
        try:
            await self._shared.streams.run(outflow.pump)
        except ClientGoneError:
            return GONE
        except Exception as error:  # noqa: BLE001 - answered, or the connection is broken off
            if not outflow.started:
                return await self._fail(error, route)
            # Ending without the last piece makes the server cut the connection: the only honest sign left.
            problems.failed(error, self._request_id, route)
            return 500
        finally:
            await outflow.end()
        return reply.status

    async def _fail(self, error: Exception, route: str) -> int:
        refusal = error if isinstance(error, Refusal) else problems.failed(error, self._request_id, route)
        self._shared.kernel.telemetry.metrics.refused(refusal)
        reply = problems.reply(refusal, self._request_id)
        await send_whole(self._send, reply)
        return reply.status

    def _tell(self, route: str, status: int, seconds: float) -> None:
        self._shared.kernel.telemetry.metrics.requests.add(self._scope["method"], route, status, seconds)
        self._shared.log.info(
            REQUEST_SERVED,
            method=self._scope["method"],
            route=route,
            status=status,
            duration_ms=round(seconds * 1000, 2),
            space_id=self._space_id,
            request_id=self._request_id,
        )


def _identifier(shared: Shared, route: Route) -> Identify:
    return route.identify or shared.identify


def _template(methods: Mapping[str, Bound] | None) -> str:
    """The declared path: what was sent may hold ids of callers, and stays out of the log."""
    return next((bound.route.path for bound in methods.values()), "") if methods else ""


def joined(raw: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The headers that are read here. Repeated ones are joined (RFC 9110, section 5.3), so only lists pass."""
    found: dict[bytes, bytes] = {}
    for name, value in raw:
        if name in _READ:
            found[name] = found[name] + b", " + value if name in found else value
    return found
