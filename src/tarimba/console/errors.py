"""The page that says no: what happened in the visitor's language, and what the rule wants."""

from __future__ import annotations

from typing import Final

from tarimba.console.page import Guest, Html, Visit
from tarimba.errors import Refusal

# Of a form that was sent after its session had ended: a page that is only opened leads to the sign-in.
_SIGNED_OUT: Final = 401


def problem_page(visit: Visit | Guest, refusal: Refusal, request_id: str) -> Html:
    """For a script of ours a line that goes into the page, else a page of its own."""
    key = f"problem.{refusal.code}"
    said = visit.speech(key if visit.speech.has(key) else "problem.internal_error")
    values = {
        "said": said,
        "detail": refusal.detail,
        "status": refusal.status,
        "retry_after": refusal.retry_after,
        "request_id": request_id,
        "is_signed_in": visit.session is not None,
        "is_signed_out": visit.session is None and refusal.status == _SIGNED_OUT,
    }
    # A browser's script shows the part only when the answer is a success.
    status = 200 if visit.is_part else refusal.status
    return Html("problem_part.html" if visit.is_part else "problem.html", values, status)
