#!/usr/bin/env python3
"""Golden vectors of receipts for verifiers in other languages: written here, read by their tests and by ours.

Everything follows from fixed keys and ids, so the file changes only when the form of receipts does.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tarimba.receipts.canonical import canonical
from tarimba.receipts.checkpoint import PublicKey, SignedCheckpoint, sign
from tarimba.receipts.cosignature import cosign
from tarimba.receipts.merkle import consistency_proof, inclusion_proof, leaf_hash, root

FILE: Final = Path(__file__).parents[1] / "tests" / "data" / "receipts" / "vectors.json"
_SPACE: Final = "0190aaaa-0000-7000-8000-0000000000aa"
_AGENT, _PERSON, _NOTE, _PROPOSAL = (f"0190aaaa-0000-7000-8000-00000000000{digit}" for digit in "1234")
_ORIGIN: Final = f"tarimba/{_SPACE}"
_LOG_SECRET, _WITNESS_SECRET = bytes(range(32)), b"w" * 32
_WITNESS, _SEEN_AT = "witness.example/w1", 1_790_000_000
_K, _CONVERSATION = bytes(range(32, 64)), "c-77"
_SIZES: Final = (1, 2, 3, 4, 7, 8, 9, 13)


def vectors() -> dict[str, Any]:
    """The whole file."""
    receipts = list(_receipts())
    leaves = [leaf_hash(canonical(one)) for one in receipts]
    signed = sign(_ORIGIN, len(leaves), root(leaves), _LOG_SECRET)
    said = cosign(signed, _WITNESS, _WITNESS_SECRET, _SEEN_AT)
    note = signed.note + said.line
    key = PublicKey(
        _ORIGIN, Ed25519PrivateKey.from_private_bytes(_LOG_SECRET).public_key().public_bytes_raw()
    )
    return {
        "canonical": [
            {"value": one, "bytes": canonical(one).decode(), "leaf": leaf_hash(canonical(one)).hex()}
            for one in (*receipts[:2], *_values())
        ],
        "roots": [
            {"leaves": [one.hex() for one in _plain(size)], "root": root(_plain(size)).hex()}
            for size in (0, *_SIZES)
        ],
        "inclusion": list(_inclusion()),
        "consistency": list(_consistency()),
        "commitments": [
            {"k": _K.hex(), "value": value, "commitment": hashlib.sha256(_K + value.encode()).hexdigest()}
            for value in (_CONVERSATION, "", "açaí — 1")
        ],
        "checkpoint": {"public_key": str(key), "key_id": key.key_id, "note": signed.note, **_parts(signed)},
        "cosignature": {
            "public_key": str(said.key), "key_id": said.key.key_id, "at": said.at, "line": said.line, "note": note,
        },
        "bundle": _bundle(receipts, leaves, note, str(key)),
    }  # fmt: skip


def _parts(signed: SignedCheckpoint) -> dict[str, Any]:
    return {"origin": signed.origin, "size": signed.size, "root": signed.root.hex()}


def _values() -> tuple[Any, ...]:
    return (
        {"b": 1, "a": [True, None, "é", "\u2028", '\\"/\b'], "€": -0.0, "\U0001f600": 1e21, "\ufb33": 4.5},
        {"1": 2**53 - 1, "10": 0.1, "2": -5},
        [],
        "a line\nand a tab\t",
    )


def _receipts() -> Iterator[dict[str, Any]]:
    """An agent proposes, a person approves, the agent reads in a conversation, and some acts besides."""
    agent, person = {"type": "agent", "id": _AGENT, "key_id": "0" * 16}, {"type": "person", "id": _PERSON}
    named = {"proposal_id": _PROPOSAL, "source_id": _AGENT}
    digest = hashlib.sha256(b"a note").hexdigest()
    yield _receipt(0, "proposal.create", agent, named, {"changed": []})
    bound = {"content_hash": digest, "version": 1, "visibility": "source"}
    yield _receipt(1, "note.create", person, {**named, "note_id": _NOTE}, bound)
    yield _receipt(2, "proposal.approve", person, {**named, "note_id": _NOTE}, {"edited": False})
    commitment = hashlib.sha256(_K + _CONVERSATION.encode()).hexdigest()
    detail = {
        "conversation": commitment,
        "etag": f"am-{0:032x}",
        "notes": [_NOTE],
        "tokens": 12,
        "view": None,
    }
    yield _receipt(3, "block.read", agent, {"agent": _AGENT}, detail)
    for number in range(4, 13):
        yield _receipt(number, "settings.change", person, {}, {"setting": "body_max", "new": number})


def _receipt(
    number: int, action: str, actor: dict[str, str], objects: dict[str, str], detail: dict[str, Any]
) -> dict[str, Any]:
    kind = "read" if action == "block.read" else "admin"
    return {
        "v": 1, "id": f"0190bbbb-0000-7000-8000-{number:012d}", "space_id": _SPACE,
        "at": f"2026-11-30T12:00:{number:02d}.000000Z", "kind": kind, "action": action, "via": "http", "actor": actor,
        **objects, "detail": detail,
    }  # fmt: skip


def _plain(size: int) -> list[bytes]:
    return [leaf_hash(bytes([number])) for number in range(size)]


def _inclusion() -> Iterator[dict[str, Any]]:
    for size in _SIZES:
        leaves = _plain(size)
        for index in sorted({0, size // 2, size - 1}):
            path = [one.hex() for one in inclusion_proof(index, leaves)]
            told = {"index": index, "size": size, "leaf": leaves[index].hex(), "root": root(leaves).hex()}
            yield {**told, "proof": path, "ok": True}
            yield {**told, "proof": [*path, "00" * 32], "ok": False}
            yield {**told, "leaf": "00" * 32, "proof": path, "ok": False}


def _consistency() -> Iterator[dict[str, Any]]:
    for old in _SIZES:
        for new in (size for size in _SIZES if size >= old):
            path = [one.hex() for one in consistency_proof(old, _plain(new))]
            told = {"old_size": old, "new_size": new, "new_root": root(_plain(new)).hex(), "proof": path}
            yield {**told, "old_root": root(_plain(old)).hex(), "ok": True}
            yield {**told, "old_root": "00" * 32, "ok": False}


def _bundle(receipts: list[dict[str, Any]], leaves: list[bytes], note: str, key: str) -> dict[str, Any]:
    rows = [
        {"seq": seq, "receipt": receipts[seq], "proof": [one.hex() for one in inclusion_proof(seq, leaves)]}
        for seq in range(4)
    ]
    opened = [{"value": _CONVERSATION, "k": _K.hex()}]
    document = {
        "v": 1,
        "origin": _ORIGIN,
        "checkpoint": note,
        "keys": [key],
        "receipts": rows,
        "revealed": opened,
    }
    given = {"note_id": _NOTE, "proposed_by": f"agent {_AGENT}", "approved_by": f"person {_PERSON}"}
    return {
        "document": {**document, "more": False},
        "answers": [{"value": _CONVERSATION, "seq": 3, "agent": _AGENT, "notes": [given]}],
    }


def text() -> str:
    return json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"{FILE.name} is written.\n")
