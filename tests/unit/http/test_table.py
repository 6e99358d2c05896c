"""Finding the route of a path."""

import pytest

from tarimba.http.table import Table

TABLE = Table(
    [
        ("/a/{x}", "GET", 1),
        ("/a/b", "GET", 2),
        ("/a/b", "POST", 3),
        ("/{y}/c", "GET", 4),
        ("/a.b/{x}/{z}", "GET", 5),
    ]
)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/a/b", ({"GET": 2, "POST": 3}, {})),
        ("/a/other", ({"GET": 1}, {"x": "other"})),
        ("/a/c", ({"GET": 1}, {"x": "c"})),
        ("/q/c", ({"GET": 4}, {"y": "q"})),
        ("/a.b/1/2", ({"GET": 5}, {"x": "1", "z": "2"})),
        ("/axb/1/2", None),
        ("/a/", None),
        ("/a/b/", None),
        ("", None),
    ],
)
def test_literal_steps_come_first_and_a_step_is_never_empty(path: str, found: object) -> None:
    assert TABLE.find(path) == found
