"""Brazilian documents: CPF, CNPJ, RG, CNH, PIS, voter's and health card numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from stdnum.br import cnpj, cpf

from tarimba.personal_data.phones import toll_free
from tarimba.personal_data.scan import Hit, Scan, Window

_CPF_MASK: Final = re.compile(
    r"(?<!\d)(?<!\d\.)\d{3}\s{0,5}\.\s{0,5}\d{3}\s{0,5}\.\s{0,5}\d{3}\s{0,5}[-/]\s{0,5}\d{2}(?![0-9A-Za-z]|\.\d)"
)
_CPF_SHAPE: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:\d{3}[\W_]{1,3}\d{3}[\W_]{1,3}\d{3}[\W_]{1,3}|\d{9}[\W_]{1,2})\d{2}(?![0-9A-Za-z])"
)
_CPF_PARTIAL: Final = re.compile(
    r"(?<![\w*])(?:[*xX#•]{3}\.\d{3}\.\d{3}-[*xX#•]{2}|\d{3}\.\d{3}\.[*xX#•]{3}-(?:[*xX#•]{2}|\d\d)"
    r"|[*xX#•]{3}\.\d{3}\.\d{3}-\d{2}|\d{3}\.[*xX#•]{3}\.\d{3}-(?:[*xX#•]{2}|\d\d))"
)
_HIDDEN: Final = re.compile(r"[*xX#•]{2}")
_CPF_STARS: Final = re.compile(
    r"(?<![\w*])[*xX#•]{2,3}\d{6,9}[*xX#•]{0,2}(?![\w*])|(?<![\w*])\d{6,9}[*xX#•]{2,5}(?![\w*])"
)
_ELEVEN: Final = re.compile(r"(?<![0-9])\d{11}(?![0-9])")
_PADDED: Final = re.compile(r"(?<![0-9A-Za-z])0{2,8}([1-9]\d{10})(?![0-9A-Za-z])")
_SHORT: Final = re.compile(r"(?<![0-9A-Za-z])[1-9]\d{7,9}(?![0-9A-Za-z])")
_BACKWARDS: Final = re.compile(
    r"\b(?:contrario|invertid[oa]s?|reverso|reversed|backwards?|reves|espelhad[oa])\b"
)
_CNPJ_MASK: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:(?=\S*\d)[0-9A-Za-z]{2}[. ]?[0-9A-Za-z]{3}[. ]?[0-9A-Za-z]{3}"
    r"\s?/\s?[0-9A-Za-z]{4}\s?-\s?\d{2}"
    r"|[0-9A-Z]{2}[\W_]{1,5}[0-9A-Z]{3}[\W_]{1,5}[0-9A-Z]{3}\s{0,5}/{1,2}\s{0,5}[0-9A-Z]{4}[\W_]{1,5}\d{2})(?![0-9A-Za-z])"
)
_CNPJ_SHAPE: Final = re.compile(
    r"(?<![0-9A-Za-z])\d{2}[\W_]{1,3}\d{3}[\W_]{1,3}\d{3}[\W_]{1,3}\d{4}[\W_]{1,3}\d{2}(?![0-9A-Za-z])"
)
_FOURTEEN: Final = re.compile(r"(?<![0-9A-Za-z])[0-9A-Z]{12}\d{2}(?![0-9A-Za-z])")
_RG_MASK: Final = re.compile(
    r"(?<![\d.,/-])\d{1,2}\s{0,3}\.\s{0,3}\d{3}\s{0,3}\.\s{0,3}\d{3}\s{0,3}-\s{0,3}[\dXx](?![0-9A-Za-z])"
)
_RG_STEMS: Final = ("rg", "r.g", "identidade", "cedula", "ssp", "cin")
_RG_CUED: Final = re.compile(
    r"(?<![0-9A-Za-z.,])(?:(?:A[CLMP]|BA|CE|DF|ES|GO|M[AGST]|P[ABEIR]|R[JNORS]|S[CEP]|TO)[\s-]{0,2})?(?:\d{1,2}\.?\d{3}\.?\d{3}|\d{5,10})(?:\s?-?\s?[\dXx])?(?![0-9A-Za-z])"
)
_PIS_MASK: Final = re.compile(r"(?<![\d.])\d{3}[. ]\d{5}[. ]\d{2}[-. ]\d(?![0-9A-Za-z])")
_CNS_SHAPE: Final = re.compile(
    r"(?<![0-9A-Za-z])[1-26-9]\d{2}[ .-]\d{4}[ .-]\d{4}[ .-]\d{4}(?![0-9A-Za-z]|[ .-]\d{4})"
)
_NO_DIGITS: Final = re.compile(r"[^0-9]+")
_SAME: Final = re.compile(r"(\w)\1*$")


def same(digits: str) -> bool:
    """Whether a number is a format shown with one digit, like `000.000.000-00`."""
    return _SAME.match(digits) is not None


def digits_of(text: str) -> str:
    """The digits of a folded text."""
    return _NO_DIGITS.sub("", text)


def valid_cpf(digits: str) -> bool:
    """Whether digits are eleven, carry the check digits of a CPF and are no placeholder."""
    return len(digits) == 11 and not same(digits) and bool(cpf.is_valid(digits))


def valid_cns(digits: str) -> bool:
    """Whether fifteen digits pass the check of the national health card: weights 15 to 1, modulo 11."""
    return sum(int(d) * w for d, w in zip(digits, range(15, 0, -1), strict=True)) % 11 == 0


def find_brazilian(scan: Scan) -> Iterator[Hit]:
    """Every Brazilian document that its form gives away; what needs a cue as a bare number is in `cued`."""
    yield from _cpf(scan)
    yield from _bare_cpf(scan)
    yield from _cnpj(scan)
    yield from _rg(scan)
    yield from _others(scan)


def _cpf(scan: Scan) -> Iterator[Hit]:
    for match in _CPF_MASK.finditer(scan.text):
        if not same(digits_of(match[0])):
            yield Hit("cpf", *match.span(), scan.near(*match.span()).says("cpf", "doc"))
    for match in _CPF_SHAPE.finditer(scan.text):
        if _CPF_MASK.fullmatch(match[0]):
            continue
        cued = scan.near(*match.span()).says("cpf")
        digits = digits_of(match[0])
        if not same(digits) and (cued or valid_cpf(digits)) and not scan.harmless(*match.span()):
            yield Hit("cpf", *match.span(), cued)
    if _HIDDEN.search(scan.text):
        yield from _partial_cpf(scan)


def _partial_cpf(scan: Scan) -> Iterator[Hit]:
    """Six digits and more still tell one person from nearly all others."""
    for match in _CPF_PARTIAL.finditer(scan.text):
        yield Hit("cpf", *match.span())
    for match in _CPF_STARS.finditer(scan.text):
        if scan.near(*match.span()).names("cpf"):
            yield Hit("cpf", *match.span(), cued=True)


def _bare_cpf(scan: Scan) -> Iterator[Hit]:
    for match in _ELEVEN.finditer(scan.text):
        start, end = match.span()
        near = scan.near(start, end)
        cued = near.says("cpf")
        if (
            not (same(match[0]) or near.ordered)
            and (cued or valid_cpf(match[0]))
            and _alone(scan, start, end)
        ):
            yield Hit("cpf", start, end, cued)
        elif near.says("cpf", "doc") and valid_cpf(match[0][::-1]) and _says_backwards(scan, start, end):
            yield Hit("cpf", start, end, cued=True)
    for match in _SHORT.finditer(scan.text if "cpf" in scan.low else ""):
        # Spreadsheets drop the zeros at the head.
        if (
            scan.near(*match.span()).says("cpf")
            and valid_cpf(match[0].zfill(11))
            and _alone(scan, *match.span())
        ):
            yield Hit("cpf", *match.span(), cued=True)
    for match in _PADDED.finditer(scan.text):
        if valid_cpf(match[1]) and not scan.near(*match.span()).ordered:
            yield Hit("cpf", *match.span())


def _alone(scan: Scan, start: int, end: int) -> bool:
    return scan.apart(start, end) and not scan.harmless(start, end)


def _says_backwards(scan: Scan, start: int, end: int) -> bool:
    return _BACKWARDS.search(scan.low, max(0, start - 40), end + 40) is not None


def _cnpj(scan: Scan) -> Iterator[Hit]:
    if "/" in scan.text:
        for match in _CNPJ_MASK.finditer(scan.text):
            compact = re.sub(r"[\W_]", "", match[0])
            if not same(compact[:12]) and (compact.isdigit() or compact.upper() == compact):
                yield Hit("cnpj", *match.span(), scan.near(*match.span()).says("cnpj"))
    for pattern in (_CNPJ_SHAPE, _FOURTEEN):
        for match in pattern.finditer(scan.text):
            hit = _checked_cnpj(scan, match)
            if hit:
                yield hit


def _checked_cnpj(scan: Scan, match: re.Match[str]) -> Hit | None:
    compact = re.sub(r"[\W_]", "", match[0])
    near = scan.near(*match.span())
    if same(compact) or near.ordered or not any(char.isdigit() for char in compact[:12]):
        return None
    cued = near.says("cnpj")
    # A code of letters and digits is a CNPJ by accident once in a hundred times: it needs the word.
    sure = compact.isdigit() and _alone(scan, *match.span())
    valid = (cued or sure) and bool(cnpj.is_valid(compact))
    if valid or (cued and compact.isdigit()):
        return Hit("cnpj", *match.span(), cued)
    return None


def _rg(scan: Scan) -> Iterator[Hit]:
    masked = [(match, scan.near(*match.span())) for match in _RG_MASK.finditer(scan.text)]
    # "Versão ... trava; voltar pra ...": where one such number is a version or an order, so is the next.
    versions = any(near.ordered for _, near in masked)
    for match, near in masked:
        plain = near.ordered or (versions and not near.says("rg"))
        if not plain and not same(digits_of(match[0])) and scan.apart(*match.span()):
            yield Hit("rg", *match.span(), near.says("rg"))
    if not any(stem in scan.low for stem in _RG_STEMS):
        return
    for match in _RG_CUED.finditer(scan.text):
        near = scan.near(*match.span())
        if near.names("rg") and len(digits_of(match[0])) >= 5 and not same(digits_of(match[0])):
            yield Hit("rg", *match.span(), cued=True)


def _others(scan: Scan) -> Iterator[Hit]:
    for match in _PIS_MASK.finditer(scan.text):
        near = scan.near(*match.span())
        if not near.ordered and not same(digits_of(match[0])):
            yield Hit("pis", *match.span(), near.says("pis"))
    for match in _CNS_SHAPE.finditer(scan.text):
        near = scan.near(*match.span())
        if not near.ordered and (near.says("cns") or valid_cns(digits_of(match[0]))):
            yield Hit("cns", *match.span(), near.says("cns"))


def cued_cpf(scan: Scan, window: Window) -> bool:
    """Whether a number that the word CPF names can be one, however it is grouped."""
    return (
        len(window.digits) == 11
        and not same(window.digits)
        and not toll_free(scan, window.start, window.end)
        and not scan.harmless(window.start, window.end)
    )
