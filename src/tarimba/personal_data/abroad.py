"""Documents of other countries: United States, United Kingdom, Spain, Argentina; and passports of any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from stdnum.es import nie, nif

from tarimba.personal_data.brazil import digits_of, same
from tarimba.personal_data.scan import Hit, Scan

_NINE: Final = re.compile(
    r"(?<![0-9A-Za-z.-])(?P<area>\d{3})(?P<dash>[\W_]{0,3})(?P<group>\d{2})(?P=dash)\d{4}(?![0-9A-Za-z]|-\d)"
)
_NINO: Final = re.compile(
    r"(?<![0-9A-Za-z])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?P<gap>[ .-]?)"
    r"\d{2}[ .-]?\d{2}[ .-]?\d{2}[ .-]?[A-D](?![0-9A-Za-z])",
    re.IGNORECASE,
)
_NINO_NEVER: Final = frozenset({"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"})
_NIF: Final = re.compile(
    r"(?<![0-9A-Za-z.])(?:\d{8}|\d{1,2}\.\d{3}\.\d{3})[\s-]{0,2}[A-HJ-NP-TV-Za-hj-np-tv-z](?![0-9A-Za-z])"
)
_NIE: Final = re.compile(
    r"(?<![0-9A-Za-z])[XYZxyz][\s-]{0,2}\d(?:\d{6}|\.?\d{3}\.?\d{3})[\s-]{0,2}[A-Za-z](?![0-9A-Za-z])"
)
_DNI: Final = re.compile(
    r"(?:(?<![0-9A-Za-z.,])|(?<=DNI)|(?<=dni))(?:\d{1,2}[. ',·_]\d{3}[. ',·_]\d{3}|\d{7,8})(?![0-9A-Za-z]|[.,]\d)"
)
_PASSPORT: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:[A-Za-z]{1,3}[\s-]?\d{5,8}|[A-Za-z]\d{2}[A-Za-z0-9]{6}"
    r"|(?=[A-Z0-9]*[A-Z])(?=(?:[A-Z]*\d){4})[A-Z0-9]{8,9}|\d{8,9})(?![0-9A-Za-z])"
)

_DNI_STEMS: Final = ("dni", "d.n.i", "identidad", "documento n", "documento unico", "du ")
_PASSPORT_STEMS: Final = ("pas", "ppt", "pport", "pspt", "pp n", "travel doc")
_PASSPORT_DIGITS: Final = 5
"""More digits than so many are no number of a room or a claim."""
# A field for a document says nothing of whose: what else the record holds does.
_KEYED: Final = re.compile(
    r"(?<![a-z])(?:doc|documento|document|identity)s?[_ .-]{0,2}(?:no|nr|nro|num|numero|number"
    r"|n)?[\"']?\s?[:=]\s?[\"']?"
    r"(?P<value>[a-z]{0,2}\d{7,9})(?![0-9a-z]|[.-]\d)"
)
_RECORD: Final = 300
_PERSON: Final = re.compile(
    r"(?<![a-z])(?:dob|birth\w*|nasc\w*|nacim\w*|fec_?nac|kyc|dnis?|passport|pasaporte|passaporte|surname|last_?name"
    r"|first_?name|apellidos?|sobrenome|doc_?type|tipo_?doc\w*|alumn[oa]|paciente|patient|huesped|hospede)(?![a-z])"
)


def find_foreign(scan: Scan) -> Iterator[Hit]:
    """National numbers whose form, check letter or cue gives them away."""
    yield from _american(scan)
    yield from _british(scan)
    yield from _spanish(scan)
    yield from _argentine(scan)
    yield from _passports(scan)
    yield from _keyed(scan)


_WROTE_REACH: Final = 40
_WROTE: Final = re.compile(
    r"\b(?:applicant|customer|client|member|patient|employee|caller|claimant|taxpayer|beneficiary|borrower|tenant|she|he"
    r"|they)\b[^.;\n0-9]{0,12}\b(?:typed|typing|types|entered|gave|wrote|writes|keyed|read|said|put|supplied|provided)\b"
    r"[^.;\n0-9]{0,14}$"
)


def _american(scan: Scan) -> Iterator[Hit]:
    for match in _NINE.finditer(scan.text):
        kind = _american_kind(match)
        near = scan.near(*match.span())
        cued = near.names("ssn", "itin") or (bool(match["dash"]) and near.says("ssn", "itin"))
        shaped = match["dash"] == "-" and not near.ordered and not scan.coded(match.start())
        shaped = shaped or (match["dash"] == " " and not near.ordered and _written(scan, match.start()))
        if kind and (cued or shaped) and not scan.harmless(*match.span()):
            yield Hit(kind, *match.span(), cued)


def _written(scan: Scan, start: int) -> bool:
    """Whether a person is said to have written what stands here: nobody groups another number so."""
    return _WROTE.search(scan.low, max(0, start - _WROTE_REACH), start) is not None


def _american_kind(match: re.Match[str]) -> str:
    """SSN or ITIN by the ranges that are given out; "" for neither."""
    area, group, serial = match["area"], int(match["group"]), match[0][-4:]
    if serial == "0000" or same(digits_of(match[0])):
        return ""
    if area[0] == "9":
        return "us_itin" if 50 <= group <= 99 and group not in {66, 67, 68, 69, 89, 93} else ""
    return "us_ssn" if area not in {"000", "666"} and group else ""


def _british(scan: Scan) -> Iterator[Hit]:
    for match in _NINO.finditer(scan.text):
        near = scan.near(*match.span())
        spaced = bool(match["gap"]) and match[0].isupper()
        if match[0][:2].upper() not in _NINO_NEVER and not near.ordered and (spaced or near.says("nino")):
            yield Hit("uk_nino", *match.span(), near.says("nino"))


def _spanish(scan: Scan) -> Iterator[Hit]:
    for kind, pattern, check, cues in (
        ("es_nif", _NIF, nif, ("nif", "dni")),
        ("es_nie", _NIE, nie, ("nie", "nif", "dni")),
    ):
        for match in pattern.finditer(scan.text):
            near = scan.near(*match.span())
            compact = re.sub(r"[\W_]", "", match[0]).upper()
            sure = (
                check.is_valid(compact)
                and match[0].upper() == match[0]
                and not re.search(r"\d\s+[A-Z]$", match[0])
            )
            shown = same(digits_of(compact))
            if not shown and (near.says(*cues) or (sure and not near.ordered)):
                yield Hit(kind, *match.span(), near.says(*cues))


def _argentine(scan: Scan) -> Iterator[Hit]:
    if any(stem in scan.low for stem in _DNI_STEMS):
        for match in _DNI.finditer(scan.text):
            near, eight = scan.near(*match.span()), len(match[0]) == len(digits_of(match[0])) == 8
            named = near.names("dni") or (eight and near.says("dni") and not scan.harmless(*match.span()))
            if named and not same(digits_of(match[0])):
                yield Hit("ar_dni", *match.span(), cued=True)


def _passports(scan: Scan) -> Iterator[Hit]:
    if any(stem in scan.low for stem in _PASSPORT_STEMS):
        for match in _PASSPORT.finditer(scan.text):
            near = scan.near(*match.span())
            nine = len(match[0]) == 9 and match[0].isdigit()
            far = nine or (match[0][0].isalpha() and len(digits_of(match[0])) > _PASSPORT_DIGITS)
            named = near.names("passport") or (far and near.says("passport"))
            if named and not same(digits_of(match[0])) and not scan.harmless(*match.span()):
                yield Hit("passport", *match.span(), cued=True)


def _keyed(scan: Scan) -> Iterator[Hit]:
    """`doc_no: 562081944` in a record that also holds a birth, a kind of document or the like."""
    if "doc" not in scan.low and "identity" not in scan.low:
        return
    for match in _KEYED.finditer(scan.low):
        start, end = match.span("value")
        told = _PERSON.search(scan.low, max(0, start - _RECORD), end + _RECORD)
        if told and not same(digits_of(match["value"])) and not scan.harmless(start, end):
            kind = "ar_dni" if match["value"].isdigit() and len(match["value"]) < 9 else "passport"
            yield Hit(kind, start, end, cued=True)
