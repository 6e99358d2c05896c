"""`/v1/skills/effective-set` and the files that it names, for hosts that keep an agent's skills on their own disk."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tarimba.clock import SECOND, rfc3339
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.skills import sync_reading
from tarimba.skills.seats import Called

Named = Annotated[str, Field(max_length=64)]


class _Request(BaseModel):
    """Subscription and agent by slug or id. An agent needs not name itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    subscription: Named = ""
    agent: Named = ""

    def called(self) -> Called:
        return Called(self.subscription, self.agent)


class SetQuery(_Request):
    cursor: Annotated[str | None, Field(max_length=256)] = None
    limit: Annotated[int, Field(ge=1, le=sync_reading.PAGE_MAX)] = sync_reading.PAGE_MAX


class BlobQuery(_Request):
    """`name` is a skill of the set that has the file."""

    name: Annotated[str, Field(min_length=1, max_length=64)]


class FileEntry(TypedDict):
    """`hash` is the SHA-256 of the bytes, in hexadecimal; `size` counts them."""

    path: str
    hash: str
    size: int


class SkillEntry(TypedDict):
    """`content_hash` is the SHA-256 of the list of files; `published_at` the time of everything in the directory."""

    name: str
    content_hash: str
    published_at: str
    files: list[FileEntry]


class SetView(TypedDict):
    """`etag` and `count` are of the whole set, `items` a page of it, sorted by name."""

    etag: str
    count: int
    items: list[SkillEntry]
    next_cursor: str | None


def _set(kernel: Kernel, call: Call) -> Answer:
    query: SetQuery = call.query
    known = None if call.if_none_match is None else call.if_none_match.strip().removeprefix("W/").strip('"')
    page = sync_reading.read_set(
        kernel, call.principal, query.called(), known=known, cursor=query.cursor, limit=query.limit
    )
    headers = {"etag": f'"{page.tag}"'}
    if page.skills is None:
        return Answer(None, 304, page.receipt, headers)
    items: list[SkillEntry] = [
        {
            "name": tree.name,
            "content_hash": tree.content_hash,
            "published_at": rfc3339(tree.stamp * SECOND),
            "files": [{"path": file.path, "hash": file.hash, "size": file.size} for file in files],
        }
        for tree, files in page.skills
    ]
    view: SetView = {"etag": page.tag, "count": page.count, "items": items, "next_cursor": page.next_cursor}
    return Answer(view, 200, page.receipt, headers)


def _blob(kernel: Kernel, call: Call) -> Answer:
    query: BlobQuery = call.query
    found = sync_reading.read_blob(kernel, call.principal, query.called(), query.name, call.path["hash"])
    headers = {
        "content-type": "application/octet-stream",
        "content-disposition": "attachment",
        "x-content-type-options": "nosniff",
    }
    return Answer(found.data, receipt=found.receipt, headers=headers)


_TAG: Final = "skills"
_READ: Final = "skill.index"
ROUTES: Final = (
    Route(
        "GET", "/v1/skills/effective-set", _set, "List the whole set of skills that an agent gets", _TAG, _READ,
        query=SetQuery, answer=SetView, statuses=(200, 304),
    ),
    Route(
        "GET", "/v1/skills/blobs/{hash}", _blob, "Fetch a file of a skill that an agent gets", _TAG, _READ,
        query=BlobQuery, answer=bytes, media="application/octet-stream",
    ),
)  # fmt: skip
