"""The cold part of a log for the verifier: every file read anew, and those that are not what was written told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection

from tarimba.receipts.cold import Cold, ColdLostError, files
from tarimba.receipts.report import Finding
from tarimba.receipts.verify import Bundle


class ColdComparison:
    """Gives the verifier what the files hold. One that is lost is left out, so that the verifier names the gap too."""

    def __init__(self, cold: Cold, connection: Connection, space_id: str) -> None:
        self._cold = cold
        self._files = files(connection, space_id)
        self._lost: list[Finding] = []
        self._count = 0

    def bundles(self) -> Iterator[Bundle]:
        """The files as rows of the log, in order. Raises 503 while their place does not answer."""
        for file in self._files:
            self._count += 1
            try:
                tile = self._cold.read(file)
            except ColdLostError as lost:
                self._lost.append(Finding("cold", file.first_seq, lost.finding, file.last_seq))
                continue
            yield Bundle(file.first_seq, file.count, b"".join(tile.leaves), b"\n".join(tile.lines))

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """Nothing more: what the files hold is in the log."""

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """See `verify.Comparison`. Counts the files."""
        return self._count, self._lost
