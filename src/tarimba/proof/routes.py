"""The URLs of what vouches for the log."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.proof import service as proofs
from tarimba.receipts.requests import SearchFields

_HASHES = "Hashes of the log, which tell nothing of what is in it"


class BundleBody(SearchFields):
    """`POST /v1/receipts/bundle`: a question like that of a search."""


class KeyList(BaseModel):
    """The keys that sign checkpoints, newest first; old ones stay."""

    origin: str
    keys: list[dict[str, Any]]


class CheckpointAnswer(BaseModel):
    """The newest signed checkpoint; `note` is the whole of it."""

    origin: str
    size: int
    root: str
    note: str


class ProofAnswer(BaseModel):
    """The hashes (hexadecimal) from the leaf up to the root of a signed checkpoint."""

    id: str
    seq: int
    leaf: str
    proof: list[str]
    size: int
    root: str
    checkpoint: str


class Span(BaseModel):
    """The sizes of two checkpoints."""

    model_config = ConfigDict(extra="forbid")

    from_: Annotated[int, Field(ge=1, le=2**53, alias="from")]
    to: Annotated[int, Field(ge=1, le=2**53)]


class ConsistencyAnswer(BaseModel):
    """The hashes (hexadecimal) that show the smaller log unchanged at the beginning of the larger."""

    from_: Annotated[int, Field(alias="from")]
    to: int
    proof: list[str]


def _keys(kernel: Kernel, call: Call) -> Answer:
    found = proofs.public_keys(kernel, call.principal)
    origin = proofs.origin_of(call.principal.space_id)
    return Answer({"origin": origin, "keys": [one.as_json() for one in found]})


def _checkpoint(kernel: Kernel, call: Call) -> Answer:
    found = proofs.latest(kernel, call.principal)
    return Answer({"origin": found.origin, "size": found.size, "root": found.root.hex(), "note": found.note})


def _proof(kernel: Kernel, call: Call) -> Answer:
    shown, recorded = proofs.proof(kernel, call.principal, call.path["receipt_id"])
    return Answer(shown, receipt=recorded)


def _consistency(kernel: Kernel, call: Call) -> Answer:
    span: Span = call.query
    found = proofs.consistency(kernel, call.principal, span.from_, span.to)
    return Answer({"from": span.from_, "to": span.to, "proof": [one.hex() for one in found]})


def _bundle(kernel: Kernel, call: Call) -> Answer:
    body: BundleBody = call.body
    document, recorded = proofs.bundle(kernel, call.principal, body.question())
    return Answer(document, receipt=recorded)


ROUTES: tuple[Route, ...] = (
    Route(
        "GET", "/v1/receipts/key", _keys, "Read the public keys that sign checkpoints", "receipts", None,
        exempt="Public keys", answer=KeyList,
    ),
    Route(
        "GET", "/v1/receipts/checkpoint", _checkpoint, "Read the newest signed checkpoint", "receipts", None,
        exempt=_HASHES, answer=CheckpointAnswer,
    ),
    Route(
        "GET", "/v1/receipts/consistency", _consistency, "Prove that the log only grew between two sizes", "receipts",
        None, exempt=_HASHES, query=Span, answer=ConsistencyAnswer,
    ),
    Route(
        "GET", "/v1/receipts/{receipt_id}/proof", _proof, "Prove one receipt up to a signed checkpoint", "receipts",
        "receipts.search", answer=ProofAnswer,
    ),
    Route(
        "POST", "/v1/receipts/bundle", _bundle, "Get receipts with all that an outsider needs to verify them",
        "receipts", "receipts.search", body=BundleBody, answer=dict[str, Any],
    ),
)  # fmt: skip
