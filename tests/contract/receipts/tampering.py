"""What somebody with access to the database may do behind the server's back, in a log of the shape of `a_log`."""

from typing import Any

from sqlalchemy import Row, Table, delete, insert, select, update

from tarimba.receipts.merkle import Frontier, leaf_hash
from tarimba.receipts.seal import seal
from tarimba.storage.tables import block_notes, metadata, note_version, receipt_bundle, space_head
from tests.contract.receipts.world import World, bundle_change

OTHER_ID = "0190ffff-0000-7000-8000-00000000000f"


def a_log(world: World) -> World:
    """Seq 0 the agent, 1 a note, 2 another, 3 an edit of it, 4 to 6 block reads, 7 to 9 one row, 10 a read."""
    first, _ = world.write_note("First")
    second, _ = world.write_note("Second")
    third, _ = world.write_note("Second, revised", supersedes=second)
    world.read_block([first.note_id, third.note_id], conversation="conv-1")
    world.read_block([third.note_id])
    world.read_block([first.note_id, third.note_id])
    world.act(*(world.receipt("settings.change", setting="body_max", new=number) for number in range(3)))
    world.read_block([])
    return world


def edit_entry(world: World) -> None:
    entries = world.bundle(4)["entries"].replace(b'"max_tokens":300', b'"max_tokens":301')
    world.tamper(bundle_change(4, entries=entries))


def edit_entry_and_hash(world: World) -> None:
    entries = world.bundle(7)["entries"].replace(b'"new":0', b'"new":9')
    hashes = b"".join(leaf_hash(line) for line in entries.split(b"\n"))
    world.tamper(bundle_change(7, entries=entries, hashes=hashes))


def delete_row(world: World) -> None:
    world.tamper(delete(receipt_bundle).where(receipt_bundle.c.first_seq == 5))


def delete_last_row(world: World) -> None:
    world.tamper(delete(receipt_bundle).where(receipt_bundle.c.first_seq == 10))


def append_row(world: World) -> None:
    world.tamper(insert(receipt_bundle).values(**{**world.bundle(6), "first_seq": 11}))


def insert_row(world: World) -> None:
    world.tamper(insert(receipt_bundle).values(**{**world.bundle(6), "first_seq": 8}))


def swap_rows(world: World) -> None:
    one, other = world.bundle(4), world.bundle(5)
    world.tamper(
        bundle_change(4, entries=other["entries"], hashes=other["hashes"]),
        bundle_change(5, entries=one["entries"], hashes=one["hashes"]),
    )


def swap_entries(world: World) -> None:
    one, other = world.bundle(4)["entries"], world.bundle(6)["entries"]
    world.tamper(bundle_change(4, entries=other), bundle_change(6, entries=one))


def reorder_in_row(world: World) -> None:
    row = world.bundle(7)
    lines = row["entries"].split(b"\n")[::-1]
    world.tamper(
        bundle_change(7, entries=b"\n".join(lines), hashes=b"".join(leaf_hash(line) for line in lines))
    )


def drop_entry_from_row(world: World) -> None:
    world.tamper(bundle_change(7, entries=world.bundle(7)["entries"].rsplit(b"\n", 1)[0]))


def truncate_with_head(world: World) -> None:
    frontier = Frontier.empty().extend(world.leaves()[:10]).to_bytes()
    delete_last_row(world)
    world.tamper(update(space_head).values(size=10, frontier=frontier))


def edit_head_size(world: World) -> None:
    world.tamper(update(space_head).values(size=15))


def shrink_head_size(world: World) -> None:
    world.tamper(update(space_head).values(size=6))


def edit_frontier(world: World) -> None:
    world.tamper(update(space_head).values(frontier=Frontier.empty().extend(world.leaves()[::-1]).to_bytes()))


def edit_seal(world: World) -> None:
    world.tamper(update(space_head).values(seal=bytes(32)))


def edit_notes_of_block(world: World) -> None:
    world.tamper(update(block_notes).where(block_notes.c.notes != "[]").values(notes='["x"]'))


def garble_entry(world: World) -> None:
    world.tamper(bundle_change(6, entries=b"\xff{"))


def third_note(**values: Any) -> Any:
    return update(note_version).where(note_version.c.title == "Second, revised").values(**values)


def edit_note(world: World) -> None:
    world.tamper(third_note(body="Never close the order."))


def edit_note_and_hash(world: World) -> None:
    world.tamper(third_note(body="Never close the order.", content_hash="0" * 64))


def edit_line(world: World) -> None:
    world.tamper(third_note(line="- [pitfall] Second, revised: Never close the order."))


def delete_note(world: World) -> None:
    world.tamper(delete(note_version).where(note_version.c.title == "First"))


def plant_note(world: World) -> None:
    with world.kernel.database.read() as connection:
        row = connection.execute(select(note_version).where(note_version.c.title == "First")).one()
    world.tamper(insert(note_version).values(**{**row._mapping, "note_id": OTHER_ID, "version": 2}))


def rewind(world: World, size: int) -> None:
    """Who holds the master key takes the newest receipts away and seals what is left."""
    left = Frontier.empty().extend(world.leaves()[:size])
    sealed = seal(world.kernel.keys.of(world.space_id), size, left.root())
    world.tamper(
        delete(receipt_bundle).where(receipt_bundle.c.first_seq >= size),
        update(space_head).values(size=size, frontier=left.to_bytes(), seal=sealed),
    )


def back_up(world: World) -> dict[Table, list[Row[Any]]]:
    """Every row of the database."""
    with world.kernel.database.read() as connection:
        return {table: list(connection.execute(select(table)).all()) for table in metadata.sorted_tables}


def restore(world: World, rows: dict[Table, list[Row[Any]]]) -> None:
    """Puts a backup in the place of the database."""
    world.tamper(*(delete(table) for table in reversed(metadata.sorted_tables)))
    world.tamper(
        *(insert(table).values(dict(row._mapping)) for table, found in rows.items() for row in found)
    )
