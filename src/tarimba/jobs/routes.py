"""`/v1/admin/jobs`."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tarimba.http.route import Answer, Call, Route
from tarimba.identity.listing import Window
from tarimba.jobs.listing import list_jobs
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor

_LISTS: Final = "Jobs hold ids, codes and counts, and no content of agents or customers."


class ListQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, Field(ge=1, le=100)] = 50
    cursor: Annotated[str, Field(max_length=512)] | None = None


class JobView(TypedDict):
    """`progress` counts what is done so far; `next_at` is when it is tried again, if nobody is at it."""

    job_id: str
    kind: str
    state: Literal["running", "waiting"]
    attempts: int
    problem: str | None
    created_at: str
    next_at: str
    progress: dict[str, int]


class JobsView(TypedDict):
    items: list[JobView]
    next_cursor: NotRequired[str]


def _get_jobs(kernel: Kernel, call: Call) -> Answer:
    key = kernel.keys.of(call.principal.space_id)
    scope = f"jobs\0{call.principal.id}"
    after = read_cursor(key, scope, call.query.cursor) if call.query.cursor else 0
    page = list_jobs(kernel, call.principal, Window(call.query.limit, after))
    content: dict[str, Any] = {"items": [entry.as_json() for entry in page.items]}
    if page.ends_at is not None:
        content["next_cursor"] = write_cursor(key, scope, page.ends_at)
    return Answer(content)


ROUTES: Final = (
    Route(
        "GET", "/v1/admin/jobs", _get_jobs, "List the jobs", "jobs", None, _LISTS,
        query=ListQuery, answer=JobsView,
    ),
)  # fmt: skip
