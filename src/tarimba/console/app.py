"""The Console as an ASGI application: tells who comes, reads what they send, runs the page, sends it with its walls.

On the event loop only bytes are moved; finding the session, the page and its rendering take one hop to a thread.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, MutableMapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote, urlsplit

from tarimba.console import done, fields
from tarimba.console.app_cookies import GUEST, KEYS, LANGUAGE, PENDING, SESSION, THEME
from tarimba.console.errors import problem_page
from tarimba.console.fields import Fields
from tarimba.console.page import Cookie, Download, Guest, Html, Page, Redirect, Shown, Visit
from tarimba.console.pages import PAGES
from tarimba.console.rendering import PREFIX, Renderer, url
from tarimba.console.walls import cookie_header, is_own_origin, new_guest_cookie, takes_gzip, walls
from tarimba.console.words import LANGUAGES, Speech, chosen, load
from tarimba.errors import Refusal
from tarimba.http import problems
from tarimba.http.body import ClientGoneError, Receive, read_all, unstorable
from tarimba.http.reply import Header, Reply, Send, send_whole
from tarimba.http.table import Table
from tarimba.http.threads import CLOSE_SECONDS, Threads
from tarimba.identity import sessions
from tarimba.identity.rules import allow
from tarimba.identity.sessions import Session
from tarimba.ids import digest, new_id
from tarimba.kernel import Kernel

_STATIC: Final = f"{PREFIX}/static/"
_FOR_EVER: Final = [
    (b"cache-control", b"public, max-age=31536000, immutable"),
    (b"vary", b"accept-encoding"),
]


_Sent = tuple[Fields, Fields]
_NOTHING: Final[_Sent] = (Fields(), Fields())


class Asked:
    """A request, read: what the thread needs of it."""

    def __init__(
        self, scope: MutableMapping[str, Any], page: Page, path: Mapping[str, str], body: bytes | Refusal
    ) -> None:
        self.page = page
        self.path = path
        self.body = body
        self.request_id = new_id()
        self.query = scope.get("query_string", b"")
        self.headers: Mapping[bytes, bytes] = dict(scope["headers"])
        self.client = (scope.get("client") or ("", 0))[0]
        self.is_secure = scope.get("scheme") == "https"
        self.address = scope["path"].removeprefix(PREFIX)
        self.cookies = _cookies(self.headers.get(b"cookie", b""))

    def header(self, name: bytes) -> str:
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def is_part(self) -> bool:
        return self.header(b"hx-request") == "true"


class Console:
    """Everything below `/console`."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._texts = load()
        self._renderer = Renderer(self._texts)
        self._table = Table((PREFIX + page.path, page.method, page) for page in PAGES)
        self._threads = Threads(kernel.settings.threads, kernel.settings.queue_max, "tarimba-console")

    def open(self) -> None:
        self._threads.open()

    def close(self) -> None:
        """Gives the requests under way a few seconds to end, and ends the threads."""
        self._threads.close(self._kernel.draining.left(CLOSE_SECONDS))

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        is_head = method == "HEAD"
        static = self._static(scope) if path.startswith(_STATIC) else None
        if static is not None:
            await send_whole(send, static)
            return
        found = self._table.find(path.rstrip("/") if path != PREFIX else path)
        methods, named = found or ({}, {})
        page = methods.get("GET" if is_head else method) or _NOWHERE
        try:
            body = await _body(scope, receive, page) if method == "POST" else b""
        except ClientGoneError:
            return
        asked = Asked(scope, page, named, body)
        try:
            reply = await self._threads.run(partial(self._reply, asked))
        except Refusal as refusal:
            reply = self._refused(asked, self._guest(asked, None), refusal)
        await self._send(send, reply, is_head=is_head)

    async def _send(self, send: Send, reply: Reply, *, is_head: bool) -> None:
        if isinstance(reply.body, bytes):
            await send_whole(send, Reply(reply.status, reply.headers, b"" if is_head else reply.body))
            return
        await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
        if not is_head:
            await self._stream(send, reply.body)
        await send({"type": "http.response.body", "body": b""})

    async def _stream(self, send: Send, body: Iterator[bytes]) -> None:
        try:
            while (piece := await self._threads.run(partial(next, body, None))) is not None:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        finally:
            close = getattr(body, "close", None)
            if close is not None:
                close()

    def _static(self, scope: MutableMapping[str, Any]) -> Reply | None:
        """A file that pages load; None where there is none."""
        name, method = scope["path"].removeprefix(_STATIC), scope["method"]
        statics = self._renderer.statics
        found = statics.files.get(name)
        if found is None or method not in {"GET", "HEAD"}:
            return None
        headers = [(b"content-type", found[1].encode()), (b"x-content-type-options", b"nosniff"), *_FOR_EVER]
        content = found[0]
        if takes_gzip(dict(scope["headers"]).get(b"accept-encoding", b"").decode("latin-1")):
            content = statics.packed[name]
            headers.append((b"content-encoding", b"gzip"))
        return Reply(200, headers, content if method == "GET" else b"")

    def _reply(self, asked: Asked) -> Reply:
        visit: Visit | Guest = self._guest(asked, None)
        try:
            session = sessions.find(self._kernel, asked.cookies.get(SESSION, ""))
            # What can't be read is refused in the words of whoever sent it.
            visit = self._visit(asked, session, _NOTHING)
            visit = self._visit(asked, session, _read(asked))
            return self._sent(asked, visit, self._shown(asked, visit))
        except Refusal as refusal:
            problem = refusal
        except Exception as error:  # noqa: BLE001 - the visitor is told, the log has its place
            problem = problems.failed(error, asked.request_id, asked.page.path)
        return self._refused(asked, visit, problem)

    def _refused(self, asked: Asked, visit: Visit | Guest, refusal: Refusal) -> Reply:
        reply = self._sent(asked, visit, problem_page(visit, refusal, asked.request_id))
        if refusal.status not in (408, 413):
            return reply
        # What is left of the body must not be read as the next request.
        return Reply(reply.status, [*reply.headers, (b"connection", b"close")], reply.body)

    def _visit(self, asked: Asked, session: Session | None, sent: _Sent) -> Visit | Guest:
        if session is None or asked.page.guest:
            return self._guest(asked, session, sent)
        query, form = sent
        return Visit(
            session,
            asked.path,
            query,
            form,
            Speech(session.person.language, self._texts),
            session.form_key,
            asked.client,
            _theme(asked),
            asked.is_part,
            _has_keys(asked),
        )

    def _guest(self, asked: Asked, session: Session | None, sent: _Sent | None = None) -> Guest:
        language = asked.cookies.get(LANGUAGE, "")
        if session is not None:
            language = session.person.language
        speech = chosen(asked.header(b"accept-language"), self._texts)
        if language in LANGUAGES:
            speech = Speech(language, self._texts)
        token = digest(f"form\0{asked.cookies.get(GUEST, '')}")
        query, form = sent or _NOTHING
        return Guest(
            asked.path,
            query,
            form,
            speech,
            token,
            asked.client,
            _theme(asked),
            asked.cookies.get(PENDING, ""),
            asked.is_part,
            session,
            _has_keys(asked),
        )

    def _shown(self, asked: Asked, visit: Visit | Guest) -> Shown:
        page = asked.page
        if isinstance(visit, Guest) and not page.guest:
            return _to_sign_in(asked)
        if page.method == "POST":
            self._require_own_form(asked, visit)
        if isinstance(visit, Visit) and not page.is_for(visit.principal):
            allow(visit.principal, page.acts[0])
        handler: Any = page.handler
        shown: Shown = handler(self._kernel, visit)
        return shown

    def _require_own_form(self, asked: Asked, visit: Visit | Guest) -> None:
        """Raises 403 for a form that is not one of our pages, sent by the browser that got it."""
        said = visit.form.text("form_token") or asked.header(b"x-form-token")
        known = isinstance(visit, Visit) or bool(asked.cookies.get(GUEST))
        is_own = is_own_origin(asked.headers, self._kernel.settings.public_url)
        if not (known and is_own and hmac.compare_digest(said.encode(), visit.form_token.encode())):
            raise Refusal(
                "scope_missing", "This form is too old, or is not of this page. Open the page again."
            )

    def _sent(self, asked: Asked, visit: Visit | Guest, shown: Shown) -> Reply:
        public = self._kernel.settings.public_url
        headers: list[Header] = [(b"x-request-id", asked.request_id.encode()), *walls(public)]
        wait = getattr(shown, "retry_after", None)
        headers += [] if wait is None else [(b"retry-after", str(wait).encode())]
        cookies = list(getattr(shown, "cookies", ()))
        if isinstance(visit, Guest) and not asked.cookies.get(GUEST):
            cookies.append(Cookie(GUEST, new_guest_cookie()))
            visit = self._with_token(asked, visit, cookies[-1].value)
        headers += [cookie_header(cookie, is_secure=self._is_secure(asked)) for cookie in cookies]
        if isinstance(shown, Redirect):
            to = _address(shown, visit)
            name = b"hx-redirect" if asked.is_part else b"location"
            return Reply(200 if asked.is_part else 303, [*headers, (name, to.encode("ascii"))])
        if isinstance(shown, Download):
            return Reply(200, [*headers, *_attached(shown)], shown.content)
        body = self._renderer.render(shown, visit)
        return Reply(shown.status, [*headers, (b"content-type", b"text/html; charset=utf-8")], body)

    def _with_token(self, asked: Asked, visit: Guest, cookie: str) -> Guest:
        asked.cookies[GUEST] = cookie
        return self._guest(asked, visit.session, (visit.query, visit.form))

    def _is_secure(self, asked: Asked) -> bool:
        public = self._kernel.settings.public_url
        return asked.is_secure or bool(public and public.startswith("https:"))


