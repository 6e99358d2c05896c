"""Telephone numbers: Brazilian ones by their shape, foreign ones by their country code or a cue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata

from tarimba.personal_data.scan import Hit, Scan, Window

_AREA: Final = (
    r"(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])"  # the 67 Brazilian DDD
)
_BRAZIL: Final = re.compile(
    rf"(?<![0-9])(?:(?:00)?\+?55[\s.\-/_]{{0,2}})?"
    rf"(?:\(\s?0?(?:xx|\d\d)?\s?{_AREA}\s?\)|0?(?:xx|\d\d\s)?{_AREA})(?P<gap>[\s.\-/_]{{0,3}})"
    r"(?P<first>9[\s.\-]?\d{4}|[2-5]\d{3})(?P<middle>[\s.\-/_]{1,3})\d{4}(?![0-9A-Za-z])"
)
_BARE: Final = re.compile(rf"(?<![0-9])(?:(?:00)?55|0)?{_AREA}9\d{{8}}(?![0-9])")
_BARE_LAND: Final = re.compile(rf"(?<![0-9])(?:00)?55{_AREA}[2-5]\d{{7}}(?![0-9])")
_LOCAL: Final = re.compile(r"(?<![\d./-])9[\s.]?\d{4}-\d{4}(?![\d-])")
_AMERICA: Final = re.compile(
    r"(?<![0-9])(?:(?:\+|00)?1[\s.\-]{0,2})?(?P<open>\(\s?)?(?P<area>[2-9][0-8]\d)(?(open)\s?\)|)"
    r"(?P<gap>[\s.\-/]{0,2})(?P<mid>[2-9]\d\d)(?P<dash>[.\-\s])\d{4}(?![0-9A-Za-z])"
)
_ABROAD: Final = re.compile(
    r"(?<![\w+])(?:\(\s?)?(?:\+|00(?=[1-9]))\s?\(?\s?(?P<code>\d[\d\s().\-/]{5,24}\d)"
)
_DIALLED: Final = re.compile(r"00(?:1|33|34|351|39|44|49|54|55)[ -]\d{1,4}[ -]\d{2,4}[ -]\d")
_FREE: Final = re.compile(
    r"(?<!\d)(?:0?(?:800|300|500|303|900)[\s.\-]?\d{3}[\s.\-]?\d{3,4}"  # 0800 and kin, in Brazil and Spain
    r"|(?:\(?0?\d{2}\)?[\s.\-]?)?(?:400[34]|300[34]|4020|4062|4090)[\s.\-]?\d{4}"
    r"|(?:(?:\+|00)?1[\s.\-]{0,2})?\(?8(?:00|33|44|55|66|77|88)\)?[\s.\-]{0,2}\d{3}[\s.\-]?\d{4})(?!\d)"
)
# As people of India, Great Britain and Spain group their numbers.
_GROUPED: Final = re.compile(
    r"(?=[06-9])(?<![\d.,/+-])(?<!\d )(?:0?[6-9]\d{4}[ -]\d{5}|0(?:20[ -]?\d{4} \d{4}|1\d{2} \d{3} \d{4}"
    r"|1\d{3} \d{6}|7\d{3} \d{6})"
    r"|[6-9]\d\d \d\d \d\d \d\d|[6-9]\d\d\.\d\d\.\d\d\.\d\d)(?![\d-]|[ .,]\d)"
)
_COUNTED: Final = re.compile(
    r" (?:veces|vezes|times|calls|chamadas|llamadas|rows|linhas|lineas|registros|requests|items|itens|bytes|ms"
    r"|rpm|km)\b"
)
_CALLED: Final = re.compile(
    r"\b(?:mobile|landline|phone|call(?:ed|s|back)?|call-back|whatsapp|ring|rings|ringing|dial(?:led)?"
    r"|switched off|unreachable"
    r"|handset|contact\w*|reach|line|tel\w*|tlf\w*|llam\w+|movil|avis\w+|desk|office|oficina)\b"
)
# Fewer digits with nothing but signs between them are nobody's number.
_EIGHT: Final = re.compile(r"\d(?:[\W_]{0,6}\d){7}")
_PLACEHOLDER: Final = re.compile(r"(\d)\1{6,}$")
_DATE_LIKE: Final = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_PIECES: Final = re.compile(r"\bddd\b\D{0,12}(\d\d)\b\D{1,60}(9?\d{4,5})\b\D{1,60}(\d{4})\b")
# Numbers that a cue makes a telephone, by their length: with an area code, mobile, with a country code.
_CUED: Final = re.compile(
    rf"(?:0?{_AREA}(?:9\d{{8}}|[2-5]\d{{7}})|55{_AREA}\d{{8,9}}|1?[2-9]\d\d[2-9]\d{{6}}|(?:34)?[6-9]\d{{8}}"
    r"|(?:44|0)7\d{9}|0[12]\d{9}|549?\d{10}|52\d{10}|351[29]\d{8})"
)


_POSTAL: Final = re.compile(r"\bcep\b[^\d\n.;]*$")
_POSTAL_DIGITS: Final = 8
_POSTAL_REACH: Final = 30
_TOLL_FREE: Final = re.compile(r"0[3589]00[\s.-]\d{3}[\s.-]\d{4}")


def find_phones(scan: Scan) -> Iterator[Hit]:
    """Telephone numbers of people; toll-free and nationwide service numbers are none."""
    rules = (_abroad, _brazil, _bare, _america, _local, _pieces, _grouped)
    for rule in rules if _EIGHT.search(scan.text) else (_pieces,):
        for hit in rule(scan):
            if not _served(scan.text, hit) and not _mask(scan, hit):
                yield hit


def _served(text: str, hit: Hit) -> bool:
    free = _FREE.search(text, max(0, hit.start - 5), hit.end + 1)
    return free is not None and free.start() <= hit.start and hit.end <= free.end() + 1


def cued_phone(scan: Scan, window: Window, *, tight: bool) -> bool:
    """Whether a number that a telephone cue names can be one. With nothing in between, almost any length will do."""
    digits = window.digits
    if _COUNTED.match(scan.low, window.end) or _postal(scan, window):
        return False
    if _PLACEHOLDER.search(digits) or _FREE.fullmatch(digits) or scan.harmless(window.start, window.end):
        return False
    if _CUED.fullmatch(digits):
        return True
    return tight and 8 <= len(digits) <= 13 and not _DATE_LIKE.match(digits)


def _postal(scan: Scan, window: Window) -> bool:
    """`CEP destino 01234-567`: the word stands before it, and what follows speaks of a telephone."""
    before = scan.low[max(0, window.start - _POSTAL_REACH) : window.start]
    return len(window.digits) == _POSTAL_DIGITS and _POSTAL.search(before) is not None


def toll_free(scan: Scan, start: int, end: int) -> bool:
    """Whether a number is grouped as those of services are, `0800 123 4567`."""
    return _TOLL_FREE.match(scan.text, start, end) is not None


def mobile(digits: str) -> bool:
    """Whether digits are a Brazilian mobile number with its area code."""
    return _BARE.fullmatch(digits) is not None and not _PLACEHOLDER.search(digits)


def _mask(scan: Scan, hit: Hit) -> bool:
    """`(11) 99999-9999` shows a format."""
    digits = re.sub(r"\D", "", scan.text[hit.start : hit.end])
    return bool(_PLACEHOLDER.search(digits))


def _brazil(scan: Scan) -> Iterator[Hit]:
    for match in _BRAZIL.finditer(scan.low):
        start, end = match.span()
        mobile = match["first"].startswith("9")
        near = scan.near(start, end)
        cued = near.says("phone", "contact", "pix")
        strong = "(" in match[0] or (mobile and (match["gap"] or match["middle"] != " "))
        strong = strong or ("-" in match["middle"] and " " in match["gap"])
        # "a linha (51) 9xxxx-xxxx": nobody writes the number of an order or a row so.
        whole = mobile and "(" in match[0] and "-" in match["middle"]
        if (cued or whole or (strong and not near.ordered)) and _free_standing(scan, start, end):
            yield Hit("phone", start, end, cued)


def _free_standing(scan: Scan, start: int, end: int) -> bool:
    """Not the inside of a version, an IP address, an amount or a longer row of digits."""
    return scan.apart(start, end) and not scan.harmless(start, end)


def _bare(scan: Scan) -> Iterator[Hit]:
    for pattern in (_BARE, _BARE_LAND):
        for match in pattern.finditer(scan.text):
            start, end = match.span()
            near = scan.near(start, end)
            if not near.ordered and _free_standing(scan, start, end):
                yield Hit("phone", start, end, near.says("phone", "contact", "pix"))


def _america(scan: Scan) -> Iterator[Hit]:
    for match in _AMERICA.finditer(scan.text):
        start, end = match.span()
        near = scan.near(start, end)
        cued = near.says("phone", "contact")
        area = match["area"]
        # N11 are services; 37x and 96x are held back and never given to subscribers.
        possible = area[1:] != "11" and area[:2] not in {"37", "96"}
        strong = match["open"] or (match["gap"] and match["dash"] == match["gap"] != " ")
        if possible and (cued or (strong and not near.ordered)) and _free_standing(scan, start, end):
            yield Hit("phone", start, end, cued)


def _local(scan: Scan) -> Iterator[Hit]:
    """A mobile number without its area code; a US postal code of nine digits looks the same after a state."""
    for match in _LOCAL.finditer(scan.text):
        start, end = match.span()
        near = scan.near(start, end)
        if not near.ordered and not re.search(r"\b[A-Z]{2},? $", scan.text[max(0, start - 5) : start]):
            yield Hit("phone", start, end, near.says("phone"))


def _pieces(scan: Scan) -> Iterator[Hit]:
    """An area code and two halves, told one after another."""
    if "ddd" in scan.low:
        for match in _PIECES.finditer(scan.low):
            yield Hit("phone", match.start(1), match.end(), cued=True)


def _grouped(scan: Scan) -> Iterator[Hit]:
    """Groups of a national habit, with a word of calling around."""
    for match in _GROUPED.finditer(scan.text):
        start, end = match.span()
        called = _CALLED.search(scan.low, max(0, start - 70), end + 30)
        if called and not _COUNTED.match(scan.low, end) and not scan.near(start, end).ordered:
            yield Hit("phone", start, end, cued=True)


def _abroad(scan: Scan) -> Iterator[Hit]:
    if "+" not in scan.text and "00" not in scan.text:
        return
    for match in _ABROAD.finditer(scan.text):
        end = _number_end(match)
        if not end or scan.text[end : end + 1].isalnum():
            continue
        cued = scan.near(match.start(), end).says("phone", "contact")
        # "00" starts many a code that calls nobody.
        dialled = _DIALLED.match(match[0]) and not scan.near(match.start(), end).ordered
        if cued or dialled or "+" in match[0]:
            yield Hit("phone", match.start(), end, cued)


def _number_end(match: re.Match[str]) -> int:
    """Where the longest possible number of a country ends; 0 if there is none."""
    groups = [(m[0], m.end()) for m in re.finditer(r"\d+", match["code"])]
    spelled = "".join(group for group, _ in groups)
    for count in range(len(groups), 0, -1):
        if _possible(spelled):
            return match.start("code") + groups[count - 1][1]
        spelled = spelled[: len(spelled) - len(groups[count - 1][0])]
    return 0


def _possible(digits: str) -> bool:
    """Whether digits after a plus sign have a country code and a length that this country uses."""
    for size in (1, 2, 3):
        regions = COUNTRY_CODE_TO_REGION_CODE.get(int(digits[:size] or 0))
        if regions:
            return len(digits) - size in _lengths(regions[0])
    return False


def _lengths(region: str) -> tuple[int, ...]:
    metadata = PhoneMetadata.metadata_for_region(region, None)
    description = metadata.general_desc if metadata else None
    return tuple(description.possible_length) if description else ()


def flagged_number(digits: str) -> bool:
    """Whether a bare run of digits in an id can be somebody's number: with a country code, or a Brazilian or US one."""
    if _BARE.fullmatch(digits) or _BARE_LAND.fullmatch(digits):
        return True
    if len(digits) == 10:
        return re.fullmatch(rf"{_AREA}[2-5]\d{{7}}|[2-9][0-8]\d[2-9]\d{{6}}", digits) is not None
    if len(digits) == 11 and digits[0] == "1":
        return re.fullmatch(r"1[2-9][0-8]\d[2-9]\d{6}", digits) is not None
    return 11 <= len(digits) <= 13 and digits[:2] in _COMMON_CODES and _possible(digits)


_COMMON_CODES: Final = frozenset(
    {"34", "35", "44", "49", "33", "39", "51", "52", "54", "55", "56", "57", "58", "59"}
)
