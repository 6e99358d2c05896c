"""Taking everything along that administrators published: every version, every shared file, every byte once."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import true

from tarimba.clock import rfc3339
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.skills import sharing_store, store, views

_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Export:
    """JSON, one object a line: see `export`."""

    pieces: Iterator[bytes]
    receipt: Recorded


def export(kernel: Kernel, principal: Principal) -> Export:
    """Lines of kind `export`, then `version`, `file` (shared ones) and `bytes` (base64, by their hash).

    What changes while it is read may show or not; the bytes of every line before them are there unless erased
    meanwhile. Raises 403.
    """
    allow(principal, "export")
    receipt = Receipt("export", principal.actor, principal.via, detail={"what": "skills"})
    recorded = record_read(kernel.writer, principal.space_id, receipt)
    return Export(_lines(kernel, principal.space_id, kernel.writer.now(principal.space_id)), recorded)


def _lines(kernel: Kernel, space_id: str, now: int) -> Iterator[bytes]:
    yield _line("export", {"exported_at": rfc3339(now)})
    yield from _versions(kernel, space_id)
    yield from _files(kernel, space_id)
    yield from _bytes(kernel, space_id)


def _versions(kernel: Kernel, space_id: str) -> Iterator[bytes]:
    after = 0
    while True:
        with kernel.database.read() as connection:
            page = store.versions_after(connection, space_id, after, _AT_ONCE)
        for one, problems, in_force in page:
            told = {**views.published_view(one), "problems": json.loads(problems), "in_force": in_force}
            yield _line("version", told)
        if len(page) < _AT_ONCE:
            return
        after = page[-1][0].ordinal


def _files(kernel: Kernel, space_id: str) -> Iterator[bytes]:
    after = 0
    while True:
        with kernel.database.read() as connection:
            page = sharing_store.listed(connection, space_id, true(), after, _AT_ONCE)
        for one in page:
            yield _line("file", dict(views.file_view(one)))
        if len(page) < _AT_ONCE:
            return
        after = page[-1].ordinal


def _bytes(kernel: Kernel, space_id: str) -> Iterator[bytes]:
    after = ""
    while True:
        with kernel.database.read() as connection:
            page = store.digests_after(connection, space_id, after, _AT_ONCE)
        for digest in page:
            with kernel.database.read() as connection:
                content = store.content(connection, space_id, digest)
            if content is not None:
                yield _line("bytes", {"hash": digest, "base64": base64.b64encode(content).decode()})
        if len(page) < _AT_ONCE:
            return
        after = page[-1]


def _line(kind: str, told: dict[str, Any]) -> bytes:
    return json.dumps({"kind": kind, **told}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
