"""Checkpoints that were kept elsewhere, read back from their file: signed by whom, seen by which witnesses.

Pure, and free of the server: whoever verifies runs on this code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tarimba.receipts.checkpoint import PublicKey, SignedCheckpoint, is_signed, read
from tarimba.receipts.cosignature import Cosignature, WitnessKey, cosignature_of
from tarimba.receipts.verify import Checkpoint


@dataclass(frozen=True, slots=True)
class Kept:
    """The checkpoints of one log in the order of the file, and for each witness the largest that it cosigned."""

    signed: tuple[SignedCheckpoint, ...]
    witnessed: tuple[tuple[SignedCheckpoint, Cosignature], ...] = ()

    @property
    def checkpoints(self) -> list[Checkpoint]:
        return [Checkpoint(one.size, one.root) for one in self.signed]

    @property
    def newest(self) -> SignedCheckpoint:
        return max(self.signed, key=lambda one: one.size)

    def lines(self) -> list[str]:
        """What the witnesses said, one sentence a line."""
        return [
            f"The witness with key {one.key.key_id} saw the checkpoint of size {signed.size} at {one.moment}."
            for signed, one in self.witnessed
        ]


def read_kept(
    text: str, origin: str | None = None, key: PublicKey | None = None, witnesses: Sequence[WitnessKey] = ()
) -> Kept:
    """The checkpoints of the log `origin` in a text; without an origin all of them, which must be of one log.

    With a `key` each must be signed by it, and each of `witnesses` must have cosigned at least one. Raises
    `ValueError` with a sentence that names the first bad one by its number in the text.
    """
    found = [(number, one) for number, one in enumerate(read(text), 1) if origin in (None, one.origin)]
    if not found:
        raise ValueError("The file has no checkpoint of this space.")
    if len({one.origin for _, one in found}) > 1:
        raise ValueError("The file has checkpoints of several logs: keep each log in a file of its own.")
    for number, one in found:
        if key is not None and not is_signed(one, key):
            raise ValueError(
                f"Checkpoint number {number} in the file is not signed by this key: it was altered, or another key "
                "made it."
            )
    signed = tuple(one for _, one in found)
    return Kept(signed, tuple(_witnessed(signed, witness) for witness in witnesses))


def _witnessed(signed: Sequence[SignedCheckpoint], key: WitnessKey) -> tuple[SignedCheckpoint, Cosignature]:
    seen = [(one, said) for one in signed if (said := cosignature_of(one, key)) is not None]
    if not seen:
        raise ValueError(f"The witness with key {key.key_id} cosigned none of the checkpoints in the file.")
    return max(seen, key=lambda pair: pair[0].size)
