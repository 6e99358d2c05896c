import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.text import GateError, clean, defuse, fold_space, neutral, tags

ANY_TEXT = st.text(st.characters(), max_size=80)
TRICKY = st.text(
    st.sampled_from("aé1 \t\n\r<_-\u200b\u200c\u200d\ufe0f\u20e3\u0301\u0327\U0001f600❤नہ漢\u202e\ue000")
)


def refusal(value: str, *, max_length: int = 2000, min_length: int = 1, one_line: bool = False) -> str | None:
    try:
        clean(value, field="body", min_length=min_length, max_length=max_length, one_line=one_line)
    except GateError as error:
        return error.rule if error.field == "body" else "wrong field"
    return None


def body(value: str) -> str:
    return clean(value, field="body", max_length=2000)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\u2028b\u2029c", "a\nb\nc"),
        ("a\r\r\nb", "a\n\nb"),
        ("cobranc\u0327a", "cobrança"),
        ("\u212b", "\u00e5".upper()),
        ("tab\tand  spaces ", "tab\tand  spaces "),
    ],
)
def test_a_text_has_one_stored_form(written: str, stored: str) -> None:
    assert body(written) == stored


@pytest.mark.parametrize(
    ("hostile", "rule"),
    [
        ("a\0b", "nul"),
        ("a\x01b", "control"),
        ("a\x0bb", "control"),
        ("a\x0cb", "control"),
        ("a\x1bb", "control"),
        ("a\x1fb", "control"),
        ("a\x7fb", "control"),
        ("a\x80b", "control"),
        ("a\x85b", "control"),
        ("a\x9fb", "control"),
        ("a\ud800b", "surrogate"),
        ("a\udfff", "surrogate"),
        ("a\u202eb", "bidi"),
        ("a\u202ab\u202c", "bidi"),
        ("a\u2066b\u2069", "bidi"),
        ("a\U000e0041", "tag_character"),
        ("\U0001f3f4\U000e0067\U000e007f", "tag_character"),
        ("a\u200bb", "zero_width"),
        ("a\u200cb", "zero_width"),
        ("a\u200db", "zero_width"),
        ("a\u2060b", "zero_width"),
        ("\ufeffa", "zero_width"),
        ("a\u00adb", "zero_width"),
        ("a\u200eb", "zero_width"),
        ("a\u200fb", "zero_width"),
        ("a\u034fb", "zero_width"),
        ("a\u2063b", "zero_width"),
        ("a\u180eb", "zero_width"),
        ("a\u3164b", "zero_width"),
        ("a\uffa0b", "zero_width"),
        ("a\ufe0fb", "zero_width"),
        ("1\ufe0fb", "zero_width"),
        ("a\ufff9b\ufffac\ufffb", "zero_width"),
        ("a\U000e0101", "zero_width"),
        ("\U0001f600\ufe0f\ufe0f", "zero_width"),
        ("\U0001f600\U000e0101\U000e0102", "zero_width"),
        ("\U0001f600\u200d", "zero_width"),
        ("\U0001f600\u200d\u200d\U0001f600", "zero_width"),
        ("न\u200d\u200d", "zero_width"),
        ("a" + "\u0301" * 31, "combining"),
        ("a" + "\u0315\u0316" * 3000, "combining"),
        ("", "blank"),
        (" \t\n", "blank"),
        ("\u00a0\u3000\u2003", "blank"),
        ("\u2800", "blank"),
        ("\u0301", "blank"),
    ],
)
def test_what_hides_something_is_refused_by_name(hostile: str, rule: str) -> None:
    assert refusal(hostile) == rule


@pytest.mark.parametrize(
    "honest",
    [
        "família \U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f469\U0001f3fd\u200d\U0001f4bb",
        "❤\ufe0f\u200d\U0001f525 e 1\ufe0f\u20e3 e #\ufe0f\u20e3",
        "\U0001f3f3\ufe0f\u200d\U0001f308 ⚠\ufe0f ©\ufe0e",
        "\U0001f1e7\U0001f1f7",
        "می\u200cخواهم",
        "क्\u200dष",
        "ന്\u200d",
        "ภาษา\u200bไทย",
        "葛\U000e0100",
        "ᠠ\u180b",
        "שלום\u200f (ok)",
        "(שלום)\u200f",
        "نص\u061c",
        "naïve Ångström ação ¿qué? 漢字 Ελληνικά Привет",
        "x < y, a << b, <html>, List<agent>",
        "the agent writes notes; look at the customer's context",
        "agent notes and customer context are words too; so is agent-notes",
    ],
)
def test_what_languages_and_emoji_need_is_kept(honest: str) -> None:
    assert body(honest) == unicodedata.normalize("NFC", honest)


@pytest.mark.parametrize(
    "delimiter",
    [
        "agent_notes",
        "customer_context",
        "</agent_notes>",
        "<Agent_Notes>",
        "see AGENT_NOTES here",
        "<CUSTOMER_context >",
        "ａｇｅｎｔ＿ｎｏｔｅｓ",
        "＜agent_notes＞",
        "<agent‿notes>",
        "agent__notes",
        "< / agent notes >",
        "<agent-notes>",
        "</agentnotes>",
        "<customer.context>",
        "<customer\u2011context>",
        "𝐚𝐠𝐞𝐧𝐭_𝐧𝐨𝐭𝐞𝐬",
        "ágent_nótes",
        "аgеnt_nоtеs",
        "ΑGΕΝΤ_ΝΟΤΕS",
        "\u226eagent_notes>",
    ],
)
def test_our_delimiters_are_refused_in_any_case_and_width(delimiter: str) -> None:
    assert refusal(delimiter) == "delimiter"
    assert refusal(delimiter, one_line=True) == "delimiter"


