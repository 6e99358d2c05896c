"""Reading an export document in whatever pieces it comes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.erasure import document
from tarimba.erasure.document import Document
from tarimba.errors import Refusal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def pieces(raw: bytes, size: int) -> Iterator[bytes]:
    return (raw[at : at + size] for at in range(0, len(raw), size))


def rows(raw: bytes, size: int = 7) -> list[tuple[str, int, Any]]:
    return list(Document(pieces(raw, size)))


@given(st.lists(VALUES, max_size=6), st.lists(VALUES, max_size=2), st.integers(1, 40), st.booleans())
def test_rows_come_as_they_were_sent(notes: list[Any], proposals: list[Any], size: int, wide: bool) -> None:
    whole = {"source_id": None, "exported_at": "now", "notes": notes, "proposals": proposals}
    raw = json.dumps(whole, ensure_ascii=wide, indent=1 if wide else None).encode("utf-8", "surrogatepass")
    if b"\xed\xa0" in raw or b"\xed\xb0" in raw:
        return
    expected = [("notes", at, row) for at, row in enumerate(notes)]
    expected += [("proposals", at, row) for at, row in enumerate(proposals)]
    assert rows(raw, size) == expected


@given(st.binary(max_size=60))
def test_no_bytes_are_more_than_a_refusal(raw: bytes) -> None:
    for sent in (raw, b'{"notes":[' + raw):
        assert outcome(sent) in ("rows", "invalid_input")


def outcome(raw: bytes) -> str:
    try:
        rows(raw)
    except Refusal as refusal:
        return refusal.code
    return "rows"


@given(st.integers(0, 200))
def test_a_document_cut_anywhere_is_unreadable(cut: int) -> None:
    raw = json.dumps({"notes": [{"title": "ação", "n": 12}, [1, 2]], "proposals": []}).encode()
    if cut < len(raw):
        with pytest.raises(Refusal) as refused:
            rows(raw[:cut])
        assert refused.value.status == 400


def test_another_document_is_refused_without_its_words() -> None:
    with pytest.raises(Refusal) as refused:
        rows(b'{"secrets":[]}')
    assert refused.value.status == 422
    assert "secrets" not in refused.value.detail


def test_it_reads_no_further_than_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_READ_AT_ONCE", 10)
    sent = 0

    def counted() -> Iterator[bytes]:
        nonlocal sent
        for piece in pieces(b'{"notes":[' + b",".join([b'{"a":1}'] * 100) + b"]}", 10):
            sent += 1
            yield piece

    reading = iter(Document(counted()))
    assert next(reading) == ("notes", 0, {"a": 1})
    assert sent <= 4


def test_a_long_row_is_not_parsed_again_for_every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b'{"notes":["' + b"a" * 500_000 + b'"]}'
    tried = 0
    real = Document._parsed

    def counted(self: Document) -> tuple[Any, int] | None:
        nonlocal tried
        tried += 1
        return real(self)

    monkeypatch.setattr(Document, "_parsed", counted)
    assert len(rows(raw, 100)) == 1
    assert tried <= 12
