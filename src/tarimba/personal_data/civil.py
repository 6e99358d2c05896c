"""Dates of birth and vehicle plates: harmless by their form, personal with the word for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tarimba.personal_data.scan import Hit, Scan

_MONTH: Final = (
    r"(?:jan(?:eiro|uary)?|ene(?:ro)?|fev(?:ereiro)?|feb(?:ruary|rero)?|mar(?:co|ch|zo)?|a[bp]r(?:il)?|mai(?:o)?"
    r"|may(?:o)?"
    r"|jun(?:ho|e|io)?|jul(?:ho|y|io)?|ago(?:sto)?|aug(?:ust)?|set(?:embro)?|sep(?:t|tember|tiembre)?|out(?:ubro)?"
    r"|oct(?:ober|ubre)?|nov(?:embro|ember|iembre)?|dez(?:embro)?|dec(?:ember)?|dic(?:iembre)?)"
)
_DATE: Final = re.compile(
    r"(?<![0-9a-z])(?:\d{1,2}\s?[-/. ]\s?\d{1,2}\s?[-/. ]\s?(?:(?:19|20)\d\d|\d\d)"
    r"|(?:19|20)\d\d\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,2}"
    r"|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    rf"|\d{{1,2}}(?:st|nd|rd|th|o)?[\s/.-]{{1,2}}(?:de |of )?{_MONTH}\.?"
    r"[\s/.,-]{1,2}(?:de |del )?(?:(?:19|20)\d\d|'?\d\d)"
    rf"|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d)(?!\d|[a-su-z]|t(?!\d\d:))"
)
_BIRTH_WORD: Final = re.compile(r"nasc|nac|born|birth|dob|d\.o\.b|d\.?n|fdn|aniversari|cumple|fecha")
_PLATE_STEMS: Final = tuple(
    "plac plat matric patent veic vehic carr car moto coche truck van cam auto bitrem rodotrem cavalo reboq remol "
    "trailer lorr "
    "furg onibus domini chapa reg frota flota fleet taxi trator tractor".split()
)
_NOBODYS: Final = re.compile(
    r"(?:1900|1970|0001|1899|9999|2099)\D?0?1\D?0?1|0?1\D0?1\D(?:1900|1970|0001)|31\D12\D9999"
)
_PLATE: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:[A-Za-z]{3}[\s-]?\d[0-9A-Ja-j]\d{2}|[A-Za-z]{2}[\s-]?\d{3}[\s-]?[A-Za-z]{2}"
    r"|\d{4}[\s-]?[B-DF-HJ-NP-TV-Z]{3}"
    r"|[A-Z]{2}\d{2}\s?[A-Z]{3}|\d[A-Z]{3}\d{3})(?![0-9A-Za-z])"
)


_NETWORK: Final = re.compile(
    r"\b(?:dns|ldap|active directory|smtp|ssl)\b|\bdominio\b[^\n]{0,20}\.[a-z]{2,8}\b|placas?.(?:de )?(?:rede"
    r"|video|captura|mae)\b"
)
# Plates of any country right after the word for one.
_SAID: Final = re.compile(
    r"\b(?:patente|dominio|chapa|placas?|(?:license|licence|number) plates?|plate (?:no|number)|plates?(?=:)"
    r"|tag (?:no|number))"
    r"[\s:.#\"'=-]{1,4}(?:(?:no|nro|num|n|number|is|e|es)\b[\s:.#]{1,3})?"
    r"(?P<plate>[a-z]{3}[ -]?\d{3}|[a-z]{1,3}[ -]?\d{3,4}(?:[ -]?[a-z]{1,2})?|\d{1,3}[ -]?[a-z]{2,3}[ -]?\d{2,4}"
    r"|\d{3}[ -]?[a-z]{3})"
    r"(?![0-9a-z])"
)
# `AAA-0000` shows a format.
_SHOWN: Final = re.compile(r"([A-Za-z])\1\1[\s-]?(?:0000|9999|1111)")


# Somebody's year; what happens to a rule, a stay or an order is told with years since.
_YEAR: Final = re.compile(
    r"(?<!\d)(?:19[1-9]\d|200\d|201[0-2])(?!\d)|(?:19[1-9]\d|200\d|201[0-2])[01]\d[0-3]\d$|\d[/.-]\d\d?[/.-][3-9]\d$"
)
_BIRTH_FAR: Final = re.compile(
    r"(?<![a-z])(?:nascid[oa]s?|nasceu|nasceram|nascimento|nasc|dt_?nasc\w*|nacid[oa]s?|nacio|nacieron"
    r"|nacimiento|fec_?nac|cumple(?: el| anos)|cumpleanos|born|birth(?:day|date|dates)?|dobs?|d\.o\.b)(?![a-z])"
)
# The seventh field of a patient's segment of HL7.
_SEGMENT: Final = re.compile(
    r"(?<![a-z0-9])pid\|(?:[^|\n]{0,120}\|){6}(?P<day>\d{8})(?:\d{4,6})?(?![0-9a-z])"
)
_FOUNDED: Final = re.compile(
    r"\b(?:inaugurad\w+|fundad\w+|founded|opened|abert[ao]|criad\w+|created) (?:em|in|on|el|en) $"
)
_BIRTH_REACH: Final = 90
_NO_BIRTH: Final = re.compile(
    r"\b(?:desde|since|changed?|restart\w*|rolled|deploy\w*|rige|vigor|vigente|released?|a partir|obrigatori\w*"
    r"|obligatori\w*|until|hasta|went live|default|padrao|defecto|placeholder|epoch|fundad\w*|founded|created|criad\w+"
    r"|emiti\w+|emision|emissao|issued|expir\w*|vence\w*|validade|admi\w+|hired|contrat\w+|alta|ingreso|between"
    r"|entre|before|after|antes|anterior\w*|posterior\w*|maior\w*|menor\w*|filtro|filter|minim\w+|maxim\w+)\b"
)


def is_date(cell: str) -> bool:
    """Whether a cell is nothing but a day with its year."""
    return _DATE.fullmatch(cell.lower()) is not None and not _NOBODYS.fullmatch(cell)


def is_plate(cell: str) -> bool:
    """Whether a cell is nothing but a vehicle's plate."""
    return _PLATE.fullmatch(cell) is not None and not _SHOWN.fullmatch(cell)


