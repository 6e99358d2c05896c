"""`/v1/admin/skills` and `/v1/admin/files`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tarimba.errors import invalid
from tarimba.http.reply import encode
from tarimba.http.route import Answer, Call, Route
from tarimba.identity.changes import receipt_of
from tarimba.identity.listing import Window
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.skills import exporting, looking, publishing, removing, sharing, views
from tarimba.skills.drafting import Offer, digest
from tarimba.skills.explaining import explain
from tarimba.skills.requests import (
    EffectiveQuery,
    ListQuery,
    OneQuery,
    PathQuery,
    PublishForm,
    RemoveQuery,
    RollbackBody,
    ScopeFields,
    ShareForm,
    ShareQuery,
    VersionsQuery,
    scope_of,
)

_TAG: Final = "skills"
_LISTS: Final = "Administration lists hold no content of agents or customers."
# A form is a little larger than the file in it.
_FORM_MAX: Final = 11 * 1024 * 1024
_OCTETS: Final = "application/octet-stream"
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]")


def _list(kernel: Kernel, call: Call) -> Answer:
    query: ListQuery = call.query
    asked = query.asked() if query.is_given else None
    name = f"skills {asked}"
    window = Window(query.limit, _place(kernel, call, name) or 0)
    items, ends_at = looking.list_skills(kernel, call.principal, asked, window)
    return _page(kernel, call, name, {"items": [views.published_view(one) for one in items]}, ends_at)


def _publish(kernel: Kernel, call: Call) -> Answer:
    form: PublishForm = call.body
    offer = Offer(form.name, form.file, form.body, views.language_of(call.principal.language))
    asked = scope_of(call.query, form)
    made = publishing.publish(kernel, call.principal, asked, offer, seen=call.if_match, once_key=call.once)
    return _published(kernel, call, made)


def _roll_back(kernel: Kernel, call: Call) -> Answer:
    body: RollbackBody = call.body
    asked = scope_of(call.query, body)
    made = publishing.roll_back(
        kernel, call.principal, asked, body.name, body.version, seen=call.if_match, once_key=call.once
    )
    return _published(kernel, call, made)


def _published(kernel: Kernel, call: Call, made: publishing.Outcome) -> Answer:
    ids = made.done.ids
    one = looking.find_version(kernel, call.principal.space_id, ids["skill_id"], int(ids["version"]))
    content = {
        **views.published_view(one),
        "is_new": made.done.status == 201,
        "warnings": [warning.as_json() for warning in made.warnings],
        "ignored": made.ignored,
    }
    return Answer(content, made.done.status, receipt_of(made.done), _tag(one.content_hash))


def _remove(kernel: Kernel, call: Call) -> Answer:
    query: RemoveQuery = call.query
    act = removing.erase if query.erase else removing.remove
    gone = act(kernel, call.principal, query.asked(), query.name, seen=call.if_match, once_key=call.once)
    return Answer({"skill_id": gone.ids["skill_id"]}, gone.status, receipt_of(gone))


def _versions(kernel: Kernel, call: Call) -> Answer:
    query: VersionsQuery = call.query
    name = f"versions {query.asked()} {query.name}"
    before = _place(kernel, call, name)
    items, in_force, ends_at = looking.list_versions(
        kernel, call.principal, query.asked(), query.name, limit=query.limit, before=before
    )
    content = {"in_force": in_force, "items": [views.published_view(one) for one in items]}
    return _page(kernel, call, name, content, ends_at)


def _document(kernel: Kernel, call: Call) -> Answer:
    query: OneQuery = call.query
    found = looking.read_document(kernel, call.principal, query.asked(), query.name, query.version)
    headers = _tag(found.published.content_hash)
    status = 304 if _is_known(call, found.published.content_hash) else 200
    return Answer(views.document_view(found), status, found.receipt, headers)


def _archive(kernel: Kernel, call: Call) -> Answer:
    query: OneQuery = call.query
    found = looking.read_archive(kernel, call.principal, query.asked(), query.name, query.version)
    return _download(call, found, "application/zip")


def _effective(kernel: Kernel, call: Call) -> Answer:
    query: EffectiveQuery = call.query
    space, who = query.subscription, query.agent
    name = f"effective {space} {who}"
    at = 0
    if query.cursor is not None:
        # A place in the list means something only while the set is the same: the cursor is bound to it.
        whole = explain(kernel, call.principal, space, who, part=slice(0, 0))
        at = _place(kernel, call, f"{name} {whole.hash}") or 0
    found = explain(kernel, call.principal, space, who, name=query.name, part=slice(at, at + query.limit))
    content: dict[str, Any] = dict(views.effective_view(found))
    end = at + query.limit
    ends_at = end if query.name is None and end < found.count else None
    answer = _page(kernel, call, f"{name} {found.hash}", content, ends_at)
    # What is hidden is explained too, and changes without the set.
    mark = digest(encode(answer.content))
    return Answer(answer.content, 304 if _is_known(call, mark) else 200, headers=_tag(mark))


def _export(kernel: Kernel, call: Call) -> Answer:
    made = exporting.export(kernel, call.principal)
    headers = {"Content-Type": "application/x-ndjson", **_attachment("skills.jsonl")}
    return Answer(made.pieces, receipt=made.receipt, headers=headers)


def _list_files(kernel: Kernel, call: Call) -> Answer:
    query: ListQuery = call.query
    asked = query.asked() if query.is_given else None
    name = f"files {asked}"
    window = Window(query.limit, _place(kernel, call, name) or 0)
    items, ends_at = looking.list_files(kernel, call.principal, asked, window)
    return _page(kernel, call, name, {"items": [views.file_view(one) for one in items]}, ends_at)


def _share(kernel: Kernel, call: Call) -> Answer:
    form: ShareForm = call.body
    asked = scope_of(call.query, form)
    if form.path and call.query.path and form.path != call.query.path:
        raise invalid("path", "is not the same in the query and in the body")
    given = sharing.Given(form.path or call.query.path, form.file)
    made = sharing.share(kernel, call.principal, asked, given, seen=call.if_match, once_key=call.once)
    one = looking.find_file(kernel, call.principal.space_id, made.ids["file_id"])
    content = {**views.file_view(one), "is_new": made.status == 201}
    return Answer(content, made.status, receipt_of(made), _tag(one.hash))


def _unshare(kernel: Kernel, call: Call) -> Answer:
    query: PathQuery = call.query
    gone = sharing.unshare(
        kernel, call.principal, query.asked(), query.path, seen=call.if_match, once_key=call.once
    )
    return Answer({"file_id": gone.ids["file_id"]}, gone.status, receipt_of(gone))


def _file(kernel: Kernel, call: Call) -> Answer:
    query: PathQuery = call.query
    return _download(call, looking.read_file(kernel, call.principal, query.asked(), query.path), _OCTETS)


def _download(call: Call, found: looking.Download, media: str) -> Answer:
    headers = {"Content-Type": media, **_attachment(found.name), **_tag(found.hash)}
    status = 304 if _is_known(call, found.hash) else 200
    return Answer(found.content, status, found.receipt, headers)


def _attachment(name: str) -> Mapping[str, str]:
    """So that a browser keeps it and opens nothing: it may be anybody's page."""
    plain = _NOT_IN_A_NAME.sub("_", name)
    return {
        "Content-Disposition": f'attachment; filename="{plain}"',
        "X-Content-Type-Options": "nosniff",
    }


