"""The detectors of Tarimba as a recogniser of Presidio. One for each language that the engine serves."""

from __future__ import annotations

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model_server.contract import Ask
from tarimba.personal_data.model_server.kinds import ENTITIES, entities_in


class TarimbaRecognizer(EntityRecognizer):
    """Finds what `POST /analyze` of `tarimba detectors serve` finds."""

    def __init__(self, language: str, detectors: Detectors) -> None:
        self._detectors = detectors
        super().__init__(
            supported_entities=sorted(ENTITIES.values()),
            name="TarimbaRecognizer",
            supported_language=language,
            version=detectors.version,
        )

    def load(self) -> None:
        """There is nothing to load: the engine asks for this method."""

    def analyze(
        self,
        text: str,
        entities: list[str],
        nlp_artifacts: NlpArtifacts | None = None,  # noqa: ARG002 - the engine gives it to every recogniser
    ) -> list[RecognizerResult]:
        ask = Ask(text, self.supported_language, frozenset(entities))
        return [
            RecognizerResult(found.kind, found.start, found.end, found.score)
            for found in entities_in(self._detectors, ask)
        ]
