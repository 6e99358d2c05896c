"""Pages of a list: where one ends."""

from dataclasses import dataclass

from tarimba.identity.listing import Window, page_of


@dataclass
class Entry:
    ordinal: int


def test_a_page_ends_only_when_there_is_more() -> None:
    entries = [Entry(ordinal) for ordinal in (3, 5, 9)]
    assert page_of(entries, Window(2)).ends_at == 5
    assert page_of(entries[:2], Window(2)).ends_at is None
    assert page_of([], Window(2)).items == ()
