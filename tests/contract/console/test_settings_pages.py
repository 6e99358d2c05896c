"""Settings, words, servers, and what leaves and goes: the pages say what the API says and do what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.contract.console.visitor import Office
from tests.e2e.company import MEMORY

_SETTINGS = "/v1/admin/settings"


def in_force(office: Office) -> dict[str, Any]:
    found: dict[str, Any] = office.api.call(office.company, "owner", "GET", _SETTINGS).json()
    return found


@pytest.mark.promise("console-settings")
def test_each_section_is_kept_and_leaves_a_receipt_for_what_differs(office: Office) -> None:
    one = office.enter("owner")
    before = office.api.actions(office.company).count("settings.change")
    sections = {
        "writing": {
            "agent_memory.writes": "human_only",
            "agent_memory.writes_per_hour": "7",
            "agent_memory.refusals_per_hour": "60",
            "agent_memory.active_notes_max": "500",
        },
        "keeping": {
            "agent_memory.rejected_text_days": "3",
            "conversations.retention_days": "90",
            "workspaces.sessions_days": "5",
        },
        "learning": {"evolution.mode": "draft", "evolution.every_tasks": "4"},
        "sharing": {"personal_data.allow": "cnpj", "conversations.across_vendors": "1"},
        "space": {"name": "Acme South", "language": "es"},
    }
    for section, fields in sections.items():
        one.open("/settings")
        assert one.send("/settings", section=section, **fields).status_code == 303, one.page
    found = in_force(office)
    memory = found["agent_memory"]
    assert (memory["writes"], memory["writes_per_hour"], memory["rejected_text_days"]) == ("human_only", 7, 3)
    assert (found["evolution"], found["workspaces"]) == (
        {"mode": "draft", "every_tasks": 4},
        {"sessions_days": 5},
    )
    assert (found["personal_data"], found["conversations"]["across_vendors"]) == ({"allow": ["cnpj"]}, True)
    assert (found["name"], found["language"]) == ("Acme South", "es")
    assert office.api.actions(office.company).count("settings.change") == before + 10


@pytest.mark.promise("console-settings")
def test_a_refused_number_is_named_and_what_was_typed_stays(office: Office) -> None:
    one = office.enter("owner")
    one.open("/settings")
    sizes = {
        "agent_memory.body_max": "900",
        "agent_memory.block_tokens_default": "300",
        "skills.index_bytes": "8192",
    }
    for wrong in ("0", "twelve"):
        refused = one.send("/settings", section="size", **sizes, **{"agent_memory.title_max": wrong})
        assert refused.status_code == 422
        assert f'name="agent_memory.title_max" type="text" value="{wrong}"' in refused.text
        assert 'aria-invalid="true"' in refused.text
        assert 'value="900"' in refused.text
    assert in_force(office)["agent_memory"]["body_max"] == 2000


@pytest.mark.promise("console-settings")
def test_the_memory_is_turned_off_and_on_and_tasks_are_kept(office: Office) -> None:
    one = office.enter("owner")
    assert "Turn the memory off?" in one.open("/settings/off").text
    one.send("/settings/memory", memory="off")
    assert not in_force(office)["agent_memory"]["enabled"]
    one.open("/settings")
    one.send("/settings/memory", memory="on")
    one.open("/settings")
    assert one.send("/settings/tasks", task="close_month", types="invoice, period").status_code == 303
    found = in_force(office)["agent_memory"]
    assert (found["enabled"], found["tasks"]) == (
        True,
        {"close_month": {"object_types": ["invoice", "period"]}},
    )
    refused = one.send("/settings/tasks", task="Close the month", types="invoice")
    assert refused.status_code in {403, 422}
    one.open("/settings")
    assert one.send("/settings/tasks", task="close_month", types="").status_code == 303
    assert in_force(office)["agent_memory"]["tasks"] == {}


@pytest.mark.promise("console-settings")
def test_words_are_vouched_for_and_taken_away_and_customers_are_numbers(office: Office) -> None:
    one, reviewer = office.enter("owner"), office.enter("reviewer")
    body = {
        "items": [{"name": "Pier Forty Seven", "handles": [{"type": "phone", "value": "+1 202 555 0143"}]}]
    }
    office.api.call(office.company, "owner", "POST", "/v1/admin/known-customers", json=body)
    assert reviewer.open("/settings").headers["location"] == "/console/settings/words"
    reviewer.open("/settings/words")
    assert reviewer.send("/settings/words", term="Harbour", reason="branch").status_code == 303
    assert (
        reviewer.send("/settings/words", term="desk@acme.example", reason="role_mailbox").status_code == 403
    )
    assert "desk@acme.example" in reviewer.page
    page = one.open("/settings/words")
    assert "Harbour" in page.text
    assert '<p class="figure-number">1</p>' in page.text
    assert "Forty" not in page.text
    entries = office.api.call(office.company, "owner", "GET", "/v1/admin/vocabulary").json()["items"]
    path = f"/settings/words/{entries[0]['entry_id']}/remove"
    one.open(path)
    assert one.send(path).status_code == 303
    assert "No word yet" in one.open("/settings/words").text
    assert office.api.actions(office.company)[-2:] == ["pii.overrule", "vocabulary.change"]


@pytest.mark.promise("console-settings")
def test_the_detectors_answer_a_test_and_nothing_of_it_is_stored(office: Office) -> None:
    one = office.enter("owner")
    one.open("/settings/servers")
    before = office.api.actions(office.company)
    answer = one.send("/settings/servers", server="detectors")
    assert "Answered in" in answer.text
    assert "e-mail" in answer.text
    assert one.send("/settings/servers", server="model").status_code == 200
    assert "None. Proposals are made from recorded actions only." in one.page
    assert office.api.actions(office.company) == before


@pytest.mark.promise("console-data")
def test_what_is_downloaded_is_the_export_and_comes_in_again(office: Office) -> None:
    one = office.enter("owner")
    office.api.write(office.company)
    source_id, other = office.company.sources["billing"], office.company.sources["courier"]
    one.open("/settings/data")
    answer = one.send("/settings/data/export", agent=source_id)
    assert answer.headers["content-disposition"].startswith('attachment; filename="billing-')
    exported = office.api.call(
        office.company, "owner", "GET", f"{MEMORY}/export", params={"source_id": source_id}
    )
    assert answer.json()["notes"] == exported.json()["notes"]
    assert office.api.actions(office.company)[-2:] == ["export", "export"]
    document = answer.json() | {
        "notes": [_again(note) for note in answer.json()["notes"]] + [{"kind": "odd"}]
    }
    one.open("/settings/data")
    page = one.upload("/settings/data/import", {"file": json.dumps(document).encode()}, {"agent": other})
    assert page.status_code == 200, page.text
    assert "1 notes in 1 versions" in page.text
    assert "1 row was refused." in page.text
    refused = one.upload("/settings/data/import", {"file": b"{"}, {"agent": other})
    assert refused.status_code in {400, 409, 422}
    assert office.api.call(office.company, "courier", "GET", f"{MEMORY}/notes").json()["items"]


def _again(note: dict[str, Any]) -> dict[str, Any]:
    """The same note under another id, for a space that has the first already."""
    return note | {"note_id": note["note_id"][:-4] + "beef"}


@pytest.mark.promise("console-data")
def test_an_agent_is_erased_only_by_its_name_and_the_work_is_shown(office: Office) -> None:
    one = office.enter("owner")
    office.api.write(office.company)
    source_id = office.company.sources["billing"]
    one.open("/settings/data")
    refused = one.send("/settings/data/erase", agent=source_id, typed="Billing")
    assert refused.status_code == 422
    assert 'value="Billing"' in refused.text
    assert office.api.call(office.company, "billing", "GET", f"{MEMORY}/notes").json()["items"]
    done = one.send("/settings/data/erase", agent=source_id, typed="billing")
    assert done.headers["location"].startswith("/console/settings/jobs?done=settings.done_erased~")
    assert office.api.call(office.company, "billing", "GET", f"{MEMORY}/notes").json()["items"] == []
    assert "erase.requested" in office.api.actions(office.company)
    jobs = office.api.call(office.company, "owner", "GET", "/v1/admin/jobs").json()["items"]
    page = one.follow(done)
    assert ("versions: 1" in page.text) == bool(jobs)
    part = one.http.get("/console/settings/jobs", headers={"hx-request": "true"})
    assert "<html" not in part.text
    assert 'id="jobs"' in part.text


@pytest.mark.promise("console-oidc")
def test_without_a_provider_there_is_no_button_and_no_page(office: Office) -> None:
    one = office.browser()
    assert "/console/oidc" not in one.open("/sign-in").text
    assert one.open("/oidc").status_code == 404
    assert one.open("/oidc/callback?state=x&code=y").status_code == 404