def find_civil(scan: Scan) -> Iterator[Hit]:
    """Dates after a word of birth, plates after a word for plate or vehicle."""
    if _BIRTH_WORD.search(scan.low):
        for match in _DATE.finditer(scan.low):
            told = scan.near(*match.span()).names("birth") or _told_far(scan.low, match)
            if told and not _nobodys(scan.low, match):
                yield Hit("birth_date", *match.span(), cued=True)
    if "pid|" in scan.low:
        for match in _SEGMENT.finditer(scan.low):
            yield Hit("birth_date", *match.span("day"), cued=True)
    if any(stem in scan.low for stem in _PLATE_STEMS):
        yield from _said(scan)
        for match in _PLATE.finditer(scan.text):
            shown = _SHOWN.fullmatch(match[0]) is not None
            named = not shown and scan.near(*match.span()).names("plate")
            if named and not _NETWORK.search(scan.low, max(0, match.start() - 60), match.end() + 40):
                yield Hit("vehicle_plate", *match.span(), cued=True)


def _said(scan: Scan) -> Iterator[Hit]:
    for match in _SAID.finditer(scan.low):
        start, end = match.span("plate")
        plate = scan.text[start:end]
        if (
            plate.upper() == plate
            and not _SHOWN.fullmatch(plate)
            and not _NETWORK.search(scan.low, match.start(), end + 40)
        ):
            yield Hit("vehicle_plate", start, end, cued=True)


def _told_far(low: str, match: re.Match[str]) -> bool:
    """Whether a year of long ago follows a word of birth in the same paragraph, and nothing else that has a date."""
    if not _YEAR.search(match[0]):
        return False
    cues = list(_BIRTH_FAR.finditer(low, max(0, match.start() - _BIRTH_REACH), match.start()))
    if not cues:
        return False
    # `birth < '1964-01-01'` asks for many.
    between = low[cues[-1].end() : match.start()]
    return not ("\n\n" in between or "<" in between or ">" in between or _NO_BIRTH.search(between))


def _nobodys(low: str, match: re.Match[str]) -> bool:
    """Whether a day is a placeholder, or that of a shop."""
    start = match.start()
    return bool(_NOBODYS.fullmatch(match[0]) or _FOUNDED.search(low, max(0, start - 30), start))
