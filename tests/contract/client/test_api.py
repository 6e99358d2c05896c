"""Management calls against the server they are for."""

import asyncio

import pytest

from tarimba.client import AsyncTarimba
from tarimba.client.errors import InvalidInputError, PermissionDeniedError
from tests.contract.client.company import Company


@pytest.mark.promise("client-api")
def test_an_owner_administers_the_company(company: Company) -> None:
    with company.threaded("owner") as owner, company.threaded("billing") as agent:
        made = owner.api.agents.create(slug="scribe", vendor="north")
        key = owner.api.agents.create_key(made["source_id"], name="prod", scopes=["agent_memory"])
        assert key["key"]
        assert {one["slug"] for one in owner.api.agents.each(limit=2)} >= {"billing", "courier", "scribe"}
        owner.api.keys.revoke(key["key_id"])
        titles = {f"Note number {number}" for number in range(3)}
        for title in titles:
            agent.api.notes.create(kind="tool_note", title=title, body="Send whole cents.")
        assert {note["title"] for note in agent.api.notes.each(limit=1)} == titles
        changed = owner.api.server.change_settings(agent_memory={"title_max": 100})
        assert changed["agent_memory"]["title_max"] == 100
        awaited = AsyncTarimba.over(owner)
        assert asyncio.run(awaited.api.server.settings())["agent_memory"]["title_max"] == 100
        with pytest.raises(InvalidInputError):
            owner.api.agents.create(slug="Not A Slug", vendor="north")
        with pytest.raises(PermissionDeniedError):
            agent.api.people.list()


@pytest.mark.promise("client-api")
def test_skills_go_up_as_a_form_and_come_down_as_bytes(company: Company) -> None:
    text = "---\nname: close-month\ndescription: Use when the month is to be closed.\n---\nLock it first.\n"
    with company.threaded("owner") as owner:
        owner.api.published_skills.publish(scope="tenant", body=text.encode())
        assert [one["name"] for one in owner.api.published_skills.each(scope="tenant")] == ["close-month"]
        archive = owner.api.published_skills.archive(scope="tenant", name="close-month")
    assert archive.startswith(b"PK")
