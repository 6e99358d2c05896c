"""Numbers whose shape or check digits say much, so that the word for them may stand farther off than in a form."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from tarimba.personal_data.brazil import digits_of, same, valid_cns
from tarimba.personal_data.cue_words import CUES
from tarimba.personal_data.scan import Hit, Scan

_REACH: Final = 140
_REACH_AFTER: Final = 60
_WORD: Final = re.compile(r"[a-z]+")
# Words that order numbers have too, but that say nothing between a cue and its value.
_NO_ORDER: Final = frozenset(
    "os so po oc titulo codigo code numero line error erro row fila linha registro record item case caso claim "
    "sinistro "
    "last valor request valid document documento row rows task event evento version".split()
)
_CPF_SIZE: Final = 11


class _Kind(NamedTuple):
    kind: str
    words: frozenset[str]
    """Words that say the kind, as they stand in a plain text."""
    cue: re.Pattern[str]
    pattern: re.Pattern[str]
    valid: Callable[[str], bool]
    """Whether the letters and digits of a match can be one."""
    reach: int


def _always(_: str) -> bool:
    return True


def _cnh(code: str) -> bool:
    """The two check digits of a driving licence: weights 9 to 1 and 1 to 9, modulo 11."""
    digits = [int(char) for char in code]
    first = sum(digit * weight for digit, weight in zip(digits, range(9, 0, -1), strict=False)) % 11
    second = sum(digit * weight for digit, weight in zip(digits, range(1, 10), strict=False)) % 11
    carry = 2 if first > 9 else 0
    return digits[9:] == [first % 10 if first < 10 else 0, 0 if second > 9 else second - carry]


def _pis(code: str) -> bool:
    """The check digit of a social number: weights 3, 2, 9 ... 2, modulo 11."""
    total = sum(int(digit) * weight for digit, weight in zip(code, (3, 2, *range(9, 1, -1)), strict=False))
    return bool(int(code[-1]) == (11 - total % 11) % 11 % 10)


def _voter(code: str) -> bool:
    """The ninth and tenth digit of a voter's number are one of 28 states."""
    return 1 <= int(code[8:10]) <= 28


def _insured(code: str) -> bool:
    return code[:2] not in {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"}


def _kind(
    kind: str, words: str, pattern: str, valid: Callable[[str], bool] = _always, *, reach: int = _REACH
) -> _Kind:
    told = frozenset(words.split())
    cue = re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(told, reverse=True))})(?![a-z])")
    bounded = re.compile(rf"(?<![0-9A-Za-z])(?<!\d[./-])(?:{pattern})(?![0-9A-Za-z]|[./-]\d)")
    return _Kind(kind, told, cue, bounded, valid, reach)


