"""`/v1/members/{person_id}/data`: a member takes all of theirs along, or has it erased."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from tarimba.erasure import member_erasing, member_exporting
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

_DATA: Final = "/v1/members/{person_id}/data"
_TAG: Final = "erasure"
_ZIP: Final = "application/zip"
_HEADERS: Final = {
    "content-type": _ZIP,
    "content-disposition": 'attachment; filename="member-data.zip"',
    "x-content-type-options": "nosniff",
}


class ErasedMemberAnswer(BaseModel):
    """`complete` tells whether nothing is left; else a job goes on, which `GET /v1/admin/jobs` shows."""

    person_id: str
    complete: bool
    receipt_id: str


def _export(kernel: Kernel, call: Call) -> Answer:
    found = member_exporting.export_member(kernel, call.principal, call.path["person_id"])
    return Answer(found.pieces, receipt=found.receipt, headers=_HEADERS)


def _erase(kernel: Kernel, call: Call) -> Answer:
    done = member_erasing.erase_member(kernel, call.principal, call.path["person_id"], once_key=call.once)
    content = {"person_id": done.person_id, "complete": done.is_complete, "receipt_id": done.receipt.id}
    return Answer(content, receipt=done.receipt)


ROUTES: Final = (
    Route(
        "GET", _DATA, _export, "Take along all that a member keeps, as a zip archive", _TAG, "export",
        answer=bytes, media=_ZIP,
    ),
    Route(
        "DELETE", _DATA, _erase, "Erase all that a member keeps", _TAG, "erase.requested",
        answer=ErasedMemberAnswer, idempotent=True,
    ),
)  # fmt: skip
