"""Settings: only a person with the role changes them, and each change is told with its old and new value."""

import pytest

from tarimba.identity.settings import SpaceSettings, load
from tests.contract.identity.company import Company
from tests.problems import assert_problem

OUT_OF_BOUNDS: list[tuple[object, str]] = [
    ({"agent_memory": {"title_max": 301}}, "agent_memory.title_max"),
    ({"agent_memory": {"title_max": 0}}, "agent_memory.title_max"),
    ({"agent_memory": {"body_max": 20_001}}, "agent_memory.body_max"),
    ({"agent_memory": {"block_tokens_default": 49}}, "agent_memory.block_tokens_default"),
    ({"agent_memory": {"writes": "everybody"}}, "agent_memory.writes"),
    ({"agent_memory": {"enabled": "yes"}}, "agent_memory.enabled"),
    ({"agent_memory": {"title_max": True}}, "agent_memory.title_max"),
    ({"language": "fr"}, "language"),
    ({"name": "   "}, "name"),
    ({"name": "a\u202eb"}, "name"),
    ({"agent_memory": {"tasks": {"re fund": {"object_types": ["x"]}}}}, "task"),
    ({"agent_memory": {"tasks": {"refund": {"object_types": ["Não"]}}}}, "object_types"),
    ({"agent_memory": {"secret_setting": 1}}, "unknown field"),
]


def in_force(company: Company) -> SpaceSettings:
    with company.kernel.database.read() as connection:
        return load(connection, company.space_id)


def test_a_new_space_has_the_documented_defaults(company: Company) -> None:
    shown = company.ask("owner", "GET", "settings").json()
    assert shown["agent_memory"] == {
        "enabled": False,
        "writes": "agent",
        "title_max": 120,
        "body_max": 2000,
        "writes_per_hour": 20,
        "active_notes_max": 500,
        "refusals_per_hour": 60,
        "block_tokens_default": 300,
        "rejected_text_days": 30,
        "tasks": {},
    }
    assert (shown["slug"], shown["name"], shown["language"]) == ("acme", "Acme Ltda", "pt")
    assert in_force(company) == SpaceSettings()


@pytest.mark.promise("settings-receipted")
def test_each_change_leaves_a_receipt_with_the_old_and_the_new_value(company: Company) -> None:
    before = len(company.receipts())
    body = {"language": "es", "agent_memory": {"enabled": True, "title_max": 300, "writes": "agent"}}
    answer = company.ask("owner", "PATCH", "settings", body)
    assert answer.status_code == 200
    left = company.receipts()[before:]
    assert [receipt["detail"] for receipt in left] == [
        {"setting": "language", "old": "pt", "new": "es"},
        {"setting": "agent_memory.enabled", "old": False, "new": True},
        {"setting": "agent_memory.title_max", "old": 120, "new": 300},
    ]
    assert {receipt["action"] for receipt in left} == {"settings.change"}
    assert left[0]["actor"]["type"] == "person"
    assert left[0]["actor"]["id"] == company.person_id("owner")
    assert company.receipt_of(answer) == left[-1]
    assert answer.json() == company.ask("owner", "GET", "settings").json()
    assert in_force(company).title_max == 300


def test_a_change_that_changes_nothing_leaves_no_receipt(company: Company) -> None:
    before = len(company.receipts())
    answer = company.ask("owner", "PATCH", "settings", {"agent_memory": {"body_max": 2000}, "name": None})
    assert answer.status_code == 200
    assert "tarimba-receipt" not in answer.headers
    assert len(company.receipts()) == before


def test_tasks_are_set_and_taken_away(company: Company) -> None:
    tasks = {"refund": {"object_types": ["invoice", "order", "invoice"]}, "greet": {"object_types": ["call"]}}
    shown = company.ask("owner", "PATCH", "settings", {"agent_memory": {"tasks": tasks}}).json()
    assert shown["agent_memory"]["tasks"]["refund"] == {"object_types": ["invoice", "order"]}
    assert in_force(company).tasks["greet"] == ("call",)
    company.ask("owner", "PATCH", "settings", {"agent_memory": {"tasks": {"greet": None}}})
    assert dict(in_force(company).tasks) == {"refund": ("invoice", "order")}


def test_the_name_of_the_space_is_in_no_receipt(company: Company) -> None:
    answer = company.ask("owner", "PATCH", "settings", {"name": "Acme Participações"})
    assert answer.json()["name"] == "Acme Participações"
    assert company.receipt_of(answer)["detail"] == {"setting": "name"}


def test_a_value_out_of_its_bounds_is_refused_by_name(company: Company) -> None:
    before = company.receipts()
    for body, named in OUT_OF_BOUNDS:
        problem = assert_problem(company.ask("owner", "PATCH", "settings", body), "invalid_input")
        assert named in problem["detail"]
    assert company.receipts() == before


def test_of_several_values_one_bad_one_stops_all(company: Company) -> None:
    body = {"agent_memory": {"enabled": True, "title_max": 0}}
    assert_problem(company.ask("owner", "PATCH", "settings", body), "invalid_input")
    assert in_force(company) == SpaceSettings()


def test_the_same_request_happens_once(company: Company) -> None:
    body = {"agent_memory": {"enabled": True}}
    first = company.ask("owner", "PATCH", "settings", body, Idempotency_Key="k1")
    company.ask("owner", "PATCH", "settings", {"agent_memory": {"enabled": False}})
    before = len(company.receipts())
    again = company.ask("owner", "PATCH", "settings", body, Idempotency_Key="k1")
    assert again.headers["tarimba-receipt"] == first.headers["tarimba-receipt"]
    assert len(company.receipts()) == before
    assert again.json()["agent_memory"]["enabled"] is False
    other = {"agent_memory": {"enabled": False}}
    assert_problem(company.ask("owner", "PATCH", "settings", other, Idempotency_Key="k1"), "conflict")


def test_a_change_is_seen_by_whoever_holds_the_generation(company: Company) -> None:
    before = company.kernel.writer.commit(company.space_id, lambda tx: tx.generation)
    company.ask("owner", "PATCH", "settings", {"agent_memory": {"enabled": True}})
    assert company.kernel.writer.commit(company.space_id, lambda tx: tx.generation) > before
