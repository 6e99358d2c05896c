"""The parts of a turn's prompt for one seat, from the database and the disk, put together by `tarimba.prompt`.

Everything is read as it is now: what the agent and the member wrote since the last turn is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from tarimba.blocks import service as blocks
from tarimba.confined import Confined
from tarimba.disk_faults import told
from tarimba.errors import Refusal, not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, in_project, seat_named
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.openat2 import EscapedError, IrregularError
from tarimba.prompt import Document, Parts, Prompt, compose
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record
from tarimba.skills import service as skills
from tarimba.storage import Tx
from tarimba.workspaces import places
from tarimba.workspaces.documents import PERSONA, documents
from tarimba.workspaces.provisioning import ground_of

_FOLDER: Final = "memory"
_NOTEBOOK: Final = "memory/MEMORY.md"
_CUSTOM: Final = "memory/MEMORY_CUSTOM.md"
_PROJECT: Final = ("memory/PROJECT.md", _NOTEBOOK, _CUSTOM)
_SUFFIX: Final = ".md"
_FILE_MAX: Final = 256 * 1024
_FILES_MAX: Final = 200
_ALL_MAX: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Composed:
    """The prompt. `left_out` counts files of memory that no prompt holds: too large, too many, or none to be read."""

    prompt: Prompt
    left_out: int


def compose_for(kernel: Kernel, by: Principal, called: Called, customer: str = "") -> Composed:
    """The prompt of a turn in the seat, of a project if one is named. `customer` is the text of a context.

    By the host alone, which runs the agent. Raises 403, 404, 409, 422, 501, 503.
    """
    allow(by, "own_memory")
    if by.kind != "host":
        raise Refusal("scope_missing", "Only the host that runs the agent composes its prompt.")
    with kernel.database.read() as connection:
        seat = _seat(connection, by, called)
        owner = notes.owner(connection, seat.space_id, seat.source_id)
        ground = ground_of(kernel, connection, seat)
    if owner is None:
        raise not_found("agent")
    block, block_read = blocks.of_agent(kernel, by, seat.source_id, owner.pools)
    index, index_read = skills.of_seat(kernel, by, seat)
    files = _Files(kernel, seat)
    managed = {path: data for path, data in documents(ground).items() if path.startswith(f"{_FOLDER}/")}
    prompt = compose(
        Parts(
            persona=tuple(Document(name, ground.persona.get(name, "")) for name in PERSONA),
            notes=block.text,
            managed=tuple(Document(path, data.decode()) for path, data in managed.items()),
            shared_index=index.shared_text,
            own_index=index.own_text,
            agent_memory=files.text(_NOTEBOOK),
            memory=files.others({_NOTEBOOK, _CUSTOM, *managed}),
            standing_notes=files.text(_CUSTOM),
            project=files.of_project(),
            customer=customer,
        )
    )
    _leave(kernel, by, seat, (block_read, index_read), files)
    return Composed(prompt, files.left_out)


class _Files:
    """A seat's memory files, as far as a prompt takes them: 200, of 256 KiB each and 1 MiB together."""

    def __init__(self, kernel: Kernel, seat: Seat) -> None:
        self._data = kernel.settings.data
        self._seat = seat
        self._bytes_left = _ALL_MAX
        self.read = 0
        self.left_out = 0

    def text(self, path: str, project: str = "") -> str:
        """Empty for what is not there."""
        with self._tree(project) as tree:
            return "" if tree is None else self._content(tree, path)

    def others(self, known: set[str]) -> tuple[Document, ...]:
        """The other files of Markdown in `memory/`, by name."""
        with self._tree("") as tree:
            if tree is None:
                return ()
            paths = [path for path in self._paths(tree) if path not in known]
            shown = [path for path in paths if path.isprintable()][:_FILES_MAX]
            self.left_out += len(paths) - len(shown)
            return tuple(Document(path, self._content(tree, path)) for path in shown)

    def of_project(self) -> tuple[Document, ...]:
        """What a project has beside the main workspace, by the paths that the agent opens."""
        project = self._seat.project
        if not project:
            return ()
        root = self._seat.profile.seen_at(project)
        return tuple(Document(f"{root}/{path}", self.text(path, project)) for path in _PROJECT)

    def _paths(self, tree: Confined) -> list[str]:
        try:
            found = tree.entries(_FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except EscapedError:
            # The agent put a link in the place of its memory: there is no file of its own to read.
            self.left_out += 1
            return []
        return [f"{_FOLDER}/{entry.name}" for entry in found if entry.name.endswith(_SUFFIX)]

    def _content(self, tree: Confined, path: str) -> str:
        try:
            data = tree.read(path, min(_FILE_MAX, self._bytes_left))
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (EscapedError, IrregularError):
            # What the agent linked to is not what it wrote.
            self.left_out += 1
            return ""
        except Refusal as refusal:
            if refusal.code != "too_large":
                raise
            self.left_out += 1
            return ""
        self.read += 1
        self._bytes_left -= len(data)
        return data.decode(errors="replace")

    @contextmanager
    def _tree(self, project: str) -> Iterator[Confined | None]:
        with told():
            try:
                tree = Confined.at(places.folder(self._data, replace(self._seat, project=project)))
            except FileNotFoundError:
                yield None
                return
            with tree:
                yield tree


def _seat(connection: Connection, by: Principal, called: Called) -> Seat:
    seat = seat_named(connection, by.space_id, called)
    places.require(connection, seat)
    return in_project(connection, seat, called.project)


def _leave(kernel: Kernel, by: Principal, seat: Seat, reads: tuple[Receipt, ...], files: _Files) -> None:
    """One receipt for each kind of thing that was read, all in one commit."""
    detail = {"files": files.read, "left_out": files.left_out}
    memory = Receipt("member_memory.read", by.actor, by.via, seat.source_id, seat.objects, detail)

    def work(tx: Tx) -> None:
        for receipt in (*reads, memory):
            record(tx, receipt)

    kernel.writer.commit(seat.space_id, work)
