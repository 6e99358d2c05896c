"""A browser without scripts: it keeps cookies, follows nothing by itself, and sends the forms of the pages it got."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx

from tarimba.identity import hosting
from tests.contract.api.served import Api
from tests.e2e.company import Company

TOKEN = re.compile(r'name="form_token" value="([^"]+)"')
PASSWORD = "four bananas sing out loud"


@dataclass
class Visitor:
    """One browser. `page` is what it shows now."""

    http: httpx.Client
    page: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def open(self, path: str, **options: Any) -> httpx.Response:
        """GET of a path of the Console."""
        answer = self.http.get(f"/console{path}", headers=self.headers, **options)
        self._show(answer)
        return answer

    def send(self, path: str, /, **form: Any) -> httpx.Response:
        """POST of a form, with the token of the page that is shown."""
        return self.upload(path, {}, form)

    def upload(self, path: str, files: dict[str, bytes], form: dict[str, Any]) -> httpx.Response:
        """POST of a form with files."""
        found = TOKEN.search(self.page)
        data = {"form_token": unescape(found[1]) if found else ""} | form
        sent = {name: (name, content) for name, content in files.items()} or None
        answer = self.http.post(f"/console{path}", data=data, files=sent, headers=self.headers)
        self._show(answer)
        return answer

    def follow(self, answer: httpx.Response) -> httpx.Response:
        """Goes where an answer sends it."""
        assert answer.status_code == 303, answer.text
        return self.open(answer.headers["location"].removeprefix("/console"))

    def _show(self, answer: httpx.Response) -> None:
        if answer.headers.get("content-type", "").startswith("text/html"):
            self.page = answer.text


@dataclass
class Office:
    """A company, and its people in browsers of their own."""

    api: Api
    company: Company
    opened: list[Visitor] = field(default_factory=list)

    def close(self) -> None:
        for one in self.opened:
            one.http.close()

    def browser(self, language: str = "en") -> Visitor:
        client = httpx.Client(base_url=self.api.http.base_url, timeout=60)
        self.opened.append(Visitor(client, headers={"accept-language": language}))
        return self.opened[-1]

    def link(self, who: str, **options: Any) -> str:
        """The path of a one-time link for the person of that role."""
        host = hosting.host_of(self.api.kernel, self.company.slug)
        made = hosting.link(self.api.kernel, host, f"{who}@acme.example", **options)["link"]
        return made.partition("/console")[2]

    def enter(self, who: str, *, language: str = "en") -> Visitor:
        """A browser in which the person of that role is signed in."""
        one = self.browser(language)
        path = self.link(who)
        one.open(path)
        answer = one.send(path, password=PASSWORD)
        assert answer.status_code == 303, answer.text
        return one
