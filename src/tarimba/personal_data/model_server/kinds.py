"""Our kinds in the words of the contract, and what the detectors of this process find told in them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model import Finding, merged
from tarimba.personal_data.model_server.contract import PERSON, Ask, Entity

ENTITIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ar_dni": "AR_DNI",
        "bank_account": "BANK_ACCOUNT",
        "birth_date": "DATE_OF_BIRTH",
        "cnh": "BR_CNH",
        "cnpj": "BR_CNPJ",
        "cns": "BR_CNS",
        "cpf": "BR_CPF",
        "credit_card": "CREDIT_CARD",
        "email": "EMAIL_ADDRESS",
        "es_nie": "ES_NIE",
        "es_nif": "ES_NIF",
        "iban": "IBAN_CODE",
        "name": PERSON,
        "passport": "PASSPORT",
        "phone": "PHONE_NUMBER",
        "pis": "BR_PIS",
        "pix_key": "BR_PIX_KEY",
        "rg": "BR_RG",
        "titulo_eleitor": "BR_TITULO_ELEITOR",
        "uk_nino": "UK_NINO",
        "us_itin": "US_ITIN",
        "us_ssn": "US_SSN",
        "vehicle_plate": "VEHICLE_PLATE",
    }
)
"""Our kinds in Presidio's words; where it has none, in words of its form."""

SCORE: Final = 1.0
"""A rule says yes or no."""

NAME_SCORE: Final = 0.85
"""What Presidio gives a name that its model found: a threshold set for one server means the same for the other."""

UNSURE_SCORE: Final = 0.5
"""What counts only where missing somebody is worse than refusing a clean note."""


def entities_in(detectors: Detectors, ask: Ask) -> list[Entity]:
    """What the detectors of this process find in a text, each entity without overlaps, in order of position."""
    by_kind: dict[str, list[Finding]] = {}
    for finding in detectors.findings(ask.text):
        kind = ENTITIES[finding.kind]
        if (ask.entities is None or kind in ask.entities) and _score(finding) >= ask.threshold:
            by_kind.setdefault(kind, []).append(finding)
    found = [
        Entity(kind, one.start, one.end, _score(one))
        for kind, some in by_kind.items()
        for one in merged(some)
    ]
    return sorted(found, key=lambda entity: (entity.start, entity.end, entity.kind))


def _score(finding: Finding) -> float:
    if not finding.sure:
        return UNSURE_SCORE
    return NAME_SCORE if ENTITIES[finding.kind] == PERSON else SCORE
