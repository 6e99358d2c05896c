"""What a text repeats: a number that is somebody's stays so where it stands again, bare or with one character wrong.

A procedure about a rejected form tells both: `it came as 531-48-2096, without dashes 531482096 passes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tarimba.personal_data.brazil import same
from tarimba.personal_data.scan import Hit, Scan

_SIZES: Final = range(7, 35)
_KINDS: Final = frozenset(
    "cpf cnpj rg cnh pis titulo_eleitor cns passport credit_card iban bank_account us_ssn us_itin uk_nino es_nif "
    "es_nie "
    "ar_dni vehicle_plate phone".split()
)
# Signs within a number, or single blanks within a row of capitals and digits.
_TOKEN: Final = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]++(?:[./-][0-9A-Za-z]++)*+(?![0-9A-Za-z])")
_ROW: Final = re.compile(r"(?<![0-9A-Za-z])[0-9A-Z]{1,5}(?: [0-9A-Z]{1,5}){1,7}(?![0-9A-Za-z])")
_SIGNS: Final = re.compile(r"[\W_]")
_DIGITS_MIN: Final = 3


def find_echoes(scan: Scan, hits: Sequence[Hit]) -> Iterator[Hit]:
    """Further places of what was found in a view: the same characters, without leading zeros, or one of them wrong."""
    known: dict[str, str] = {}
    for hit in hits:
        if hit.kind in _KINDS:
            for form in _forms(_compact(scan.text[hit.start : hit.end])):
                known.setdefault(form, hit.kind)
    if not known:
        return
    taken = {(hit.start, hit.end) for hit in hits}
    for pattern in (_TOKEN, _ROW):
        for match in pattern.finditer(scan.text):
            code = _compact(match[0])
            if match.span() in taken or len(code) not in _SIZES or sum(map(str.isdigit, code)) < _DIGITS_MIN:
                continue
            kind = next((known[form] for form in _forms(code) if form in known), "")
            if kind and not same(code) and not scan.near(*match.span()).ordered:
                yield Hit(kind, *match.span(), cued=True)


def _compact(text: str) -> str:
    return _SIGNS.sub("", text).upper()


def _forms(code: str) -> Iterator[str]:
    """A code as it is, and with each of its characters left open."""
    if len(code) in _SIZES:
        bare = code.lstrip("0")
        if len(bare) in _SIZES:
            yield bare
        for at in range(len(code)):
            yield f"{code[:at]}?{code[at + 1 :]}"
