"""What holds for notes whatever stores them."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.notes import rules
from tarimba.notes.model import Changes, Draft, Evidence, Note, Owner, Stored
from tarimba.notes.wire import note_json
from tarimba.text import GateError

OWNER = Owner("agent", agent_pool=11, vendor_pool=1)
NOTE = Note(
    note_id="n2",
    source_id="agent",
    kind="procedure",
    title="Title",
    body="Body",
    tags=("erp",),
    visibility="source",
    evidence=None,
    origin="agent",
    version=2,
    supersedes_note_id="n1",
    status="active",
    valid_until=None,
    created_at=1_000_001,
    created_by="agent",
)


def stored(visibility: str, head: str, status: str = "active") -> Stored:
    note = replace(NOTE, visibility=visibility)
    return Stored(note, "c", 1, OWNER.pool(head), status, "n2", OWNER, "salt", "hash")


@pytest.mark.parametrize("own", ["source", "vendor", "space"])
@pytest.mark.parametrize("head", ["source", "vendor", "space"])
def test_a_version_needs_its_own_and_the_heads_leave(own: str, head: str) -> None:
    reach = {"source": 0, "vendor": 1, "space": 2}
    narrowest = min(reach[own], reach[head])
    readers = [frozenset({0, 1, 11}), frozenset({0, 1, 12}), frozenset({0, 2, 21})]
    assert [rules.may_read(pools, stored(own, head)) for pools in readers] == [
        True,
        narrowest >= 1,
        narrowest >= 2,
    ]
    assert rules.may_read(None, stored(own, head))


@pytest.mark.parametrize("status", ["erased", "importing_active", "importing_retired"])
def test_nobody_reads_what_is_erased_or_not_wholly_imported(status: str) -> None:
    assert not rules.may_read(None, stored("space", "space", status))


def test_a_hash_covers_every_field_but_status_and_needs_the_salt() -> None:
    wire = note_json(NOTE)
    bound = rules.content_hash(wire, "s")
    assert rules.content_hash({**wire, "status": "retired"}, "s") == bound
    assert rules.content_hash(dict(reversed(wire.items())), "s") == bound
    assert rules.content_hash(wire, "t") != bound
    for field in wire.keys() - {"status"}:
        assert rules.content_hash({**wire, field: "other"}, "s") != bound


def test_a_hash_is_what_anybody_computes_from_the_wire() -> None:
    canonical = (
        '{"body":"Body","created_at":"1970-01-01T00:00:01.000001Z","created_by":"agent","evidence":null,'
        '"kind":"procedure","note_id":"n2","origin":"agent","salt":"s","source_id":"agent",'
        '"supersedes_note_id":"n1","tags":["erp"],"title":"Title","valid_until":null,"version":2,'
        '"visibility":"source"}'
    )
    assert rules.content_hash(note_json(NOTE), "s") == hashlib.sha256(canonical.encode()).hexdigest()


@given(
    st.integers(0, 10**16),
    st.integers(1, 10**11),
    st.integers(0, 10**11),
)
def test_the_wait_ends_exactly_when_the_event_leaves(leaving: int, window: int, passed: int) -> None:
    now = leaving + min(passed, window - 1)
    seconds = rules.seconds_left(leaving, window, now)
    assert seconds >= 1
    assert now + seconds * 1_000_000 >= leaving + window
    assert seconds == 1 or now + (seconds - 1) * 1_000_000 < leaving + window


def test_the_gate_names_the_field() -> None:
    cases = {
        "title": Draft("pitfall", "t" * 11, "Body"),
        "body": Draft("pitfall", "Title", "\u202e"),
        "tags[1]": Draft("pitfall", "Title", "Body", ("erp", "No")),
        "evidence.task_id": Draft("pitfall", "Title", "Body", evidence=Evidence(task_id="\0")),
    }
    for field, draft in cases.items():
        with pytest.raises(GateError) as refused:
            rules.gated(draft, title_max=10, body_max=10)
        assert refused.value.field == field


def test_evidence_without_an_id_is_none() -> None:
    assert rules.gated_evidence(Evidence()) is None
    assert rules.gated_evidence(Evidence("c")) == Evidence("c", None)


def test_a_long_body_earns_a_word() -> None:
    assert rules.cautions(Draft("pitfall", "T", "w " * 120)) == ()
    (caution,) = rules.cautions(Draft("pitfall", "T", "w " * 121))
    assert (caution.code, caution.field) == ("long_body", "body")


def test_changes_leave_what_they_do_not_name() -> None:
    same = Changes().applied_to(NOTE)
    assert rules.changed_fields(NOTE, same) == []
    other = Changes(title="Other", tags=(), valid_until=7).applied_to(NOTE)
    assert rules.changed_fields(NOTE, other) == ["tags", "title", "valid_until"]
    assert (other.body, other.kind, other.visibility) == ("Body", "procedure", "source")
    assert Changes(clears_end=True).applied_to(NOTE).valid_until is None


@pytest.mark.parametrize(
    ("origin", "visibility", "decided"),
    [
        ("agent", "source", False),
        ("human", "source", True),
        ("distilled", "source", True),
        ("agent", "vendor", True),
        ("agent", "space", True),
    ],
)
def test_a_person_stands_behind_what_one_wrote_approved_or_opened(
    origin: str, visibility: str, decided: bool
) -> None:
    note = replace(NOTE, origin=origin, visibility=visibility)
    seen = Stored(note, "c", 1, OWNER.pool(visibility), "active", "n2", OWNER, "salt", "hash")
    assert rules.is_decided(seen) is decided
