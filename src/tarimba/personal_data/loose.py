"""Documents in pieces: any signs, blanks and line ends between their characters, told by shape, check digits and cues.

What the tidy rules need in its place may be anywhere here; so a cue word must name the kind, or the check hold.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from stdnum.br import cpf
from stdnum.es import nie, nif

from tarimba.personal_data.brazil import same, valid_cns
from tarimba.personal_data.cue_words import CUES
from tarimba.personal_data.phones import toll_free
from tarimba.personal_data.scan import Hit, Scan

_REACH: Final = 180
_REACH_AFTER: Final = 60
# Seven digits alone are many things: their cue stands close.
_SHORT_REACH: Final = 30
# Between two pieces stand up to six signs; blank lines part two numbers.
_GAP: Final = r"(?:(?!\n\s*\n)[\s.,'_/:=\"*#~+-]){0,6}"
_BOUND: Final = r"(?<![0-9a-z])"
_END: Final = r"(?![0-9a-z])"
_WORD: Final = re.compile(r"[a-z]+")
_JUNK: Final = re.compile(r"[\W_]+")
# Words that order numbers have too, but that say nothing between a cue and its value.
_NO_ORDER: Final = frozenset(
    {"os", "so", "po", "oc", "titulo", "codigo", "code", "numero", "line", "error", "erro"}
)
_PLAIN_GAP: Final = re.compile(r" ?")


def _spelled(*groups: str) -> str:
    r"""A pattern of character classes, one for each character, with a gap between any two: `"[xyz]", r"\d" * 7`."""
    parts = re.findall(r"\[[^\]]+\]|\\d", "".join(groups))
    return _BOUND + _GAP.join(parts) + _END


class _Kind(NamedTuple):
    kind: str
    pattern: re.Pattern[str]
    cue: re.Pattern[str]
    stems: tuple[str, ...]
    """Every cue holds one of them: looking for these first is cheaper."""
    valid: Callable[[str], bool]
    """Whether the check of the kind, its letters or its ranges allow the characters."""
    sure: Callable[[str, tuple[int, ...]], bool]
    """Whether characters and group lengths need no cue."""
    reach: int
    digits: int
    """With fewer digits in a text nothing of the kind is in it."""


def _always(_: str) -> bool:
    return True


def _never(_: str, __: tuple[int, ...]) -> bool:
    return False


def _ssn(code: str) -> bool:
    return code[:3] not in {"000", "666"} and code[0] != "9" and code[3:5] != "00" and code[5:] != "0000"


def _itin(code: str) -> bool:
    return code[0] == "9" and 50 <= int(code[3:5]) <= 99


def _nino(code: str) -> bool:
    return code[:2] not in {"bg", "gb", "nk", "kn", "tn", "nt", "zz"}


def _sure_cpf(code: str, _: tuple[int, ...]) -> bool:
    return bool(cpf.is_valid(code))


def _sure_nif(code: str, groups: tuple[int, ...]) -> bool:
    return len(groups) > 2 and bool(nif.is_valid(code.upper()))


def _sure_nie(code: str, _: tuple[int, ...]) -> bool:
    return bool(nie.is_valid(code.upper()))


def _sure_cns(code: str, groups: tuple[int, ...]) -> bool:
    return groups == (3, 4, 4, 4) and valid_cns(code)


def _sure_itin(_: str, groups: tuple[int, ...]) -> bool:
    return groups == (3, 2, 4)


def _kind(
    kind: str,
    pattern: str,
    cue: str,
    stems: str,
    valid: Callable[[str], bool] = _always,
    sure: Callable[[str, tuple[int, ...]], bool] = _never,
    *,
    reach: int = _REACH,
) -> _Kind:
    told = re.compile(rf"(?<![a-z])(?:{cue})(?![a-z])")
    return _Kind(
        kind, re.compile(pattern), told, tuple(stems.split()), valid, sure, reach, _DIGITS.get(kind, 0)
    )


_DIGIT: Final = r"\d"
_ONE: Final = re.compile(_DIGIT)
_DIGITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "cpf": 11, "us_ssn": 9, "us_itin": 9, "uk_nino": 6, "es_nif": 8, "es_nie": 7, "titulo_eleitor": 12, "cns": 15,
        "pis": 11, "cnh": 11, "passport": 6, "vehicle_plate": 3, "ar_dni": 7, "rg": 7,
    }
)  # fmt: skip
_SPANISH_ID: Final = r"nifs?|nies?|dnis?|documento|identificador|extranjer\w+|identidad|identificacion"
_SPANISH_STEMS: Final = "nif nie dni document identi extranj"
_KINDS: Final = (
    _kind("cpf", _spelled(_DIGIT * 11), r"cpfs?|c\.p\.f", "cpf c.p.f", sure=_sure_cpf),
    _kind(
        "us_ssn",
        _spelled(_DIGIT * 9),
        r"ssns?|social(?: security| no| number| is)|(?:the|his|her|their) social(?! media| login)"
        r"|tax ?(?:payer )?id|tin",
        "ssn social tax tin",
        _ssn,
    ),
    _kind(
        "us_itin",
        _spelled(_DIGIT * 9),
        r"itins?|tax ?(?:payer )?id|tin|w-7",
        "tin tax w-7",
        _itin,
        _sure_itin,
    ),
    _kind(
        "uk_nino",
        _spelled("[a-ceghj-prtw-z][a-ceghj-nprtw-z]", _DIGIT * 6, "[a-d]"),
        r"ninos?|ni|national insurance|n\.i",
        "ni n.i insurance",
        _nino,
    ),
    _kind("es_nif", _spelled(_DIGIT * 8, "[a-hj-np-tv-z]"), _SPANISH_ID, _SPANISH_STEMS, sure=_sure_nif),
    _kind(
        "es_nie", _spelled("[xyz]", _DIGIT * 7, "[a-hj-np-tv-z]"), _SPANISH_ID, _SPANISH_STEMS, sure=_sure_nie
    ),
    _kind(
        "titulo_eleitor",
        _spelled(_DIGIT * 12),
        r"tit(?:ulo)?\.? (?:de )?eleit(?:or|oral|ora)?|eleitor\w*|zona|voter id",
        "eleit zona voter",
    ),
    _kind(
        "cns",
        _spelled("[12789]", _DIGIT * 14),
        r"cns|sus|cartao (?:nacional|de vacina|da saude|de saude)|saude",
        "cns sus cartao saude",
        sure=_sure_cns,
    ),
    _kind("pis", _spelled(_DIGIT * 11), r"pis|pasep|nis|nit", "pis pasep nis nit"),
    _kind("cnh", _spelled(_DIGIT * 11), r"cnh|hab|habilitacao|carteira de motorista", "cnh hab motorista"),
    _kind(
        "passport",
        _BOUND + rf"[a-z]{_GAP}(?:[a-z]{_GAP})?\d(?:{_GAP}\d){{5,7}}" + _END,
        r"passa?ports?|passaportes?|pasaportes?|travel doc(?:ument)?|booklet|libreta|documento de viage[mn]?|mrz"
        r"|document(?:o|s|os)?(?: first| second| number| no| n| nro| numero)?"
        r"(?=[\s:(=\"'.-]{1,4}[a-z]{1,2}[\W_]{1,4}\d)",
        "pas travel booklet libreta document mrz",
    ),
    _kind(
        "vehicle_plate",
        "|".join(
            (
                _spelled("[a-z]" * 3, _DIGIT, "[a-j0-9]", _DIGIT * 2),
                _spelled("[a-z]" * 2, _DIGIT * 3, "[a-z]" * 2),
                _spelled(_DIGIT * 4, "[b-df-hj-np-tv-z]" * 3),
            )
        ),
        r"placas?|(?:license |number )?plates?|cavalo|carreta|matricula|chapa|patente|licence",
        "placa plate cavalo carreta matric chapa patente licence",
    ),
    _kind(
        "ar_dni", _BOUND + rf"\d(?:{_GAP}\d){{6,7}}" + _END, r"dni|d\.n\.i", "dni d.n.i", reach=_SHORT_REACH
    ),
    _kind(
        "rg",
        _BOUND + rf"\d(?:{_GAP}\d){{6,8}}(?:{_GAP}[\dx])?" + _END,
        r"rg|r\.g|identidade(?! visual)|cedula|ssp",
        "rg r.g identidade cedula ssp",
        reach=_SHORT_REACH,
    ),
)


def find_loose(scan: Scan) -> Iterator[Hit]:
    """Documents whose characters stand apart, and those whose cue stands farther off than in a form."""
    digits = len(_ONE.findall(scan.low))
    for kind in _KINDS:
        if kind.digits > digits:
            continue
        told = any(stem in scan.low for stem in kind.stems)
        cues = [match.span() for match in kind.cue.finditer(scan.low)] if told else []
        if not cues and kind.sure is _never:
            continue
        for match in kind.pattern.finditer(scan.low):
            if _possible(scan, kind, match):
                yield from _judged(scan, kind, match, cues)


def _possible(scan: Scan, kind: _Kind, match: re.Match[str]) -> bool:
    start, end = match.span()
    if kind.kind == "vehicle_plate" and not _spelled_out(scan.text[start:end]):
        return False
    code = _JUNK.sub("", match[0])
    digits = "".join(char for char in code if char.isdigit())
    if len(code) == len(match[0]) or same(digits) or _counts(match[0]) or not kind.valid(code):
        return False
    return _standing_alone(scan, start, end) and not (
        scan.harmless(start, end) or toll_free(scan, start, end)
    )


def _judged(scan: Scan, kind: _Kind, match: re.Match[str], cues: list[tuple[int, int]]) -> Iterator[Hit]:
    start, end = match.span()
    told = _told(scan, cues, (start, end), kind.reach)
    if not told and (kind.sure is _never or scan.coded(start)):
        return
    sure = told or kind.sure(_JUNK.sub("", match[0]), _groups(match[0], _pieces(match[0])))
    if sure and not scan.near(start, end).ordered:
        yield Hit(kind.kind, start, end, cued=told)


def _standing_alone(scan: Scan, start: int, end: int) -> bool:
    """Not the inside of a longer row of digits, nor of a decimal."""
    before, after = scan.low[max(0, start - 2) : start], scan.low[end : end + 2]
    return not (re.search(r"\d[.,/-]$", before) or re.match(r"[.,/-]\d|\.[a-z]", after))


def _spelled_out(plate: str) -> bool:
    """Whether a plate's letters stand apart or are capitals: `sai 14/11` is none."""
    rows = re.findall(r"[^\W\d_](?:[\W_]*[^\W\d_])+", plate)
    return bool(rows) and all(row.isupper() or len(row) >= 2 * len(_JUNK.sub("", row)) - 1 for row in rows)


