"""Money: payment cards, IBAN, Pix keys and bank accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from stdnum import iban, luhn

from tarimba.personal_data.brazil import digits_of, same
from tarimba.personal_data.scan import Hit, Scan, Window

_CARD: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:[2-6]\d{3}(?:[\W_]{1,3}\d{4}){3}|3[47]\d{2}[\W_]{1,3}\d{6}[\W_]{1,3}\d{5}"
    r"|3[0689]\d{2}[\W_]{1,3}\d{6}[\W_]{1,3}\d{4}|[2-6]\d{15}|3[47]\d{13})(?![0-9A-Za-z])"
)
# Ranges that issuers use; what else passes the check digit is an order or a tracking number by chance.
_ISSUED: Final = re.compile(r"4|5[0-9]|6[0-9]|3[4-9]|30[0-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)")
_BRAND: Final = re.compile(
    r"\b(?:visa|amex|american express|mastercard|master|elo|hipercard|diners|maestro)\b"
)
_AROUND: Final = 300
_ROW: Final = 60
_ROW_BEFORE: Final = re.compile(r"(?:(?<!\d)\d{4}[ .-])+$")
_ROW_AFTER: Final = re.compile(r"(?:[ .-]\d{4}(?!\d))+")
_FOUR: Final = re.compile(r"\d{4}")
_IBAN: Final = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\s?\d{2}(?:[ \-.]{0,2}[0-9A-Z]){11,30}(?![0-9A-Za-z])")
_IBAN_LOW: Final = re.compile(r"(?<![0-9a-z])[a-z]{2}\d{2}[0-9a-z]{11,30}(?![0-9a-z])")
# By country what stands behind the two check digits: so much form in pieces is an IBAN even if a digit is wrong.
_IBAN_FORMS: Final = (
    ("es", "n" * 20), ("gb", "a" * 4 + "n" * 14), ("de", "n" * 18), ("pt", "n" * 21), ("br", "n" * 23 + "ac"),
    ("fr", "n" * 10 + "c" * 11 + "nn"), ("it", "a" + "n" * 10 + "c" * 12), ("nl", "a" * 4 + "n" * 10),
    ("ie", "a" * 4 + "n" * 14), ("be", "n" * 12), ("ch", "n" * 5 + "c" * 12), ("at", "n" * 16),
)  # fmt: skip
_IBAN_PIECE: Final[Mapping[str, str]] = MappingProxyType({"n": "[0-9]", "a": "[A-Z]", "c": "[0-9A-Z]"})
_IBAN_GAP: Final = r"(?:(?!\n\s*\n)[\W_]){0,5}"
_IBAN_PIECES: Final = re.compile(
    "(?<![0-9A-Za-z])(?:"
    + "|".join(
        _IBAN_GAP.join([*country.upper(), "[0-9]", "[0-9]", *(_IBAN_PIECE[sort] for sort in form)])
        for country, form in _IBAN_FORMS
    )
    + ")(?![0-9A-Za-z])"
)
_IBAN_PIECES_LOW: Final = re.compile(_IBAN_PIECES.pattern, re.IGNORECASE)
_IBAN_GROUP: Final = re.compile(r"[0-9A-Z]+")
_KEY_REACH: Final = 70
_UUID: Final = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{8}[\W_]{0,4}[0-9a-f]{4}[\W_]{0,4}[0-9a-f]{4}[\W_]{0,4}[0-9a-f]{4}[\W_]{0,4}[0-9a-f]{12}"
    r"(?![0-9A-Za-z])"
)
_KEY_BEFORE: Final = re.compile(
    r"(?:\b(?:chaves?|keys?|clave|llave)\b[^.;\n]{0,30}\bpix\b|\b(?:chave|clave) aleatoria\b|\bevp\b"
    r"|\bpix\b[^.;\n]{0,20}\b(?:chaves?|keys?|clave|llave|evp)\b)[^.;\n0-9]{0,30}$"
)
_PIX_BEFORE: Final = re.compile(
    r"\bpix\b(?: (?:d[aeo]l?[ea]?|cliente|titular|para|for|of|e|is|aleatori[oa]))*[^.;\n0-9a-z]{0,4}$"
)
# A transfer has an id too, and that one is nobody's key.
_TRANSFER: Final = re.compile(
    r"\b(?:txid|ids?|e2e\w*|endtoend\w*|transac\w+|devoluc\w+|cobranca|charge|refund)\b"
)
_KEY_AFTER: Final = re.compile(
    r"[\s\"')\],]{0,3}[(]?\s?(?:e a |is the |\be )?(?:sua |minha )?(?:chave pix|pix key|chave aleatoria|evp)\b"
)
# "chave dela é ... (aleatória)": a key that is said to be a random one is no program's.
_RANDOM_BEFORE: Final = re.compile(r"\b(?:chave|clave|llave|key)\b[^.;\n0-9]{0,40}$")
_RANDOM_AFTER: Final = re.compile(r"[\s\"')\],]{0,3}[(]?\s?(?:do tipo |tipo |e )?aleatori[ao]\b")
_BRANCH_AND_ACCOUNT: Final = re.compile(
    r"\b(?:agencia|ag|branch|sucursal)\b[.:\s#no]{0,6}\d{3,5}(?:-[\dx])?[^\d\n]{1,30}?"
    r"(?P<account>\d{3,13}[-./ ]?[\dx]?)(?![0-9a-z])"
)
_IN_PIECES: Final = re.compile(
    r"\b(?:agencia|ag|branch|sucursal|bco|banco(?! de dados| de datos)|bank(?! holiday))\b"
    r"[^\n;]{1,50}?\b(?:cta|conta|c/[cp]|cc|cuenta|acct|account|acc)\b"
    r"[^\d\n;]{0,14}(?P<account>\d(?:[^\w\n]{0,3}\d){3,13}(?:[^\w\n]{0,3}[\dx])?)(?![0-9a-z])"
)
_ACCOUNT_WORDS: Final = re.compile(
    r"\b(?:conta (?:corrente|poupanca|bancaria|salario|pagamento|digital)|c/[cp]|cc|cp(?! (?:afectad|de|en|y"
    r"|\d{5}))|bank account"
    r"|account (?:number|no|nr)"
    r"|checking account|savings account"
    r"|cuenta (?:bancaria|corriente|de ahorros?)|(?:nro|numero|num|no|n)\.? de (?:cuenta|conta)|cta\.? c(?:te"
    r"|orr)\w*\.?|conta (?:n[or]?|numero))\b"
    r"[^\d\n;]{0,30}?(?<![a-z]-)(?P<account>\d[\d.]{2,14}(?:[- ]?[\dx])?|\d{3}-\d{6,8}-\d{1,3})(?![0-9a-z])"
)
# An account of a portal has a number too: money must move in the text.
_NUMBERED: Final = re.compile(
    r"\b(?:acct|account|acc|a/c|conta|cta|cuenta)(?![a-z0-9])[._]?\s?(?:(?=\d{8})|#|nos?\b\.?|n[or]?\b\.?"
    r"|nro\b\.?|number|numero|:|="
    r"|ending in full)"
    r"[\s:#=]{0,3}(?:is |was |e |es )?(?P<account>\d[\d -]{5,16}\d)(?![0-9a-z])"
)
_MONEY: Final = re.compile(
    r"\b(?:routing|wires?|ach|checking|savings|sort code|swift|bic|ifsc|neft|s/c|aba|iban|payee|beneficiary|bank"
    r"|direct deposit"
    r"|transferencia|banco|agencia|beneficiari[oa]|poupanca|favorecid[oa]|caja de ahorros?|titular|ted|cbu)\b"
)
_CONTA_DIGIT: Final = re.compile(
    r"\b(?:conta|cuenta|account|acct|poupanca)\b(?! de (?:luz|agua|gas|energia|internet|telefone|consumo))"
    r"[^\d\n;.]{0,16}?(?P<account>\d[\d.-]{3,13}[-/][\dx])(?![0-9a-z-])"
)
_OF_BANK: Final = re.compile(
    r"\b(?:itau|bradesco|santander|sicredi|sicoob|banrisul|bb|nubank"
    r"|banco do brasil)\b[^\d\n]{0,12}\d{4}(?:-\d)?[\s/,-]{1,3}"
    r"(?P<account>\d{4,12}-[\dx])(?![0-9a-z-])"
)
_SORT_CODE: Final = re.compile(r"\bsort code\b\D{0,6}\d\d-?\d\d-?\d\d\D{1,24}(?P<account>\d{8})(?!\d)")
_ROUTING: Final = re.compile(r"\b(?:routing|aba)(?![a-z])\D{0,16}\d{9}\D{1,24}(?P<account>\d{6,17})(?!\d)")
_CLABE: Final = re.compile(r"\b(?:clabe|cbu|cvu)\b\D{0,16}(?P<account>\d[\d ]{16,27})(?!\d)")
_SPANISH: Final = re.compile(
    r"\b(?:cuenta|ccc|account|conta)\b\D{0,16}(?P<account>\d{4}[\W_]{1,3}\d{4}[\W_]{1,3}\d\d[\W_]{1,3}\d{10})(?!\d)"
)
_ACCOUNTS: Final = (
    _BRANCH_AND_ACCOUNT,
    _SPANISH,
    _IN_PIECES,
    _ACCOUNT_WORDS,
    _NUMBERED,
    _CONTA_DIGIT,
    _OF_BANK,
    _SORT_CODE,
    _ROUTING,
    _CLABE,
)
_ACCOUNT_STEMS: Final = tuple(
    "itau bradesco santander sicredi sicoob banrisul bb nubank banco conta cuenta acc cta agencia branch ag "
    "sucursal c/c c/p a/c cc cp sort routing aba clabe cbu cvu".split()
)
_VERSION: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,2}\.x|\d{1,2}\.\d{1,2}\.\d{1,2}$")
_LEDGER: Final = re.compile(
    r"contabil|contable|ledger|razao|plano de contas|plan de cuentas|chart of accounts|cosif"
)


def find_accounts(scan: Scan) -> Iterator[Hit]:
    """Cards with their check digit, IBANs, Pix keys and accounts of a bank."""
    yield from _cards(scan)
    yield from _ibans(scan)
    if "pix" in scan.low or "evp" in scan.low or "aleatoria" in scan.low:
        yield from _pix_keys(scan)
    if any(stem in scan.low for stem in _ACCOUNT_STEMS):
        yield from _bank_accounts(scan)


def valid_card(digits: str) -> bool:
    """Whether 13 to 19 digits belong to an issuer and pass the check of ISO/IEC 7812."""
    return (
        13 <= len(digits) <= 19
        and not same(digits)
        and _ISSUED.match(digits) is not None
        and luhn.is_valid(digits)
    )


def _cards(scan: Scan) -> Iterator[Hit]:
    for match in _CARD.finditer(scan.text):
        if _in_longer_row(scan.text, match) or scan.harmless(*match.span()):
            continue
        near = scan.near(*match.span())
        # With the issuer's name a digit may be wrong: a note tells of a card that was refused.
        typed = near.names("card") and not match[0].isdigit() and _branded(scan, match)
        if not near.ordered and (valid_card(digits_of(match[0])) or (typed and _issued(match[0]))):
            yield Hit("credit_card", *match.span(), near.says("card"))


def _branded(scan: Scan, match: re.Match[str]) -> bool:
    return _BRAND.search(scan.low, max(0, match.start() - _ROW), match.start()) is not None


def _issued(text: str) -> bool:
    digits = digits_of(text)
    return not same(digits) and _ISSUED.match(digits) is not None


def _in_longer_row(text: str, match: re.Match[str]) -> bool:
    """Whether four groups are the inside of a key written in groups of four, such as that of an invoice.

    Several cards one after another are no key: their groups come in fours.
    """
    before = _ROW_BEFORE.search(text[max(0, match.start() - _ROW) : match.start()])
    after = _ROW_AFTER.match(text[match.end() : match.end() + _ROW])
    left = len(_FOUR.findall(before[0])) if before else 0
    right = len(_FOUR.findall(after[0])) if after else 0
    return left % 4 > 0 or right % 4 > 1


def _ibans(scan: Scan) -> Iterator[Hit]:
    for match in _IBAN.finditer(scan.text):
        near = scan.near(*match.span())
        end = _iban_end(scan.text, match)
        if end:
            yield Hit("iban", match.start(), end, near.says("iban"))
        elif near.names("iban"):
            yield Hit("iban", *match.span(), cued=True)
    yield from _iban_pieces(scan)


def _iban_pieces(scan: Scan) -> Iterator[Hit]:
    """In any pieces: in capitals by the form alone, in small letters after the word or with right check digits."""
    for match in _IBAN_LOW.finditer(scan.text):
        if iban.is_valid(match[0], check_country=False):
            yield Hit("iban", *match.span(), scan.near(*match.span()).says("iban"))
    for match in _IBAN_PIECES.finditer(scan.text):
        if not same(digits_of(match[0])):
            yield Hit("iban", *match.span(), scan.near(*match.span()).says("iban"))
    if "iban" in scan.low:
        for match in _IBAN_PIECES_LOW.finditer(scan.low):
            if scan.near(*match.span()).says("iban"):
                yield Hit("iban", *match.span(), cued=True)
        for match in _IBAN_LOW.finditer(scan.low):
            if scan.near(*match.span()).names("iban"):
                yield Hit("iban", *match.span(), cued=True)


def _iban_end(text: str, match: re.Match[str]) -> int:
    """The end of the longest valid IBAN among the groups of a match; 0 if there is none."""
    ends = [m.end() for m in _IBAN_GROUP.finditer(text, *match.span())]
    for end in reversed(ends[-6:]):
        compact = re.sub(r"[^0-9A-Z]", "", text[match.start() : end])
        if len(compact) >= 15 and iban.is_valid(compact, check_country=False):
            return end
    return 0


def _pix_keys(scan: Scan) -> Iterator[Hit]:
    """A random key is a UUID: only the words before or after tell it from any other."""
    for match in _UUID.finditer(scan.low):
        start, end = match.span()
        before = scan.low[max(0, start - _KEY_REACH) : start]
        key = _KEY_BEFORE.search(before) or _KEY_AFTER.match(scan.low, end)
        pix = _PIX_BEFORE.search(before) and not _TRANSFER.search(before)
        random = _RANDOM_AFTER.match(scan.low, end) and _RANDOM_BEFORE.search(before)
        if (key or pix or random) and not scan.near(start, end).ordered:
            yield Hit("pix_key", start, end, cued=True)


def _bank_accounts(scan: Scan) -> Iterator[Hit]:
    for pattern in _ACCOUNTS:
        for match in pattern.finditer(scan.low):
            start, end = match.span("account")
            number = match["account"]
            if not (same(digits_of(number)) or scan.harmless(start, end) or _VERSION.match(number)):
                around = scan.low[max(0, match.start() - 30) : end + 20]
                if _moves_money(scan, match) and not _LEDGER.search(around):
                    yield Hit("bank_account", start, end, cued=True)


def _moves_money(scan: Scan, match: re.Match[str]) -> bool:
    start, end = match.span("account")
    if match.re is _NUMBERED:
        return _MONEY.search(scan.low, max(0, start - _AROUND), end + _AROUND) is not None
    # "agencia 3021 sem sistema, chamado 4482016": a branch has tickets too.
    return match.re is not _BRANCH_AND_ACCOUNT or not scan.near(start, end).ordered


def cued_card(window: Window) -> bool:
    """Whether a number that a card's name introduces passes as a card, however it is grouped."""
    return valid_card(window.digits)
