"""The client against the server it is for."""

import pytest

from tarimba.client.errors import AuthenticationError, PermissionDeniedError, PersonalDataError
from tarimba.storage.tables import note_chain
from tests.contract.client.company import Company, LosesAnswers, note


def test_a_note_that_is_kept_is_in_the_next_block_and_found(company: Company) -> None:
    with company.client() as client:
        before = client.agent_memory()
        kept = client.remember(**note(), tags=["erp"], evidence={"task_id": "task-1"})
        after = client.agent_memory()
        found = client.search_agent_memory("how to post credits", tags=["erp"])
    assert (before.text, before.enabled, before.error, before.left_out) == ("", True, None, 0)
    assert kept.note is not None
    assert kept.note.evidence is not None
    assert kept.note.evidence.task_id == "task-1"
    assert after.text.splitlines()[0] == "<agent_notes>"
    assert "post_credit wants cents: Send whole cents." in after.text
    assert (after.notes, after.source, after.left_out) == ((kept.note.note_id,), "network", 0)
    assert after.tokens > 0
    assert list(found) == [kept.note]
    assert found.receipt_id is not None


def test_an_unchanged_block_is_confirmed_and_every_read_has_its_receipt(company: Company) -> None:
    company.world.write("billing")
    with company.client() as client:
        first = client.agent_memory(conversation_id="conversation-1")
        assert client.agent_memory() == first.model_copy(update={"source": "cache"})
        company.now += 60
        second = client.agent_memory()
        company.now += 60
        company.world.write("billing", "Another note of the same agent")
        third = client.agent_memory()
    assert (second.text, second.etag, second.source) == (first.text, first.etag, "cache")
    assert (third.source, len(third.notes)) == ("network", 2)
    receipts = company.world.receipts("block.read")
    assert [receipt["detail"]["not_modified"] for receipt in receipts] == [False, True, False]
    assert [receipt["id"] for receipt in receipts] == [first.receipt_id, second.receipt_id, third.receipt_id]


def test_a_write_whose_answer_was_lost_is_kept_once(company: Company) -> None:
    transport = LosesAnswers(2)
    with company.threaded(transport=transport) as client:
        kept = client.remember(**note())
    transport.close()
    assert kept.note is not None
    assert company.world.count(note_chain) == 1
    assert len(company.world.receipts("note.create")) == 1


def test_a_note_about_a_person_is_refused_with_kind_and_place(company: Company) -> None:
    address = "someone.unreal@mail.example"
    with company.client() as client:
        refused = client.remember(**note(body=f"Write to {address}."))
    assert (refused.error, refused.kinds) == ("personal_data_in_agent_memory", ("email",))
    (finding,) = refused.findings
    assert (finding.field, finding.start, finding.end) == ("body", 9, 9 + len(address))
    with company.client(strict=True) as client, pytest.raises(PersonalDataError) as raised:
        client.remember(**note(body=f"Write to {address}."))
    assert address not in str(raised.value)


def test_a_limited_agent_is_told_when_to_write_again(company: Company) -> None:
    company.world.set(writes_per_hour=1)
    with company.client() as client:
        assert client.remember(**note())
        limited = client.remember(**note(title="Another title"))
    assert limited.error == "rate_limited"
    assert limited.retry_after is not None
    assert 0 < limited.retry_after <= 3600


def test_a_memory_that_is_off_says_so(company: Company) -> None:
    company.world.set(enabled=False)
    with company.client() as client:
        memory = client.agent_memory()
        assert (memory.enabled, memory.etag, memory.error) == (False, "am-off", None)
        assert client.remember(**note()).error == "agent_memory_off"


def test_a_revoked_key_reads_nothing_more_not_even_from_the_cache(company: Company) -> None:
    company.world.write("billing")
    with company.client() as client:
        assert client.agent_memory()
        company.revoke("billing")
        assert client.remember(**note()).error == "unauthenticated"
        memory = client.agent_memory()
    assert (memory.text, memory.error) == ("", "unauthenticated")
    with company.client(strict=True) as client, pytest.raises(AuthenticationError):
        client.search_agent_memory("credit")


def test_a_key_without_the_scope_may_not_write(company: Company) -> None:
    company.world.add_key("reader", "billing", "agent_memory")
    with company.client("reader") as client:
        assert client.remember(**note()).error == "scope_missing"
        assert client.agent_memory().error is None
    with company.client("reader", strict=True) as client, pytest.raises(PermissionDeniedError):
        client.remember(**note())


def test_unfit_values_are_refused_by_rule(company: Company) -> None:
    with company.client() as client:
        errors = {
            client.agent_memory(7).error,
            client.agent_memory(view="v" * 129).error,
            client.agent_memory(conversation_id="\ud800").error,
            client.search_agent_memory("").error,
            client.search_agent_memory("q", limit=21).error,
            client.remember(**note(title="\ud800")).error,
            client.remember(**note(kind="poem")).error,
        }
        assert errors == {"invalid_input"}
        assert client.agent_memory(tags=["Unfit Tag"], view="tarefa:ação").error is None
