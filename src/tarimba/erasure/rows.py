"""One row of an export document: its form, and its place in a chain of versions. No database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tarimba.errors import Refusal, invalid
from tarimba.ids import is_id
from tarimba.notes.model import Evidence, Kind, Note, Origin, Status, Visibility
from tarimba.notes.service import moment

_CREATOR: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _identifier(value: str) -> str:
    if not is_id(value):
        raise ValueError("not an id")
    return value


def _creator(value: str) -> str:
    if _CREATOR.fullmatch(value) is None:
        raise ValueError("not the id of an agent, a person or a key")
    return value


def _moment(value: str) -> str:
    moment(value)
    return value


Id = Annotated[str, AfterValidator(_identifier)]
Creator = Annotated[str, AfterValidator(_creator)]
Moment = Annotated[str, AfterValidator(_moment)]


class EvidenceRow(BaseModel):
    """Where a row came from, as the document says it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    conversation_id: str | None = None
    task_id: str | None = None


class _NoteRow(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    note_id: Id
    source_id: Id
    kind: Kind
    title: str
    body: str
    tags: list[str]
    visibility: Visibility
    evidence: EvidenceRow | None
    origin: Origin
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    supersedes_note_id: Id | None
    status: Status
    valid_until: Moment | None
    created_at: Moment
    created_by: Creator


def read_note(row: Any, source_id: str | None) -> Note:
    """The row as a note, of the agent `source_id` when given. Raises 422 naming fields, never quoting them."""
    try:
        read = _NoteRow.model_validate(row)
    except ValidationError as error:
        raise refusal_of(error, "a note") from None
    values = read.model_dump(exclude={"tags", "evidence", "source_id", "valid_until", "created_at"})
    return Note(
        source_id=source_id or read.source_id,
        tags=tuple(read.tags),
        evidence=Evidence(**read.evidence.model_dump()) if read.evidence else None,
        valid_until=moment(read.valid_until) if read.valid_until else None,
        created_at=moment(read.created_at),
        **values,
    )


def refusal_of(error: ValidationError, what: str) -> Refusal:
    """422 for the first thing that a row breaks: names a field of `what`, never a word of the sender's."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if first["type"] == "extra_forbidden":
        # The name of an unknown field is the sender's own word.
        return Refusal("invalid_input", f"The row has a field that {what} does not have.")
    field = str(first["loc"][0]) if first["loc"] else "the row"
    return invalid(
        field, "is required" if first["type"] == "missing" else f"does not have the form that {what} needs"
    )


@dataclass(slots=True)
class Chain:
    """A chain while its document is read. `chain_id` is None until a version of it was kept."""

    source_id: str
    last_note_id: str
    last_version: int
    ended: bool
    chain_id: str | None = None
    age: int = 0


class Chains:
    """Puts each row behind the one it replaces: versions of a note stand in the document in their order."""

    def __init__(self) -> None:
        self._of_note: dict[str, Chain] = {}

    def place(self, note: Note) -> Chain:
        """The chain that the note goes on, or a new one. Raises 422 when the document contradicts itself."""
        if note.note_id in self._of_note:
            raise invalid("note_id", "stands in the document before")
        if note.supersedes_note_id is None:
            chain = self._new(note)
        else:
            chain = self._of_note.get(note.supersedes_note_id) or self._unknown()
            self._check(note, chain)
        chain.last_note_id, chain.last_version = note.note_id, note.version
        chain.ended = note.status == "active"
        self._of_note[note.note_id] = chain
        return chain

    def _new(self, note: Note) -> Chain:
        if note.version != 1:
            raise invalid("version", "is above 1, so `supersedes_note_id` is required")
        return Chain(note.source_id, note.note_id, 1, ended=False)

    def _unknown(self) -> Chain:
        raise invalid("supersedes_note_id", "names no note that stands before in the document")

    def _check(self, note: Note, chain: Chain) -> None:
        if chain.last_note_id != note.supersedes_note_id or chain.last_version != note.version - 1:
            raise invalid("version", "does not follow the version that it replaces")
        if chain.source_id != note.source_id:
            raise invalid("source_id", "is not that of the version that it replaces")
        if chain.ended:
            raise invalid("supersedes_note_id", "names a note that is still active")
