"""One value for one person: how names, telephones, addresses and documents are written before they are hashed. Pure.

Telephones become E.164 with the Brazilian ninth digit settled and WhatsApp ids reduced to their phone, e-mails are
folded, documents keep their digits and letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple

from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata

from tarimba.personal_data.fold import folded, plain

Family = Literal["name", "phone", "email", "document"]

DOCUMENT_KINDS: Final = frozenset(
    "ar_dni cnh cnpj cns cpf es_nie es_nif passport pis rg titulo_eleitor uk_nino us_itin us_ssn".split()
)
HANDLE_TYPES: Final = DOCUMENT_KINDS | {"phone", "whatsapp", "email"}
NAME_WORDS_MAX: Final = 6
"""A longer name is known by its first words."""
DOCUMENT_MIN: Final = 8
"""A shorter number is too many other things besides."""

# People leave these out as often as not: "Ana da Cruz", "Ana Cruz".
PARTICLES: Final = frozenset("d da das de del della der di do dos du e la las los y van von".split())
# Words of sentences: no name goes across one, which spares most of the candidates of a text.
SENTENCE_WORDS: Final = frozenset(
    "antes ao aos apos are as ate be before by cada cliente com como con cuando depois en em for from is isso mas nao "
    "nas nos not of or os ou para pela pelo por porque quando que se sem seu so sua su than that the then there "
    "this um uma un una when which with without".split()
)
NAME_WORD: Final = re.compile(r"[^\W\d_]+")

_AREA: Final = r"(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])"
_NATIONAL: Final = re.compile(rf"({_AREA})(?:(9\d{{8}})|([6-9]\d{{7}})|([2-5]\d{{7}}))")
_EXTENSION: Final = re.compile(r"[\s,;]*\b(?:ramal|ext(?:ension)?|extensao|anexo|x)\.?\s*\d{1,6}\s*$")
_ADDRESSED: Final = re.compile(r"(\d{7,15})(?::\d{1,4})?@(?:s\.whatsapp\.net|c\.us)")
_EMAIL: Final = re.compile(r"[^\s@<>()\[\],;:\"]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_][\w-]{1,62}")
_GMAIL: Final = frozenset({"gmail.com", "googlemail.com"})
_NOT_WRITTEN: Final = re.compile(r"[\W_]+")
_LENGTHS: Final = {"cpf": 11, "cnpj": 14}
_WITH_COUNTRY_MIN: Final = 11
_MEXICAN_MOBILE: Final = re.compile(r"521(\d{10})")
_COUNTRIES: Final = frozenset(map(str, COUNTRY_CODE_TO_REGION_CODE))
_BEGINNINGS: Final = frozenset(
    start
    for start in (f"{number:03}" for number in range(1000))
    if not _COUNTRIES.isdisjoint((start[:1], start[:2], start))
)
"""The three digits that numbers with a country code can begin with."""
# Where a number without its country may be at home, by its form.
_HOMES: Final = (
    ("1", re.compile(r"[2-9]\d{2}[2-9]\d{6}")),
    ("34", re.compile(r"[6-9]\d{8}")),
    ("351", re.compile(r"[29]\d{8}")),
)


class Handle(NamedTuple):
    """A value as it is hashed. `kind` is what a finding of it is called."""

    kind: str
    family: Family
    value: str


def handle(handle_type: str, written: str) -> Handle | None:
    """The handle in what somebody wrote, or None when it can't be one of that type (one of `HANDLE_TYPES`)."""
    if handle_type in DOCUMENT_KINDS:
        number = _document(handle_type, written)
        return Handle(handle_type, "document", number) if number else None
    kind: Literal["email", "phone"] = "email" if handle_type == "email" else "phone"
    read: Callable[[str], str | None] = email if kind == "email" else phone
    value = read(written)
    return Handle(kind, kind, value) if value else None


