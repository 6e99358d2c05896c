"""Signed checkpoints are notes that other tools read, and a changed one has no signature any more."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tarimba.receipts.checkpoint import PublicKey, is_signed, read, sign
from tarimba.receipts.merkle import leaf_hash

ROOT = leaf_hash(b"one")
SECRET = bytes(range(32))
# Published with Go's module of signed notes (golang.org/x/mod/sumdb/note).
PUBLISHED = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SIGNATURE = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="


def key_of(note: str, secret: bytes = SECRET) -> PublicKey:
    return PublicKey(note, Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw())


def test_a_published_key_and_the_mark_of_its_signature() -> None:
    key = PublicKey.parse(PUBLISHED)
    assert str(key) == PUBLISHED
    assert base64.b64decode(SIGNATURE)[:4] == key.mark


def test_a_checkpoint_has_the_form_of_c2sp() -> None:
    made = sign("tarimba/space", 3, ROOT, SECRET)
    body, _, signature = made.note.partition("\n\n")
    assert body.split("\n") == ["tarimba/space", "3", base64.b64encode(ROOT).decode()]
    assert signature.startswith("— tarimba/space ")
    assert is_signed(made, key_of("tarimba/space"))
    assert not is_signed(made, key_of("tarimba/other"))
    assert not is_signed(made, key_of("tarimba/space", b"x" * 32))


def test_many_in_a_file_are_read_and_what_was_changed_is_not_signed() -> None:
    notes = [sign("tarimba/space", size, ROOT, SECRET) for size in (1, 2, 30)]
    text = "kept since May\n\n" + "\n".join(one.note for one in notes) + "\nthe end\n"
    assert read(text) == notes
    for changed in (notes[2].note.replace("\n30\n", "\n31\n"), notes[2].note.replace("— t", "- t")):
        assert not any(is_signed(one, key_of("tarimba/space")) for one in read(changed))


@pytest.mark.parametrize("said", ["", "a", "a+b+c", PUBLISHED.replace("c74f", "c74e"), PUBLISHED[:-4]])
def test_what_is_no_key_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match="no public key"):
        PublicKey.parse(said)
