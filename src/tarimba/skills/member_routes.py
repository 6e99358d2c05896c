"""`/v1/skills/index`, and `/v1/skills` for a member's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.skills import indexing, member, member_writing
from tarimba.skills import member_requests as shapes
from tarimba.skills.member_files import Piece
from tarimba.skills.member_views import Row
from tarimba.skills.member_writing import Wish
from tarimba.skills.model import Problem

_TAG: Final = "skills"
# JSON may write each character of a text of 256 KiB in six.
_BODY_MAX: Final = 2 * 1024 * 1024


def _index(kernel: Kernel, call: Call) -> Answer:
    query: shapes.IndexQuery = call.query
    # RFC 9110, 13.1.2: one etag, several, or `*`.
    known = {part.strip().removeprefix("W/").strip('"') for part in (call.if_none_match or "").split(",")}
    found = indexing.read(kernel, call.principal, query.called(), workspace=query.workspace, known=known)
    headers = {"etag": f'"{found.etag}"'}
    if found.text is None:
        return Answer(None, 304, found.receipt, headers)
    content = {"text": found.text, "etag": found.etag, "left_out": found.left_out}
    return Answer(content | {"receipt_id": found.receipt.id}, 200, found.receipt, headers)


def _list(kernel: Kernel, call: Call) -> Answer:
    query: shapes.RowsQuery = call.query
    key = kernel.keys.of(call.principal.space_id)
    scope = f"member skills {query.called()}\0{call.principal.id}"
    first = read_cursor(key, scope, query.cursor) if query.cursor else 0
    found = member.list_skills(kernel, call.principal, query.called(), first=first, limit=query.limit)
    content: dict[str, Any] = {"items": [_row(row) for row in found.items], "left_out": found.left_out}
    if found.ends_at is not None:
        content["next_cursor"] = write_cursor(key, scope, found.ends_at)
    return Answer(content, receipt=found.receipt)


def _files(kernel: Kernel, call: Call) -> Answer:
    query: shapes.FilesQuery = call.query
    found = member.list_files(kernel, call.principal, query.called(), query.name, query.origin)
    content = {
        "name": found.row.directory,
        "origin": found.row.origin,
        "items": [_piece(one) for one in found.items],
        "more": found.more,
    }
    return Answer(content, receipt=found.receipt)


def _open(kernel: Kernel, call: Call) -> Answer:
    query: shapes.DocQuery = call.query
    found = member.open_file(kernel, call.principal, query.called(), query.name, query.path, query.origin)
    document = found.document
    content = _piece(document.piece) | {
        "name": query.name,
        "origin": document.origin,
        "text": document.text,
        "verdict": document.verdict,
        "problems": _problems(document.problems),
    }
    mark = document.piece.hash
    return Answer(content, receipt=found.receipt, headers={"etag": f'"{mark}"'} if mark else {})


def _write(kernel: Kernel, call: Call) -> Answer:
    query: shapes.WriteQuery = call.query
    wish = Wish(query.name, query.path, call.body.text, call.if_match, call.if_none_match)
    made = member_writing.write(kernel, call.principal, query.called(), wish, call.once)
    judged = made.judged
    content = {
        "name": query.name,
        "path": query.path,
        "hash": made.hash,
        "size": made.size,
        "verdict": None if judged is None else judged.verdict,
        "problems": _problems(() if judged is None else judged.problems),
    }
    return Answer(content, made.status, made.receipt, {"etag": f'"{made.hash}"'})


def _delete(kernel: Kernel, call: Call) -> Answer:
    query: shapes.DeleteQuery = call.query
    receipt = member_writing.delete(
        kernel,
        call.principal,
        query.called(),
        query.name,
        query.path or "",
        seen=call.if_match,
        once_key=call.once,
    )
    return Answer({"name": query.name, "path": query.path}, receipt=receipt)


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "directory": row.directory,
        "origin": row.origin,
        "description": row.description,
        "verdict": row.verdict,
        "hash": row.mark or None,
        "shadowed": bool(row.shadowed_by),
        "shadowed_by": row.shadowed_by or None,
        "problems": _problems(row.problems),
    }


def _piece(one: Piece) -> dict[str, Any]:
    return {"path": one.path, "size": one.size, "hash": one.hash or None, "is_text": one.is_text}


def _problems(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [problem.as_json() for problem in problems]


_SKILLS: Final = "/v1/skills"
_READ: Final = "skill.index"
_CHANGE: Final = "member_skill.write"
ROUTES: Final = (
    Route(
        "GET", f"{_SKILLS}/index", _index, "The index of an agent's skills for the prompt", _TAG, _READ,
        query=shapes.IndexQuery, answer=shapes.IndexView, statuses=(200, 304),
    ),
    Route(
        "GET", _SKILLS, _list, "List a member's skills in all three layers", _TAG, _READ,
        query=shapes.RowsQuery, answer=shapes.RowsView,
    ),
    Route(
        "GET", f"{_SKILLS}/files", _files, "List the files of a skill", _TAG, _READ,
        query=shapes.FilesQuery, answer=shapes.FilesView,
    ),
    Route(
        "GET", f"{_SKILLS}/doc", _open, "Open a file of a skill", _TAG, _READ,
        query=shapes.DocQuery, answer=shapes.DocView,
    ),
    Route(
        "PUT", _SKILLS, _write, "Write a file of one's own skill", _TAG, _CHANGE,
        query=shapes.WriteQuery, body=shapes.WriteBody, body_max=_BODY_MAX, matches=True,
        answer=shapes.WrittenView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "DELETE", _SKILLS, _delete, "Delete one's own skill, or a file of it", _TAG, _CHANGE,
        query=shapes.DeleteQuery, matches=True, answer=shapes.DeletedView, idempotent=True,
    ),
)  # fmt: skip
