"""Calls of `client.api.memory_files`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import Call, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.memory_files_shapes import (
        MemoryView,
        OldTextView,
        WorkspacesMemoryRequestsFilesView,
        WorkspacesMemoryRequestsVersionsView,
        WorkspacesMemoryRequestsWrittenView,
    )


class MemoryFiles:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `memory_files` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def read(
        self,
        *,
        subscription: str,
        agent: str,
        project: str | None = None,
        file: Literal["MEMORY_CUSTOM.md", "MEMORY.md", "PROJECT.md"] | None = None,
    ) -> MemoryView:
        """Read one's memory file.

        `GET /v1/memory`; receipt `member_memory.read`.
        """
        answer: MemoryView = self._call(
            request(
                "GET",
                "/v1/memory",
                query={"subscription": subscription, "agent": agent, "project": project, "file": file},
            )
        )
        return answer

    def write(
        self,
        *,
        subscription: str,
        agent: str,
        text: str,
        project: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> WorkspacesMemoryRequestsWrittenView:
        """Write one's standing notes.

        `PUT /v1/memory`; receipt `member_memory.write`.
        """
        answer: WorkspacesMemoryRequestsWrittenView = self._call(
            request(
                "PUT",
                "/v1/memory",
                query={"subscription": subscription, "agent": agent, "project": project},
                body={"text": text},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    def versions(
        self, *, subscription: str, agent: str, project: str | None = None
    ) -> WorkspacesMemoryRequestsVersionsView:
        """List earlier versions of one's notes.

        `GET /v1/memory/versions`; receipt `member_memory.read`.
        """
        answer: WorkspacesMemoryRequestsVersionsView = self._call(
            request(
                "GET",
                "/v1/memory/versions",
                query={"subscription": subscription, "agent": agent, "project": project},
            )
        )
        return answer

    def version(
        self, version: str, *, subscription: str, agent: str, project: str | None = None
    ) -> OldTextView:
        """Open an earlier version of one's notes.

        `GET /v1/memory/versions/{version}`; receipt `member_memory.read`.
        """
        answer: OldTextView = self._call(
            request(
                "GET",
                f"/v1/memory/versions/{placed(version)}",
                query={"subscription": subscription, "agent": agent, "project": project},
            )
        )
        return answer

    def look(
        self,
        *,
        subscription: str,
        agent: str,
        project: str | None = None,
        path: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> WorkspacesMemoryRequestsFilesView | bytes:
        """List what the agent shows, or download a file of it.

        `GET /v1/files`; receipt `member_file.read`.
        """
        answer: WorkspacesMemoryRequestsFilesView | bytes = self._call(
            request(
                "GET",
                "/v1/files",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "project": project,
                    "path": path,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer
