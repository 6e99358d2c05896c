"""Numbers that only a cue makes personal: any grouping of digits after `CPF`, `phone`, `CNH` and the like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tarimba.personal_data.accounts import cued_card
from tarimba.personal_data.brazil import cued_cpf, same, valid_cpf
from tarimba.personal_data.cues import Near
from tarimba.personal_data.phones import cued_phone, mobile
from tarimba.personal_data.scan import Hit, Scan, Window

_DIGITS_MIN: Final = 7
_GATHER: Final = 60
_TOLD: Final = re.compile(
    r"\bcpf\b|\b(?:comeca|inicia|primeiros|starts?|begins?|first|empieza|comienza|primeros)\b"
)


def find_cued(scan: Scan) -> Iterator[Hit]:
    """Digits that a cue names, in whatever groups they were written."""
    for start, end in scan.chains():
        if end - start < _DIGITS_MIN:
            continue
        near = scan.near(start, end)
        if not near.ordered and near.kinds & _RULES.keys():
            yield from _chain(scan, start, end, near)
    yield from _gathered(scan)


def _chain(scan: Scan, start: int, end: int, near: Near) -> Iterator[Hit]:
    windows = list(scan.windows(start, end))
    for kind in near.kinds & _RULES.keys():
        found = [w for w in windows if _outer(scan, w) and _RULES[kind](scan, w, near)]
        if found:
            best = max(found, key=lambda window: (-(window.start - start), len(window.digits)))
            yield Hit(_KINDS[kind], best.start, best.end, cued=True)


def _outer(scan: Scan, window: Window) -> bool:
    """Not glued to letters: those belong to hashes and codes."""
    before = scan.text[window.start - 1 : window.start]
    return (not before.isalpha() or scan.free(window.start)) and not scan.text[
        window.end : window.end + 1
    ].isalpha()


def _gathered(scan: Scan) -> Iterator[Hit]:
    """`it starts with ... and ends with ...`: digits in several places that make a valid CPF or a mobile number."""
    for word in _TOLD.finditer(scan.low):
        groups = list(re.finditer(r"\d+", scan.text[word.end() : word.end() + _GATHER]))
        digits = "".join(group[0] for group in groups)
        kind = "cpf" if valid_cpf(digits) else "phone" if len(groups) > 1 and mobile(digits) else ""
        if kind and (kind == "cpf" or word[0] != "cpf"):
            yield Hit(kind, word.end() + groups[0].start(), word.end() + groups[-1].end(), cued=True)


def _cpf(scan: Scan, window: Window, _: Near) -> bool:
    return cued_cpf(scan, window)


def _phone(scan: Scan, window: Window, near: Near) -> bool:
    return cued_phone(scan, window, tight=near.names("phone"))


def _contact(_: Scan, window: Window, __: Near) -> bool:
    return mobile(window.digits)


def _card(_: Scan, window: Window, __: Near) -> bool:
    return cued_card(window)


def _length(*sizes: int) -> Callable[[Scan, Window, Near], bool]:
    def rule(scan: Scan, window: Window, _: Near) -> bool:
        fits = len(window.digits) in sizes and not same(window.digits)
        return fits and not scan.harmless(window.start, window.end)

    return rule


_RULES: Final[Mapping[str, Callable[[Scan, Window, Near], bool]]] = MappingProxyType(
    {
        "cpf": _cpf,
        "phone": _phone,
        "card": _card,
        "contact": _contact,
        "cnpj": _length(14),
        "cnh": _length(11),
        "pis": _length(11),
        "titulo": _length(12, 13),
        "cns": _length(15),
    }
)
_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cpf": "cpf",
        "phone": "phone",
        "card": "credit_card",
        "contact": "phone",
        "cnpj": "cnpj",
        "cnh": "cnh",
        "pis": "pis",
        "titulo": "titulo_eleitor",
        "cns": "cns",
    }
)
