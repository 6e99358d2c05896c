"""Our client against the analyser of Presidio, with an English model and with our own detectors in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tarimba.errors import Refusal
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model import Verdict
from tarimba.personal_data.model_server.client import Address, ModelServer
from tarimba.personal_data.model_server.kinds import ENTITIES
from tests.contract.api.served import serving
from tests.e2e.company import MEMORY, NOTE, Place
from tests.recipes.presidio.environment import presidio

pytestmark = pytest.mark.nightly
# The first text of each language also pays for what Presidio loads late.
BUDGET = 60.0


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with presidio(tmp_path_factory.mktemp("presidio")) as address:
        yield address


@pytest.fixture
def detectors(url: str) -> Iterator[Detectors]:
    asked = Detectors.of().beside(ModelServer(Address(url), BUDGET))
    yield asked
    asked.close()


def _found(verdict: Verdict, note: dict[str, str]) -> set[tuple[str, str]]:
    return {(one.field, note[one.field][one.start : one.end]) for one in verdict.findings}


def test_names_that_its_model_finds_are_findings(detectors: Detectors) -> None:
    note = {"title": "Refund policy 🙂", "body": "Yesterday John Smith asked Mary Johnson to call back."}
    verdict = detectors.check(note, language="en")
    assert _found(verdict, note) == {("body", "John Smith"), ("body", "Mary Johnson")}
    assert set(verdict.kinds) == {"name"}


def test_companies_and_places_are_no_findings(detectors: Detectors) -> None:
    note = {"title": "Where it runs", "body": "Microsoft opened an office in London and one in Chicago."}
    assert detectors.check(note, language="en").clean


def test_the_server_says_companies_and_places(url: str) -> None:
    ask = {"text": "Microsoft opened an office in London.", "language": "en"}
    found = {one["entity_type"]: one for one in httpx.post(f"{url}/analyze", json=ask).json()}
    assert {"ORGANIZATION", "LOCATION"} <= set(found)


@pytest.mark.parametrize("language", ["pt", "en", "es"])
def test_our_detectors_answer_through_it_in_every_language(url: str, language: str) -> None:
    text = "ops 🙂 CPF 529.982.247-25"
    ask = {"text": text, "language": language, "entities": ["BR_CPF"], "score_threshold": 0.35}
    (found,) = httpx.post(f"{url}/analyze", json=ask).json()
    assert (found["entity_type"], text[found["start"] : found["end"]]) == ("BR_CPF", "529.982.247-25")
    told = httpx.get(f"{url}/supportedentities", params={"language": language}).json()
    assert set(ENTITIES.values()) <= set(told)


def test_a_language_without_a_model_is_answered_by_the_rules(detectors: Detectors) -> None:
    assert detectors.check({"title": "Emitir segunda via"}, language="pt").clean


def test_what_it_can_not_answer_refuses(url: str) -> None:
    ask = {"text": "x", "language": "de", "entities": ["PERSON"]}
    assert httpx.post(f"{url}/analyze", json=ask).status_code == 500
    broken = Detectors.of().beside(ModelServer(Address(f"{url}/nowhere"), BUDGET))
    with pytest.raises(Refusal, match="gives no answer"):
        broken.check({"title": "x"}, language="en")
    broken.close()


def test_its_version_is_that_of_the_verdicts(detectors: Detectors) -> None:
    asked_first = detectors.version
    assert detectors.check({"title": "x"}, language="en").version == asked_first == detectors.version


def test_a_write_is_checked_by_it(url: str, tmp_path: Path) -> None:
    options = {"detectors_url": url, "detectors_timeout_ms": int(BUDGET * 1000)}
    with serving(Place(tmp_path, None), **options) as api:
        company = api.found(language="en")
        note = {**NOTE, "body": "Mary Johnson closes the period first."}
        answer = api.call(company, "billing", "POST", f"{MEMORY}/notes", json=note)
        assert (answer.status_code, answer.json()["kinds"]) == (422, ["name"])
        api.write(company)
