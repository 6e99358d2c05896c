"""The whole application with a model server that goes away and comes back: nothing unchecked is ever stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.contract.api.served import Api, serving
from tests.contract.personal_data.model_servers import Model
from tests.contract.personal_data.served import serving_app
from tests.e2e.company import MEMORY, NOTE, Company, Place

NOTES = f"{MEMORY}/notes"
# A fault is told by the model at once, so no call of these tests waits for the end of its budget.
BUDGET_MS = 60_000


@dataclass(frozen=True)
class Installation:
    api: Api
    model: Model
    company: Company

    def write(self, **fields: object) -> httpx.Response:
        return self.api.call(self.company, "billing", "POST", NOTES, json={**NOTE, **fields})

    def get(self, path: str) -> httpx.Response:
        return self.api.call(self.company, "billing", "GET", path)

    def titles(self) -> list[str]:
        return [note["title"] for note in self.get(NOTES).json()["items"]]


@pytest.fixture
def installed(database_url: str, tmp_path: Path) -> Iterator[Installation]:
    model = Model(["Ana Prado"])
    place = Place(tmp_path, None if database_url.startswith("sqlite") else database_url)
    with serving_app(model) as port:
        options = {"detectors_url": f"http://127.0.0.1:{port}", "detectors_timeout_ms": BUDGET_MS}
        with serving(place, **options) as api:
            yield Installation(api, model, api.found(language="es"))


def _is_unavailable(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["code"]) == (503, "detectors_unavailable")
    assert int(answer.headers["retry-after"]) >= 1


@pytest.mark.promise("names-fail-closed")
def test_without_an_answer_nothing_is_stored_and_reads_go_on(installed: Installation) -> None:
    assert installed.write(title="Kept before").status_code == 201
    note_id = installed.get(NOTES).json()["items"][0]["note_id"]
    installed.model.is_well = False
    before = installed.api.actions(installed.company)
    _is_unavailable(installed.write(title="Never kept"))
    edit = installed.api.call(
        installed.company, "billing", "PATCH", f"{NOTES}/{note_id}", json={"body": "Never kept."}
    )
    _is_unavailable(edit)
    tool = installed.api.tool(installed.company, "billing", "remember", **NOTE)
    assert tool.json()["result"]["isError"]
    assert installed.api.actions(installed.company) == before
    for path in (NOTES, f"{NOTES}/{note_id}", f"{MEMORY}/block", f"{NOTES}/{note_id}/versions"):
        assert installed.get(path).status_code == 200, path
    found = installed.api.call(
        installed.company, "billing", "POST", f"{MEMORY}/search", json={"query": "kept"}
    )
    assert found.status_code == 200
    assert installed.titles() == ["Kept before"]
    stored = installed.api.place.ask("SELECT title, body FROM note_version")
    assert not [row for row in stored if "Never" in str(row)]


@pytest.mark.promise("names-fail-closed")
def test_after_many_failures_it_is_well_again_as_soon_as_the_server_is(installed: Installation) -> None:
    installed.model.is_well = False
    for _ in range(3):
        _is_unavailable(installed.write())
    installed.model.is_well = True
    assert installed.write().status_code == 201


def test_a_name_that_the_server_finds_is_refused_by_kind_and_place(installed: Installation) -> None:
    answer = installed.write(body="Falar com a Ana Prado.", tags=["crm"])
    assert (answer.status_code, answer.json()["kinds"]) == (422, ["name"])
    assert answer.json()["findings"] == [{"kind": "name", "field": "body", "start": 12, "end": 21}]
    assert "Prado" not in answer.text


def test_the_server_is_asked_once_a_note_in_the_language_of_the_space(installed: Installation) -> None:
    assert installed.write(tags=["crm", "erp"]).status_code == 201
    assert [asked["language"] for asked in installed.model.asked] == ["es"]


def test_a_note_keeps_the_version_that_let_it_pass(installed: Installation) -> None:
    for version in ("1", "1", "2"):
        installed.model.version = version
        assert installed.write(title=f"Under {version}").status_code == 201
    stored = [
        row[0] for row in installed.api.place.ask("SELECT detectors FROM note_version ORDER BY created_at")
    ]
    assert stored[0] == stored[1] != stored[2]
