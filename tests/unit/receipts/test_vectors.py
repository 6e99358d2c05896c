"""The golden vectors for verifiers in other languages are those of this code, and it agrees with all of them."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.canonical import canonical
from tarimba.receipts.checkpoint import PublicKey, is_signed, read
from tarimba.receipts.cosignature import WitnessKey, cosignature_of
from tarimba.receipts.merkle import leaf_hash, root, verify_consistency, verify_inclusion

ROOT = Path(__file__).parents[3]
FILE = ROOT / "tests" / "data" / "receipts" / "vectors.json"
pytestmark = pytest.mark.promise("vectors-for-others")


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def hashes(values: list[str]) -> list[bytes]:
    return [bytes.fromhex(one) for one in values]


def test_the_file_is_what_the_script_writes() -> None:
    spec = importlib.util.spec_from_file_location("receipt_vectors", ROOT / "scripts" / "receipt_vectors.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.text() == FILE.read_text(encoding="utf-8")


def test_canonical_bytes_and_leaves(vectors: dict[str, Any]) -> None:
    for one in vectors["canonical"]:
        assert canonical(one["value"]) == one["bytes"].encode()
        assert leaf_hash(one["bytes"].encode()).hex() == one["leaf"]


def test_roots_and_proofs(vectors: dict[str, Any]) -> None:
    for one in vectors["roots"]:
        assert root(hashes(one["leaves"])).hex() == one["root"]
    for one in vectors["inclusion"]:
        leaf, top = hashes([one["leaf"], one["root"]])
        proof = hashes(one["proof"])
        assert verify_inclusion(one["index"], one["size"], leaf, proof, top) is one["ok"], one
    for one in vectors["consistency"]:
        old, new = hashes([one["old_root"], one["new_root"]])
        proof = hashes(one["proof"])
        assert verify_consistency(one["old_size"], one["new_size"], old, new, proof) is one["ok"], one


def test_signatures(vectors: dict[str, Any]) -> None:
    one = vectors["checkpoint"]
    key, (signed,) = PublicKey.parse(one["public_key"]), read(one["note"])
    assert is_signed(signed, key)
    assert (signed.size, signed.root.hex(), key.key_id) == (one["size"], one["root"], one["key_id"])
    said = vectors["cosignature"]
    witness, (cosigned,) = WitnessKey.parse(said["public_key"]), read(said["note"])
    found = cosignature_of(cosigned, witness)
    assert found is not None
    assert (found.at, found.line) == (said["at"], said["line"])
    assert is_signed(cosigned, key)


def test_the_bundle_and_what_it_answers(vectors: dict[str, Any]) -> None:
    one = vectors["bundle"]
    key = PublicKey.parse(vectors["checkpoint"]["public_key"])
    witness = WitnessKey.parse(vectors["cosignature"]["public_key"])
    report = verify_bundle(one["document"], key, [witness])
    assert (report.ok, report.unchecked) == (True, ())
    answers = [
        {
            "value": answer["value"],
            "seq": read_["read"]["seq"],
            "agent": read_["agent"],
            "notes": [
                {
                    "note_id": note["note_id"],
                    "proposed_by": note["proposed"]["by"],
                    "approved_by": note["approved"]["by"],
                }
                for note in read_["notes"]
            ],
        }
        for answer in (each.as_json() for each in report.answers)
        for read_ in answer["reads"]
    ]
    assert answers == one["answers"]