def full_name(written: str) -> Handle | None:
    """The name of a person; None for a single word, which alone is nobody's, and for a piece of a sentence."""
    words = [word for word in NAME_WORD.findall(plain(folded(written))) if word not in PARTICLES]
    if len(words) < 2 or not SENTENCE_WORDS.isdisjoint(words):
        return None
    return Handle("name", "name", " ".join(words[:NAME_WORDS_MAX]))


def email(written: str) -> str | None:
    """The mailbox. Gmail reads over points and what stands behind a plus; other hosts may not."""
    low = folded(written).strip().lower().removeprefix("mailto:")
    if _EMAIL.fullmatch(low) is None:
        return None
    local, _, domain = low.partition("@")
    if domain in _GMAIL:
        local, domain = local.partition("+")[0].replace(".", ""), "gmail.com"
    return f"{local}@{domain}" if local else None


def phone(written: str) -> str | None:
    """E.164 of a telephone or a WhatsApp id; without a country code it is read as Brazilian if it can be."""
    low = plain(folded(written)).strip()
    addressed = _ADDRESSED.fullmatch(low)
    if addressed:
        return international(addressed[1])
    if "@" in low:
        return None
    number = _EXTENSION.sub("", low)
    digits = re.sub(r"\D", "", number)
    if "+" in number or digits.startswith("00"):
        return international(digits.removeprefix("00"))
    return brazilian(digits) or (international(digits) if _names_country(digits) else None)


def phones_in(digits: str) -> Iterator[str]:
    """What a run of digits in a text may be as a telephone."""
    home = brazilian(digits)
    if home:
        yield home
    abroad = international(digits.removeprefix("00"))
    if abroad and abroad != home:
        yield abroad
    for code, form in _HOMES if len(digits) in (9, 10) else ():
        if form.fullmatch(digits):
            yield f"+{code}{digits}"


def brazilian(digits: str) -> str | None:
    """E.164 of digits that are a Brazilian number, with or without country, trunk prefix and carrier."""
    if len(digits) in (12, 13, 14) and digits.startswith("55"):
        digits = digits[2:].removeprefix("0")
    elif digits.startswith("0") and not digits.startswith("00"):
        # 0 and the area code, or 0, the code of a carrier and the area code.
        digits = digits[1:] if len(digits) in (11, 12) else digits[3:]
    match = _NATIONAL.fullmatch(digits) if len(digits) in (10, 11) else None
    if match is None:
        return None
    area, mobile, old_mobile, land = match.groups()
    return f"+55{area}{mobile or land or '9' + old_mobile}"


def international(digits: str) -> str | None:
    """E.164 of digits that begin with a country code; None when no country has that code."""
    if digits[:3] not in _BEGINNINGS or not 8 <= len(digits) <= 15:
        return None
    if digits.startswith("55"):
        return brazilian(digits)
    mexican = _MEXICAN_MOBILE.fullmatch(digits) if digits.startswith("521") else None
    return f"+52{mexican[1]}" if mexican else f"+{digits}"


def document(written: str) -> str:
    """The digits and letters of a document's number, as they are compared."""
    return _NOT_WRITTEN.sub("", folded(written)).upper()


def _names_country(digits: str) -> bool:
    """Whether digits without a plus begin with a country, as those of a number that is at home somewhere do not."""
    if len(digits) < _WITH_COUNTRY_MIN:
        return False
    for size in (1, 2, 3):
        for region in COUNTRY_CODE_TO_REGION_CODE.get(int(digits[:size]), ())[:1]:
            metadata = PhoneMetadata.metadata_for_region(region, None)
            description = metadata.general_desc if metadata else None
            return description is not None and len(digits) - size in description.possible_length
    return False


def _document(kind: str, written: str) -> str | None:
    number = document(written)
    length = _LENGTHS.get(kind)
    if length is not None and number.isdigit():
        # Tables that took it for a number have lost its leading zeros.
        number = number.zfill(length)
    if length is not None and len(number) != length:
        return None
    is_number = number.isascii() and number.isalnum() and any(map(str.isdigit, number))
    return number if is_number and DOCUMENT_MIN <= len(number) <= 20 else None
