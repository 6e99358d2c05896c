"""All that a member keeps, as one archive to take along: files as they are, the rest as lines of JSON.

about.json                                 whose it is, and from when
secrets.jsonl                              names of the member's own secrets, never a value
<subscription>/<agent>/workspace/...       the files, sessions and own skills among them; projects beside it
<subscription>/<agent>/graph.jsonl         entities, relations and changes of the memory graph
<subscription>/<agent>/projects.jsonl      and memory-versions.jsonl, what MEMORY_CUSTOM.md held
left-out.jsonl                             what is no plain file, too large or too deep, by its path
renamed.jsonl                              paths of files that are written otherwise here, and how: see `harmless`
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tarimba.clock import rfc3339
from tarimba.erasure import member_store as store
from tarimba.erasure.archiving import Archive, harmless
from tarimba.erasure.model import Export
from tarimba.errors import Refusal, not_found
from tarimba.graph import service as graph
from tarimba.graph.model import Scope
from tarimba.harnesses.service import profile
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record_read
from tarimba.workspaces import service as workspaces

_FORM: Final = 1


@dataclass(frozen=True, slots=True)
class _Place:
    """A member's with one agent in one subscription. `home` is None where this host's disk has none."""

    subscription_id: str
    source_id: str
    folder: str
    shared_root: str
    workspace_id: str | None
    has_graph: bool
    home: Path | None


def export_member(kernel: Kernel, principal: Principal, named: str) -> Export:
    """Everything of a person (by id, for the host also by slug), as it is when its turn in the archive comes.

    By the person alone, or the host. Raises 403 for keys, and 404 for anybody else.
    """
    if principal.kind not in {"host", "person"}:
        raise Refusal("person_required", "Only the member takes along what is theirs, never a key.")
    if principal.kind == "person" and principal.id != named:
        raise not_found("person")
    with kernel.database.read() as connection:
        person_id = store.person_named(connection, principal.space_id, named)
    if person_id is None:
        raise not_found("person")
    receipt = Receipt(
        "export",
        principal.actor,
        principal.via,
        objects={"person_id": person_id},
        detail={"what": "member"},
    )
    recorded = record_read(kernel.writer, principal.space_id, receipt)
    at = rfc3339(kernel.writer.now(principal.space_id))
    return Export(_pieces(kernel, principal.space_id, person_id, at), recorded)


def _pieces(kernel: Kernel, space_id: str, person_id: str, at: str) -> Iterator[bytes]:
    archive = Archive()
    about = {"form": _FORM, "space_id": space_id, "person_id": person_id, "exported_at": at}
    yield from archive.put("about.json", _lines([about]))
    with kernel.database.read() as connection:
        archive.put_whole("secrets.jsonl", _lines(workspaces.secrets_of(connection, space_id, person_id)))
    left_out: list[dict[str, str]] = []
    renamed: list[dict[str, str]] = []
    for place in _places(kernel, space_id, person_id):
        _put_rows(kernel, archive, space_id, person_id, place)
        yield from _files(archive, place, left_out, renamed)
    yield from archive.put("left-out.jsonl", _lines(left_out))
    yield from archive.put("renamed.jsonl", _lines(renamed))
    yield archive.end()


def _put_rows(kernel: Kernel, archive: Archive, space_id: str, person_id: str, place: _Place) -> None:
    # A client may take its time; a snapshot of the database is not held so long.
    with kernel.database.read() as connection:
        if place.has_graph:
            scope = Scope(space_id, place.subscription_id, place.source_id, person_id)
            rows = graph.export_of(kernel, connection, scope)
            archive.put_whole(f"{place.folder}/graph.jsonl", _lines(rows))
        if place.workspace_id is not None:
            mine = space_id, place.workspace_id
            versions = _lines(workspaces.versions_of(connection, *mine))
            archive.put_whole(f"{place.folder}/memory-versions.jsonl", versions)
            projects = _lines(workspaces.projects_of(connection, *mine))
            archive.put_whole(f"{place.folder}/projects.jsonl", projects)


def _files(
    archive: Archive, place: _Place, left_out: list[dict[str, str]], renamed: list[dict[str, str]]
) -> Iterator[bytes]:
    if place.home is None:
        return
    for one in workspaces.files_of(place.home, place.shared_root):
        was = f"{place.folder}/{one.path}"
        path = harmless(was)
        if path != was:
            renamed.append(
                {"path": path, "was": was.encode("utf-8", "surrogateescape").decode("utf-8", "replace")}
            )
        if one.chunks is None:
            left_out.append({"path": path, "why": one.why})
        else:
            yield from archive.put(path, one.chunks, one.changed_at)


def _places(kernel: Kernel, space_id: str, person_id: str) -> Iterable[_Place]:
    """Every place where the person has something, by the names of subscription and agent."""
    with kernel.database.read() as connection:
        known = workspaces.workspaces_of(connection, space_id, person_id)
        scopes = graph.seats_of(connection, space_id, person_id)
        theirs, agents = store.slugs(connection, space_id)
    graphs = {(one.subscription_id, one.source_id) for one in scopes}
    homes = {
        (one, other): home for one, other, home in workspaces.homes(kernel.settings.data, space_id, person_id)
    }
    for key in sorted({*known, *graphs, *homes}):
        agent, harness = agents.get(key[1], (key[1], ""))
        folder = f"{theirs.get(key[0], key[0])}/{agent}"
        root = profile(harness).shared_root if harness else ""
        yield _Place(*key, folder, root, known.get(key), key in graphs, homes.get(key))


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
