"""A company with three weeks behind it, in a real server process, and browsers in which its people are signed in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

from tarimba.cli.demo_past import Past, live
from tarimba.cli.demo_served import receiver
from tarimba.identity import hosting
from tests.contract.console.visitor import PASSWORD, Visitor
from tests.e2e.company import MASTER_KEY, Place
from tests.fixtures.server import RunningServer, running_server

SECRET = "a secret that signs tokens in tests"
# Who works at the company, by their role.
PEOPLE = {
    "owner": "rita",
    "manager": "davi",
    "reviewer": "bento",
    "operator": "nara",
    "auditor": "otto",
    "member": "lia",
}
ENVIRONMENT = {"TARIMBA_MCP_TOKEN_SECRET": SECRET, "TARIMBA_WEBHOOK_HOSTS": "127.0.0.1"}
SIZES = {"wide": (1280, 900), "narrow": (360, 740)}


@dataclass
class Heard:
    """What a browser said and asked for while its pages were used."""

    base_url: str
    problems: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._request)
        page.on("dialog", self._dialog)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.problems.append(message.text)

    def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.accept()

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.base_url, "data:", "blob:")):
            self.problems.append(f"asks for {request.url}")


@dataclass
class Lived:
    """The server, what its past left, and the session of each role, opened once."""

    server: RunningServer
    place: Place
    past: Past
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"{self.server.base_url}/console"

    def call(self, who: str, method: str, path: str, **request: Any) -> httpx.Response:
        """A request to the API by a person or an agent, by the slug."""
        headers = {"authorization": f"Bearer {self.past.bearers[who]}"} | request.pop("headers", {})
        return httpx.request(
            method, f"{self.server.base_url}{path}", headers=headers, timeout=60, trust_env=False, **request
        )

    @contextmanager
    def visitor(self, role: str) -> Iterator[Visitor]:
        """A browser without scripts in which the person of that role is signed in."""
        cookies = {"tarimba_session": self._session(role)}
        with httpx.Client(
            base_url=self.server.base_url, cookies=cookies, timeout=60, trust_env=False
        ) as client:
            yield Visitor(client)

    def speak(self, role: str, language: str) -> None:
        """The person of that role chooses a language."""
        with self.visitor(role) as one:
            one.open("/account")
            assert one.send("/account/language", language=language).status_code == 303

    @contextmanager
    def browsing(
        self, browser: Browser, role: str, size: str = "wide", theme: str = "light", **options: Any
    ) -> Iterator[tuple[Page, Heard]]:
        """A page of a browser in which the person of that role is signed in, or nobody when there is no role."""
        width, height = SIZES[size]
        context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if theme == "dark" else "light",
            locale="pt-BR",
            **options,
        )
        if role:
            value = self._session(role)
            context.add_cookies(
                [{"name": "tarimba_session", "value": value, "url": f"{self.url}/", "httpOnly": True}]
            )
        page = context.new_page()
        heard = Heard(self.server.base_url)
        heard.listen(page)
        try:
            yield page, heard
        finally:
            context.close()

    def _session(self, role: str) -> str:
        if role not in self.cookies:
            self.cookies[role] = self._enter(PEOPLE[role])
        return self.cookies[role]

    def link(self, slug: str) -> str:
        """The path of a fresh link by which a person comes in."""
        with self.place.kernel() as kernel:
            host = hosting.host_of(kernel, "acme")
            return hosting.link(kernel, host, f"{slug}@acme.example")["link"].partition("/console")[2]

    def _enter(self, slug: str) -> str:
        path = self.link(slug)
        with httpx.Client(base_url=self.server.base_url, timeout=60, trust_env=False) as client:
            one = Visitor(client)
            one.open(path)
            assert one.send(path, password=PASSWORD).status_code == 303
            return client.cookies["tarimba_session"]


@contextmanager
def lived(place: Place) -> Iterator[Lived]:
    """Lives the company's past through in the database of `place`, and serves it."""
    with receiver() as address:
        settings = {"data": place.data, "db": place.db, "master_key": MASTER_KEY, "log_level": "error"}
        settings |= {"mcp_token_secret": SECRET, "webhook_hosts": "127.0.0.1"}
        past = live(settings, address)
        with running_server(place.data, place.db, env={**place.environment, **ENVIRONMENT}) as server:
            yield Lived(server, place, past)


LINK = re.compile(r'<a\b[^>]*?\bhref="(/console[^"#]*)')


def links(page: str) -> list[str]:
    """Where a page leads within the Console, in its order."""
    return [unescape(found).removeprefix("/console") for found in dict.fromkeys(LINK.findall(page))]
