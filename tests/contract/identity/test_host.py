"""The host's command line where nothing is declared yet."""

import pytest

from tarimba.errors import Refusal
from tarimba.identity.spaces import host_of
from tests.e2e.company import Place
from tests.e2e.conftest import place  # noqa: F401


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_without_a_space_the_host_is_told_to_declare_one(place: Place) -> None:  # noqa: F811
    with place.kernel() as kernel:
        with pytest.raises(Refusal, match="There is no space here yet: `tarimba apply` a file first"):
            host_of(kernel, None)
        with pytest.raises(Refusal, match="space") as named:
            host_of(kernel, "north")
    assert "apply" not in named.value.detail
