"""The table of refusals: one code, one HTTP status and one title for every way Tarimba says no.

Everything that refuses raises `Refusal` with a code of this table. The surfaces translate it: problem+json,
MCP tool errors, CLI exit codes. A detail names fields and rules, never a value that the caller sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Code:
    """What a refusal code means: its HTTP status, its title and the CLI's exit code."""

    status: int
    title: str
    exit_code: int = 1


CODES: Mapping[str, Code] = MappingProxyType(
    {
        "invalid_input": Code(422, "The request breaks a rule", 2),
        "unauthenticated": Code(401, "The key is not known"),
        "scope_missing": Code(403, "The scope or role is missing"),
        "not_owner": Code(403, "The note belongs to another agent"),
        "person_required": Code(403, "Only a person may do this"),
        "not_found": Code(404, "Not found"),
        "method_not_allowed": Code(405, "The method is not allowed here"),
        "unsupported_media_type": Code(415, "The media type is not supported"),
        "conflict": Code(409, "The request conflicts with the present state"),
        "agent_memory_off": Code(409, "The agent memory is off in this space"),
        "agent_memory_full": Code(409, "The agent has as many active notes as it may"),
        "precondition_failed": Code(412, "The precondition failed"),
        "too_large": Code(413, "The body is too large"),
        "personal_data_in_agent_memory": Code(422, "Personal data does not belong in a note"),
        "precondition_required": Code(428, "A precondition is required"),
        "rate_limited": Code(429, "Too many requests"),
        "internal_error": Code(500, "Internal error"),
        "not_implemented": Code(501, "Not available yet"),
        "detectors_unavailable": Code(503, "The personal-data detectors do not answer"),
        "unavailable": Code(503, "Temporarily unavailable"),
    }
)


class Refusal(Exception):  # noqa: N818 - it is an answer, not an error of ours
    """A use case said no.

    `code` is a key of `CODES`; `detail` a sentence for a person, free of anything the caller sent;
    `extra` further members of the problem document; `retry_after` seconds for the header of that name;
    `status` overrides the table's HTTP status (`invalid_input` is 400 when the body is not readable JSON).
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        extra: Mapping[str, Any] | None = None,
        retry_after: int | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.extra: Mapping[str, Any] = extra or {}
        self.retry_after = retry_after
        self.status = status or CODES[code].status

    @property
    def title(self) -> str:
        return CODES[self.code].title


def not_found(what: str) -> Refusal:
    """404 for a thing that does not exist or that the caller must not know of: the same words for both."""
    return Refusal("not_found", f"There is no such {what} that you can read.")


def invalid(field: str, rule: str) -> Refusal:
    """422 for one field: `rule` says what is wanted, never what came."""
    return Refusal("invalid_input", f"{field}: {rule}")
