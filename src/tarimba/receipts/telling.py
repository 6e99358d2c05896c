"""What a conversation had been given: every read of it in order, with its proof; and where a note came from.

A client names the conversation when it reads, or says with each turn which read it had. Where it does neither, the
last block that the agent had been given before it spoke is told as *inferred*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection

from tarimba.clock import rfc3339
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.receipts import search
from tarimba.receipts.index import position
from tarimba.receipts.model import Recorded
from tarimba.receipts.proving import Proof, Prover
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.search import READ_MAX, Question, Wanted

READS_SHOWN: Final = 30
# So many reads are looked for that no client named.
_LOOKED_FOR: Final = 20

How = Literal["named", "stamped", "inferred"]


@dataclass(frozen=True, slots=True)
class Spoken:
    """When an agent spoke in the conversation, and the receipt of the read that it says it had."""

    source_id: str
    at: int
    read_receipt_id: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A read with its proof, and how it is known to be of the conversation."""

    proof: Proof
    how: How


@dataclass(frozen=True, slots=True)
class Told:
    """A page of a conversation: its newest reads, oldest of them first; the cursor leads to earlier ones."""

    readings: tuple[Reading, ...]
    next_cursor: str | None
    recorded: Recorded


@dataclass(frozen=True, slots=True)
class Claim:
    """A note version that is to be vouched for: the hash of its present text, and where it says that it began."""

    note_id: str
    content_hash: str
    seq: int


@dataclass(frozen=True, slots=True)
class Origin:
    """The receipts of a note version: the one that vouches for its text, the proposal's, and the approval's."""

    kept: Proof | None
    proposed: Stored | None
    approved: Stored | None


def tell(
    kernel: Kernel,
    principal: Principal,
    question: Question,
    spoken: Sequence[Spoken],
    cursor: str | None = None,
) -> Told:
    """The reads of the conversation or task of the question. What nobody named stands on the first page.

    Raises 403, 422 for a cursor of another question, and 503.
    """
    page = search.search(kernel, principal, question, cursor=cursor, limit=READS_SHOWN)
    with kernel.database.read() as connection:
        prover = Prover(kernel, connection, principal.space_id)
        found: dict[int, tuple[Stored, How]] = {one.seq: (one, "named") for one in page.items}
        if cursor is None:
            key = kernel.keys.of(principal.space_id)
            named = {key.commit(said) for said in (question.conversation_id, question.task_id) if said}
            for stored, how in _unnamed(kernel, connection, principal.space_id, spoken):
                if named.isdisjoint(_about(stored)):
                    found.setdefault(stored.seq, (stored, how))
        readings = tuple(Reading(prover.prove(stored), how) for _, (stored, how) in sorted(found.items()))
    return Told(readings, page.next_cursor, page.recorded)


def origins(kernel: Kernel, principal: Principal, claims: Sequence[Claim]) -> dict[str, Origin]:
    """Who wrote and who approved each of these versions, by their ids. Raises 403 and 503."""
    allow(principal, "receipts")
    found = traced(kernel, principal.space_id, claims)
    search.leave(kernel, principal, {"asked": {"origins": len(claims)}, "returned": len(found)})
    return found


def traced(kernel: Kernel, space_id: str, claims: Sequence[Claim]) -> dict[str, Origin]:
    """The same for who has left the receipt of asking."""
    with kernel.database.read() as connection:
        prover, log = Prover(kernel, connection, space_id), _Log(kernel, connection, space_id)
        return {claim.note_id: _origin(log, prover, claim) for claim in claims}


class _Log:
    """The log of a space in one snapshot, asked by references."""

    def __init__(self, kernel: Kernel, connection: Connection, space_id: str) -> None:
        self._connection = connection
        self._space_id = space_id
        self._at = position(connection, space_id)
        self.reader = LogReader(connection, space_id, kernel.cold)

    def find(self, *refs: str, top: int | None = None) -> Iterator[Stored]:
        """The receipts with all these references below `top`, newest first; of a long log the first it comes upon."""
        wanted = Wanted(refs)
        top = self._at.size if top is None else top
        places = search.candidates(self._connection, self._space_id, wanted, self._at, top)
        for read, seq in enumerate(places):
            stored = self.reader.read(seq)
            if wanted.holds(stored.document):
                yield stored
            if read == READ_MAX:
                return

    def before(self, at: int) -> int:
        """The first place whose receipt is younger than that moment."""
        said = rfc3339(at)
        low, high = 0, self._at.size
        while low < high:
            middle = (low + high) // 2
            if str(self.reader.read(middle).document.get("at", "")) <= said:
                low = middle + 1
            else:
                high = middle
        return low


def _unnamed(
    kernel: Kernel, connection: Connection, space_id: str, spoken: Sequence[Spoken]
) -> Iterator[tuple[Stored, How]]:
    """The reads that agents say they had, and those that are inferred where they say nothing."""
    log = _Log(kernel, connection, space_id)
    stamps = dict.fromkeys(one.read_receipt_id for one in spoken if one.read_receipt_id)
    for receipt_id in list(stamps)[-_LOOKED_FOR:]:
        if is_id(receipt_id):
            yield from ((stored, "stamped") for stored in log.find(f"receipt:{receipt_id}"))
    silent = [one for one in spoken if one.read_receipt_id is None]
    for source_id in dict.fromkeys(one.source_id for one in silent):
        moments = [one.at for one in silent if one.source_id == source_id]
        yield from ((stored, "inferred") for stored in _inferred(log, source_id, moments))


def _inferred(log: _Log, source_id: str, moments: Iterable[int]) -> Iterator[Stored]:
    """The last block that the agent was given before each moment; between two reads one look is enough."""
    since: str | None = None
    looked = 0
    for at in sorted(moments, reverse=True):
        if (since is not None and rfc3339(at) >= since) or looked == _LOOKED_FOR:
            continue
        looked += 1
        last = _last_block(log, source_id, log.before(at))
        if last is None:
            return
        since = str(last.document.get("at", ""))
        yield last


def _last_block(log: _Log, source_id: str, top: int) -> Stored | None:
    found = log.find(f"source:{source_id}", "action:block.read", top=top)
    # What a person looked at in a preview was given to nobody.
    return next((one for one in found if not _detail(one).get("preview")), None)


def _origin(log: _Log, prover: Prover, claim: Claim) -> Origin:
    kept = next(filter(None, (_vouching(one, claim) for one in _near(log, claim))), None)
    if kept is None:
        return Origin(None, None, None)
    proposal_id = kept.document.get("proposal_id")
    about = list(log.find(f"proposal:{proposal_id}")) if isinstance(proposal_id, str) else []
    by_action = {one.document.get("action"): one for one in about}
    return Origin(prover.prove(kept), by_action.get("proposal.create"), by_action.get("proposal.approve"))


def _near(log: _Log, claim: Claim) -> Iterator[Stored]:
    yield log.reader.read(claim.seq)
    # An import vouches for many versions at once, wherever they began.
    yield from log.find(f"note:{claim.note_id}", "action:import")


def _vouching(stored: Stored, claim: Claim) -> Stored | None:
    detail = _detail(stored)
    many = detail.get("notes")
    said = many.get(claim.note_id) if isinstance(many, dict) else None
    if stored.document.get("note_id") == claim.note_id:
        said = detail.get("content_hash")
    return stored if said == claim.content_hash else None


def _detail(stored: Stored) -> dict[str, Any]:
    detail = stored.document.get("detail")
    return detail if isinstance(detail, dict) else {}


def _about(stored: Stored) -> set[Any]:
    detail = _detail(stored)
    return {detail.get("conversation"), detail.get("task")}
