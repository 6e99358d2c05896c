"""Values of one case become placeholders: a note holds for every order, amount and day. Pure.

`Void order 4711 of 12/03/2026` becomes `Void order {order id} of {date}`. Small numbers stay (three tries, status
404): they are part of how the work is done. Numbers that could be somebody's (eight digits and more, without a word
before them that says what they count) are left to the detectors first: see `rest_abstracted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

Language = str
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {
        "pt": MappingProxyType({"amount": "valor", "date": "data", "id": "id", "number": "número"}),
        "en": MappingProxyType({"amount": "amount", "date": "date", "id": "id", "number": "number"}),
        "es": MappingProxyType({"amount": "importe", "date": "fecha", "id": "id", "number": "número"}),
    }
)
_MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|"
    "janeiro|fevereiro|março|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|"
    "enero|febrero|marzo|mayo|junio|julio|septiembre|setiembre|octubre|noviembre|diciembre"
)
_DATES: Final = re.compile(
    r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b"
    r"|\b\d{1,2}([/-])\d{1,2}\1(?:\d{4}|\d{2})\b"
    # With dots only a whole year tells a day from a version or an address.
    r"|(?<![\d.])\d{1,2}\.\d{1,2}\.\d{4}(?![.\d])"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|º|°)? (?:de |of )?(?:{_MONTHS})\b(?:,? (?:de |del |of )?\d{{4}}\b)?"
    rf"|\b(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
    rf"|\b(?:{_MONTHS}) (?:de |del |of )?\d{{4}}\b",
    re.IGNORECASE,
)
_AMOUNTS: Final = re.compile(
    r"(?:R\$|US\$|U\$S|\$|€|£|\b(?:BRL|USD|EUR|GBP|ARS|MXN)\b) ?\d(?:[\d.,]{0,20}\d)?"
    r"|\b\d(?:[\d.,]{0,20}\d)? ?(?:€|(?:reais|real|dólares|dolares|dollars?|euros?|pesos?|BRL|USD|EUR)\b)",
    re.IGNORECASE,
)
# What a number stands for, told right before it.
_CUES: Final = (
    "pedidos?|ordem|ordens|órdenes|orden|orders?|protocolos?|chamados?|tickets?|cases?|casos?|invoices?|faturas?|"
    "facturas?|notas? fisca(?:l|is)|boletos?|contratos?|contracts?|contas?|accounts?|cuentas?|envios?|envíos?|"
    "shipments?|entregas?|bookings?|reservas?|rastreios?|tracking|claims?|sinistros?|apólices?|pólizas?|polic(?:y|ies)|"
    "transa(?:ção|ções)|transactions?|transacci(?:ón|ones)|pagamentos?|payments?|pagos?|parcelas?|cliente|customer|"
    "clients?|solicitudes|solicitud|solicitaç(?:ão|ões)|requests?|tasks?|tarefas?|tareas?|refunds?|reembolsos?|"
    "devolu(?:ção|ções)|devoluci(?:ón|ones)|issues?|id"
)
_SIGN: Final = r"(?:n[.ºo°]{1,2}|nº|num\.|number|número|numero|code|código|codigo|id)\.?:? ?"
_CUED: Final = re.compile(
    rf"\b(?P<cue>{_CUES})\b(?P<between>:? ?(?:{_SIGN})?#?)"
    r"(?P<value>(?=(?:[\w./-]*?\d){3})[A-Za-z]{0,6}[-./]?\d[\w./-]*\w)",
    re.IGNORECASE,
)
_IDS: Final = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}\b"
    # INV-2024-0093: six digits and more, so that error codes and names of standards stay.
    r"|\b[A-Z]{2,6}[-_]?(?=(?:[-_/]?\d){6})\d[\d/_-]*\d\b"
    r"|#\d{3,}\b"
)
_NUMBERS: Final = re.compile(r"(?<![\w{./,-])\d{5,7}(?![\w}/-]|[.,]\d)")
_LONG_NUMBERS: Final = re.compile(r"(?<![\w{])\d[\d./-]{6,}\d(?![\w}])")


def abstracted(text: str, language: Language) -> str:
    """The text with orders, amounts, days, ids and middling numbers as placeholders."""
    words = _WORDS[language]
    text = _DATES.sub(_as(words["date"]), text)
    text = _AMOUNTS.sub(_as(words["amount"]), text)
    text = _CUED.sub(lambda found: _cued(found, language), text)
    text = _IDS.sub(_as(words["id"]), text)
    return _NUMBERS.sub(_as(words["number"]), text)


def rest_abstracted(text: str, language: Language) -> str:
    """A text in which nothing personal was found, with the long numbers that remain as placeholders too."""
    return _LONG_NUMBERS.sub(_as(_WORDS[language]["number"]), text)


def _as(word: str) -> Callable[[re.Match[str]], str]:
    return lambda _found: f"{{{word}}}"


def _cued(found: re.Match[str], language: Language) -> str:
    cue = found["cue"].lower()
    name = f"{cue} id" if language == "en" and cue != "id" else cue
    return f"{found['cue']}{found['between']}{{{name}}}"
