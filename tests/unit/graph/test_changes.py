"""What a change did is read back as it was written."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tarimba.graph.changes import Journal, steps_of, written
from tarimba.graph.rows import EntityRow, ObservationRow, RelationRow

NUMBERS = st.integers(1, 2**53)
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
CONVERSATIONS = st.none() | TEXTS
STATUSES = st.sampled_from(["active", "archived", "merged"])
ENTITIES = st.builds(
    EntityRow,
    NUMBERS,
    TEXTS,
    TEXTS,
    STATUSES,
    st.none() | NUMBERS,
    NUMBERS,
    CONVERSATIONS,
    NUMBERS,
    NUMBERS,
    NUMBERS,
)
OBSERVATIONS = st.builds(ObservationRow, NUMBERS, NUMBERS, TEXTS, st.none() | NUMBERS, CONVERSATIONS, NUMBERS)
RELATIONS = st.builds(RelationRow, NUMBERS, TEXTS, TEXTS, TEXTS, CONVERSATIONS, NUMBERS)


@given(st.lists(ENTITIES | OBSERVATIONS | RELATIONS, max_size=6))
def test_steps_are_read_as_they_were_written(rows: list[EntityRow | ObservationRow | RelationRow]) -> None:
    journal = Journal()
    for row in rows:
        if isinstance(row, EntityRow):
            journal.entity(row, None)
            journal.entity(None, row)
        elif isinstance(row, ObservationRow):
            journal.observation(row, None)
            journal.observation(None, row)
        else:
            journal.relation(row, None)
            journal.relation(None, row)
    steps = steps_of(written(journal.steps))
    assert list(steps) == journal.steps
    assert [step.before for step in steps[::2]] == rows
    assert [step.mark for step in steps[1::2]] == [row.mark for row in rows]


def test_what_has_no_time_left_has_no_steps() -> None:
    assert steps_of("") == ()


def test_rows_that_were_made_are_not_written_again() -> None:
    journal = Journal()
    journal.observation(None, ObservationRow(1, 2, "A long text.", None, None, 3))
    (row,) = json.loads(written(journal.steps))["rows"]
    assert row[:4] == ["o", 2, 1, None]
