"""Archives that somebody sent: the honest ones of every program, and forty that are not."""

from __future__ import annotations

import io
import os
import random
import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tarimba.errors import Refusal
from tarimba.skills import paths
from tarimba.skills.zips import BYTES_MAX, ENTRIES_MAX, unpack
from tests.unit.skills.archives import (
    DEFLATED,
    ENCRYPTED,
    FILE,
    LINK,
    SIZES_FOLLOW,
    SKILL,
    STORED,
    UTF8,
    WINDOWS,
    Entry,
    folder,
    named,
    over,
    whole,
    written,
)

WORD = "Xyzzyplugh"
MIB = 1024 * 1024


def large(size: int) -> Entry:
    return named(f"{WORD}.bin", bytes(size))


def lying(**told: object) -> bytes:
    """The second entry's list says something else than what there is."""
    return whole(named(f"{WORD}.txt", b"the real bytes", listed=told))


# Each archive is bytes, or made when it is wanted; and what the answer says.
HOSTILE: Mapping[str, tuple[bytes | Callable[[], bytes], str]] = {
    "nothing": (b"", "must be a zip archive"),
    "no archive": (WORD.encode() * 9, "must be a zip archive"),
    "a tarball": (b"\x1f\x8b\x08" + WORD.encode(), "must be a zip archive"),
    "behind a program": (lambda: b"MZ" + bytes(100) + whole(), "must be a zip archive"),
    "half": (lambda: whole()[:-30], "damaged zip archive"),
    "a list that says more": (lambda: written([Entry(b"SKILL.md", SKILL)]).replace(b"PK\5\6", b"PK\5\7"), "damaged"),
    "no entries": (lambda: written([]), "holds no files"),
    "folders alone": (lambda: written([folder("a"), folder("a/b")]), "holds no files"),
    "litter alone": (lambda: written([named("__MACOSX/._a"), named(".DS_Store")]), "holds no files"),
    "absolute": (lambda: whole(named(f"/etc/{WORD}")), "entry 2 of the archive has an absolute path"),
    "two slashes": (lambda: whole(named(f"//host/{WORD}")), "absolute path"),
    "parent": (lambda: whole(named(f"../{WORD}")), "leaves its folder"),
    "parent inside": (lambda: whole(named(f"a/../../{WORD}")), "leaves its folder"),
    "parent folder": (lambda: whole(folder(f"{WORD}/..")), "leaves its folder"),
    "backslash": (lambda: whole(named(f"a\\{WORD}")), "backslash"),
    "parent with a backslash": (lambda: whole(named(f"..\\..\\{WORD}")), "backslash"),
    "drive": (lambda: whole(named(f"C:/{WORD}")), "drive letter"),
    "drive alone": (lambda: whole(named(f"c:{WORD}")), "drive letter"),
    "nul": (lambda: whole(named(f"a\0{WORD}")), "can't be seen"),
    "newline": (lambda: whole(named(f"a\n{WORD}")), "can't be seen"),
    "bidi": (lambda: whole(named(f"\u202e{WORD}", flags=UTF8)), "can't be seen"),
    "single dot": (lambda: whole(named(f"./{WORD}")), "single dot"),
    "empty step": (lambda: whole(named(f"a//{WORD}")), "empty step"),
    "no name": (lambda: whole(named("")), "empty step"),
    "space at the end": (lambda: whole(named(f"{WORD} ")), "space"),
    "long step": (lambda: whole(named("x" * 256)), "above"),
    "long path": (lambda: whole(named("/".join(["x" * 200] * 6))), "above"),
    "deep": (lambda: whole(named("a/b/c/d/e/f/g/h/i")), "more than 8 steps deep"),
    "deep folder": (lambda: whole(folder("a/b/c/d/e/f/g/h/i")), "more than 8 steps deep"),
    "link": (lambda: whole(named(WORD, b"/etc/passwd", mode=LINK)), "symbolic link"),
    "link out of a folder": (lambda: whole(named("a", b"..", mode=LINK), named("a/b")), "symbolic link"),
    "device": (lambda: whole(named(WORD, mode=stat.S_IFCHR | 0o666)), "neither a file nor a folder"),
    "pipe": (lambda: whole(named(WORD, mode=stat.S_IFIFO | 0o666)), "neither a file nor a folder"),
    "folder without a slash": (lambda: whole(named(WORD, mode=stat.S_IFDIR | 0o755)), "neither a file nor"),
    "folder with bytes": (lambda: whole(named(f"{WORD}/", mode=0)), "folder that holds bytes"),
    "twice": (lambda: whole(named(WORD), named(WORD)), "two files with one path"),
    "twice in capitals": (lambda: whole(named(WORD), named(WORD.upper())), "two files with one path"),
    "twice in ligatures": (lambda: whole(named("ﬀ", flags=UTF8), named("FF")), "two files with one path"),
    "twice in accents": (
        lambda: whole(named("\u00e9", flags=UTF8), named("e\u0301", flags=UTF8)), "two files with one path",
    ),
    "file and folder": (lambda: whole(named("a"), named("A/b")), "a file and a folder"),
    "folder twice": (lambda: whole(folder("a"), folder("a"), named("a/b")), "two entries with one path"),
    "encrypted": (lambda: whole(named(WORD, flags=ENCRYPTED)), "is encrypted"),
    "encrypted strongly": (lambda: whole(named(WORD, flags=0x40)), "is encrypted"),
    "encrypted in its header": (lambda: whole(named(WORD, local={"flags": ENCRYPTED})), "another way"),
    "another method": (lambda: whole(named(WORD, method=12)), "other than deflate"),
    "a method to itself": (lambda: whole(named(WORD, method=99)), "other than deflate"),
    "another method in its header": (lambda: whole(named(WORD, local={"method": STORED})), "another way"),
    "another name in its header": (lambda: whole(named(WORD, local={"name": b"Plugh"})), "another path there"),
    "another size in its header": (lambda: whole(named(WORD, local={"size": 9})), "other sizes"),
    "says less": (lambda: lying(size=1), "other sizes"),
    "says less in both": (
        lambda: whole(named(WORD, b"the real bytes", listed={"size": 1}, local={"size": 1})), "unpacks to another size",
    ),
    "says more in both": (
        lambda: whole(named(WORD, b"the real bytes", listed={"size": 99}, local={"size": 99})), "another size",
    ),
    "says nothing before": (
        lambda: whole(named(WORD, b"the real bytes", flags=SIZES_FOLLOW, listed={"size": 1})), "another size",
    ),
    "another sum": (lambda: whole(named(WORD, listed={"crc": 7}, local={"crc": 7})), "is damaged"),
    "broken data": (
        lambda: written([Entry(b"SKILL.md", b"\xff" * 40)]).replace(b"\xfb\xff", b"\x07\x07", 1), "is damaged",
    ),
    "larger than the archive": (
        lambda: whole(named(WORD, listed={"packed": MIB}, local={"packed": MIB})), "larger than the archive",
    ),
    "elsewhere": (lambda: lying(at=5), "lies over another one"),
    "beyond": (lambda: lying(at=10**6), "not where the list says"),
    "over another": (lambda: over(named("0", b"y" * 500), 20), "lies over another one"),
    "bomb": (lambda: whole(large(11 * MIB)), "must unpack to at most"),
    "bomb that says little": (
        lambda: whole(named(WORD, bytes(64 * MIB), listed={"size": 9}, local={"size": 9})), "must unpack to at most",
    ),
    "many small bombs": (lambda: whole(*[named(f"{at}", bytes(MIB)) for at in range(11)]), "must unpack to at most"),
    "many entries": (lambda: whole(*[named(f"{at}") for at in range(ENTRIES_MAX)]), "at most 200 entries"),
    "many folders": (lambda: whole(*[folder(f"{at}") for at in range(ENTRIES_MAX)]), "at most 200 entries"),
}  # fmt: skip


