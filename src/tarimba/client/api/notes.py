"""Calls of `client.api.notes`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tarimba.client.api.calls import UNSET, Call, Unset, every, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.notes_shapes import (
        BlockAnswer,
        CreateAnswer,
        ErasedAnswer,
        EvidenceBody,
        ExportAnswer,
        ImportAnswer,
        NoteAnswer,
        OutcomeAnswer,
        PageAnswer,
        SearchAnswer,
        WaitingAnswer,
    )


class Notes:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `notes` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def block(
        self,
        *,
        max_tokens: int | None = None,
        tags: Sequence[str] | None = None,
        view: str | None = None,
        conversation_id: str | None = None,
        task_id: str | None = None,
    ) -> BlockAnswer:
        """The agent's notes as one block for the prompt.

        `GET /v1/agent-memory/block`; receipt `block.read`.
        """
        answer: BlockAnswer = self._call(
            request(
                "GET",
                "/v1/agent-memory/block",
                query={
                    "max_tokens": max_tokens,
                    "tags": tags,
                    "view": view,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                },
            )
        )
        return answer

    def create(
        self,
        *,
        kind: Literal["procedure", "tool_note", "process_note", "pitfall"],
        title: str,
        body: str,
        tags: Sequence[str] | Unset | None = UNSET,
        evidence: EvidenceBody | Unset | None = UNSET,
        visibility: Literal["source", "vendor", "space"] | Unset | None = UNSET,
        valid_until: str | Unset | None = UNSET,
        source_id: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> CreateAnswer:
        """Keep a note.

        `POST /v1/agent-memory/notes`; receipt `note.create`.
        """
        answer: CreateAnswer = self._call(
            request(
                "POST",
                "/v1/agent-memory/notes",
                body={
                    "kind": kind,
                    "title": title,
                    "body": body,
                    "tags": tags,
                    "evidence": evidence,
                    "visibility": visibility,
                    "valid_until": valid_until,
                    "source_id": source_id,
                },
                once=idempotency_key,
            )
        )
        return answer

    def list(
        self,
        *,
        status: Literal["active", "retired"] | None = None,
        visibility: Literal["source", "vendor", "space"] | None = None,
        kind: Literal["procedure", "tool_note", "process_note", "pitfall"] | None = None,
        tag: str | None = None,
        source_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> PageAnswer:
        """List notes, newest first.

        `GET /v1/agent-memory/notes`; receipt `notes.list`.
        """
        answer: PageAnswer = self._call(
            request(
                "GET",
                "/v1/agent-memory/notes",
                query={
                    "status": status,
                    "visibility": visibility,
                    "kind": kind,
                    "tag": tag,
                    "source_id": source_id,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def each(
        self,
        *,
        status: Literal["active", "retired"] | None = None,
        visibility: Literal["source", "vendor", "space"] | None = None,
        kind: Literal["procedure", "tool_note", "process_note", "pitfall"] | None = None,
        tag: str | None = None,
        source_id: str | None = None,
        limit: int | None = None,
    ) -> Iterator[NoteAnswer]:
        """Every entry of `list`, page by page."""
        return every(
            lambda cursor: self.list(
                status=status,
                visibility=visibility,
                kind=kind,
                tag=tag,
                source_id=source_id,
                limit=limit,
                cursor=cursor,
            ),
            "items",
        )

    def get(self, note_id: str) -> NoteAnswer:
        """Read one version of a note.

        `GET /v1/agent-memory/notes/{note_id}`; receipt `note.read`.
        """
        answer: NoteAnswer = self._call(request("GET", f"/v1/agent-memory/notes/{placed(note_id)}"))
        return answer

    def edit(
        self,
        note_id: str,
        *,
        kind: Literal["procedure", "tool_note", "process_note", "pitfall"] | Unset | None = UNSET,
        title: str | Unset | None = UNSET,
        body: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset | None = UNSET,
        visibility: Literal["source", "vendor", "space"] | Unset | None = UNSET,
        valid_until: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> NoteAnswer | WaitingAnswer:
        """Make a new version of a note.

        `PATCH /v1/agent-memory/notes/{note_id}`; receipt `note.edit`.
        """
        answer: NoteAnswer | WaitingAnswer = self._call(
            request(
                "PATCH",
                f"/v1/agent-memory/notes/{placed(note_id)}",
                body={
                    "kind": kind,
                    "title": title,
                    "body": body,
                    "tags": tags,
                    "visibility": visibility,
                    "valid_until": valid_until,
                },
                once=idempotency_key,
            )
        )
        return answer

    def retire(self, note_id: str, *, idempotency_key: str | None = None) -> NoteAnswer | WaitingAnswer:
        """Take a note out of use.

        `POST /v1/agent-memory/notes/{note_id}/retire`; receipt `note.retire`.
        """
        answer: NoteAnswer | WaitingAnswer = self._call(
            request("POST", f"/v1/agent-memory/notes/{placed(note_id)}/retire", once=idempotency_key)
        )
        return answer

    def versions(self, note_id: str) -> Sequence[NoteAnswer]:
        """List the versions of a note, oldest first.

        `GET /v1/agent-memory/notes/{note_id}/versions`; receipt `note.versions`.
        """
        answer: Sequence[NoteAnswer] = self._call(
            request("GET", f"/v1/agent-memory/notes/{placed(note_id)}/versions")
        )
        return answer

    def outcome(
        self,
        note_id: str,
        *,
        helped: bool,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> OutcomeAnswer:
        """Tell whether a note helped.

        `POST /v1/agent-memory/notes/{note_id}/outcomes`; receipt `note.outcome`.
        """
        answer: OutcomeAnswer = self._call(
            request(
                "POST",
                f"/v1/agent-memory/notes/{placed(note_id)}/outcomes",
                body={"helped": helped, "conversation_id": conversation_id, "task_id": task_id},
                once=idempotency_key,
            )
        )
        return answer

    def search(
        self,
        *,
        query: str,
        tags: Sequence[str] | Unset | None = UNSET,
        limit: int | Unset = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
    ) -> SearchAnswer:
        """Search notes, best first.

        `POST /v1/agent-memory/search`; receipt `notes.search`.
        """
        answer: SearchAnswer = self._call(
            request(
                "POST",
                "/v1/agent-memory/search",
                body={
                    "query": query,
                    "tags": tags,
                    "limit": limit,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                },
            )
        )
        return answer

    def tools(self) -> Sequence[Mapping[str, Any]]:
        """List the function tools this key may use.

        `GET /v1/agent-memory/tools`.
        """
        answer: Sequence[Mapping[str, Any]] = self._call(request("GET", "/v1/agent-memory/tools"))
        return answer

    def erase(self, *, source_id: str, idempotency_key: str | None = None) -> ErasedAnswer:
        """Erase everything an agent keeps.

        `DELETE /v1/agent-memory/notes`; receipt `erase.requested`.
        """
        answer: ErasedAnswer = self._call(
            request("DELETE", "/v1/agent-memory/notes", query={"source_id": source_id}, once=idempotency_key)
        )
        return answer

    def export(self, *, source_id: str | None = None) -> ExportAnswer:
        """Export all versions of all notes, and all proposals.

        `GET /v1/agent-memory/export`; receipt `export`.
        """
        answer: ExportAnswer = self._call(
            request("GET", "/v1/agent-memory/export", query={"source_id": source_id})
        )
        return answer

    def import_(
        self, *, content: bytes, source_id: str | None = None, idempotency_key: str | None = None
    ) -> ImportAnswer:
        """Import an export document.

        `POST /v1/agent-memory/import`; receipt `import`.
        """
        answer: ImportAnswer = self._call(
            request(
                "POST",
                "/v1/agent-memory/import",
                query={"source_id": source_id},
                content=content,
                once=idempotency_key,
            )
        )
        return answer
