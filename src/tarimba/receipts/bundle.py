"""Verifying a bundle: receipts with their proofs up to one signed checkpoint, and nothing else at hand.

Free of the server like the verifier of a log. A bundle is a JSON document:
`{v: 1, origin, checkpoint, keys, receipts: [{seq, receipt, proof}], revealed: [{value, k}]}`, where `checkpoint` is a
signed note, `keys` are public keys, `proof` the hashes (hexadecimal) from the leaf up, and `k` (hexadecimal) opens the
commitment `SHA-256(k || value)` under which receipts name an id of the caller's own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tarimba.receipts import checkpoint as checkpoints
from tarimba.receipts.canonical import canonical
from tarimba.receipts.checkpoint import PublicKey, SignedCheckpoint
from tarimba.receipts.merkle import leaf_hash, verify_inclusion

_FORMAT: Final = "This is no bundle of receipts: {}."
FINDINGS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class BundleReport:
    """What a bundle holds and what is wrong with it, in sentences; `unchecked` what could not be checked.

    `receipts` are those that are proved, oldest first, each with its `seq`. `revealed` maps what was asked about to the
    places of the receipts that name it.
    """

    origin: str
    size: int
    receipts: tuple[Mapping[str, Any], ...]
    revealed: Mapping[str, tuple[int, ...]]
    findings: tuple[str, ...]
    unchecked: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "origin": self.origin,
            "size": self.size,
            "receipts": [dict(one) for one in self.receipts],
            "revealed": {value: list(places) for value, places in self.revealed.items()},
            "findings": list(self.findings),
            "unchecked": list(self.unchecked),
        }

    def lines(self) -> list[str]:
        """The report for a person, one sentence a line."""
        read = f"{len(self.receipts)} receipts are proved in the log {self.origin} of {self.size} receipts."
        verdict = "Nothing wrong was found." if self.ok else "Something is wrong."
        hidden = len(self.findings) - FINDINGS_SHOWN
        found = [*self.findings[:FINDINGS_SHOWN], *([f"{hidden} more are not listed."] if hidden > 0 else [])]
        named = [
            f"{value}: named by {len(places)} receipts (seq {', '.join(map(str, places)) or 'none'})."
            for value, places in self.revealed.items()
        ]
        told = [_told(one) for one in self.receipts]
        return [read, verdict, *found, *named, *told, *(f"Not checked: {what}" for what in self.unchecked)]


def verify_bundle(document: Any, key: PublicKey | None = None) -> BundleReport:
    """Verifies a bundle with the public key that its reader trusts; else with the key that it brings along.

    Raises `ValueError`, with a sentence, for what is no bundle. Never raises for a bad one.
    """
    signed, keys, rows = _parts(document)
    findings: list[str] = []
    trusted = [key] if key is not None else keys
    if not any(one.name == signed.origin and checkpoints.is_signed(signed, one) for one in trusted):
        findings.append("The checkpoint is not signed by the key: nothing in this bundle is vouched for.")
    proved = [found for row in rows if (found := _proved(row, signed, findings)) is not None]
    proved.sort(key=lambda one: int(one["seq"]))
    unchecked = ["whether the log that this checkpoint belongs to is the one that others are shown."]
    if key is None:
        unchecked.insert(0, "whose key signed it: it came with the bundle. Give the one that you were told.")
    revealed = _revealed(document.get("revealed"), proved, findings)
    return BundleReport(
        signed.origin, signed.size, tuple(proved), revealed, tuple(findings), tuple(unchecked)
    )


def _parts(document: Any) -> tuple[SignedCheckpoint, list[PublicKey], Sequence[Any]]:
    if not isinstance(document, dict) or document.get("v") != 1:
        raise ValueError(_FORMAT.format("it does not say `v: 1`"))
    found = checkpoints.read(str(document.get("checkpoint")))
    if len(found) != 1 or found[0].origin != document.get("origin"):
        raise ValueError(_FORMAT.format("it must have one checkpoint of its own origin"))
    return (
        found[0],
        [PublicKey.parse(str(one)) for one in _list(document, "keys")],
        _list(document, "receipts"),
    )


def _list(document: Mapping[str, Any], name: str) -> Sequence[Any]:
    found = document.get(name)
    if isinstance(found, list):
        return found
    raise ValueError(_FORMAT.format(f"`{name}` must be a list"))


def _proved(row: Any, signed: SignedCheckpoint, findings: list[str]) -> dict[str, Any] | None:
    """The receipt of a row with its place, or None and a finding."""
    seq = row.get("seq") if isinstance(row, dict) else None
    receipt, proof = (row.get("receipt"), row.get("proof")) if isinstance(row, dict) else (None, None)
    if type(seq) is not int or not isinstance(receipt, dict) or not isinstance(proof, list):
        findings.append("A row of the bundle is not a receipt with a place and a proof.")
        return None
    try:
        leaf, path = leaf_hash(canonical(receipt)), [bytes.fromhex(str(one)) for one in proof]
    except ValueError:
        findings.append(f"The receipt at seq {seq}, or its proof, can't be read.")
        return None
    if not verify_inclusion(seq, signed.size, leaf, path, signed.root):
        findings.append(f"The receipt at seq {seq} is not the one of the log, or is not at this place.")
        return None
    if receipt.get("space_id") != signed.origin.rpartition("/")[2]:
        findings.append(f"The receipt at seq {seq} belongs to another space.")
        return None
    return {**receipt, "seq": seq}


def _revealed(
    said: Any, proved: Sequence[Mapping[str, Any]], findings: list[str]
) -> dict[str, tuple[int, ...]]:
    """For each value that the bundle opens, the places of the receipts that name it."""
    found: dict[str, tuple[int, ...]] = {}
    for one in said if isinstance(said, list) else []:
        value, key = (str(one.get("value")), str(one.get("k"))) if isinstance(one, dict) else ("", "")
        try:
            commitment = hashlib.sha256(bytes.fromhex(key) + value.encode()).hexdigest()
        except ValueError:
            findings.append("What opens a commitment can't be read.")
            continue
        found[value] = tuple(int(receipt["seq"]) for receipt in proved if commitment in _named(receipt))
    return found


def _named(receipt: Mapping[str, Any]) -> set[Any]:
    detail = receipt.get("detail")
    about = detail if isinstance(detail, dict) else {}
    return {about.get("conversation"), about.get("task")}


def _told(receipt: Mapping[str, Any]) -> str:
    """One receipt in a line: what was done when by whom, and the notes that it names."""
    actor, detail = receipt.get("actor"), receipt.get("detail")
    who = f"{actor.get('type')} {actor.get('id')}" if isinstance(actor, dict) else "nobody"
    about = detail if isinstance(detail, dict) else {}
    notes = about.get("notes") or ([receipt["note_id"]] if receipt.get("note_id") else [])
    named = f", notes {', '.join(map(str, notes))}" if notes else ""
    return f"seq {receipt['seq']}: {receipt.get('at')} {receipt.get('action')} by {who}{named}"
