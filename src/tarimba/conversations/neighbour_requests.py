"""What requests about contexts and histories may hold: everything that a client of the wire may send.

Much of it asks for more than this memory has (a target model, an explanation, a filter by outcome). That is taken and
has no effect; what of a filter has none is named in the answer.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from tarimba.clock import from_datetime
from tarimba.conversations.context import Question
from tarimba.conversations.history import SEARCH_LIMIT, SEARCH_TOKENS
from tarimba.conversations.history_tools import CURSOR_MAX, ENTRIES_MAX, ITEM_ID_MAX, QUERY_MAX
from tarimba.conversations.neighbour import CustomerHandle, Level, Window
from tarimba.conversations.requests import HandleBody
from tarimba.conversations.subject import TOKEN_MAX, Subject
from tarimba.http.reading import CallerId


def _is_moment(written: str) -> str:
    try:
        _moment(written)
    except (ValueError, OverflowError):
        raise PydanticCustomError("rule", "must be a moment (RFC 3339) or a date") from None
    return written


def _moment(written: str) -> int:
    """Microseconds of a moment or date; without a zone it is UTC: models write filters, and they leave it out."""
    found = datetime.fromisoformat(written.upper())
    return from_datetime(found if found.tzinfo else found.replace(tzinfo=UTC))


def _handle(body: HandleBody) -> CustomerHandle:
    return CustomerHandle(body.type, body.value, body.scope)


Moment = Annotated[str, StringConstraints(max_length=64), AfterValidator(_is_moment)]
Short = Annotated[str, StringConstraints(min_length=1, max_length=256)]
ObjectId = Annotated[str, StringConstraints(min_length=1, max_length=512)]
Turn = Annotated[str, StringConstraints(max_length=QUERY_MAX)]


class Request(BaseModel):
    """Strict: unknown fields are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ObjectBody(Request):
    type: Short
    namespace: Short
    id: ObjectId


class TargetBody(Request):
    provider: Short
    model: Short


class SubjectBody(Request):
    """Who a request is about, and in which conversation or task."""

    subject: HandleBody | None = None
    subject_token: str | None = Field(None, min_length=1, max_length=TOKEN_MAX)
    about: HandleBody | None = None
    conversation_id: CallerId | None = None
    task_id: CallerId | None = None
    verification: Level = "V0"

    def who(self) -> Subject:
        return Subject(
            handle=None if self.subject is None else _handle(self.subject),
            token=self.subject_token,
            conversation_id=self.conversation_id,
            task_id=self.task_id,
            level=self.verification,
        )


class PrefetchBody(SubjectBody):
    object: ObjectBody | None = None
    view: str = Field("chat", min_length=1, max_length=128)
    query: Turn | None = None


class ContextBody(PrefetchBody):
    delta: bool | None = None
    target: TargetBody | None = None
    known_etag: str | None = Field(None, max_length=256)
    format: Literal["text", "json"] | None = None
    explain: bool | None = None
    include: list[Short] | None = Field(None, max_length=ENTRIES_MAX)

    def question(self) -> Question:
        return Question(
            subject=self.who(),
            view=self.view,
            object_type=None if self.object is None else self.object.type,
            include=frozenset(self.include or ()),
            known_etag=self.known_etag,
        )


class WindowBody(Request):
    """The filters that narrow a history."""

    since: Moment | None = None
    until: Moment | None = None
    channels: list[Short] | None = Field(None, max_length=ENTRIES_MAX)
    item_kinds: list[Short] | None = Field(None, max_length=ENTRIES_MAX)

    def window(self) -> Window:
        return Window(
            since=None if self.since is None else _moment(self.since),
            until=None if self.until is None else _moment(self.until),
            channels=frozenset(self.channels or ()),
            kinds=frozenset(self.item_kinds or ()),
        )


class FiltersBody(WindowBody):
    """Those, and the ones that have no counterpart in what is kept."""

    when: Short | None = None
    categories: list[Short] | None = Field(None, max_length=ENTRIES_MAX)
    item_statuses: list[Short] | None = Field(None, max_length=ENTRIES_MAX)
    outcome: Short | None = None
    object: ObjectBody | None = None
    show_expired: bool | None = None
    where: dict[str, Any] | None = None

    def ignored(self) -> list[str]:
        """The names of the filters that were sent and have no effect."""
        return sorted(name for name, value in self if value and name not in WindowBody.model_fields)


class HistoryBody(SubjectBody):
    filters: FiltersBody | None = None

    def window(self) -> Window:
        return Window() if self.filters is None else self.filters.window()

    def ignored(self) -> list[str]:
        return [] if self.filters is None else self.filters.ignored()


class HistorySearchBody(HistoryBody):
    query: str = Field(min_length=1, max_length=QUERY_MAX)
    max_tokens: int = Field(SEARCH_TOKENS, ge=50, le=4000)
    limit: int | None = Field(None, ge=1, le=100)

    def most(self) -> int:
        return SEARCH_LIMIT if self.limit is None else self.limit


class TimelineBody(HistoryBody):
    cursor: str | None = Field(None, max_length=CURSOR_MAX)
    limit: int = Field(20, ge=1, le=100)


class OpenBody(SubjectBody):
    item_id: Annotated[str, StringConstraints(min_length=1, max_length=ITEM_ID_MAX)]


class SubjectTokenBody(Request):
    subject: HandleBody
    about: HandleBody | None = None
    conversation_id: CallerId | None = None
    task_id: CallerId | None = None
    verification: Level = "V0"

    def who(self) -> Subject:
        return Subject(_handle(self.subject), None, self.conversation_id, self.task_id, self.verification)


class IngestStatusBody(Request):
    conversation_id: CallerId | None = None
    task_id: CallerId | None = None

    def who(self) -> Subject:
        return Subject(conversation_id=self.conversation_id, task_id=self.task_id)


class ToolsQuery(BaseModel):
    """Whether the tools of the agent's own notes come too."""

    model_config = ConfigDict(extra="forbid")

    agent_memory: bool = False