@pytest.mark.promise("hostile-archives-refused")
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_archive_is_refused_in_its_own_words(case: str) -> None:
    made, words = HOSTILE[case]
    with pytest.raises(Refusal) as refused:
        unpack(made if isinstance(made, bytes) else made())
    assert refused.value.code == "invalid_input"
    assert words in refused.value.detail
    assert WORD.casefold() not in refused.value.detail.casefold()


def test_there_are_forty_and_more() -> None:
    assert len(HOSTILE) >= 40


@pytest.mark.promise("hostile-archives-refused")
def test_an_archive_that_is_itself_too_large_is_refused() -> None:
    data = whole(named("noise.bin", os.urandom(BYTES_MAX), method=STORED))
    with pytest.raises(Refusal) as refused:
        unpack(data)
    assert refused.value.code == "too_large"


FILES = {"SKILL.md": SKILL, "references/ação.md": b"Texto.", "scripts/run.py": b"print(1)\n"}


def mac() -> bytes:
    """As the Finder makes it: names in UTF-8 with accents apart and no word of it, sizes behind the data."""
    entries = [folder("close-month")]
    for path, data in FILES.items():
        apart = path.replace("ç", "c\u0327").replace("ã", "a\u0303")
        entries.append(named(f"close-month/{apart}", data, flags=SIZES_FOLLOW))
        entries.append(
            named(f"__MACOSX/close-month/._{apart.rpartition('/')[2]}", b"\0\5\x16\7", flags=SIZES_FOLLOW)
        )
    return written([*entries, named("close-month/.DS_Store", b"\0", flags=SIZES_FOLLOW)])


def windows() -> bytes:
    """As the Explorer makes it: no folders, old names in code page 437, new ones in UTF-8."""
    entries = []
    for path, data in FILES.items():
        name = path.encode("utf-8" if "ã" in path else "cp437")
        flags = UTF8 if "ã" in path else 0
        entries.append(Entry(name, data, DEFLATED, flags, mode=0, system=WINDOWS))
    return written(entries)


def old_windows() -> bytes:
    """A name in code page 437 that no UTF-8 would be."""
    return whole(Entry("references/é.md".encode("cp437"), b"x", mode=0, system=WINDOWS))


