"""Calls of `client.api.server`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, Call, Unset, every, request

if TYPE_CHECKING:
    from tarimba.client.api.server_shapes import (
        AgentMemoryBody,
        ConversationsBody,
        EvolutionBody,
        Health,
        JobsView,
        JobView,
        PersonalDataBody,
        ProfileView,
        Readiness,
        SettingsView,
        SkillsBody,
        SourceView,
        WorkspacesBody,
    )


class Server:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `server` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def health(self) -> Health:
        """Whether the process serves.

        `GET /healthz`.
        """
        answer: Health = self._call(request("GET", "/healthz"))
        return answer

    def ready(self) -> Readiness:
        """Whether the process has what its work needs.

        `GET /readyz`.
        """
        answer: Readiness = self._call(request("GET", "/readyz"))
        return answer

    def me(self) -> SourceView:
        """What the key is.

        `GET /v1/sources/me`.
        """
        answer: SourceView = self._call(request("GET", "/v1/sources/me"))
        return answer

    def profile(self) -> ProfileView:
        """What clients keep.

        `GET /v1/sdk/profile`.
        """
        answer: ProfileView = self._call(request("GET", "/v1/sdk/profile"))
        return answer

    def settings(self) -> SettingsView:
        """The settings.

        `GET /v1/admin/settings`.
        """
        answer: SettingsView = self._call(request("GET", "/v1/admin/settings"))
        return answer

    def change_settings(
        self,
        *,
        name: str | Unset | None = UNSET,
        language: Literal["pt", "en", "es"] | Unset | None = UNSET,
        agent_memory: AgentMemoryBody | Unset | None = UNSET,
        personal_data: PersonalDataBody | Unset | None = UNSET,
        conversations: ConversationsBody | Unset | None = UNSET,
        evolution: EvolutionBody | Unset | None = UNSET,
        skills: SkillsBody | Unset | None = UNSET,
        workspaces: WorkspacesBody | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> SettingsView:
        """Change settings.

        `PATCH /v1/admin/settings`; receipt `settings.change`.
        """
        answer: SettingsView = self._call(
            request(
                "PATCH",
                "/v1/admin/settings",
                body={
                    "name": name,
                    "language": language,
                    "agent_memory": agent_memory,
                    "personal_data": personal_data,
                    "conversations": conversations,
                    "evolution": evolution,
                    "skills": skills,
                    "workspaces": workspaces,
                },
                once=idempotency_key,
            )
        )
        return answer

    def jobs(self, *, limit: int | None = None, cursor: str | None = None) -> JobsView:
        """List the jobs.

        `GET /v1/admin/jobs`.
        """
        answer: JobsView = self._call(
            request("GET", "/v1/admin/jobs", query={"limit": limit, "cursor": cursor})
        )
        return answer

    def each_jobs(self, *, limit: int | None = None) -> Iterator[JobView]:
        """Every entry of `jobs`, page by page."""
        return every(lambda cursor: self.jobs(limit=limit, cursor=cursor), "items")
