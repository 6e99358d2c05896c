"""Verifying a bundle: receipts with their proofs up to one signed checkpoint, and nothing else at hand.

Free of the server like the verifier of a log. A bundle is a JSON document:
`{v: 1, origin, checkpoint, keys, receipts: [{seq, receipt, proof}], revealed: [{value, k}]}`, where `checkpoint` is a
signed note, `keys` are public keys, `proof` the hashes (hexadecimal) from the leaf up, and `k` (32 bytes, hexadecimal)
opens the commitment `SHA-256(k || value)` under which receipts name an id of the caller's own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tarimba.receipts import checkpoint as checkpoints
from tarimba.receipts.answer import Answered, answer
from tarimba.receipts.canonical import canonical
from tarimba.receipts.checkpoint import PublicKey, SignedCheckpoint
from tarimba.receipts.cosignature import Cosignature, WitnessKey, cosignature_of
from tarimba.receipts.merkle import leaf_hash, verify_inclusion

_FORMAT: Final = "This is no bundle of receipts: {}."
FINDINGS_SHOWN: Final = 20
# With a `k` of any length its end could be told as the beginning of the value, or the other way round: the same
# commitment would open as several ids.
_OPENING_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class BundleReport:
    """What a bundle holds and what is wrong with it, in sentences; `unchecked` what could not be checked.

    `receipts` are those that are proved, oldest first, each with its `seq`. `revealed` maps what was asked about to the
    places of the receipts that name it. `first_bad_seq` is the first place that a finding names, `witnessed` what the
    witnesses that had to see the checkpoint said of it.
    """

    origin: str
    size: int
    receipts: tuple[Mapping[str, Any], ...]
    revealed: Mapping[str, tuple[int, ...]]
    findings: tuple[str, ...]
    unchecked: tuple[str, ...]
    first_bad_seq: int | None = None
    witnessed: tuple[Cosignature, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.findings

    @property
    def answers(self) -> tuple[Answered, ...]:
        """For each id that was asked about, what the agents had been given under it, and who vouched for that."""
        return tuple(answer(value, places, self.receipts) for value, places in self.revealed.items())

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "origin": self.origin,
            "size": self.size,
            "receipts": [dict(one) for one in self.receipts],
            "revealed": {value: list(places) for value, places in self.revealed.items()},
            "answers": [one.as_json() for one in self.answers],
            "first_bad_seq": self.first_bad_seq,
            "witnessed": [{"key_id": one.key.key_id, "at": one.moment} for one in self.witnessed],
            "findings": list(self.findings),
            "unchecked": list(self.unchecked),
        }

    def lines(self) -> list[str]:
        """The report for a person, one sentence a line."""
        read = f"{len(self.receipts)} receipts are proved in the log {self.origin} of {self.size} receipts."
        hidden = len(self.findings) - FINDINGS_SHOWN
        found = [*self.findings[:FINDINGS_SHOWN], *([f"{hidden} more are not listed."] if hidden > 0 else [])]
        seen = [
            f"The witness with key {one.key.key_id} saw the log at {one.moment}." for one in self.witnessed
        ]
        answered = [line for one in self.answers for line in one.lines()]
        told = [_told(one) for one in self.receipts]
        unchecked = [f"Not checked: {what}" for what in self.unchecked]
        return [
            read,
            self._verdict(),
            *found,
            *seen,
            *answered,
            "Every receipt of the bundle:",
            *told,
            *unchecked,
        ]

    def _verdict(self) -> str:
        if self.ok:
            return "Nothing wrong was found."
        where = self.first_bad_seq
        return "Something is wrong." if where is None else f"The first bad seq is {where}."


def verify_bundle(
    document: Any, key: PublicKey | None = None, witnesses: Sequence[WitnessKey] = ()
) -> BundleReport:
    """Verifies a bundle with the public key that its reader trusts; else with the key that it brings along.

    Each of `witnesses` must have cosigned its checkpoint.

    Raises `ValueError`, with a sentence, for what is no bundle. Never raises for a bad one.
    """
    signed, keys, rows = _parts(document)
    findings: list[_Finding] = []
    trusted = [key] if key is not None else keys
    if not any(one.name == signed.origin and checkpoints.is_signed(signed, one) for one in trusted):
        findings.append(
            _Finding("The checkpoint is not signed by the key: nothing in this bundle is vouched for.")
        )
    seen = _seen(signed, witnesses, findings)
    proved = [found for row in rows if (found := _proved(row, signed, findings)) is not None]
    proved.sort(key=lambda one: int(one["seq"]))
    revealed = _revealed(document.get("revealed"), proved, findings)
    return BundleReport(
        signed.origin,
        signed.size,
        tuple(proved),
        revealed,
        findings=tuple(one.sentence for one in findings),
        unchecked=_unchecked(key is not None, bool(seen)),
        first_bad_seq=min((one.seq for one in findings if one.seq is not None), default=None),
        witnessed=seen,
    )


def _seen(
    signed: SignedCheckpoint, witnesses: Sequence[WitnessKey], findings: list[_Finding]
) -> tuple[Cosignature, ...]:
    found = [(key, cosignature_of(signed, key)) for key in witnesses]
    for key, said in found:
        if said is None:
            findings.append(_Finding(f"The checkpoint is not cosigned by the witness with key {key.key_id}."))
    return tuple(said for _, said in found if said is not None)


def _unchecked(has_key: bool, has_witness: bool) -> tuple[str, ...]:
    said = {
        "whose key signed it: it came with the bundle. Give the one that you were told.": has_key,
        "whether the log that this checkpoint belongs to is the one that others are shown.": has_witness,
    }
    return tuple(what for what, is_checked in said.items() if not is_checked)


@dataclass(frozen=True, slots=True)
class _Finding:
    """What is wrong, and at which place of the log if at one."""

    sentence: str
    seq: int | None = None


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


def _proved(row: Any, signed: SignedCheckpoint, findings: list[_Finding]) -> dict[str, Any] | None:
    """The receipt of a row with its place, or None and a finding."""
    seq = row.get("seq") if isinstance(row, dict) else None
    receipt, proof = (row.get("receipt"), row.get("proof")) if isinstance(row, dict) else (None, None)
    if type(seq) is not int or not isinstance(receipt, dict) or not isinstance(proof, list):
        findings.append(_Finding("A row of the bundle is not a receipt with a place and a proof."))
        return None
    try:
        leaf, path = leaf_hash(canonical(receipt)), [bytes.fromhex(str(one)) for one in proof]
    except ValueError:
        findings.append(_Finding(f"The receipt at seq {seq}, or its proof, can't be read.", seq))
        return None
    if not verify_inclusion(seq, signed.size, leaf, path, signed.root):
        says = f"The receipt at seq {seq} is not the one of the log, or is not at this place."
        findings.append(_Finding(says, seq))
        return None
    if receipt.get("space_id") != signed.origin.rpartition("/")[2]:
        findings.append(_Finding(f"The receipt at seq {seq} belongs to another space.", seq))
        return None
    return {**receipt, "seq": seq}


def _revealed(
    said: Any, proved: Sequence[Mapping[str, Any]], findings: list[_Finding]
) -> dict[str, tuple[int, ...]]:
    """For each value that the bundle opens, the places of the receipts that name it."""
    found: dict[str, tuple[int, ...]] = {}
    for one in said if isinstance(said, list) else []:
        value, key = (str(one.get("value")), str(one.get("k"))) if isinstance(one, dict) else ("", "")
        commitment = _commitment(value, key)
        if commitment is None or value in found:
            findings.append(_Finding("What opens a commitment can't be read, or opens one id twice."))
            continue
        found[value] = tuple(int(receipt["seq"]) for receipt in proved if commitment in _named(receipt))
    return found


def _commitment(value: str, key: str) -> str | None:
    """None for what opens nothing."""
    try:
        opening = bytes.fromhex(key)
        said = value.encode()
    except ValueError:
        return None
    return hashlib.sha256(opening + said).hexdigest() if len(opening) == _OPENING_BYTES else None


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