_KINDS: Final = (
    _kind(
        "cnh",
        "cnh cnhs habilitacao motorista motoristas condutor condutores condutora renach detran ppd permissao dirigir",
        r"\d{11}",
        _cnh,
    ),
    _kind("pis", "pis pasep nis nit ctps esocial trabalhador caged fgts", r"\d{11}", _pis),
    _kind("cns", "cns sus saude vacina vacinacao vacinas ubs paciente", r"[1-26-9]\d{14}", valid_cns),
    _kind(
        "titulo_eleitor",
        "titulo titulos eleitor eleitora eleitoral eleitorais tse tre",
        r"\d{4}[ .]?\d{4}[ .]?\d{4}(?=\W{0,4}(?:\w{1,4}\W{1,2}){0,2}(?:zona|z\.|sec|seç|ZONA|Zona))",
        _voter,
    ),
    _kind(
        "titulo_eleitor",
        "eleitor eleitora eleitoral eleitorais",
        r"\d{4} ?\d{4} ?\d{4}",
        _voter,
    ),
    _kind(
        "uk_nino",
        "ni nino ninos nin ninumber ninno nationalinsurance nat pension pensions insurance hmrc paye payroll "
        "starter p45 p60 payslip",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d{2}[ -]?\d{2}[ -]?\d{2}[ -]?[A-D]",
        _insured,
    ),
    _kind(
        "passport",
        "passaporte passaportes passport passports pasaporte pasaportes ppt pspt viagem viaje fnrh",
        r"[A-Z](?=[A-Z0-9]*[A-Z])(?=(?:[A-Z]*\d){5})[A-Z0-9]{8}|[A-Z]{1,2}[ -]?\d{6,8}|[A-Z]{3}[ -]?\d{6}",
        reach=100,
    ),
    _kind(
        "vehicle_plate",
        "placa placas plate plates patente patentes matricula matriculas dominio chapa veiculo veiculos vehiculo "
        "vehiculos vehicle vehicles carro carros caminhao caminhoes camion camiones camioneta furgoneta furgon coche "
        "coches moto motos van truck trucks lorry lorries car cars hgv trailer carreta carretas bitrem cavalo reboque "
        "remolque frota flota fleet reg registration estacionamento estacionamiento parking vaga cochera garagem "
        "dvla sorn itv vtv mot rto v5c askmid estapar renavam licenciamento "
        "empilhadeira patio cancela tag motorista motora caminhoneiro chofer guarita portaria parked garage grua towed "
        "onix corolla palio hilux fiorino kombi ducato sprinter civic corsa clio transit vito berlingo kangoo "
        "duster sandero "
        "logan amarok renegade voyage celta prisma saveiro ibiza megane qashqai insignia mondeo prius tesla bmw audi "
        "mercedes scania volvo iveco fiat ford renault peugeot citroen toyota honda hyundai nissan volkswagen vw "
        "skoda kia "
        "opel vauxhall motorcycle scooter bike pickup picape suv "
        "taxi onibus utilitario bascula balanca pedagio peaje multa multas fine fines tow toll guincho",
        r"[A-Z]{3}[ -]?\d[A-J]\d\d|[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]{2} ?\d{3} ?[A-Z]{2}|\d{4}[ -]?[B-DF-HJ-NP-TV-Z]{3}",
    ),
    _kind(
        "bank_account",
        "cbu cvu clabe",
        r"\d{22}|\d{8} \d{14}|\d{18}|\d{3} \d{3} \d{11} \d|\d{3}-\d{3}-\d{11}-\d|\d{6} ?\d{11} ?\d",
    ),
    _kind(
        "bank_account",
        "sort account acct payee bank",
        r"\d\d-\d\d-\d\d[\s/,;|]{1,4}(?:a/?c )?\d{8}|\d\d \d\d \d\d[/,;| ]{1,3}\d{8}",
    ),
    _kind("us_ssn", "ssn ssns", r"(?!000|666|9)\d{3}-?(?!00)\d\d-?(?!0000)\d{4}", reach=90),
    _kind("ar_dni", "dni dnis documento", r"\d{2}\.\d{3}\.\d{3}", reach=70),
)
# What a board, a domain of the network and a fund are called too.
_NO_VEHICLE: Final = re.compile(
    r"\bplacas?(?: |-)(?:de |do |da )?(?:rede|video|captura|mae|som|circuito|controle|solar|grafica|eletronica"
    r"|memoria|red|madre)"
    r"|\b(?:dns|active directory|ldap|smtp|ssl|dominio (?:web|raiz|compartid\w+|proprio|propio))\b"
    r"|\bdriver(?:s)? (?:v|\d)"
)
_LAST_WORD: Final = re.compile(r"([a-z]+)(?:[^a-z]+(?:n|no|nr|nro|num|numero))?[^a-z]*$")
_DOCUMENTS_TOO: Final = frozenset({"titulo", "titulos", "registro", "registration", "reg"})
_CURRENCY: Final = frozenset({"USD", "EUR", "GBP", "BRL", "ARS", "MXN"})


def find_far(scan: Scan) -> Iterator[Hit]:
    """Documents, plates and accounts whose cue stands some sentences off, with no order word in between."""
    words = scan.words()
    for kind in _KINDS:
        if kind.words.isdisjoint(words):
            continue
        cues: list[tuple[int, int]] | None = None
        for match in kind.pattern.finditer(scan.text):
            if cues is None:
                cues = [cue.span() for cue in kind.cue.finditer(scan.low)]
            if _holds(scan, kind, match, cues):
                yield Hit(kind.kind, *match.span(), cued=True)


def _holds(scan: Scan, kind: _Kind, match: re.Match[str], cues: list[tuple[int, int]]) -> bool:
    code = re.sub(r"[\W_]", "", match[0])
    # Two digits of a plate may be alike.
    shown = len(code) - 5 < len(digits_of(code)) and same(digits_of(code))
    if shown or not kind.valid(code) or scan.harmless(*match.span()):
        return False
    if not _told(scan, cues, match.span(), kind.reach):
        return False
    if kind.kind == "vehicle_plate" and _no_plate(scan, match, code):
        return False
    near = scan.near(*match.span())
    return not near.ordered or _says_nothing(scan.low, match.start())


def _says_nothing(low: str, start: int) -> bool:
    """Whether the order word before a value is one that documents have too: `registro`, `titulo`."""
    before = _LAST_WORD.search(low, max(0, start - 24), start)
    return before is not None and before[1] in _DOCUMENTS_TOO


def _no_plate(scan: Scan, match: re.Match[str], code: str) -> bool:
    around = max(0, match.start() - _REACH), match.end() + _REACH_AFTER
    return code[-3:] in _CURRENCY or _NO_VEHICLE.search(scan.low, *around) is not None


def _told(scan: Scan, cues: list[tuple[int, int]], span: tuple[int, int], reach: int) -> bool:
    start, end = span
    place = bisect_right(cues, (start, start))
    last = cues[place - 1][1] if place else -1
    if last >= 0 and start - last <= reach:
        between = _WORD.findall(scan.low, last, start)
        return not any(CUES.get(word) == "order" and word not in _NO_ORDER for word in between)
    place = bisect_right(cues, (end, end))
    return place < len(cues) and cues[place][0] - end <= min(reach, _REACH_AFTER) and not scan.coded(start)
