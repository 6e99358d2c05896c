"""The reader of JSON bodies."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.http import body
from tarimba.http.body import DEPTH_MAX, DRAIN_MAX, INTEGER_MAX, ClientGoneError

numbers = st.integers(-INTEGER_MAX, INTEGER_MAX) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(st.characters(exclude_categories=["Cs"]))
documents = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner), max_leaves=20
)


class Wire:
    """What a server hands in: pieces of a body, then a disconnect. Counts what was taken."""

    def __init__(self, pieces: Iterable[bytes], *, complete: bool = True) -> None:
        self.pieces = list(pieces)
        self.complete = complete
        self.taken = 0

    async def receive(self) -> dict[str, Any]:
        if self.taken == len(self.pieces):
            return {"type": "http.disconnect"}
        self.taken += 1
        more = self.taken < len(self.pieces) or not self.complete
        return {"type": "http.request", "body": self.pieces[self.taken - 1], "more_body": more}

    def read(self, limit: int, **options: Any) -> bytes:
        return asyncio.run(body.read_all(self.receive, limit, **options))


class TestReadAll:
    @given(st.lists(st.binary(max_size=20), min_size=1))
    def test_the_limit_counts_the_stream_however_it_is_cut(self, pieces: list[bytes]) -> None:
        whole = b"".join(pieces)
        assert Wire(pieces).read(len(whole)) == whole
        if whole:
            with pytest.raises(Refusal, match=f"at most {len(whole) - 1} bytes") as refused:
                Wire(pieces).read(len(whole) - 1)
            assert refused.value.code == "too_large"

    def test_a_moderate_excess_is_heard_out(self) -> None:
        wire = Wire([b"x" * 100] * 50)
        with pytest.raises(Refusal):
            wire.read(1000, declared=5000)
        assert wire.taken == 50

    def test_an_endless_body_is_not(self) -> None:
        wire = Wire([b"x" * 65536] * 200, complete=False)
        with pytest.raises(Refusal):
            wire.read(1000)
        assert wire.taken <= DRAIN_MAX // 65536 + 2

    @pytest.mark.parametrize(("declared", "patient"), [(1000 + DRAIN_MAX + 1, True), (1001, False)])
    def test_a_declared_excess_is_refused_unread(self, declared: int, patient: bool) -> None:
        wire = Wire([b"x"])
        with pytest.raises(Refusal):
            wire.read(1000, declared=declared, patient=patient)
        assert wire.taken == 0

    def test_a_caller_who_left_is_no_empty_body(self) -> None:
        with pytest.raises(ClientGoneError):
            Wire([b"{"], complete=False).read(1000)


class Slow(Wire):
    """A caller who, once the pieces are sent, says nothing more and stays; or sends nothing, again and again."""

    def __init__(self, pieces: Iterable[bytes], *, drips: bool) -> None:
        super().__init__(pieces, complete=False)
        self.drips = drips

    async def receive(self) -> dict[str, Any]:
        if self.taken < len(self.pieces):
            return await super().receive()
        if not self.drips:
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"", "more_body": True}


class TestSlowCallers:
    @pytest.mark.parametrize("pieces", [[], [b"{"]])
    @pytest.mark.parametrize(
        ("limited", "drips"), [("STALL_SECONDS", False), ("WHOLE_SECONDS", False), ("WHOLE_SECONDS", True)]
    )
    def test_one_who_stalls_or_drips_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, pieces: list[bytes], limited: str, *, drips: bool
    ) -> None:
        monkeypatch.setattr(body, limited, 0.001)
        with pytest.raises(Refusal, match="did not come in time") as refused:
            Slow(pieces, drips=drips).read(10)
        assert (refused.value.code, refused.value.status) == ("invalid_input", 408)

    def test_a_large_body_has_the_time_that_it_takes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(body, "WHOLE_SECONDS", 0.0)
        assert Wire([b"x"] * 100).read(64 * 1024 * 1024) == b"x" * 100


class TestContentType:
    @pytest.mark.parametrize(
        "value",
        [
            b"application/json",
            b"Application/JSON",
            b'application/json;charset="utf-8"',
            b"application/json ; charset=UTF-8 ",
        ],
    )
    def test_json_in_utf_8(self, value: bytes) -> None:
        body.check_content_type(value)

    @pytest.mark.parametrize(
        "value",
        [
            None,
            b"",
            b"text/json",
            b"application/json, application/json",
            b"application/json; charset=utf-16",
            b"application/json; charset=utf-8; x=y",
            b"application/problem+json",
            b"multipart/form-data",
        ],
    )
    def test_everything_else_is_415(self, value: bytes | None) -> None:
        with pytest.raises(Refusal) as refused:
            body.check_content_type(value)
        assert refused.value.code == "unsupported_media_type"


def refusal(raw: bytes) -> Refusal:
    with pytest.raises(Refusal) as refused:
        body.parse(raw)
    assert refused.value.code == "invalid_input"
    # Whoever logs the chain of causes must not find the body in it.
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    return refused.value


def outcome(raw: bytes) -> str:
    try:
        body.parse(raw)
    except Refusal as refused:
        return refused.code
    return "read"


class TestParse:
    @given(documents)
    def test_reads_what_json_is(self, value: Any) -> None:
        raw = json.dumps(value, ensure_ascii=False).encode()
        assert body.parse(raw) == json.loads(raw)

    @given(st.binary())
    def test_any_bytes_are_read_or_refused(self, raw: bytes) -> None:
        assert outcome(raw) in ("read", "invalid_input")

    @given(st.text('[]{}",:\\u0123456789abdeE+-.ntrflsNIy \x00', max_size=40))
    def test_any_text_near_json_is_read_or_refused(self, text: str) -> None:
        assert outcome(text.encode()) in ("read", "invalid_input")

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b"  ",
            b"{",
            b"{'a':1}",
            b'{"a":1,}',
            b"[1 2]",
            b"{} {}",
            b"NaN",
            b"[Infinity]",
            b"-Infinity",
            b"01",
            b"1.",
            b"+1",
            b'"a\nb"',
            b'"\\x"',
            b"\xef\xbb\xbf{}",
            b'"\xff"',
            b'"\xed\xa0\x80"',
            b'"\xc0\xaf"',
            b"tru",
            '"a"'.encode("utf-16"),
            '"a"'.encode("utf-32-le"),
            b'"a" // c',
            b"\x00",
        ],
    )
    def test_what_is_not_json_in_utf_8_is_400(self, raw: bytes) -> None:
        assert refusal(raw).status == 400

    @pytest.mark.parametrize(
        "raw",
        [
            b'{"a":1,"a":1}',
            b'{"a":1,"\\u0061":2}',
            b'[{"x":{"a":1,"b":2,"a":3}}]',
            b"9007199254740992",
            b"-9007199254740992",
            b"1" * 100_000,
            b"1e999",
            b"-1e999",
            b"[" * 33 + b"]" * 33,
        ],
    )
    def test_what_readers_disagree_on_is_422(self, raw: bytes) -> None:
        assert refusal(raw).status == 422

    @pytest.mark.parametrize("number", [INTEGER_MAX, -INTEGER_MAX, 0.1, 1e308, 5e-324])
    def test_numbers_that_every_reader_takes_alike(self, number: float) -> None:
        assert body.parse(json.dumps(number).encode()) == number

    @pytest.mark.parametrize("opening", [b"[", b'{"a":'])
    def test_depth_is_counted_and_never_a_recursion_error(self, opening: bytes) -> None:
        closing = b"]" if opening == b"[" else b"}"
        body.parse(opening * DEPTH_MAX + b"1" + closing * DEPTH_MAX)
        for depth in (DEPTH_MAX + 1, 900, 100_000):
            assert "at most 32 levels" in refusal(opening * depth + b"1" + closing * depth).detail

    def test_many_brackets_side_by_side_are_not_deep(self) -> None:
        assert len(body.parse(b"[" + b"[]," * 1000 + b"[]]")) == 1001


class TestUnstorable:
    @pytest.mark.parametrize(
        ("raw", "found"),
        [
            (b'{"a":["x","\\ud800"]}', (("a", 1), "surrogate")),
            (b'{"a":{"b":"\\uDFFFx"}}', (("a", "b"), "surrogate")),
            (b'{"a":{"\\ud800":1}}', (("a",), "surrogate")),
            (b'{"a":"\\u0000"}', (("a",), "nul")),
            (b'"\\udc00\\ud800"', ((), "surrogate")),
        ],
    )
    def test_finds_the_place(self, raw: bytes, found: object) -> None:
        assert body.find_unstorable(raw, body.parse(raw)) == found

    @pytest.mark.parametrize(
        "raw", [b'"\\ud83d\\ude00"', b'"\\\\ud800"', b'"\\\\u0000"', '"😀 ação"'.encode()]
    )
    def test_pairs_and_escaped_backslashes_are_fine(self, raw: bytes) -> None:
        assert body.find_unstorable(raw, body.parse(raw)) is None

    @given(documents)
    def test_everything_that_passes_can_be_written_as_utf_8(self, value: Any) -> None:
        raw = json.dumps(value).encode()
        if body.find_unstorable(raw, body.parse(raw)) is None:
            json.dumps(body.parse(raw), ensure_ascii=False).encode()