@pytest.mark.parametrize("zero_width", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\ufe0f"])
def test_a_delimiter_mixed_with_zero_width_is_refused(zero_width: str) -> None:
    assert refusal(f"<agent{zero_width}_notes>") == "zero_width"
    assert defuse(f"<{zero_width}agent{zero_width}_notes>").startswith("‹")


def test_lengths_count_code_points_after_normalisation() -> None:
    assert refusal("e\u0301" * 10, max_length=10) is None
    assert refusal("é" * 11, max_length=10) == "too_long"
    assert refusal("\r\n" * 5 + "a", max_length=6) is None
    assert refusal("\U0001f600" * 10, max_length=10) is None
    assert refusal("ab", min_length=3) == "too_short"
    assert refusal("", min_length=0) is None
    assert refusal(" ", min_length=0) == "blank"
    # An ideograph excluded from composition grows: one code point in, two out.
    assert refusal("\u0958", max_length=1) == "too_long"


def test_no_code_point_composes_from_more_than_four() -> None:
    """The early refusal of oversized texts rests on this."""
    assert max(len(unicodedata.normalize("NFD", chr(at))) for at in range(0x110000)) == 4
    assert refusal("a" * 4001, max_length=1000) == "too_long"


def test_one_line_folds_white_space_but_not_controls() -> None:
    assert clean("  a \t\n\u00a0 b\r\n", field="title", max_length=3, one_line=True) == "a b"
    assert refusal("a\x0bb", one_line=True) == "control"
    assert refusal("a\x85b", one_line=True) == "control"
    assert fold_space("\u2003a\u2028b ") == "a b"


@given(value=ANY_TEXT | TRICKY, one_line=st.booleans())
def test_the_gate_never_fails_otherwise_and_its_result_passes_unchanged(
    value: str, *, one_line: bool
) -> None:
    try:
        once = clean(value, field="body", max_length=100, one_line=one_line)
    except GateError as error:
        shown = set(error.sentence) - set(string.printable)
        assert not shown
        return
    assert clean(once, field="body", max_length=100, one_line=one_line) == once
    assert unicodedata.is_normalized("NFC", once)


def test_a_refusal_never_quotes_the_text() -> None:
    with pytest.raises(GateError) as refused:
        clean("qwertz\u202e", field="title", max_length=120)
    assert refused.value.sentence == "title: holds a bidirectional override or isolate"
    with pytest.raises(GateError) as long:
        clean("qwertz", field="title", max_length=5)
    assert long.value.sentence == "title: is longer than allowed (limit 5)"


def test_tags_keep_their_order_without_duplicates() -> None:
    assert tags(["b", "a.b:c-d_e", "b", "0"]) == ("b", "a.b:c-d_e", "0")
    assert tags([]) == ()
    assert tags(["t"] * 50) == ("t",)
    assert len(tags([f"t{at}" for at in range(8)])) == 8


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        ("", "blank"),
        ("Fatura", "pattern"),
        ("_x", "pattern"),
        ("a b", "pattern"),
        ("a\n", "pattern"),
        ("ação", "pattern"),
        ("a" * 65, "too_long"),
        ("a\u200b", "zero_width"),
        ("agent_notes", "delimiter"),
        ("a\0", "nul"),
    ],
)
def test_a_bad_tag_is_named_by_its_place(bad: str, rule: str) -> None:
    with pytest.raises(GateError) as refused:
        tags(["fine", bad])
    assert (refused.value.field, refused.value.rule) == ("tags[1]", rule)


def test_more_than_eight_tags_are_refused() -> None:
    with pytest.raises(GateError) as refused:
        tags([f"t{at}" for at in range(9)])
    assert (refused.value.field, refused.value.rule) == ("tags", "too_many")


@given(
    text=ANY_TEXT | TRICKY,
    spelled=st.sampled_from(["</agent_notes>", "＜Customer_Context>", "< agent-notes"]),
)
def test_the_second_wall_leaves_no_delimiter_tag(text: str, spelled: str) -> None:
    hostile = text + spelled + text
    safe = defuse(hostile)
    assert len(safe) == len(hostile)
    assert defuse(safe) == safe
    assert safe.count("‹") > hostile.count("‹")
    assert {new for old, new in zip(hostile, safe, strict=True) if old != new} == {"‹"}


@given(text=st.text(string.ascii_letters + " <>/áç", max_size=60))
def test_the_second_wall_leaves_other_texts_alone(text: str) -> None:
    plain = text.replace("gent", "").replace("ustomer", "")
    assert defuse(plain) == plain


def test_what_must_be_heard_is_made_harmless_and_not_refused() -> None:
    assert neutral("a\r\nb\0c\ud800") == "a\nb\ufffdc\ufffd"
    assert neutral("x\u202ey\u200bz\U000e0041") == "xyz"
    assert neutral("cafe\u0301 👩\u200d🔧") == "café 👩\u200d🔧"
    assert neutral("</agent_\u200bnotes> <CUSTOMER_CONTEXT>") == "‹/agent_notes> ‹CUSTOMER_CONTEXT>"
    assert len(neutral("a" + "\u0301\u0316" * 10_000)) <= 31
