"""A checkpoint and a witness of it, for the routes of the log."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tarimba.clock import SECOND
from tarimba.identity import hosting
from tarimba.proof import service as proof
from tarimba.receipts.checkpoint import SignedCheckpoint
from tarimba.receipts.cosignature import WitnessKey, cosign
from tests.contract.api.served import Api
from tests.e2e.company import Company

WITNESS = "witness.example/w1"
# Routes that take something and leave no receipt.
EVIDENCE = {"POST /v1/receipts/checkpoint/cosignatures": ("owner", "", {"note": "{cosigned}"})}


def key_of_witness(letter: bytes) -> WitnessKey:
    return cosign(SignedCheckpoint("", 0, b"", "\n\n"), WITNESS, letter * 32, 0).key


def cosign_checkpoint(api: Api, company: Company, ids: Mapping[str, str]) -> dict[str, str]:
    """The first, for which the key is made that signs them, and what a witness says of it."""
    host = hosting.host_of(api.kernel, company.slug)
    key_id = proof.add_witness(api.kernel, host, str(key_of_witness(b"w"))).ids["key_id"]
    made = proof.make(api.kernel, company.space_id)
    said = cosign(made, WITNESS, b"w" * 32, api.kernel.clock.now_us() // SECOND)
    cosigned = json.dumps(made.note + said.line)[1:-1]
    return {"witness_id": key_id, "cosigned": cosigned, "level": "0", "tile": "000.p/1"}