def _counts(text: str) -> bool:
    """`1, 2, 3, 4` counts something."""
    pieces = _pieces(text)
    if len(pieces) < len("1234567") or not all(piece.isdigit() for piece in pieces):
        return False
    return all(int(right) - int(left) == 1 for left, right in pairwise(pieces))


def _pieces(text: str) -> list[str]:
    return [piece for piece in _JUNK.split(text) if piece]


def _groups(text: str, pieces: list[str]) -> tuple[int, ...]:
    """The lengths of the groups; single characters with blanks between them are one group."""
    if sum(len(piece) == 1 for piece in pieces) * 2 > len(pieces):
        pieces = [piece for piece in re.split(r"\s*[^\w\s]+\s*|_", text.replace(" ", "")) if piece]
    return tuple(map(len, pieces))


def _told(scan: Scan, cues: list[tuple[int, int]], span: tuple[int, int], reach: int) -> bool:
    """Whether the kind's word stands before the value with no order word nearer, or soon behind it."""
    start, end = span
    place = bisect_right(cues, (start, start))
    last = cues[place - 1][1] if place else -1
    if 0 <= start - last <= reach and last >= 0:
        between = _WORD.findall(scan.low, last, start)
        return not any(CUES.get(word) == "order" and word not in _NO_ORDER for word in between)
    place = bisect_right(cues, (end, end))
    return place < len(cues) and cues[place][0] - end <= min(reach, _REACH_AFTER) and not scan.coded(start)
