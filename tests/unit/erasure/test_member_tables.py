"""Whoever declares a column that goes with a member hangs its table where the erasure finds it."""

import pytest

from tarimba.storage.tables import metadata

ACT = "erasure of the member"
# By what the rows are found, beside the secrets, which name the person.
HANGS_ON = {"graph_no", "workspace_id"}


@pytest.mark.promise("member-erased")
def test_each_table_with_something_of_a_member_is_one_that_erasing_empties() -> None:
    theirs = [
        table
        for table in metadata.sorted_tables
        if any(column.info["erased_by"] == ACT for column in table.columns)
    ]
    assert len(theirs) > 5
    lost = [table.name for table in theirs if not HANGS_ON & set(table.columns.keys())]
    assert lost == ["secret"]
