"""The settings of a space: defaults, bounds, tasks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.identity.setting_rules import RULES, SpaceSettings, checked, settings_of, task_setting

BOUNDS = {
    "title_max": (1, 300),
    "body_max": (1, 20_000),
    "writes_per_hour": (1, 1_000_000),
    "active_notes_max": (1, 1_000_000),
    "refusals_per_hour": (1, 1_000_000),
    "block_tokens_default": (50, 2000),
}


@pytest.mark.parametrize("name", BOUNDS)
@given(value=st.one_of(st.integers(), st.integers(-5, 25_000)))
def test_numbers_have_bounds(name: str, value: int) -> None:
    low, high = BOUNDS[name]
    if low <= value <= high:
        assert checked(f"agent_memory.{name}", value) == value
        return
    with pytest.raises(Refusal) as refused:
        checked(f"agent_memory.{name}", value)
    assert refused.value.detail == f"agent_memory.{name}: must be a whole number from {low} to {high}"


@pytest.mark.parametrize("name", sorted(RULES.keys() - {"personal_data.allow"}))
@pytest.mark.parametrize("value", [None, "", [], {}, 1.5, "7"])
def test_a_value_of_another_kind_is_refused(name: str, value: Any) -> None:
    with pytest.raises(Refusal, match="must be"):
        checked(name, value)


@pytest.mark.parametrize("value", [None, "", {}, 7, "cnpj", ["cpf"], ["cnpj", "cnpj"], [["cnpj"]], [None]])
def test_only_the_number_of_a_company_may_be_allowed(value: Any) -> None:
    assert checked("personal_data.allow", ["cnpj"]) == ["cnpj"]
    assert checked("personal_data.allow", []) == []
    with pytest.raises(Refusal, match=r"personal_data.allow: must be a list of none or some of cnpj"):
        checked("personal_data.allow", value)


def test_true_is_no_number_and_one_is_not_true() -> None:
    for name, value in (("agent_memory.title_max", True), ("agent_memory.enabled", 1)):
        with pytest.raises(Refusal):
            checked(name, value)


def test_every_default_is_within_its_own_bounds() -> None:
    for name in RULES.keys() - {"language"}:
        assert checked(name, SpaceSettings().value(name)) == SpaceSettings().value(name)


def test_a_task_has_words_of_the_form_of_tags() -> None:
    name = task_setting("refund.v2")
    assert checked(name, ["invoice", "order", "invoice"]) == ["invoice", "order"]
    assert checked(name, []) is None
    assert checked(name, None) is None
    for value in (["Nota"], ["a b"], [1], "invoice", ["x"] * 33):
        with pytest.raises(Refusal, match="object_types"):
            checked(name, value)


@pytest.mark.parametrize("task", ["", "Refund", "re fund", "a" * 65, "a/b"])
def test_a_task_of_another_form_is_no_setting_and_is_not_repeated(task: str) -> None:
    with pytest.raises(Refusal) as refused:
        checked(task_setting(task), ["invoice"])
    assert refused.value.detail == (
        "There is no such setting, or the name of a task has not the form of a tag."
    )


def test_what_is_stored_overrides_the_defaults() -> None:
    stored = {"agent_memory.title_max": 200, task_setting("refund"): ["invoice"], "evolution.mode": "off"}
    settings = settings_of(stored)
    assert settings.title_max == 200
    assert settings.body_max == SpaceSettings().body_max
    assert settings.tasks["refund"] == ("invoice",)
    assert settings.value(task_setting("refund")) == ["invoice"]
    assert settings.value(task_setting("other")) is None
