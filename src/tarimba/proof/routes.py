"""The URLs of what vouches for the log."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from tarimba.http.route import Answer, Call, Route
from tarimba.identity.changes import receipt_of
from tarimba.kernel import Kernel
from tarimba.proof import service as proofs
from tarimba.receipts.requests import SearchFields

_OCTETS: Final = "application/octet-stream"
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


class WitnessBody(BaseModel):
    """The public key of a witness: `<name>+<key id>+<base64>`."""

    model_config = ConfigDict(extra="forbid")

    key: Annotated[str, Field(max_length=512)]


class WitnessList(BaseModel):
    """The witnesses of the space, oldest first, each with the largest checkpoint that it cosigned."""

    items: list[dict[str, Any]]


class WitnessAnswer(BaseModel):
    """The witness that was added or removed."""

    key_id: str


class CosignedBody(BaseModel):
    """A signed checkpoint of the log, with the lines of witnesses behind the log's own."""

    model_config = ConfigDict(extra="forbid")

    note: Annotated[str, Field(max_length=16_384)]


class CosignedAnswer(BaseModel):
    """How many cosignatures were taken, and the ids of the witnesses' keys."""

    size: int
    key_ids: list[str]


class Which(BaseModel):
    """`cosigned`: the newest checkpoint that a witness cosigned."""

    model_config = ConfigDict(extra="forbid")

    cosigned: bool = False


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
    query: Which = call.query
    if query.cosigned:
        found = proofs.newest_cosigned(kernel, call.principal)
    else:
        found = proofs.cosigned(kernel, call.principal.space_id, proofs.latest(kernel, call.principal))
    return Answer({"origin": found.origin, "size": found.size, "root": found.root.hex(), "note": found.note})


def _witnesses(kernel: Kernel, call: Call) -> Answer:
    return Answer({"items": [one.as_json() for one in proofs.witnesses(kernel, call.principal)]})


def _add_witness(kernel: Kernel, call: Call) -> Answer:
    body: WitnessBody = call.body
    done = proofs.add_witness(kernel, call.principal, body.key, call.once)
    return Answer({"key_id": done.ids["key_id"]}, done.status, receipt_of(done))


def _remove_witness(kernel: Kernel, call: Call) -> Answer:
    done = proofs.remove_witness(kernel, call.principal, call.path["key_id"], call.once)
    return Answer({"key_id": done.ids["key_id"]}, done.status, receipt_of(done))


def _take(kernel: Kernel, call: Call) -> Answer:
    body: CosignedBody = call.body
    size, said = proofs.take(kernel, call.principal, body.note)
    return Answer({"size": size, "key_ids": [one.key.key_id for one in said]})


def _proof(kernel: Kernel, call: Call) -> Answer:
    shown, recorded = proofs.proof(kernel, call.principal, call.path["receipt_id"])
    return Answer(shown, receipt=recorded)


def _consistency(kernel: Kernel, call: Call) -> Answer:
    span: Span = call.query
    found = proofs.consistency(kernel, call.principal, span.from_, span.to)
    return Answer({"from": span.from_, "to": span.to, "proof": [one.hex() for one in found]})


def _entries(kernel: Kernel, call: Call) -> Answer:
    data, recorded = proofs.entries(kernel, call.principal, call.path["tile"])
    return Answer(data, receipt=recorded, headers={"content-type": _OCTETS})


def _tile(kernel: Kernel, call: Call) -> Answer:
    data = proofs.tile(kernel, call.principal, f"{call.path['level']}/{call.path['tile']}")
    return Answer(data, headers={"content-type": _OCTETS})


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
        exempt=_HASHES, query=Which, answer=CheckpointAnswer,
    ),
    Route(
        "POST", "/v1/receipts/checkpoint/cosignatures", _take, "Hand in what witnesses say of a checkpoint", "receipts",
        None, exempt="A cosignature of the log is evidence by itself; a receipt of it would call for the next one",
        body=CosignedBody, answer=CosignedAnswer,
    ),
    Route(
        "GET", "/v1/receipts/witnesses", _witnesses, "List the witnesses of the log", "receipts", None,
        exempt="Public keys", answer=WitnessList,
    ),
    Route(
        "POST", "/v1/receipts/witnesses", _add_witness, "Take the cosignatures of a witness", "receipts",
        "settings.change", body=WitnessBody, answer=WitnessAnswer, statuses=(201,), idempotent=True,
    ),
    Route(
        "DELETE", "/v1/receipts/witnesses/{key_id}", _remove_witness, "Take no more cosignatures of a witness",
        "receipts", "settings.change", answer=WitnessAnswer, idempotent=True,
    ),
    Route(
        "GET", "/v1/receipts/consistency", _consistency, "Prove that the log only grew between two sizes", "receipts",
        None, exempt=_HASHES, query=Span, answer=ConsistencyAnswer,
    ),
    Route(
        "GET", "/v1/receipts/tile/entries/{tile:path}", _entries, "Read the receipts under a tile of the log",
        "receipts", "receipts.search", answer=bytes, media=_OCTETS,
    ),
    Route(
        "GET", "/v1/receipts/tile/{level}/{tile:path}", _tile, "Read a tile of the log", "receipts", None,
        exempt=_HASHES, answer=bytes, media=_OCTETS,
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