async def _body(scope: MutableMapping[str, Any], receive: Receive, page: Page) -> bytes | Refusal:
    """What was sent, or why it was not read. Raises `ClientGoneError`."""
    declared = dict(scope["headers"]).get(b"content-length", b"0").decode("latin-1")
    size = int(declared[:20]) if declared.isdigit() else 0
    try:
        return await read_all(receive, page.body_max, declared=size)
    except Refusal as refusal:
        return refusal


def _read(asked: Asked) -> _Sent:
    """The query and the form. Raises what kept them from being read."""
    if isinstance(asked.body, Refusal):
        raise asked.body
    if any(unstorable(value) for value in asked.path.values()):
        raise problems.unknown_path()
    kind = asked.headers.get(b"content-type")
    return fields.of_query(asked.query), fields.of_body(kind, asked.body) if asked.body else Fields()


def _to_sign_in(asked: Asked) -> Shown:
    if asked.page.method == "POST":
        raise Refusal("unauthenticated", "You are not signed in any more. Sign in and send it again.")
    query = asked.query.decode("latin-1")
    wanted = asked.address + (f"?{query}" if query else "")
    return Redirect(f"/sign-in?next={quote(wanted, safe='')}" if wanted.strip("/") else "/sign-in")


def _cookies(header: bytes) -> dict[str, str]:
    """Read by hand, so that a cookie of somebody else on the host, however made, takes none of ours away."""
    found: dict[str, str] = {}
    for part in header.decode("latin-1").split(";"):
        name, _, value = part.partition("=")
        # Browsers send the cookie of the longest path first: ours has one.
        found.setdefault(name.strip(), value.strip().strip('"'))
    return found


def _theme(asked: Asked) -> str:
    said = asked.cookies.get(THEME, "auto")
    return said if said in {"light", "dark"} else "auto"


def _has_keys(asked: Asked) -> bool:
    return asked.cookies.get(KEYS) != "off"


def _address(shown: Redirect, visit: Visit | Guest) -> str:
    if shown.is_away:
        return shown.to
    return _with_done(url(shown.to), done.saying(visit, shown.done)) if shown.done else url(shown.to)


def _with_done(to: str, said: str) -> str:
    parts = urlsplit(to)
    query = f"{parts.query}&done={said}" if parts.query else f"done={said}"
    return parts._replace(query=query).geturl()


def _attached(shown: Download) -> list[Header]:
    plain = "".join(
        char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in shown.name
    )
    named = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(shown.name, safe='')}"
    return [(b"content-type", shown.media.encode()), (b"content-disposition", named.encode("latin-1"))]


def _nowhere(_kernel: Kernel, _visit: Guest) -> Html:
    raise problems.unknown_path()


_NOWHERE: Final = Page("GET", "", _nowhere, guest=True)
