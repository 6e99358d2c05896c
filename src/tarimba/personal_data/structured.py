"""Layer 1: documents, numbers and addresses that rules recognise with no model and no list of names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tarimba.personal_data import (
    abroad,
    accounts,
    births,
    brazil,
    civil,
    columns,
    cue_words,
    cued,
    cues,
    decoding,
    echoes,
    emails,
    far,
    fold,
    loose,
    phones,
    scan,
    spelling,
    spoken,
)
from tarimba.personal_data.abroad import find_foreign
from tarimba.personal_data.accounts import find_accounts
from tarimba.personal_data.births import find_told_births, tells_birth
from tarimba.personal_data.brazil import find_brazilian
from tarimba.personal_data.civil import find_civil
from tarimba.personal_data.columns import find_columns
from tarimba.personal_data.cued import find_cued
from tarimba.personal_data.echoes import find_echoes
from tarimba.personal_data.emails import find_emails
from tarimba.personal_data.far import find_far
from tarimba.personal_data.loose import find_loose
from tarimba.personal_data.model import Finding
from tarimba.personal_data.phones import find_phones
from tarimba.personal_data.reading import Reading
from tarimba.personal_data.scan import Hit, Scan
from tarimba.personal_data.signature import constants

LAYER: Final = "structured"
_SIGNS: Final = ("@", "arroba", " at ", "provedor", "provider", "proveedor", "dominio", "domain", "servidor")
_BRACKETED: Final = re.compile(r"[(\[{<]\s?(?:at|a|en)\s?[)\]}>]")
# Six digits that nothing but signs parts, or fewer with a word for what is written shorter or in pieces.
_NUMBER: Final = re.compile(r"\d(?:[\W_]{0,6}\d){5}")
_SHORT: Final = re.compile(
    r"\b(?:pix|evp|passap|passp|pasap|rgs?\b|r\.g|identid|cedula|ssp|agenc|ag\b|cont|cuent|acc|nasc|naci|nac\b"
    r"|dn\b|d\.o\.b|bday|born|birth|dob"
    r"|aniver|cumple|plac|plate|matric|patent|veic|vehic|carr|cars?\b|moto|coche|truck|van\b|cami|auto|cavalo"
    r"|carreta|chapa|hab\b|tit\b|doc|cta\b|bco\b|cnpj|cpf|ddd"
    r"|vaga|guinch|multa|estacion|park|fine|tow|gate|portaria|porteria|bitrem|rodotrem|reboq|semirr|remol|trailer"
    r"|lorr|furg|onibus|domini|\breg\b|frota|flota|fleet|taxi|comec|inic|prim|start|begin|first|empie|comien|iban"
    r"|nif|nie|dni|clave|chave|dt_nasc)"
)
# Letters and digits as a plate has them.
_PLATED: Final = re.compile(r"[A-Z]{2}[ -]?\d|\d[ -]?[A-Z]{3}")
_DIGIT: Final = re.compile(r"\d")
_DIGITS_MIN: Final = 2
_NUMBER_RULES: Final[tuple[Callable[[Scan], Iterator[Hit]], ...]] = (
    find_cued,
    find_brazilian,
    find_accounts,
    find_phones,
    find_foreign,
    find_civil,
    find_loose,
    find_far,
    find_columns,
)


class Structured:
    """The rules of layer 1 over every reading of a text."""

    __slots__ = ()

    name = LAYER

    @property
    def signature(self) -> str:
        """Every pattern and word that the rules go by."""
        known = constants(
            abroad,
            accounts,
            births,
            brazil,
            civil,
            columns,
            cue_words,
            cued,
            cues,
            decoding,
            echoes,
            emails,
            far,
            fold,
            loose,
            phones,
            scan,
            spelling,
            spoken,
        )
        return f"{LAYER}\n{known}"

    def find(self, readings: Sequence[Reading]) -> Iterator[Finding]:
        """Findings in the offsets of the original text, possibly overlapping."""
        for reading in readings:
            for hit in _hits(Scan(reading.view.text)):
                if hit.cued or not reading.needs_cue:
                    yield Finding(hit.kind, *reading.view.span(hit.start, hit.end), LAYER)


def _hits(looked: Scan) -> list[Hit]:
    hits = list(_first(looked))
    return [*hits, *find_echoes(looked, hits)] if hits else hits


def _first(looked: Scan) -> Iterator[Hit]:
    # Most notes hold neither: they cost two searches.
    if any(sign in looked.low for sign in _SIGNS) or _BRACKETED.search(looked.low):
        yield from find_emails(looked)
    if tells_birth(looked.low):
        yield from find_told_births(looked)
    if _NUMBER.search(looked.text) or (
        len(_DIGIT.findall(looked.text)) >= _DIGITS_MIN
        and (_SHORT.search(looked.low) or _PLATED.search(looked.text))
    ):
        for rule in _NUMBER_RULES:
            yield from rule(looked)
