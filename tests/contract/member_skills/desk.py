"""A member at work with one agent in one subscription, and the administrators who publish for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from tarimba.harnesses.service import profile
from tests.contract.api.served import Api
from tests.e2e.company import Company, log_of

SKILLS = "/v1/skills"


def skill(name: str, description: str = "Use when it is needed.", body: str = "Do it.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


class Desk:
    """Requests about the seat of `member` with the agent `billing` in the subscription `team`."""

    def __init__(self, api: Api, company: Company) -> None:
        self.api, self.company = api, company
        self.harness = "generic"
        team = self.call(
            "owner", "POST", "/v1/admin/subscriptions", json={"slug": "team", "members": ["member"]}
        )
        self.team = team.json()["subscription_id"]
        people = self.call("owner", "GET", "/v1/admin/people").json()["items"]
        (self.member,) = [one["person_id"] for one in people if one["slug"] == "member"]

    def call(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(self.company, who, method, path, **options)

    def run_by(self, harness: str) -> None:
        url = f"/v1/admin/agents/{self.company.sources['billing']}"
        assert self.call("owner", "PATCH", url, json={"harness": harness}).is_success
        self.harness = harness

    def publish(self, text: str, **scope: str) -> dict[str, Any]:
        form: dict[str, Any] = {"files": {"body": text.encode()}, "params": scope}
        answer = self.call("admin", "POST", "/v1/admin/skills", **form)
        assert answer.is_success, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def ask(self, method: str, suffix: str = "", /, who: str = "member", **options: Any) -> httpx.Response:
        """A request about the member's skills; what is given besides `json` and `headers` goes into the query."""
        sent = {name: options.pop(name) for name in ("json", "headers") if name in options}
        params = {"subscription": "team", "agent": "billing"} | options
        return self.call(who, method, f"{SKILLS}{suffix}", params=params, **sent)

    def put(self, name: str, text: str, seen: str | None = None, **options: Any) -> httpx.Response:
        headers = dict(options.pop("headers", {})) | ({} if seen is None else {"if-match": f'"{seen}"'})
        return self.ask("PUT", name=name, json={"text": text}, headers=headers, **options)

    def rows(self, *origins: str) -> list[dict[str, Any]]:
        """Those of the layers, else all but what comes with the package."""
        found: list[dict[str, Any]] = self.ask("GET").json()["items"]
        return [row for row in found if row["origin"] in (origins or ("member", "shared"))]

    def index(self, who: str = "billing", **options: Any) -> httpx.Response:
        headers = options.pop("headers", {})
        return self.call(who, "GET", f"{SKILLS}/index", params=options, headers=headers)

    @property
    def home(self) -> Path:
        """The member's folder with the agent."""
        under = f"subscriptions/{self.team}/agents/{self.company.sources['billing']}/members/{self.member}"
        return self.api.kernel.settings.data / "spaces" / self.company.space_id / under

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    @property
    def own(self) -> Path:
        """Where the agent's own skills are."""
        return self.workspace / profile(self.harness).own_root

    def scribble(self, directory: str, text: str | bytes, file: str = "SKILL.md") -> Path:
        """What the agent itself writes, past the server."""
        path = self.own / directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def log(self) -> list[dict[str, Any]]:
        return [dict(stored.document) for stored in log_of(self.api.kernel, self.company)]
