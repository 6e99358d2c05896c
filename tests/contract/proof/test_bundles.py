"""An outsider with a bundle and the public key tells what a conversation had been given, and finds every change."""

import copy
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from tarimba.proof import service as proof
from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.checkpoint import PublicKey, sign
from tarimba.receipts.search import Question
from tests.contract.receipts.world import World

Document = dict[str, Any]


def edit_receipt(bundle: Document) -> None:
    bundle["receipts"][-1]["receipt"]["detail"]["left_out"] = 7


def swap_places(bundle: Document) -> None:
    first, last = bundle["receipts"][0], bundle["receipts"][-1]
    first["seq"], last["seq"] = last["seq"], first["seq"]


def edit_proof(bundle: Document) -> None:
    bundle["receipts"][0]["proof"][0] = "00" * 32


def edit_checkpoint(bundle: Document) -> None:
    lines = bundle["checkpoint"].split("\n")
    lines[1] = str(int(lines[1]) + 1)
    bundle["checkpoint"] = "\n".join(lines)


def sign_by_another(bundle: Document) -> None:
    made = sign(bundle["origin"], 1, hashlib.sha256(b"").digest(), b"x" * 32)
    bundle["checkpoint"] = made.note


def break_row(bundle: Document) -> None:
    bundle["receipts"].append({"seq": True})


def shift_opening(bundle: Document) -> None:
    """The same bytes under the hash, parted elsewhere: the receipts would be those of another conversation."""
    shown = bundle["revealed"][0]
    shown["k"] += shown["value"][:1].encode().hex()
    shown["value"] = shown["value"][1:]


def open_twice(bundle: Document) -> None:
    bundle["revealed"].append({**bundle["revealed"][0], "k": "00" * 32})


CHANGES = (
    edit_receipt,
    swap_places,
    edit_proof,
    edit_checkpoint,
    sign_by_another,
    break_row,
    shift_opening,
    open_twice,
)


@pytest.mark.promise("bundles-verify")
def test_a_bundle_answers_offline_and_every_change_of_it_is_found(world: World) -> None:
    first, made = world.write_note("First")
    second, _ = world.write_note("Second")
    read = world.read_block([first.note_id, second.note_id], conversation="conv-1")
    world.read_block([first.note_id], conversation="conv-2")
    document, _ = proof.bundle(world.kernel, world.auditor, Question(conversation_id="conv-1"))
    bundle = json.loads(json.dumps(document))
    (key,) = proof.public_keys(world.kernel, world.auditor)
    report = verify_bundle(bundle, key.public)
    assert report.ok
    assert report.revealed == {"conv-1": (read.seq,)}
    told = {one["seq"]: one for one in report.receipts}
    assert told[read.seq]["detail"]["notes"] == [first.note_id, second.note_id]
    assert told[made.seq]["note_id"] == first.note_id
    assert "conv-2" not in json.dumps(bundle)
    for change in CHANGES:
        assert not changed(bundle, change, key.public).ok, change.__name__
    assert any("came with the bundle" in what for what in verify_bundle(bundle).unchecked)
    revealing = copy.deepcopy(bundle)
    revealing["revealed"][0]["value"] = "conv-3"
    assert verify_bundle(revealing, key.public).revealed == {"conv-3": ()}


def changed(bundle: Document, change: Callable[[Document], None], key: PublicKey) -> Any:
    other = copy.deepcopy(bundle)
    change(other)
    return verify_bundle(other, key)


@pytest.mark.parametrize(
    "document",
    [None, [], {}, {"v": 1}, {"v": 1, "origin": "a", "checkpoint": "", "keys": [], "receipts": []}],
)
def test_what_is_no_bundle_is_said_so(document: Any) -> None:
    with pytest.raises(ValueError, match="no bundle of receipts"):
        verify_bundle(document)
