"""The URLs of export, import and erasure under `/v1/agent-memory`."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from tarimba.erasure import service
from tarimba.erasure.model import Row
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

_ROOT: Final = "/v1/agent-memory"
_TAG: Final = "erasure"


class AgentQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source_id: str = Field(max_length=512)


class AnyAgentQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source_id: str | None = Field(None, max_length=512)


class ErasedAnswer(BaseModel):
    source_id: str
    deleted: int
    receipt_id: str


class ExportAnswer(BaseModel):
    source_id: str | None
    exported_at: str
    notes: list[dict[str, Any]]
    proposals: list[dict[str, Any]]


class RefusedRow(BaseModel):
    array: str
    index: int
    code: str
    detail: str
    kinds: list[str]


class ImportAnswer(BaseModel):
    """`refused` names up to 1,000 rows, `refused_count` counts all."""

    notes: int
    versions: int
    proposals: int
    refused_count: int
    refused: list[RefusedRow]
    receipt_id: str


def _erase(kernel: Kernel, call: Call) -> Answer:
    done = service.erase(kernel, call.principal, call.query.source_id, once_key=call.once)
    content = {"source_id": done.source_id, "deleted": done.deleted, "receipt_id": done.receipt.id}
    return Answer(content, receipt=done.receipt)


def _export(kernel: Kernel, call: Call) -> Answer:
    done = service.export(kernel, call.principal, call.query.source_id)
    return Answer(done.pieces, receipt=done.receipt, headers={"content-type": "application/json"})


def _import(kernel: Kernel, call: Call) -> Answer:
    done = service.import_notes(
        kernel, call.principal, call.stream, into=call.query.source_id, once_key=call.once
    )
    content = {
        "notes": done.notes,
        "versions": done.versions,
        "proposals": done.proposals,
        "refused_count": done.refused_count,
        "refused": [_row(row) for row in done.refused],
        "receipt_id": done.receipt.id,
    }
    return Answer(content, receipt=done.receipt)


def _row(row: Row) -> dict[str, Any]:
    named = {"array": row.array, "index": row.index, "code": row.code, "detail": row.detail}
    return {**named, "kinds": list(row.kinds)}


ROUTES: Final = (
    Route(
        "DELETE", f"{_ROOT}/notes", _erase, "Erase everything an agent keeps", _TAG, "erase.requested",
        query=AgentQuery, answer=ErasedAnswer, idempotent=True,
    ),
    Route(
        "GET", f"{_ROOT}/export", _export, "Export all versions of all notes, and all proposals", _TAG, "export",
        query=AnyAgentQuery, answer=ExportAnswer,
    ),
    Route(
        "POST", f"{_ROOT}/import", _import, "Import an export document", _TAG, "import",
        query=AnyAgentQuery, answer=ImportAnswer, streams=True, idempotent=True,
    ),
)  # fmt: skip
