"""Dates of birth and vehicle plates: harmless by their form, personal with the word for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tarimba.personal_data.scan import Hit, Scan

_MONTH: Final = (
    r"(?:jan(?:eiro|uary)?|ene(?:ro)?|fev(?:ereiro)?|feb(?:ruary|rero)?|mar(?:co|ch|zo)?|a[bp]r(?:il)?|mai(?:o)?|may(?:o)?"
    r"|jun(?:ho|e|io)?|jul(?:ho|y|io)?|ago(?:sto)?|aug(?:ust)?|set(?:embro)?|sep(?:t|tember|tiembre)?|out(?:ubro)?"
    r"|oct(?:ober|ubre)?|nov(?:embro|ember|iembre)?|dez(?:embro)?|dec(?:ember)?|dic(?:iembre)?)"
)
_DATE: Final = re.compile(
    r"(?<![0-9a-z])(?:\d{1,2}\s?[-/. ]\s?\d{1,2}\s?[-/. ]\s?(?:(?:19|20)\d\d|\d\d)"
    r"|(?:19|20)\d\d\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,2}"
    r"|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    rf"|\d{{1,2}}(?:st|nd|rd|th|o)?[\s/.-]{{1,2}}(?:de |of )?{_MONTH}\.?"
    r"[\s/.,-]{1,2}(?:de |del )?(?:(?:19|20)\d\d|'?\d\d)"
    rf"|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d)(?![0-9a-z])"
)
_BIRTH_WORD: Final = re.compile(r"nasc|nac|born|birth|dob|d\.?n|fdn|aniversari|cumple|fecha")
_PLATE_WORD: Final = re.compile(r"plac|plate|matric|patent|veic|vehic|carr|car|moto|coche|truck|van|cam|auto")
_NOBODYS: Final = re.compile(
    r"(?:1900|1970|0001|1899|9999|2099)\D?0?1\D?0?1|0?1\D0?1\D(?:1900|1970|0001)|31\D12\D9999"
)
_PLATE: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:[A-Za-z]{3}[\s-]?\d[0-9A-Ja-j]\d{2}|[A-Za-z]{2}[\s-]?\d{3}[\s-]?[A-Za-z]{2}"
    r"|\d{4}[\s-]?[B-DF-HJ-NP-TV-Z]{3}"
    r"|[A-Z]{2}\d{2}\s?[A-Z]{3}|\d[A-Z]{3}\d{3})(?![0-9A-Za-z])"
)


# `AAA-0000` shows a format.
_SHOWN: Final = re.compile(r"([A-Za-z])\1\1[\s-]?(?:0000|9999|1111)")


def find_civil(scan: Scan) -> Iterator[Hit]:
    """Dates after a word of birth, plates after a word for plate or vehicle."""
    if _BIRTH_WORD.search(scan.low):
        for match in _DATE.finditer(scan.low):
            if scan.near(*match.span()).names("birth") and not _NOBODYS.fullmatch(match[0]):
                yield Hit("birth_date", *match.span(), cued=True)
    if _PLATE_WORD.search(scan.low):
        for match in _PLATE.finditer(scan.text):
            shown = _SHOWN.fullmatch(match[0]) is not None
            if not shown and scan.near(*match.span()).names("plate"):
                yield Hit("vehicle_plate", *match.span(), cued=True)
