"""Plain regular expressions, as found in many a code base: what a team has that did nothing more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from tarimba.personal_data.model import Finding
from tarimba.personal_data.scoring import Row

PATTERNS: Final = MappingProxyType(
    {
        "email": re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),
        "cpf": re.compile(r"\b\d{3}\.\d{3}\.\d{3}-\d{2}\b|\b\d{11}\b"),
        "cnpj": re.compile(r"\b\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}\b"),
        "phone": re.compile(r"(?:\+\d{1,3}[ .-]?)?\(?\b\d{2,3}\)?[ .-]?\d{4,5}[ .-]?\d{4}\b"),
        "credit_card": re.compile(r"\b(?:\d{4}[ -]?){3}\d{4}\b"),
        "us_ssn": re.compile(r"\b\d{3}-\d{2}-\d{4}\b"),
        "iban": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b"),
        # Two or three capitalised words in a row.
        "name": re.compile(r"\b[A-ZÀ-Ý][a-zà-ÿ]+(?: (?:d[aeo]s? )?[A-ZÀ-Ý][a-zà-ÿ]+){1,2}\b"),
    }
)


def find(row: Row) -> Sequence[Finding]:
    """Every match of every pattern in a row's text."""
    return [
        Finding(kind, match.start(), match.end(), "regexes")
        for kind, pattern in PATTERNS.items()
        for match in pattern.finditer(row.text)
    ]
