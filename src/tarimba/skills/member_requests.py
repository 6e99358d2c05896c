"""What requests about the index and about a member's own skills may hold."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tarimba.skills.member_views import Origin
from tarimba.skills.model import FILE_NAME
from tarimba.skills.paths import PATH_BYTES_MAX, STEP_BYTES_MAX
from tarimba.skills.seats import Called

Named = Annotated[str, Field(max_length=64)]
Directory = Annotated[str, Field(min_length=1, max_length=STEP_BYTES_MAX)]
Path = Annotated[str, Field(min_length=1, max_length=PATH_BYTES_MAX)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IndexQuery(_Request):
    """By slug or id. An agent needs not name itself; `member` adds the skills of the member's own.

    `workspace` is the absolute path of the workspace as the agent sees it, where that is not the harness's own.
    """

    subscription: Named = ""
    agent: Named = ""
    member: Named = ""
    project: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_-]{0,63})?$")] = ""
    workspace: Annotated[str | None, Field(pattern=r"^(/[A-Za-z0-9._-]+){1,32}$", max_length=512)] = None

    def called(self) -> Called:
        return Called(self.subscription, self.agent, self.member, self.project)


class SeatQuery(_Request):
    """The subscription, of which the caller is a member, and the agent: by slug or id."""

    subscription: Named
    agent: Named

    def called(self) -> Called:
        return Called(self.subscription, self.agent)


class RowsQuery(SeatQuery):
    cursor: Annotated[str | None, Field(max_length=256)] = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class FilesQuery(SeatQuery):
    """`name` is the directory of the skill; without `origin` the copy that is opened is meant."""

    name: Directory
    origin: Origin | None = None


class DocQuery(FilesQuery):
    path: Path = FILE_NAME


class WriteQuery(SeatQuery):
    name: Directory
    path: Path = FILE_NAME


class WriteBody(_Request):
    text: Annotated[str, Field(max_length=262_144)]


class DeleteQuery(SeatQuery):
    """Without `path` the whole skill goes."""

    name: Directory
    path: Annotated[str | None, Field(min_length=1, max_length=PATH_BYTES_MAX)] = None


class IndexView(TypedDict):
    text: str
    etag: str
    left_out: int
    receipt_id: str


class ProblemView(TypedDict):
    line: int
    rule: str
    message: str
    fix: str


class RowView(TypedDict):
    """`hash` is that of SKILL.md, null where none was read; `shadowed_by` that of the one opened in its place."""

    name: str
    directory: str
    origin: Literal["member", "shared", "managed"]
    description: str
    verdict: Literal["ok", "repaired", "quarantined"]
    hash: str | None
    shadowed: bool
    shadowed_by: str | None
    problems: list[ProblemView]


class RowsView(TypedDict):
    """`left_out` counts directories of own skills above the first 2,000, which are on no page."""

    items: list[RowView]
    left_out: int
    next_cursor: NotRequired[str]


class PieceView(TypedDict):
    """`hash` is null for what was not read: too large, or no plain file."""

    path: str
    size: int
    hash: str | None
    is_text: bool


class FilesView(TypedDict):
    """`more` is true when there are files above the 500 that are listed."""

    name: str
    origin: Literal["member", "shared", "managed"]
    items: list[PieceView]
    more: bool


class DocView(PieceView):
    """`text` is null for what is no text; `verdict` is that of a SKILL.md, else null."""

    name: str
    origin: Literal["member", "shared", "managed"]
    text: str | None
    verdict: Literal["ok", "repaired", "quarantined"] | None
    problems: list[ProblemView]


class WrittenView(TypedDict):
    name: str
    path: str
    hash: str
    size: int
    verdict: Literal["ok", "repaired", "quarantined"] | None
    problems: list[ProblemView]


class DeletedView(TypedDict):
    name: str
    path: str | None
