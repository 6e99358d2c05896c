"""Tables: the first line names the columns, the lines below hold what only those names make personal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tarimba.personal_data.accounts import valid_card
from tarimba.personal_data.brazil import digits_of, same
from tarimba.personal_data.civil import is_date, is_plate
from tarimba.personal_data.cue_words import CUES, PAIRS
from tarimba.personal_data.scan import Hit, Scan

_SIGNS: Final = (";", "\t", "|", ",")
_WIDE: Final = re.compile(r" {2,}")
_WORD: Final = re.compile(r"[a-z]+")
_EDGES: Final = " \t\"'`*"
_HEAD_MAX: Final = 40
_RULE: Final = re.compile(r"[\s|:;,+=-]*")
_CODE: Final = re.compile(r"[A-Za-z]{0,3}[ -]?\d{6,9}")
_NINO: Final = re.compile(r"[A-Za-z]{2} ?\d\d ?\d\d ?\d\d ?[A-Da-d]")
_ACCOUNT: Final = re.compile(r"\d[\d.]{3,16}(?:[-/ ]?[\dxX])?")
_RG: Final = re.compile(r"(?:[A-Za-z]{2}[ -]?)?\d[\d. ]{4,12}(?:-?[\dxX])?")
_SPANISH: Final = re.compile(r"[XYZxyz]?[ -]?\d[\d.]{6,9}[ -]?[A-Za-z]?")
_MONEY_WORDS: Final = frozenset(
    "agencia banco bank iban sort routing branch favorecido titular holder sucursal".split()
)


def _digits(*sizes: int) -> Callable[[str], bool]:
    def fits(cell: str) -> bool:
        digits = digits_of(cell)
        return len(digits) in sizes and not same(digits) and not re.search(r"[A-Za-z]", cell)

    return fits


def _form(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    def fits(cell: str) -> bool:
        return pattern.fullmatch(cell) is not None and not same(digits_of(cell))

    return fits


def _card(cell: str) -> bool:
    return valid_card(digits_of(cell))


_CELLS: Final[Mapping[str, Callable[[str], bool]]] = MappingProxyType(
    {
        "cpf": _digits(8, 9, 10, 11),
        "cnpj": _digits(13, 14),
        "doc": _digits(7, 8, 11),
        "phone": _digits(8, 9, 10, 11, 12, 13),
        "contact": _digits(10, 11, 12, 13),
        "rg": _form(_RG),
        "cnh": _digits(11),
        "pis": _digits(11),
        "titulo": _digits(12, 13),
        "cns": _digits(15),
        "passport": _form(_CODE),
        "card": _card,
        "bank": _form(_ACCOUNT),
        "ssn": _digits(9),
        "itin": _digits(9),
        "nino": _form(_NINO),
        "nif": _form(_SPANISH),
        "nie": _form(_SPANISH),
        "dni": _form(_SPANISH),
        "birth": is_date,
        "plate": is_plate,
    }
)
_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cpf": "cpf",
        "cnpj": "cnpj",
        "doc": "cpf",
        "phone": "phone",
        "contact": "phone",
        "rg": "rg",
        "cnh": "cnh",
        "pis": "pis",
        "titulo": "titulo_eleitor",
        "cns": "cns",
        "passport": "passport",
        "card": "credit_card",
        "bank": "bank_account",
        "ssn": "us_ssn",
        "itin": "us_itin",
        "nino": "uk_nino",
        "nif": "es_nif",
        "nie": "es_nie",
        "dni": "ar_dni",
        "birth": "birth_date",
        "plate": "vehicle_plate",
    }
)


def find_columns(scan: Scan) -> Iterator[Hit]:
    """Cells under a heading that names a personal number, in a table of any usual separator."""
    if "\n" not in scan.text:
        return
    sign, heads = "", dict[int, str]()
    start = 0
    for line in scan.low.split("\n"):
        cut = _sign_of(line, sign)
        if cut and cut == sign and heads and not _names_columns(line, cut):
            yield from _row(scan, line, start, cut, heads)
        elif cut and _names_columns(line, cut):
            sign, heads = cut, _heads(line, cut)
        elif not cut:
            sign, heads = "", {}
        start += len(line) + 1


def _sign_of(line: str, sign: str) -> str:
    """What separates the cells of a line: the sign of the line before if it can be."""
    if sign and (sign in line if sign != "  " else _WIDE.search(line.strip())):
        return sign
    return next((one for one in _SIGNS if one in line), "  " if _WIDE.search(line.strip()) else "")


def _cells(line: str, sign: str) -> Iterator[tuple[int, int]]:
    """Start and end of each cell of a line, without quotes and blanks around it."""
    at = 0
    for raw in _WIDE.split(line) if sign == "  " else line.split(sign):
        left = len(raw) - len(raw.lstrip(_EDGES))
        yield at + left, at + left + len(raw.strip(_EDGES))
        gap = _WIDE.match(line, at + len(raw)) if sign == "  " else None
        at += len(raw) + (len(gap[0]) if gap else len(sign))


def _names_columns(line: str, sign: str) -> bool:
    """Whether every cell is a heading: short, of letters, without a row of digits."""
    cells = [line[start:end] for start, end in _cells(line, sign)]
    return len(cells) > 1 and all(
        len(cell) <= _HEAD_MAX and not re.search(r"\d{2}|[:=]", cell) for cell in cells
    )


def _heads(line: str, sign: str) -> dict[int, str]:
    """By the number of the column the kind that its heading names."""
    heads: dict[int, str] = {}
    words = frozenset(_WORD.findall(line))
    for number, (start, end) in enumerate(_cells(line, sign)):
        said = _WORD.findall(line, start, end)
        kinds = [PAIRS.get(pair) or CUES.get(pair[1], "") for pair in zip(["", *said], said, strict=False)]
        # "ni" is a word of Spanish elsewhere.
        kind = "nino" if said == ["ni"] else next((kind for kind in kinds if kind in _CELLS), "")
        if kind == "bank" and words.isdisjoint(_MONEY_WORDS):
            continue
        if kind and not ("order" in kinds and kind in {"doc", "contact", "phone"}):
            heads[number] = kind
    # A document of its own may be a ledger's; beside somebody's other data it is theirs.
    return {
        number: kind for number, kind in heads.items() if kind not in {"doc", "contact"} or len(heads) > 1
    }


def _row(scan: Scan, line: str, start: int, sign: str, heads: Mapping[int, str]) -> Iterator[Hit]:
    for number, (left, right) in enumerate(_cells(line, sign)):
        told = heads.get(number)
        if told and right > left and _CELLS[told](scan.text[start + left : start + right]):
            yield Hit(_KINDS[told], start + left, start + right, cued=True)
