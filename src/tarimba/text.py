"""The one gate for every string that is stored, whatever door it came through.

A reviewer must see what the model reads, both databases must keep the same characters, and no text may look
like the delimiters of a block. So a text is brought to one form (LF, NFC) and refused when it hides
something; it is never repaired silently.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

RULES: Final = {
    "nul": "holds a NUL character",
    "control": "holds a control character other than newline and tab",
    "surrogate": "holds an unpaired surrogate",
    "bidi": "holds a bidirectional override or isolate",
    "tag_character": "holds a Unicode tag character",
    "zero_width": "holds an invisible character outside an emoji or a script that needs it",
    "combining": "holds a run of more than 30 combining marks",
    "blank": "holds nothing that can be seen",
    "delimiter": "holds a delimiter reserved for blocks",
    "line_break": "holds a line break or a tab",
    "too_long": "is longer than allowed",
    "too_short": "is shorter than allowed",
    "too_many": "has more entries than allowed",
    "pattern": "does not have the form of a tag",
    "kind": "is no kind of note",
}


class GateError(Exception):
    """A text was refused. `sentence` names field and rule and never quotes the text."""

    def __init__(self, field: str, rule: str, limit: int | None = None) -> None:
        self.field = field
        self.rule = rule
        self.sentence = f"{field}: {RULES[rule]}" + ("" if limit is None else f" (limit {limit})")
        super().__init__(self.sentence)


MAX_TAGS: Final = 8
CALLER_ID_MAX: Final = 512
_MARKS_MAX: Final = 30
_TAG: Final = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,63}")

# LS and PS are line breaks by another name, and editors show them as such; NEL is a C1 control and refused.
_FIRST_MARK: Final = "\u0300"
_NEWLINES: Final = re.compile("\r\n|[\r\u2028\u2029]")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BIDI: Final = "\u202a-\u202e\u2066-\u2069"
_TAG_CHARACTERS: Final = "\U000e0000-\U000e007f"
_MARKS: Final = "\u200e\u200f\u061c"
# Unicode's Default_Ignorable_Code_Point and the interlinear annotations, without the two sets above.
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e0fff"
)
_SUSPECT: Final = re.compile(f"[{_BIDI}{_TAG_CHARACTERS}{_INVISIBLE}]")
_BLANK: Final = re.compile(f"[\\s\u2800{_INVISIBLE}]")

_PICTOGRAPH: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING: Final = (  # Arabic, Syriac, N'Ko, Mongolian, the Indic scripts, Myanmar, Khmer
    "\u0620-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18af\ufb50-\ufdff\ufe70-\ufefc"
    "\U00011000-\U00011fff"
)
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff"  # Thai, Lao, Myanmar, Khmer
_RIGHT_TO_LEFT: Final = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_IDEOGRAPH: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PUNCTUATION: Final = r"[ -/:-@\[-`{-~]"
# Each invisible character is told by its neighbour whether it is needed; two in a row never are.
_NEEDED: Final = re.compile(
    f"(?<=[{_PICTOGRAPH}\ufe0f])\u200d(?=[{_PICTOGRAPH}])"
    f"|(?<=[{_PICTOGRAPH}])[\ufe0e\ufe0f]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?<=[{_JOINING}])[\u200c\u200d]"
    f"|(?<=[{_UNSPACED}])\u200b"
    f"|(?<=[{_IDEOGRAPH}])[\ufe00-\ufe0d\U000e0100-\U000e01ef]"
    "|(?<=[\u1820-\u18aa])[\u180b-\u180f]"
    f"|(?<=[{_RIGHT_TO_LEFT}])[{_MARKS}]|(?<=[{_RIGHT_TO_LEFT}]{_PUNCTUATION})[{_MARKS}]"
    f"|[{_MARKS}](?={_PUNCTUATION}?[{_RIGHT_TO_LEFT}])"
)

_DELIMITER: Final = re.compile(r"agent_+notes|customer_+context")
# Behind a `<` also the spellings that a model would still take for the delimiter.
_DELIMITER_TAG: Final = re.compile(r"<[\s/]*(?:agent[\s._-]*notes|customer[\s._-]*context)")
# Letters of other alphabets that look like those of the delimiters.
_LOOKALIKES: Final = str.maketrans("асемоѕтхαεμνοτυχɑɡոսօ", "acemostxaemnotuxagnuo")


def clean(value: str, *, field: str, min_length: int = 1, max_length: int, one_line: bool = False) -> str:
    """The text as it is stored, or `GateError` naming field and rule.

    Line breaks (CRLF, CR, LS, PS) become LF and the text becomes NFC; `one_line` also folds every run of
    white space to one space and strips the ends. Lengths count code points of the result.
    """
    text = _NEWLINES.sub("\n", value)
    _refuse_raw(text, field)
    if one_line:
        text = fold_space(text)
    # NFC never makes one code point out of more than four, so this is too long whatever it composes to.
    if len(text) > 4 * max_length:
        raise GateError(field, "too_long", max_length)
    text = _compose(text, field)
    _refuse_hidden(text, field)
    _refuse_length(text, field, min_length, max_length)
    return text


def fold_space(text: str) -> str:
    """The text on one line: each run of white space is one space, none at the ends."""
    return " ".join(text.split())


def caller_id(value: str, *, field: str) -> str:
    """The id that a caller gives a conversation or task, in the one form by which it is found again; or `GateError`.

    Whatever door an id comes through passes here, so that what one door took the others find.
    """
    found = clean(value, field=field, max_length=CALLER_ID_MAX)
    if "\n" in found or "\t" in found:
        raise GateError(field, "line_break")
    return found


def tags(values: Sequence[str]) -> tuple[str, ...]:
    """The tags in their order, duplicates dropped; `GateError` for field `tags[3]`, or `tags` if too many."""
    kept: dict[str, None] = {}
    for at, value in enumerate(values):
        field = f"tags[{at}]"
        tag = clean(value, field=field, max_length=64)
        if _TAG.fullmatch(tag) is None:
            raise GateError(field, "pattern")
        kept[tag] = None
        if len(kept) > MAX_TAGS:
            raise GateError("tags", "too_many", MAX_TAGS)
    return tuple(kept)


def defuse(text: str) -> str:
    """The text with the `<` of anything that looks like a delimiter written as `‹`.

    The gate already refuses such texts; this is the second wall, for a text that came around the gate.
    """
    if _DELIMITER_TAG.search(_skeleton(text)) is None:
        return text
    table = _folding(text)
    folded = [str(table.get(ord(char), char)).lower() for char in text]
    origin = [at for at, piece in enumerate(folded) for _ in piece]
    written = list(text)
    for found in _DELIMITER_TAG.finditer("".join(folded)):
        written[origin[found.start()]] = "‹"
    return "".join(written)


def hidden(text: str) -> Iterator[tuple[int, str]]:
    """Where the text hides something: offset and rule (`bidi`, `tag_character`, `zero_width`), in order."""
    for found in _SUSPECT.finditer(text):
        if "\u202a" <= found[0] <= "\u202e" or "\u2066" <= found[0] <= "\u2069":
            yield found.start(), "bidi"
        elif "\U000e0000" <= found[0] <= "\U000e007f":
            yield found.start(), "tag_character"
        elif _NEEDED.match(text, found.start()) is None:
            yield found.start(), "zero_width"


def neutral(text: str) -> str:
    """The text of somebody who must be heard out, with what `clean` refuses taken out or made harmless.

    Line breaks become LF and the text NFC; controls and unpaired surrogates become U+FFFD, other hidden characters go.
    """
    text = _NEWLINES.sub("\n", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _fewer_marks(_SURROGATE.sub("\ufffd", text)))
        text = _SUSPECT.sub(lambda found: found[0] if _NEEDED.match(text, found.start()) else "", text)
    return defuse(_CONTROL.sub("\ufffd", text))


def _fewer_marks(text: str) -> str:
    """Without the marks of runs that no language writes: sorting them would cost the square of their number."""
    if not text or max(text) < _FIRST_MARK:
        return text
    kept: list[str] = []
    run = 0
    for char in text:
        run = run + 1 if unicodedata.category(char)[0] == "M" else 0
        if run <= _MARKS_MAX:
            kept.append(char)
    return "".join(kept)


def _refuse_raw(text: str, field: str) -> None:
    if "\0" in text:
        raise GateError(field, "nul")
    if _CONTROL.search(text):
        raise GateError(field, "control")
    if _SURROGATE.search(text):
        raise GateError(field, "surrogate")


def _compose(text: str, field: str) -> str:
    """NFC. Sorting a run of marks costs its square, so a run that no language writes is refused first."""
    if text.isascii():
        return text
    marks = {char for char in set(text) if unicodedata.category(char)[0] == "M"}
    run = 0
    for char in text if marks else "":
        run = run + 1 if char in marks else 0
        if run > _MARKS_MAX:
            raise GateError(field, "combining")
    return unicodedata.normalize("NFC", text)


def _refuse_hidden(text: str, field: str) -> None:
    for _, rule in hidden(text):
        raise GateError(field, rule)
    skeleton = _skeleton(text)
    if _DELIMITER.search(skeleton) or _DELIMITER_TAG.search(skeleton):
        raise GateError(field, "delimiter")


def _refuse_length(text: str, field: str, min_length: int, max_length: int) -> None:
    if len(text) > max_length:
        raise GateError(field, "too_long", max_length)
    if (text or min_length) and _is_blank(text):
        raise GateError(field, "blank")
    if len(text) < min_length:
        raise GateError(field, "too_short", min_length)


def _is_blank(text: str) -> bool:
    return all(_BLANK.match(char) or unicodedata.category(char)[0] == "M" for char in text)


def _skeleton(text: str) -> str:
    """What a delimiter looks like behind case, width, accents, look-alikes and invisible characters."""
    return text.lower() if text.isascii() else text.translate(_folding(text)).lower()


def _folding(text: str) -> dict[int, str]:
    return {ord(char): _folded(char) for char in set(text) if not char.isascii()}


def _folded(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cf" or _SUSPECT.match(char):
        return ""
    if category in {"Pc", "Pd"}:
        return "_" if category == "Pc" else "-"
    plain = unicodedata.normalize("NFKD", char).casefold().translate(_LOOKALIKES)
    return "".join(part for part in plain if unicodedata.category(part)[0] != "M")
