"""From bytes to declared models, and what is said when a rule is broken."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from tarimba.errors import Refusal
from tarimba.http.reading import COUNTED, BodyShape, QueryShape, refuse_query, rule
from tests.unit.http.toys import Toy, Wanted

BODY = BodyShape(Toy)
QUERY = QueryShape(Wanted)
MARK = "zq7x"


def detail(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(Refusal) as refused:
        BODY.read(raw)
    assert (refused.value.code, refused.value.status) == ("invalid_input", 422)
    return refused.value.detail


def said(shape: BodyShape[Any] | QueryShape[Any], raw: bytes) -> str:
    """What a refusal says, or `read`. Every other error fails the test."""
    try:
        shape.read(raw)
    except Refusal as refused:
        return refused.detail
    return "read"


def query_detail(raw: bytes) -> str:
    with pytest.raises(Refusal) as refused:
        QUERY.read(raw)
    assert (refused.value.code, refused.value.status) == ("invalid_input", 422)
    return refused.value.detail


class TestBody:
    def test_reads_what_was_declared(self) -> None:
        toy = BODY.read(
            b'{"name":"trem","kind":"train","tags":["a"],"wheels":3,"made_at":"2026-01-02T03:04:05-03:00"}'
        )
        assert (toy.name, toy.kind, toy.tags, toy.wheels) == ("trem", "train", ["a"], 3)
        assert toy.made_at is not None
        assert toy.made_at.utcoffset() is not None

    @pytest.mark.parametrize("written", ["3", "3.0", "3e0", "0.3e1", "30E-1"])
    def test_a_whole_number_may_be_written_in_any_way(self, written: str) -> None:
        assert BODY.read(f'{{"name":"v1.5","wheels":{written},"price":{written}}}'.encode()).wheels == 3

    @pytest.mark.parametrize(
        ("sent", "words"),
        [
            ({}, "name: is required"),
            ({"name": 5}, "name: must be a string"),
            ({"name": ""}, "name: must have at least 1 characters"),
            ({"name": "x" * 13}, "name: must have at most 12 characters"),
            ({"name": "a", "kind": "boat"}, "kind: must be one of 'ball' or 'train'"),
            ({"name": "a", "tags": "b"}, "tags: must be a list"),
            ({"name": "a", "tags": ["b", "c", 5]}, "tags[2]: must be a string"),
            ({"name": "a", "tags": ["b"] * 4}, "tags: must have at most 3 entries"),
            ({"name": "a", "wheels": 11}, "wheels: must be at most 10"),
            ({"name": "a", "wheels": -1}, "wheels: must be at least 0"),
            ({"name": "a", "wheels": "3"}, "wheels: must be a whole number"),
            ({"name": "a", "wheels": 3.5}, "wheels: must be a whole number"),
            ({"name": "a", "wheels": True}, "wheels: must be a whole number"),
            ({"name": "a", "loud": "true"}, "loud: must be true or false"),
            ({"name": "a", "loud": 1}, "loud: must be true or false"),
            ({"name": "a", "price": "1.5"}, "price: must be a number"),
            ({"name": "a", "evidence": []}, "evidence: must be an object"),
            ({"name": "a", "evidence": {"task_id": 5}}, "evidence.task_id: must be a string"),
            ({"name": "a", "labels": {MARK: "x"}}, "labels: must be a whole number"),
            ([], "The body: must be an object"),
            (None, "The body: must be an object"),
            ({"name": "a", MARK: 1}, "1 unknown field"),
            ({"name": "a", MARK: 1, "other": 2, "evidence": {MARK: 3}}, "3 unknown fields"),
            (
                {"name": 5, "loud": 5, MARK: 1},
                "name: must be a string; loud: must be true or false; 1 unknown field",
            ),
            (b'{"name":"\\ud800"}', "name: holds an unpaired surrogate"),
            (b'{"name":"a","tags":["\\u0000"]}', "tags[0]: holds a NUL character"),
            (b'{"\\ud800":1}', "The body: holds an unpaired surrogate"),
        ],
    )
    def test_says_field_and_rule(self, sent: Any, words: str) -> None:
        assert detail(sent) == words

    @pytest.mark.parametrize(
        "moment",
        [
            "2026-01-02",
            "2026-01-02T03:04:05",
            "1700000000",
            1700000000,
            "2026-13-02T03:04:05Z",
            "2026-01-02T03:04Z",
            "",
        ],
    )
    def test_a_moment_has_one_form(self, moment: Any) -> None:
        assert (
            detail({"name": "a", "made_at": moment}) == "made_at: must be a moment with time zone (RFC 3339)"
        )

    def test_at_most_five_problems_are_told(self) -> None:
        sent = {"name": 5, "kind": 5, "tags": 5, "wheels": "x", "loud": 5, "price": "x", "evidence": 5}
        assert detail(sent).endswith("; 2 more")
        assert detail(sent).count(":") == 5

    def test_a_flood_of_problems_is_cut_short(self) -> None:
        flood = {f"{MARK}{at}": 1 for at in range(COUNTED + 1)}
        assert detail(flood) == "The body breaks more than 1000 rules."

    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False)
            | st.text().map(lambda text: MARK + text),
            lambda inner: (
                st.lists(inner)
                | st.dictionaries(
                    st.sampled_from(["name", "kind", "tags", "evidence", "task_id", "labels", "made_at"])
                    | st.text().map(lambda text: MARK + text),
                    inner,
                )
            ),
            max_leaves=15,
        )
    )
    @example({"name": "a", "labels": {MARK: MARK}})
    @example({"evidence": {MARK: {MARK: 1}}})
    def test_no_word_of_the_caller_is_repeated(self, value: Any) -> None:
        assert MARK not in said(BODY, json.dumps(value).encode())

    def test_only_the_words_of_our_own_rules_are_told(self) -> None:
        class Fussy(BaseModel):
            good: str = "a"
            bad: str = "a"

            @field_validator("good")
            @classmethod
            def _good(cls, _value: str) -> str:
                raise rule("must be {nothing} like that")

            @field_validator("bad")
            @classmethod
            def _bad(cls, value: str) -> str:
                raise ValueError(value)

        with pytest.raises(Refusal) as refused:
            BodyShape(Fussy).read(json.dumps({"good": MARK, "bad": MARK}).encode())
        assert (
            refused.value.detail == "good: must be {nothing} like that; bad: does not have the declared form"
        )

    def test_fields_go_by_their_wire_names_and_unknown_ones_are_refused_without_being_asked(self) -> None:
        class Renamed(BaseModel):
            from_: int = Field(alias="from")

        with pytest.raises(Refusal) as refused:
            BodyShape(Renamed).read(b'{"from":"x","from_":1}')
        assert refused.value.detail == "from: must be a whole number; 1 unknown field"


class TestQuery:
    def test_reads_what_was_declared(self) -> None:
        wanted = QUERY.read(
            b"limit=3&tag=a&tag=b%20c&tag=d+e&sizes=1&sizes=2&loud=false&price=1.5&q=a%C3%A7%C3%A3o"
        )
        assert wanted.tag == ["a", "b c", "d e"]
        assert (wanted.limit, wanted.sizes, wanted.loud, wanted.price, wanted.q) == (
            3,
            [1, 2],
            False,
            1.5,
            "ação",
        )
        assert QUERY.read(b"").limit == 20
        assert QUERY.read(b"tag=one").tag == ["one"]

    @pytest.mark.parametrize(
        ("sent", "words"),
        [
            (b"limit=", "limit: must be a whole number"),
            (b"limit=+3", "limit: must be a whole number"),
            (b"limit=%203", "limit: must be a whole number"),
            (b"limit=03", "limit: must be a whole number"),
            (b"limit=3.0", "limit: must be a whole number"),
            (b"limit=1_0", "limit: must be a whole number"),
            ("limit=٣".encode(), "limit: must be a whole number"),
            (b"limit=0", "limit: must be at least 1"),
            (b"limit=999999999999999999999999", "limit: must be a whole number"),
            (b"limit=3&limit=3", "limit: must be given only once"),
            (b"sizes=1&sizes=x", "sizes[1]: must be a whole number"),
            (b"loud=yes", "loud: must be true or false"),
            (b"loud=True", "loud: must be true or false"),
            (b"sizes=9007199254740992", "sizes[0]: must be a whole number"),
            (b"price=1e999", "price: must be a number"),
            (b"price=.5", "price: must be a number"),
            (b"price=nan", "price: must be a number"),
            (b"kind=boat", "kind: must be one of 'ball' or 'train'"),
            (b"q=12345678901", "q: must have at most 10 characters"),
            (b"q=%00", "q: holds a NUL character"),
            (b"zq7x=1", "1 unknown query parameter"),
            (b"zq7x=1&zq7y=2&limit=x", "limit: must be a whole number; 2 unknown query parameters"),
            (b"q=%", "The query is not percent-encoded UTF-8."),
            (b"q=%zq", "The query is not percent-encoded UTF-8."),
            (b"q=%ff", "The query is not percent-encoded UTF-8."),
            (b"%ed%a0%80=1", "The query is not percent-encoded UTF-8."),
            (b"q=\xff", "The query is not percent-encoded UTF-8."),
        ],
    )
    def test_says_parameter_and_rule(self, sent: bytes, words: str) -> None:
        assert query_detail(sent) == words

    @given(st.binary() | st.text("limtagpriceqsz=&%+0123456789abcdef").map(str.encode))
    def test_any_bytes_are_read_or_refused(self, raw: bytes) -> None:
        assert said(QUERY, raw) != ""

    def test_a_route_without_parameters_refuses_them(self) -> None:
        refuse_query(b"")
        refuse_query(b"&")
        with pytest.raises(Refusal, match="1 unknown query parameter"):
            refuse_query(b"zq7x")
