"""What requests about a member's memory files and files may hold."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tarimba.confined import PATH_MAX
from tarimba.identity.seats import Called
from tarimba.workspaces.memory import Name

Named = Annotated[str, Field(max_length=64)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SeatQuery(_Request):
    """The subscription, of which the caller is a member, and the agent: by slug or id. `project` is one of theirs."""

    subscription: Named
    agent: Named
    project: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_-]{0,63})?$")] = ""

    def called(self) -> Called:
        return Called(self.subscription, self.agent, project=self.project)


class MemoryQuery(SeatQuery):
    """`file` is the member's own notes, the agent's notebook, or what a project is about."""

    file: Name = "MEMORY_CUSTOM.md"


class MemoryBody(_Request):
    text: Annotated[str, Field(max_length=262_144)]


class FilesQuery(SeatQuery):
    """`path` is relative to what the member sees: of a folder, which is listed, or of a file, which is sent."""

    path: Annotated[str, Field(max_length=PATH_MAX)] = ""
    cursor: Annotated[str | None, Field(max_length=256)] = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class FoundView(TypedDict):
    """What was written past the server: since `from_version`, null where the member never wrote.

    `diff` has lines that begin with `-`, `+` or a space; `is_cut` above 64 KiB of them.
    """

    version: int
    from_version: int | None
    diff: str
    is_cut: bool


class MemoryView(TypedDict):
    r"""`version` holds this text, null where none does. `is_text` is false where bytes are shown as `\xNN`."""

    file: Name
    text: str
    is_text: bool
    etag: str
    size: int
    version: int | None
    changed_on_disk: FoundView | None


class WrittenView(TypedDict):
    etag: str
    size: int
    version: int


class VersionView(TypedDict):
    """`origin` is `server` for what was written through it, `disk` for what was found there."""

    version: int
    etag: str
    size: int
    origin: Literal["server", "disk"]
    created_at: str


class VersionsView(TypedDict):
    items: list[VersionView]


class OldTextView(VersionView):
    text: str


class FileView(TypedDict):
    """`path` is null where no request can name it. `other` is what is not sent: links, pipes, second names."""

    name: str
    path: str | None
    kind: Literal["file", "directory", "other"]
    size: int
    modified_at: str


class FilesView(TypedDict):
    """`left_out` is true where a folder has more than 10,000 names: only so many are looked at."""

    items: list[FileView]
    left_out: bool
    next_cursor: NotRequired[str]
