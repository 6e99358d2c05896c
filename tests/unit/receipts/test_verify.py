"""The verifier on logs in memory: whatever is done to the rows of a log, it says so and never raises."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.receipts.canonical import canonical
from tarimba.receipts.merkle import Frontier, leaf_hash, root
from tarimba.receipts.note_comparison import NoteComparison, Version
from tarimba.receipts.report import FINDINGS_OF_A_KIND, Report
from tarimba.receipts.verify import Bundle, Checkpoint, LogHead, verify_log

SPACE = "0190aaaa-0000-7000-8000-0000000000aa"
NOTES = {"am-1": ["n1", "n2"], "am-0": []}


def document(number: int, **members: Any) -> dict[str, Any]:
    plain = {"id": f"r{number}", "space_id": SPACE, "kind": "admin", "action": "login", "detail": {}}
    return {**plain, **members}


def block_read(number: int, etag: str) -> dict[str, Any]:
    detail = {"etag": etag, "view": None, "not_modified": False, "max_tokens": 300}
    return document(number, kind="read", action="block.read", detail=detail)


def stored(item: dict[str, Any]) -> tuple[bytes, bytes]:
    """The leaf of a receipt and the bytes that are stored for it."""
    line = canonical(item)
    if item["action"] != "block.read":
        return leaf_hash(line), line
    notes = NOTES[item["detail"]["etag"]]
    return leaf_hash(canonical({**item, "detail": {**item["detail"], "notes": notes}})), line


def bundles(*rows: Sequence[dict[str, Any]]) -> list[Bundle]:
    made: list[Bundle] = []
    seq = 0
    for row in rows:
        pairs = [stored(item) for item in row]
        hashes, lines = b"".join(leaf for leaf, _ in pairs), b"\n".join(line for _, line in pairs)
        made.append(Bundle(seq, len(row), hashes, lines))
        seq += len(row)
    return made


def leaves(log: Sequence[Bundle]) -> list[bytes]:
    joined = b"".join(bundle.hashes for bundle in log)
    return [joined[at : at + 32] for at in range(0, len(joined), 32)]


def sealed(size: int, tree_root: bytes) -> bytes:
    return leaf_hash(b"key" + str(size).encode() + tree_root)


def head_of(log: Sequence[Bundle]) -> LogHead:
    frontier = Frontier.empty().extend(leaves(log))
    return LogHead(frontier.size, frontier.to_bytes(), sealed(frontier.size, frontier.root()))


def check(log: Sequence[Bundle], head: LogHead | None = None, **options: Any) -> Report:
    return verify_log(SPACE, iter(log), head or head_of(log), notes_of=NOTES.get, seal_of=sealed, **options)


def found(report: Report) -> list[tuple[str, int, int | None]]:
    return [(finding.code, finding.seq, finding.last_seq) for finding in report.findings]


LOG = bundles(
    [document(0)], [block_read(1, "am-1"), block_read(2, "am-0")], [document(3), document(4), document(5)]
)


def test_a_log_as_it_was_written_is_in_order() -> None:
    report = check(LOG)
    assert found(report) == []
    assert (report.ok, report.receipts, report.first_bad_seq) == (True, 6, None)


def test_an_empty_log_is_in_order() -> None:
    report = check([])
    assert (report.ok, report.receipts) == (True, 0)


def test_what_could_not_be_checked_is_said() -> None:
    report = verify_log(SPACE, LOG, head_of(LOG), notes_of=NOTES.get)
    assert report.ok
    assert [line.split(":")[1].split(" ")[1:3] for line in report.lines()[2:]] == [
        ["the", "seal"],
        ["the", "texts"],
        ["whether", "the"],
    ]


@pytest.mark.promise("tampering-found")
@given(st.data())
def test_a_changed_byte_is_found_in_any_row(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(LOG) - 1))
    column = data.draw(st.sampled_from(["hashes", "entries"]))
    old = bytearray(getattr(LOG[at], column))
    place = data.draw(st.integers(0, len(old) - 1))
    old[place] ^= data.draw(st.integers(1, 255))
    values = {"hashes": LOG[at].hashes, "entries": LOG[at].entries} | {column: bytes(old)}
    changed = [*LOG[:at], Bundle(LOG[at].first_seq, LOG[at].count, **values), *LOG[at + 1 :]]
    report = check(changed, head_of(LOG))
    assert report.first_bad_seq is not None
    assert LOG[at].first_seq <= report.first_bad_seq < LOG[at].first_seq + LOG[at].count


@pytest.mark.promise("tampering-found")
@given(st.lists(st.integers(0, 5), max_size=8))
def test_rows_in_any_other_choice_or_order_are_not_in_order(order: list[int]) -> None:
    log = bundles(*[[document(number)] for number in range(4)])
    chosen = [log[number % 4] for number in order]
    assert check(chosen, head_of(log)).ok == (chosen == log)


@pytest.mark.parametrize("line", [b"", b"[]", b"7", b"\xff", b'{"a":', b"[" * 100_000, b"9" * 5000])
def test_an_entry_that_is_no_receipt_is_named(line: bytes) -> None:
    log = [LOG[0], Bundle(1, 1, leaf_hash(line), line)]
    assert found(check(log)) == [("unreadable", 1, None)]


@pytest.mark.parametrize(
    "item",
    [
        document(0, detail=None),
        document(0, action=None, detail={"content_hash": {}}, note_id=7),
        document(0, action="erase.requested", source_id=[1], detail=[]),
        document(0, detail={"notes": [1]}),
        document(0, id={"x": 1}),
    ],
)
def test_a_receipt_of_an_odd_form_is_no_fault_of_the_log(item: dict[str, Any]) -> None:
    assert check(bundles([item]), comparison=NoteComparison([])).ok


def test_a_receipt_of_another_space_is_named() -> None:
    assert found(check(bundles([document(0), document(1, space_id="other")]))) == [("space", 1, None)]


def test_an_id_that_comes_again_is_named_at_its_later_place() -> None:
    assert found(check(bundles([document(0)], [document(1)], [document(0), document(0)]))) == [
        ("duplicate", 2, None),
        ("duplicate", 3, None),
    ]


def test_the_notes_of_a_block_are_put_back_before_hashing() -> None:
    report = verify_log(SPACE, LOG, head_of(LOG), notes_of={"am-1": ["n2", "n1"], "am-0": []}.get)
    assert found(report) == [("hash", 1, None)]


def test_the_canonical_form_decides_where_the_fast_one_differs() -> None:
    # U+FF5E sorts before a letter beyond the first plane in UTF-16, and after it by code point.
    item = block_read(0, "am-1") | {"\uff5e": 1, "\U0001f600": 1.0}
    assert check(bundles([item])).ok


@pytest.mark.parametrize("count", [0, 1, 2, 4, -1])
def test_a_row_that_miscounts_is_named(count: int) -> None:
    log = [*LOG[:2], Bundle(3, count, LOG[2].hashes, LOG[2].entries)]
    assert [code for code, _, _ in found(check(log))] == ["count"]


def test_hashes_of_broken_length_are_named() -> None:
    log = [*LOG[:2], Bundle(3, 3, LOG[2].hashes[:-1], LOG[2].entries)]
    report = check(log, head_of(LOG))
    assert report.first_bad_seq == 5


@pytest.mark.parametrize("size", [-3, 0, 5, 7, 10**12])
def test_any_wrong_size_of_the_head_is_found(size: int) -> None:
    head = head_of(LOG)
    report = check(LOG, LogHead(size, head.frontier, head.seal))
    assert report.first_bad_seq == max(0, min(size, 6))


@pytest.mark.parametrize(
    "frontier", [b"", b"\0", b"\0" * 8, Frontier.empty().extend([bytes(32)] * 6).to_bytes()]
)
def test_a_frontier_that_is_not_the_logs_is_found(frontier: bytes) -> None:
    head = head_of(LOG)
    assert found(check(LOG, LogHead(6, frontier, head.seal))) == [("frontier", 6, None)]
    assert not check(LOG, LogHead(6, frontier, bytes(32))).ok
    assert not verify_log(SPACE, LOG, LogHead(6, frontier, b""), notes_of=NOTES.get).ok


@pytest.mark.parametrize("size", range(1, 7))
def test_a_kept_checkpoint_of_any_size_agrees_with_an_untouched_log(size: int) -> None:
    kept = [Checkpoint(size, root(leaves(LOG)[:size])), Checkpoint(6, root(leaves(LOG)))]
    assert check(LOG, kept=kept).ok


@pytest.mark.promise("rewind-honest")
def test_a_resealed_log_is_found_by_kept_checkpoints_between_two_of_them() -> None:
    kept = [Checkpoint(size, root(leaves(LOG)[:size])) for size in (2, 4, 6)]
    forged = bundles(
        [document(0)], [block_read(1, "am-1"), block_read(2, "am-0")], [document(9), document(4)]
    )
    assert check(forged).ok
    report = check(forged, kept=kept)
    assert found(report) == [("checkpoint", 2, 3), ("rewound", 5, None)]


def test_a_report_lists_some_findings_of_a_kind_and_counts_all() -> None:
    log = bundles([document(number, space_id="x") for number in range(100)])
    report = check(log)
    assert len(report.findings) == FINDINGS_OF_A_KIND
    assert report.counts == {"space": 100}
    assert f"{100 - FINDINGS_OF_A_KIND} more findings of these kinds are not listed." in report.lines()
    assert json.loads(json.dumps(report.as_json()))["counts"] == {"space": 100}


def test_rows_are_taken_one_at_a_time() -> None:
    alive = 0

    def rows() -> Iterator[Bundle]:
        nonlocal alive
        for bundle in LOG:
            alive += 1
            yield bundle

    class Counting:
        def act(self, seq: int, document: dict[str, Any]) -> None:  # noqa: ARG002 - the protocol's names
            # Row n is read before row n + 1 is asked for: an act of the first row finds one row taken.
            assert alive == (1 if seq == 0 else 3)

        def conclude(self) -> tuple[int, list[Any]]:
            return 0, []

    assert verify_log(SPACE, rows(), head_of(LOG), notes_of=NOTES.get, comparison=Counting()).ok


def note_act(number: int, note: str, digest: str, action: str = "note.create") -> dict[str, Any]:
    return document(number, action=action, note_id=note, source_id="agent", detail={"content_hash": digest})


def erasure(number: int) -> dict[str, Any]:
    return document(number, action="erase.requested", source_id="agent")


def import_act(number: int, **detail: Any) -> dict[str, Any]:
    about = detail or {"state": "part", "notes": {"a": "h", "b": "i"}}
    return document(number, action="import", source_id="agent", detail=about)


def version(note: str, digest: str = "h", *, actual: str | None = None, is_rendered: bool = True) -> Version:
    return Version(note, digest, actual or digest, is_rendered, 7)


CREATED = note_act(0, "a", "h")
CASES: list[tuple[str, list[dict[str, Any]], list[Version], list[tuple[str, int, int | None]]]] = [
    ("as written", [CREATED], [version("a")], []),
    ("named again later", [CREATED, note_act(1, "a", "h", "note.retire")], [version("a")], []),
    ("edited", [document(9), CREATED], [version("a", actual="x")], [("edited", 1, None)]),
    ("edited with its hash", [CREATED], [version("a", "x")], [("rewritten", 0, None)]),
    ("line edited", [CREATED], [version("a", is_rendered=False)], [("rendered", 0, None)]),
    ("planted", [document(0)], [version("a")], [("unreceipted", 7, None)]),
    ("gone", [document(9), CREATED], [], [("vanished", 1, None)]),
    ("erased", [CREATED, erasure(1)], [], []),
    ("erased, not yet scrubbed", [CREATED, erasure(1)], [version("a")], []),
    ("written after an erasure and gone", [erasure(1), CREATED], [], [("vanished", 1, None)]),
    (
        "imported again after an erasure",
        [CREATED, erasure(1), note_act(2, "a", "i")],
        [version("a", "i")],
        [],
    ),
    ("imported", [import_act(0)], [version("a"), version("b", "i")], []),
    ("imported and replaced", [import_act(0)], [version("a"), version("b")], [("rewritten", 0, None)]),
    ("import undone", [import_act(0), import_act(1, state="undone")], [], []),
    ("import undone, not yet scrubbed", [import_act(0), import_act(1, state="undone")], [version("a")], []),
    ("gone for no reason", [CREATED, import_act(1, state="undone")], [], [("vanished", 0, None)]),
    (
        "imported after an undone import and gone",
        [import_act(0, state="undone"), import_act(1)],
        [version("a")],
        [("vanished", 1, None)],
    ),
    (
        "another agent was erased",
        [CREATED, erasure(1) | {"source_id": "other"}],
        [],
        [("vanished", 0, None)],
    ),
]


@pytest.mark.promise("tampering-found")
@pytest.mark.parametrize(
    ("acts", "kept", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_stored_notes_are_those_that_the_receipts_name(
    acts: list[dict[str, Any]], kept: list[Version], expected: list[tuple[str, int, int | None]]
) -> None:
    report = check(bundles(*[[act] for act in acts]), comparison=NoteComparison(kept))
    assert found(report) == expected
    assert report.versions == len(kept)


@pytest.mark.parametrize(
    "spell", [canonical, lambda item: json.dumps(item, indent=1).replace("\n", "").encode()]
)
def test_any_spelling_counts_as_long_as_the_hash_is_that_of_the_stored_bytes(
    spell: Callable[[Any], bytes],
) -> None:
    line = spell(document(0))
    assert check([Bundle(0, 1, leaf_hash(line), line)]).ok
