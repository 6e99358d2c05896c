"""What a witness says of a checkpoint is read from its note, and nothing else is taken for it."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tarimba.receipts.checkpoint import PublicKey, SignedCheckpoint, is_signed, read, sign
from tarimba.receipts.cosignature import Cosignature, WitnessKey, cosign, cosignature_of
from tarimba.receipts.kept import read_kept
from tarimba.receipts.merkle import leaf_hash

ORIGIN, NAME, AT = "tarimba/space", "witness.example/w1", 1_790_000_000
LOG_SECRET, SECRET = bytes(range(32)), b"w" * 32
CHECKPOINT = sign(ORIGIN, 3, leaf_hash(b"one"), LOG_SECRET)
LOG = PublicKey(ORIGIN, Ed25519PrivateKey.from_private_bytes(LOG_SECRET).public_key().public_bytes_raw())


def with_line(line: str, checkpoint: SignedCheckpoint = CHECKPOINT) -> SignedCheckpoint:
    (found,) = read(checkpoint.note + line)
    return found


@pytest.fixture
def said() -> Cosignature:
    return cosign(CHECKPOINT, NAME, SECRET, AT)


def test_the_line_has_the_form_of_c2sp_and_the_message_its_time(said: Cosignature) -> None:
    dash, name, encoded = said.line.split()
    raw = base64.b64decode(encoded)
    assert (dash, name, raw[:4], len(raw)) == ("—", NAME, said.key.mark, 4 + 8 + 64)
    assert int.from_bytes(raw[4:12], "big") == AT
    body = CHECKPOINT.note.partition("\n\n")[0] + "\n"
    message = f"cosignature/v1\ntime {AT}\n{body}".encode()
    Ed25519PrivateKey.from_private_bytes(SECRET).public_key().verify(raw[12:], message)
    assert str(said.key).split("+")[1] == said.key.key_id
    assert base64.b64decode(str(said.key).split("+")[2])[:1] == b"\x04"


def test_it_is_found_beside_the_signature_of_the_log(said: Cosignature) -> None:
    both = with_line(said.line)
    assert cosignature_of(both, said.key) == said
    assert is_signed(both, LOG)
    assert said.moment == "2026-09-21T14:13:20Z"
    later = cosign(CHECKPOINT, NAME, SECRET, AT + 60)
    assert cosignature_of(with_line(said.line + later.line), said.key) == later


def test_nothing_else_is_one(said: Cosignature) -> None:
    other = sign(ORIGIN, 4, leaf_hash(b"two"), LOG_SECRET)
    dash, name, encoded = said.line.split()
    raw = bytearray(base64.b64decode(encoded))
    raw[11] ^= 1
    moved = f"{dash} {name} {base64.b64encode(bytes(raw)).decode()}\n"
    for checkpoint in (
        CHECKPOINT,
        with_line(said.line, other),
        with_line(moved),
        with_line(said.line.replace(NAME, "witness.example/w2")),
        with_line(cosign(CHECKPOINT, NAME, b"x" * 32, AT).line),
        with_line(f"— {NAME} {base64.b64encode(said.key.mark).decode()}\n"),
    ):
        assert cosignature_of(checkpoint, said.key) is None


def test_a_key_of_a_log_is_none_of_a_witness_and_back(said: Cosignature) -> None:
    assert WitnessKey.parse(str(said.key)) == said.key
    with pytest.raises(ValueError, match="no public key of a witness"):
        WitnessKey.parse(str(LOG))
    with pytest.raises(ValueError, match="no public key of a log"):
        PublicKey.parse(str(said.key))
    with pytest.raises(ValueError, match="no public key of a witness"):
        WitnessKey.parse(str(WitnessKey("two words", said.key.raw)))


def test_of_kept_checkpoints_the_largest_that_a_witness_saw_is_told(said: Cosignature) -> None:
    larger = sign(ORIGIN, 9, leaf_hash(b"two"), LOG_SECRET)
    text = larger.note + "\n" + CHECKPOINT.note + said.line
    kept = read_kept(text, ORIGIN, LOG, [said.key])
    assert [one.size for one in kept.checkpoints] == [9, 3]
    assert kept.newest == larger
    assert kept.lines() == [
        f"The witness with key {said.key.key_id} saw the checkpoint of size 3 at {said.moment}."
    ]
    with pytest.raises(ValueError, match="cosigned none of the checkpoints"):
        read_kept(larger.note, ORIGIN, LOG, [said.key])


def test_what_is_kept_is_of_one_log() -> None:
    other = sign("tarimba/other", 3, leaf_hash(b"one"), LOG_SECRET)
    with pytest.raises(ValueError, match="no checkpoint of this space"):
        read_kept(other.note, ORIGIN)
    with pytest.raises(ValueError, match="several logs"):
        read_kept(other.note + "\n" + CHECKPOINT.note)
