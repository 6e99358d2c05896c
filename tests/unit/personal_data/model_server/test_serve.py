"""Our own server of the contract, without a socket."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import httpx
import pytest

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model import STRUCTURED_KINDS, Finding
from tarimba.personal_data.model_server.contract import TEXT_MAX, VERSION_HEADER
from tarimba.personal_data.model_server.kinds import ENTITIES
from tarimba.personal_data.model_server.serve import application
from tarimba.personal_data.reading import Reading
from tests.architecture.house import ROOT

# An address of nobody and a document with valid check digits that stands in textbooks.
TEXT = "🙂 escrever para fulano@acme.example, CPF 529.982.247-25"
ASK = {"text": TEXT, "language": "pt"}


class Names:
    """A layer that knows one name."""

    name = "names"
    signature = "1"

    def __init__(self, *, sure: bool = True) -> None:
        self._sure = sure

    def find(self, readings: Sequence[Reading]) -> Iterator[Finding]:
        for reading in readings:
            at = reading.view.text.find("fulano")
            if at >= 0:
                yield Finding("name", *reading.view.span(at, at + 6), "names", self._sure)


def ask(method: str, path: str, detectors: Detectors | None = None, **options: Any) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(application(detectors or Detectors.local()))
        async with httpx.AsyncClient(transport=transport, base_url="http://local") as client:
            return await client.request(method, path, **options)

    return asyncio.run(send())


def found(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 200, answer.text
    return {item["entity_type"]: TEXT[item["start"] : item["end"]] for item in answer.json()}


def test_it_answers_in_presidios_words_with_offsets_in_code_points() -> None:
    assert found(ask("POST", "/analyze", json=ASK)) == {
        "EMAIL_ADDRESS": "fulano@acme.example",
        "BR_CPF": "529.982.247-25",
    }


def test_each_entity_is_told_for_itself_also_where_they_overlap() -> None:
    detectors = Detectors.of(*Detectors.local().layers, Names())
    everything = found(ask("POST", "/analyze", detectors, json=ASK))
    assert everything["EMAIL_ADDRESS"] == "fulano@acme.example"
    assert everything["PERSON"] == "fulano"


def test_it_answers_only_what_was_asked_for() -> None:
    assert set(found(ask("POST", "/analyze", json=ASK | {"entities": ["BR_CPF", "LOCATION"]}))) == {"BR_CPF"}
    for sure, threshold, kinds in (
        (True, 0.6, {"PERSON"}),
        (True, 0.9, set()),
        (False, 0.35, {"PERSON"}),
        (False, 0.6, set()),
    ):
        body = ASK | {"score_threshold": threshold}
        assert set(found(ask("POST", "/analyze", Detectors.of(Names(sure=sure)), json=body))) == kinds


def test_every_kind_has_a_name_of_its_own() -> None:
    assert set(ENTITIES) == STRUCTURED_KINDS | {"name"}
    assert len(set(ENTITIES.values())) == len(ENTITIES)


def test_the_documented_table_is_the_table() -> None:
    page = (ROOT / "docs/how-to/detectors.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"\| `([a-z_]+)` \| `([A-Z_]+)` \|", page.replace("| | `", "|\n| `"))) == ENTITIES


@pytest.mark.parametrize("language", ["pt", "en", "es"])
def test_it_tells_its_entities(language: str) -> None:
    answer = ask("GET", "/supportedentities", params={"language": language})
    assert answer.json() == sorted(ENTITIES.values())


def test_every_answer_carries_the_version() -> None:
    version = Detectors.local().version
    answers = [ask("GET", "/health"), ask("GET", "/supportedentities"), ask("POST", "/analyze", json=ASK)]
    assert {answer.headers[VERSION_HEADER] for answer in answers} == {version}
    assert answers[0].json() == {"status": "ok"}


@pytest.mark.parametrize("wide", ["a", "🙂"])
def test_a_text_beyond_the_limit_is_413(wide: str) -> None:
    assert ask("POST", "/analyze", json=ASK | {"text": wide * TEXT_MAX}).status_code == 200
    assert ask("POST", "/analyze", json=ASK | {"text": wide * (TEXT_MAX + 1)}).status_code == 413


def test_a_body_without_an_end_is_413() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 65536

    assert ask("POST", "/analyze", content=endless()).status_code == 413


@pytest.mark.parametrize("body", [b"", b"fulano", b"[]", b'{"text": "fulano"}', b"[" * 50_000])
def test_a_body_of_another_form_is_422(body: bytes) -> None:
    answer = ask("POST", "/analyze", content=body)
    assert answer.status_code == 422
    assert "fulano" not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/analyze", 405),
        ("GET", "/", 404),
        ("GET", "/docs", 404),
        ("GET", "/supportedentities?language=xx", 422),
    ],
)
def test_anything_else_is_refused_in_the_same_shape(method: str, path: str, status: int) -> None:
    answer = ask(method, path)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


def test_an_error_says_nothing_about_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(Names):
        def find(self, readings: Sequence[Reading]) -> Iterator[Finding]:
            raise ValueError(readings[0].view.text)

    answer = ask("POST", "/analyze", Detectors.of(Broken()), json=ASK)
    assert (answer.status_code, json.loads(answer.content)) == (500, {"error": "Internal error."})
    written = "".join(capsys.readouterr())
    assert "ValueError" in written
    assert "fulano" not in written