def info_zip() -> bytes:
    """As `zip -r` makes it: folders first, times and owners in fields of its own."""
    extra = b"UT\x05\x00\x03\x00\x00\x00\x00" + b"ux\x0b\x00\x01\x04\xe8\x03\x00\x00\x04\xe8\x03\x00\x00"
    entries = [replaced(folder("close-month"), extra), replaced(folder("close-month/references"), extra)]
    entries += [
        named(f"close-month/{path}", data, flags=UTF8 if "ã" in path else 0, extra=extra)
        for path, data in FILES.items()
    ]
    return written(entries, tail=b"made by hand")


def replaced(entry: Entry, extra: bytes) -> Entry:
    return Entry(entry.name, entry.data, entry.method, entry.flags, entry.mode, entry.system, extra)


def seven() -> bytes:
    """As 7-Zip makes it: the folders last, modes beside the attributes of Windows."""
    entries = [named(path, data, flags=UTF8 if "ã" in path else 0, mode=FILE) for path, data in FILES.items()]
    return written([*entries, folder("references"), folder("scripts")])


def python() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, data in FILES.items():
            with archive.open(zipfile.ZipInfo(path), "w", force_zip64=True) as file:
                file.write(data)
    return made.getvalue()


@pytest.mark.parametrize("make", [mac, windows, info_zip, seven, python])
def test_an_honest_archive_is_taken_whoever_made_it(make: Callable[[], bytes]) -> None:
    found = unpack(make())
    assert dict(found.files) == FILES
    assert found.folder == ("close-month" if make in (mac, info_zip) else "")
    assert found.ignored == (4 if make is mac else 0)


LEFT_OUT = (
    ".git/config deep/.git/HEAD deep/.git .hg/store .svn/entries SKILL.md.original SKILL.md.original.2 .env deep/.env "
    ".ENV .env.local __MACOSX/a deep/__MACOSX/a .DS_Store a/.ds_store a/._b"
).split()
KEPT = (
    ".env.example",
    ".env.sample",
    "env",
    "a.env",
    ".gitignore",
    "git/a",
    "notes.original",
    ".github/a",
    "x.git/a",
)


def test_what_no_one_wrote_for_agents_is_left_out_and_counted() -> None:
    for path in LEFT_OUT:
        found = unpack(whole(named(path)))
        assert (list(found.files), found.ignored) == (["SKILL.md"], 1), path
    for path in KEPT:
        found = unpack(whole(named(path)))
        assert (set(found.files), found.ignored) == ({"SKILL.md", path}, 0), path


def test_a_name_in_an_old_code_page_is_read() -> None:
    assert "references/é.md" in unpack(old_windows()).files


def test_what_the_standard_library_makes_of_a_folder_is_taken(tmp_path: Path) -> None:
    skill = tmp_path / "in" / "close-month"
    for path, data in FILES.items():
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_bytes(data)
    for base in ("close-month", None):
        root = skill.parent if base else skill
        made = shutil.make_archive(str(tmp_path / f"out-{base}"), "zip", root, base)
        assert dict(unpack(Path(made).read_bytes()).files) == FILES


def test_only_one_folder_that_wraps_everything_is_taken_away() -> None:
    inner = written([named("outer/close-month/SKILL.md", SKILL)])
    assert list(unpack(inner).files) == ["close-month/SKILL.md"]
    two = written([named("a/SKILL.md", SKILL), named("b/x")])
    assert (unpack(two).folder, list(unpack(two).files)) == ("", ["a/SKILL.md", "b/x"])
    beside = written([named("a/SKILL.md", SKILL), named("x")])
    assert unpack(beside).folder == ""


def test_a_wrapping_folder_does_not_count_as_a_step() -> None:
    path = "a/b/c/d/e/f/g/h"
    assert path in unpack(written([named("w/SKILL.md", SKILL), named(f"w/{path}")])).files


def test_what_just_fits_is_taken() -> None:
    rest = BYTES_MAX - len(SKILL)
    assert sum(map(len, unpack(whole(named("a", bytes(rest)))).files.values())) == BYTES_MAX
    assert len(unpack(whole(*[named(f"{at}", b"") for at in range(ENTRIES_MAX - 1)])).files) == ENTRIES_MAX


@pytest.mark.promise("hostile-archives-refused")
def test_whatever_is_changed_in_an_archive_it_is_taken_or_refused() -> None:
    dice = random.Random(7)
    honest = [make() for make in (mac, windows, info_zip, seven, python)]
    taken = 0
    for _ in range(4000):
        data = bytearray(dice.choice(honest))
        for _ in range(dice.choice((1, 1, 2, 8))):
            # Most of what an archive says stands in its headers, and those lie everywhere in small ones.
            data[dice.randrange(len(data))] = dice.choice((0, 1, 0x2F, 0x5C, 0x7F, 0xFF, dice.randrange(256)))
        try:
            found = unpack(bytes(data))
        except Refusal:
            continue
        taken += 1
        assert all(paths.fault(path) is None and not paths.is_too_deep(path) for path in found.files)
        assert sum(map(len, found.files.values())) <= BYTES_MAX
    assert 0 < taken < 4000
