"""Tiles have the names and shapes of C2SP's tlog-tiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.receipts.tiles import Tile, pack, tiles_of, unpack


def test_the_examples_of_the_specification() -> None:
    assert Tile(0, 1234067).name == "tile/0/x001/x234/067"
    assert Tile(None, 7, 12).name == "tile/entries/007.p/12"
    shape = [(tile.level, tile.width) for tile in tiles_of(70_000)]
    assert shape.count((0, 256)) == shape.count((None, 256)) == 273
    assert [one for one in shape if one[1] != 256] == [(None, 112), (0, 112), (1, 17), (2, 1)]
    assert shape.count((1, 256)) == 1
    assert [(one.level, one.width) for one in tiles_of(256)] == [(None, 256), (0, 256), (1, 1)]
    assert list(tiles_of(0)) == []


@given(level=st.one_of(st.none(), st.integers(0, 6)), index=st.integers(0, 10**15), width=st.integers(1, 256))
def test_a_name_is_read_back(level: int | None, index: int, width: int) -> None:
    tile = Tile(level, index, width)
    assert Tile.parse(tile.name) == tile


@pytest.mark.parametrize(
    "name",
    [
        "", "tile/0/67", "tile/0/x000/067", "tile/00/067", "tile/7/000", "tile/0/067.p/256", "tile/0/067.p/0",
        "tile/0/067.p/01", "tile/0/001/067", "tile/entries/../000", "tile/0/\u0660\u0660\u0660", "tile/0/000\n",
    ],
)  # fmt: skip
def test_what_names_no_tile_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="names no tile"):
        Tile.parse(name)


@given(entries=st.lists(st.binary(max_size=300), max_size=20))
def test_entries_are_packed_with_their_lengths(entries: list[bytes]) -> None:
    assert unpack(pack(entries)) == entries


def test_a_long_entry_has_no_room() -> None:
    assert unpack(pack([b"x" * 65_535])) == [b"x" * 65_535]
    with pytest.raises(ValueError, match="65536"):
        pack([b"x" * 65_536])
