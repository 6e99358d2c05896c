"""Files of other memory servers: what is taken in of them, and what is said of the rest."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarimba.graph.entries import EntityRecord, Fault, RelationRecord
from tarimba.graph.formats import Format, UnreadableError, entity_json, read, relation_json
from tarimba.graph.model import Entity, NewObservation, Observation, Relation, Status

PUMP = '{"type":"entity","name":"Pump 7","entityType":"machine","observations":["Stands in hall 2"]}'
FEEDS = '{"type":"relation","from":"Pump 7","to":"Tank 1","relationType":"feeds"}'
AT = 1_700_000_000_123_456


def found(text: str | bytes) -> list[Any]:
    return list(read(text if isinstance(text, bytes) else text.encode()))


def reasons(text: str) -> list[tuple[int, str]]:
    return [(one.where.number, one.reason) for one in found(text) if isinstance(one, Fault)]


def entity(text: str) -> EntityRecord:
    (one,) = found(text)
    assert isinstance(one, EntityRecord), one
    return one


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n \t\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_lines_of_the_reference_server(start: bytes, end: str) -> None:
    pump, feeds = found(start + f"{PUMP}{end}{FEEDS}{end}".encode())
    assert (pump.name, pump.entity_type) == ("Pump 7", "machine")
    assert pump.observations == (NewObservation("Stands in hall 2"),)
    assert (feeds.source, feeds.target, feeds.relation_type) == ("Pump 7", "Tank 1", "feeds")
    assert (feeds.created_at, feeds.conversation_id) == (None, None)


def test_a_torn_last_line_is_refused_and_the_others_are_taken() -> None:
    assert reasons(f"{PUMP}\n{FEEDS[:-9]}") == [(2, "is cut off")]
    assert reasons(f"{PUMP[:-9]}\n{FEEDS}\n") == [(1, "is no JSON object in UTF-8")]


def test_every_refused_line_has_its_number_and_its_reason() -> None:
    lines = [
        PUMP,
        '{"type":"bookmark","name":"Pump 7"}',
        "",
        "[1, 2]",
        '{"type":"entity","name":"","entityType":"x","observations":[]}',
        '{"type":"entity","name":"' + "n" * 513 + '","entityType":"x"}',
        '{"type":"entity","name":"Tank 1","entityType":"x","observations":["a",7]}',
        '{"type":"entity","name":"Tank 1","entityType":"x","observations":[{"content":"a","confidence":1.5}]}',
        '{"type":"entity","name":"Tank 1","entityType":"x","createdAt":"soon"}',
        '{"type":"entity","name":"Tank \\ud800","entityType":"x"}',
        '{"type":"entity","name":"Tank 1","entityType":"x","merged":true}',
        '{"type":"relation","from":"Pump 7","to":"Tank 1"}',
        FEEDS,
    ]
    assert reasons("\n".join(lines)) == [
        (2, "type: must be `entity` or `relation`"),
        (4, "is no JSON object in UTF-8"),
        (5, "name: must not be empty"),
        (6, "name: must be at most 512 characters"),
        (7, "observations[1]: must be a text, or an object with its text in `content`"),
        (8, "observations[0].confidence: must be a number from 0 to 1"),
        (9, "createdAt: must be milliseconds since 1970, or a time in ISO 8601"),
        (10, "name: must hold no NUL character and no unpaired surrogate"),
        (11, "mergedInto: must be a text"),
        (12, "relationType: must be a text"),
    ]


def test_only_a_last_line_that_begins_an_object_and_stops_is_cut_off() -> None:
    deep = '{"a":' * 100_000
    assert reasons(f"{PUMP}\n{deep}") == [(2, "is nested too deeply")]
    for torn in ('{"type":"entity","name":"Pu', '{"type":"entity",', "{", '{"type":"entity","n":1'):
        assert reasons(f"{PUMP}\n{torn}") == [(2, "is cut off")]
    for odd in ("\x01\x02", "[1,", '{"a":1}}', "{a}", "entity"):
        assert reasons(f"{PUMP}\n{odd}") == [(2, "is no JSON object in UTF-8")]
    for raw, reason in ((b"\x89PNG\xff\xfe", "is no JSON object in UTF-8"), (b'{"name":"\xc3', "is cut off")):
        (fault,) = found(raw)
        assert isinstance(fault, Fault)
        assert fault.reason == reason


def test_a_single_observation_may_stand_alone() -> None:
    one = entity('{"type":"entity","name":"Old tank","entityType":"","observations":"Leaks"}')
    assert one.observations == (NewObservation("Leaks"),)
    assert one.entity_type == ""


def test_bytes_that_are_no_utf8_cost_their_line_alone() -> None:
    first, second = found(b'{"type":"entity","name":"\xff"}\n' + PUMP.encode())
    assert isinstance(first, Fault)
    assert isinstance(second, EntityRecord)


def test_lines_of_better_memory() -> None:
    one = entity(
        '{"type":"entity","name":"Old tank","entityType":"tank","observations":["Leaks",'
        '{"content":"Holds 4 t","timestamp":1700000000000,"confidence":0.5,"sessionId":"c-1"},'
        '{"content":"Leaks","timestamp":1}],"createdAt":1600000000000,"archived":true,"sourceSessionId":"c-2"}'
    )
    assert one.observations == (
        NewObservation("Leaks"),
        NewObservation("Holds 4 t", 0.5, "c-1", 1_700_000_000_000_000),
    )
    assert (one.created_at, one.conversation_id) == (1_600_000_000_000_000, "c-2")
    assert (one.is_archived, one.merged_into) == (True, None)
    merged = entity(
        '{"type":"entity","name":"T","entityType":"tank","merged":true,"mergedInto":"Tank 1","mergedAt":1}'
    )
    assert merged.merged_into == "Tank 1"
    told = entity('{"type":"entity","name":"T","entityType":"t","createdAt":"2026-01-02T03:04:05.6Z"}')
    assert told.created_at == 1_767_323_045_600_000


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_of_arrays(indent: int | None) -> None:
    rows = [json.loads(line) for line in (PUMP, FEEDS)]
    document = {"relations": [rows[1]], "version": {"a": [1]}, "entities": [rows[0], 7]}
    text = json.dumps(
        {"entities": [rows[0], 7], "relations": [rows[1]]} if indent else document, indent=indent
    )
    kinds = {type(one) for one in found(text)}
    assert kinds == {RelationRecord, EntityRecord, Fault}
    (fault,) = (one for one in found(text) if isinstance(one, Fault))
    assert (fault.where.part, fault.where.number, fault.reason) == ("entities", 2, "is no object")


@pytest.mark.parametrize(
    "text", ['{"entities":[{}', '{"entities":[]}x', '{"entities":1}', '{"entities":[\n,]}']
)
def test_a_document_that_is_none_is_refused_as_a_whole(text: str) -> None:
    with pytest.raises(UnreadableError):
        found(text)


def test_an_empty_file_holds_nothing() -> None:
    assert found("") == found(" \r\n") == found('{"entities":[]}') == []


texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=9
).filter(str.strip)
conversations = st.none() | st.text("abc-", min_size=1, max_size=5)
moments = st.integers(0, 4_000_000_000_000_000)
observations = st.builds(
    Observation,
    st.just(1),
    texts,
    st.none() | st.integers(0, 10**6).map(lambda n: n / 10**6),
    conversations,
    moments,
)


@st.composite
def entities(draw: st.DrawFn) -> Entity:
    seen = draw(st.lists(observations, max_size=3, unique_by=lambda one: one.text))
    statuses: list[Status] = ["active", "archived", "merged"]
    status = draw(st.sampled_from(statuses))
    into = draw(texts) if status == "merged" else None
    at = draw(moments)
    return Entity(
        1, draw(texts), draw(texts), status, into, draw(conversations), at, at, tuple(seen), len(seen)
    )


@given(entities(), st.sampled_from(["better", "json"]))
@settings(max_examples=60)
def test_what_is_written_is_read_again_whole(one: Entity, format_: Format) -> None:
    row = entity_json(one, format_)
    text = json.dumps({"entities": [row]} if format_ == "json" else {"type": "entity"} | row)
    back = entity(text)
    assert (back.name, back.entity_type, back.created_at) == (one.name, one.entity_type, one.created_at)
    assert back.conversation_id == one.conversation_id
    assert (back.is_archived, back.merged_into) == (one.status == "archived", one.merged_into)
    kept = [
        NewObservation(each.text, each.confidence, each.conversation_id, each.created_at)
        for each in one.observations
    ]
    assert list(back.observations) == kept


def test_the_reference_format_has_texts_alone() -> None:
    seen = Observation(1, "Leaks", 0.5, "c-1", AT)
    one = Entity(1, "Tank 1", "tank", "active", None, "c-1", AT, AT, (seen,), 1)
    assert entity_json(one, "jsonl") == {"name": "Tank 1", "entityType": "tank", "observations": ["Leaks"]}
    joined = Relation(1, "Pump 7", "Tank 1", "feeds", "c-1", AT)
    assert relation_json(joined, "jsonl") == {"from": "Pump 7", "to": "Tank 1", "relationType": "feeds"}
    (back,) = found(json.dumps({"type": "relation"} | relation_json(joined, "better")))
    assert (back.created_at, back.conversation_id) == (AT, "c-1")
    assert relation_json(replace(joined, conversation_id=None), "json").keys() == {
        "from",
        "to",
        "relationType",
        "createdAt",
    }