def _tag(value: str) -> Mapping[str, str]:
    return {"ETag": f'"{value}"'}


def _is_known(call: Call, value: str) -> bool:
    if call.if_none_match is None:
        return False
    named = {part.strip().removeprefix("W/").strip('"') for part in call.if_none_match.split(",")}
    return not named.isdisjoint({"*", value})


def _place(kernel: Kernel, call: Call, name: str) -> int | None:
    cursor = call.query.cursor
    key = kernel.keys.of(call.principal.space_id)
    return read_cursor(key, _scope(call, name), cursor) if cursor is not None else None


def _page(kernel: Kernel, call: Call, name: str, content: dict[str, Any], ends_at: int | None) -> Answer:
    if ends_at is not None:
        key = kernel.keys.of(call.principal.space_id)
        content["next_cursor"] = write_cursor(key, _scope(call, name), ends_at)
    return Answer(content)


def _scope(call: Call, name: str) -> str:
    return f"{name}\0{call.principal.id}"


_ALL: Final = "/v1/admin/skills"
_FILES: Final = "/v1/admin/files"
_READ: Final = "skill.index"
ROUTES: Final = (
    Route(
        "GET", _ALL, _list, "List published skills", _TAG, None, _LISTS,
        query=ListQuery, answer=views.SkillsView,
    ),
    Route(
        "POST", _ALL, _publish, "Publish a skill", _TAG, "skill.publish",
        query=ScopeFields, body=PublishForm, form=True, body_max=_FORM_MAX, matches=True,
        answer=views.PublishedNowView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "DELETE", _ALL, _remove, "Remove a published skill, or erase it", _TAG, "skill.remove",
        query=RemoveQuery, matches=True, answer=views.RemovedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ALL}/rollback", _roll_back, "Publish an old version again", _TAG, "skill.publish",
        query=ScopeFields, body=RollbackBody, matches=True,
        answer=views.PublishedNowView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "GET", f"{_ALL}/versions", _versions, "List the versions of a skill", _TAG, None, _LISTS,
        query=VersionsQuery, answer=views.VersionsView,
    ),
    Route(
        "GET", f"{_ALL}/doc", _document, "Read a published skill", _TAG, _READ,
        query=OneQuery, answer=views.DocumentView, statuses=(200, 304),
    ),
    Route(
        "GET", f"{_ALL}/archive", _archive, "Download a published skill", _TAG, _READ,
        query=OneQuery, answer=bytes, media="application/zip", statuses=(200, 304),
    ),
    Route(
        "GET", f"{_ALL}/effective", _effective, "Explain which skills an agent gets", _TAG, None, _LISTS,
        query=EffectiveQuery, answer=views.EffectiveView, statuses=(200, 304),
    ),
    Route(
        "GET", f"{_ALL}/export", _export, "Export every version of every skill", _TAG, "export",
        answer=bytes, media="application/x-ndjson",
    ),
    Route(
        "GET", _FILES, _list_files, "List shared files", _TAG, None, _LISTS,
        query=ListQuery, answer=views.SharedFilesView,
    ),
    Route(
        "POST", _FILES, _share, "Share a file", _TAG, "file.publish",
        query=ShareQuery, body=ShareForm, form=True, body_max=_FORM_MAX, matches=True,
        answer=views.SharedNowView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "DELETE", _FILES, _unshare, "Remove a shared file", _TAG, "file.remove",
        query=PathQuery, matches=True, answer=views.UnsharedView, idempotent=True,
    ),
    Route(
        "GET", f"{_FILES}/content", _file, "Download a shared file", _TAG, _READ,
        query=PathQuery, answer=bytes, media=_OCTETS, statuses=(200, 304),
    ),
)  # fmt: skip
