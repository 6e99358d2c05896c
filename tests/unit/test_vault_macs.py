"""Many MACs at once are those that one at a time would be: what was stored by one is found by the other."""

from hypothesis import given
from hypothesis import strategies as st

from tarimba.vault import KEY_BYTES, SpaceKey

NO_LONE_SURROGATES = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(
    st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES),
    NO_LONE_SURROGATES,
    st.lists(NO_LONE_SURROGATES, max_size=5),
)
def test_many_macs_are_those_of_each_value(raw: bytes, purpose: str, values: list[str]) -> None:
    key = SpaceKey(raw)
    assert key.macs(purpose, values) == [key.mac(purpose, value) for value in values]
