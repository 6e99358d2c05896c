"""Addresses of skills: each thing has one, and nothing else is one. And which skills every host takes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.mcp.skill_uris import Address, read_uri, skill_file
from tarimba.skills.offering import BYTES_MAX, FILES_MAX, is_offered
from tarimba.skills.records import File, Published

SEGMENT = st.text(st.characters(codec="utf-8", exclude_characters="/"), min_size=1, max_size=20)
SKILL = Published(
    skill_id="s-1",
    scope="tenant",
    subscription_id="",
    source_id="",
    name="tax-forms",
    description="Use when a form is to be filled.",
    verdict="ok",
    version=1,
    content_hash="0" * 64,
    size=1,
    files=(File("SKILL.md", "0" * 64, 1),),
    published_at=0,
    published_by="cli",
    ordinal=1,
)


@given(st.sampled_from(["tenant", "subscription"]), SEGMENT, st.lists(SEGMENT, max_size=4))
def test_an_address_names_the_same_thing_when_it_is_read_back(scope: str, name: str, path: list[str]) -> None:
    address = Address(scope, name, "/".join(path))
    assert read_uri(address.uri) == address
    assert address.uri.isascii()


@given(st.text(max_size=60) | st.text(max_size=60).map(lambda rest: f"skill://tenant/{rest}"))
def test_whatever_is_sent_is_an_address_in_its_one_form_or_none(uri: str) -> None:
    found = read_uri(uri)
    assert found is None or found.uri == uri


@pytest.mark.parametrize(
    "uri",
    [
        "skill://tenant/",
        "skill://tenant/a/",
        "skill://tenant//a",
        "skill://tenant/%61",
        "skill://tenant/a%2Fb/SKILL.md",
        "skill://tenant/%ff",
        "skill://tenant/\ud800",
        "skill://Tenant/a",
        "tenant/a",
        "",
    ],
)
def test_another_way_to_write_an_address_is_none(uri: str) -> None:
    found = read_uri(uri)
    assert found is None or found.name == "a/b"


def test_where_a_skill_begins() -> None:
    assert skill_file("tenant", "tax-forms").uri == "skill://tenant/tax-forms/SKILL.md"
    assert read_uri("skill://tenant") == Address("tenant")


def test_a_skill_is_offered_within_the_limits_that_every_host_takes() -> None:
    file = SKILL.files[0]
    assert is_offered(SKILL)
    assert is_offered(replace(SKILL, files=(file,) * FILES_MAX))
    assert not is_offered(replace(SKILL, files=(file,) * (FILES_MAX + 1)))
    assert is_offered(replace(SKILL, files=(replace(file, size=BYTES_MAX),)))
    assert not is_offered(replace(SKILL, files=(replace(file, size=BYTES_MAX), file)))
    assert not any(is_offered(replace(SKILL, name=name)) for name in ("tax_forms", "tax.forms", "a--b", "a-"))
