"""What fields must look like, and what a refusal says: the field and the rule, never the value."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.identity import fields, schemas
from tarimba.identity.drafts import AgentChange, NewAgent, NewKey
from tarimba.identity.model import SCOPES


@given(st.text(max_size=80))
def test_a_slug_is_what_its_pattern_says_and_is_never_repeated(text: str) -> None:
    is_slug = (
        0 < len(text) <= 63 and text[0] != "-" and set(text) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    )
    if is_slug:
        assert fields.checked_slug("slug", text) == text
        return
    with pytest.raises(Refusal) as refused:
        fields.checked_slug("slug", text)
    assert refused.value.detail == "slug: must be 1 to 63 of a-z, 0-9 and -, not beginning with -"


@pytest.mark.parametrize("address", ["Rita@Acme.Example", " rita@acme.example ", "RITA@ACME.EXAMPLE"])
def test_an_address_is_folded(address: str) -> None:
    assert fields.checked_email("email", address) == "rita@acme.example"


@pytest.mark.parametrize(
    "address", ["", "rita", "@acme.example", "rita@", "a@b@c", "r ita@acme.example", "x" * 260 + "@a.b"]
)
def test_what_is_no_address_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(Refusal) as refused:
        fields.checked_email("email", address)
    assert refused.value.code == "invalid_input"
    assert "rita" not in refused.value.detail


def test_scopes_have_one_order_and_no_admin_among_them() -> None:
    assert fields.checked_scopes("scopes", ["track", "agent_memory"]) == ("agent_memory", "track")
    assert fields.checked_admin_scopes("scopes", ["admin"]) == ("admin",)
    for scopes in ([], ["admin"], ["track", "admin"], ["TRACK"]):
        with pytest.raises(Refusal):
            fields.checked_scopes("scopes", scopes)
    for scopes in ([], ["admin", "admin"], ["track"]):
        with pytest.raises(Refusal):
            fields.checked_admin_scopes("scopes", scopes)


def test_roles_are_those_of_the_table_or_over_a_subscription() -> None:
    assert fields.checked_roles("roles", ["owner", "manager@matriz"]) == {"owner", "manager@matriz"}
    assert fields.managed_subscription("manager@matriz") == "matriz"
    for role in ("king", "owner@matriz", "manager@", "manager@Matriz", "Owner"):
        with pytest.raises(Refusal):
            fields.checked_roles("roles", [role])
    assert fields.sorted_roles({"manager@a", "member", "owner"}) == ["owner", "member", "manager@a"]


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-30T12:00:00Z",
        "2026-11-30t12:00:00z",
        "2026-11-30 09:00:00-03:00",
        "2026-11-30T12:00:00.000+00:00",
    ],
)
def test_a_moment_is_microseconds(written: str) -> None:
    assert fields.checked_moment("expires_at", written) == 1_796_040_000_000_000


@pytest.mark.parametrize(
    "written",
    [
        "",
        "2026-11-30",
        "2026-11-30T12:00:00",
        "1796040000",
        "2026-W49-1T12:00:00Z",
        "2026-13-30T12:00:00Z",
        "0001-01-01T00:00:00+23:00",
    ],
)
def test_what_is_no_moment_with_zone_is_refused(written: str) -> None:
    with pytest.raises(Refusal, match=r"^expires_at: must be a moment"):
        fields.checked_moment("expires_at", written)


def test_drafts_fill_in_what_was_left_out() -> None:
    agent = NewAgent.of("cobranca", "norte", AgentChange())
    assert (agent.name, agent.harness, agent.task_section) == ("cobranca", "generic", False)
    key = NewKey.of_agent("  prod\t key ", ["track"], None)
    assert (key.name, key.expires_at) == ("prod key", None)


def test_the_described_choices_are_those_of_the_rules() -> None:
    assert get_args(schemas.Scope) == SCOPES
    assert get_args(schemas.Language) == fields.LANGUAGES
