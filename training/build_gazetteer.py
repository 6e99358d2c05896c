"""Build the table of names, words, places and brands that the package ships.

`python -m training.build_gazetteer --lists DIR [--lener DIR] [--skills FILE]` writes
`src/tarimba/personal_data/data/gazetteer.bin`: checksums and classes, no word. DIR holds the census lists named in
DATA_CARD.md; the rest comes from `training/lists`, from `training/carriers` and from the package phonenumbers (places).
The other two corpora only say which lower-case words are ordinary; the result differs without them.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from phonenumbers.geodata import GEOCODE_DATA

from tarimba.personal_data.fold import plain
from tarimba.personal_data.gazetteer import FILE, HEADER, LETTERS, MAGIC, PHRASE_WORDS_MAX, Entry, bare, key
from training.dictionaries import ordinary_words
from training.inflect import forms

HERE: Final = Path(__file__).parent
TARGET: Final = HERE.parent / "src" / "tarimba" / "personal_data" / "data" / FILE
WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
BEARERS: Final = (30, 150, 500, 2_000, 10_000, 50_000, 200_000)
"""From how many bearers on a name belongs to the class 1, 2 ... 7."""
US_FIRST_SCALE: Final = 1_600_000 / 100
US_LAST_SCALE: Final = 2_500_000 / 100
HANDWRITTEN_FIRST: Final = 4
HANDWRITTEN_LAST: Final = 5
DERIVED_FIRST: Final = 3
DERIVED_LAST: Final = 4
"""A derived form or a word of films that lists count as a name of this class is no word to us."""
ORDINARY_LENER: Final = 3
ORDINARY_REPOSITORIES: Final = 3
COMMON_NAME: Final = 6
BRAND_LISTS: Final = ("companies", "systems", "figures", "methods", "goods")
PLACE_CODES: Final = ("55", "52", "54", "57", "56", "51", "34", "351")
GROUP_WEIGHT: Final = 22


@dataclass(slots=True)
class Table:
    """What becomes an entry, by folded word or phrase."""

    first: Counter[str] = field(default_factory=Counter)
    last: Counter[str] = field(default_factory=Counter)
    word: Counter[str] = field(default_factory=Counter)
    kin: dict[str, int] = field(default_factory=dict)
    place: set[str] = field(default_factory=set)
    brand: set[str] = field(default_factory=set)

    def is_brand(self, term: str) -> bool:
        """Whether a term is a brand first of all: a company called like half the country tells nothing."""
        return term in self.brand and self.first[term] < COMMON_NAME and self.last[term] < COMMON_NAME

    def entry(self, term: str, opening: set[str]) -> Entry:
        return Entry(
            self.first[term],
            self.last[term],
            self.word[term],
            term in self.place,
            self.is_brand(term),
            term in opening,
            self.kin.get(term, 0),
        )


def folded_words(text: str) -> list[str]:
    return [plain(word).replace("’", "'") for word in WORD.findall(text)]


def handwritten(name: str) -> Iterator[str]:
    """The lines of one of our lists, without the comments."""
    for line in (HERE / "lists" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def blocks(name: str) -> dict[str, list[str]]:
    """The words of one of our lists under its headings."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in (HERE / "lists" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.removeprefix("# ")
        else:
            found.setdefault(heading, []).extend(line.split())
    return found


def bearers_class(bearers: float) -> int:
    return max(1, sum(bearers >= step for step in BEARERS))


def census(path: Path, column: str, scale: float = 1) -> Iterator[tuple[str, int]]:
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for word in folded_words(row["name"])[:1]:
                yield word, bearers_class(float(row[column]) * scale)


def raise_to(counts: Counter[str], pairs: Iterable[tuple[str, int]]) -> None:
    for spelled, value in pairs:
        word = bare(spelled)
        counts[word] = max(counts[word], value)


def add_names(table: Table, lists: Path, *, mined: bool = True) -> None:
    raise_to(table.first, census(lists / "ibge_first_names.csv", "bearers_2010"))
    raise_to(table.first, census(lists / "us_census_1990_first_names.csv", "percent", US_FIRST_SCALE))
    raise_to(table.last, census(lists / "us_census_1990_surnames.csv", "percent", US_LAST_SCALE))
    given = (word for line in handwritten("given_names") for word in folded_words(line))
    raise_to(table.first, ((word, HANDWRITTEN_FIRST) for word in given))
    ours = " ".join(handwritten("surnames"))
    brazilian = (lists / "br_surnames_handwritten.txt").read_text(encoding="utf-8")
    raise_to(table.last, ((word, HANDWRITTEN_LAST) for word in folded_words(ours) if len(word) > 2))
    common = enumerate(folded_words(brazilian))
    raise_to(table.last, ((word, 7 if rank < 60 else 6) for rank, word in common))
    if mined:
        raise_to(table.first, classed("given_names_mined"))
        raise_to(table.last, classed("surnames_mined"))


def classed(name: str) -> Iterator[tuple[str, int]]:
    """The names of a list whose headings are classes."""
    for value, names in blocks(name).items():
        for word in folded_words(" ".join(names)):
            yield word, int(value)


def lower_words(texts: Iterable[str]) -> Counter[str]:
    """How often each word stands in small letters."""
    return Counter(plain(word) for text in texts for word in WORD.findall(text) if word.islower())


def add_words(table: Table, lener: Path | None, skills: Path | None, without: Sequence[str]) -> None:
    for lang in ("pt", "en", "es"):
        listed = [word for line in handwritten(f"words_{lang}") for word in line.split()]
        raise_to(table.word, ((word, 3) for text in listed for word in folded_words(text)))
        derived = {plain(form) for word in listed if len(word) > 2 for form in forms(word, lang)}
        raise_to(table.word, unnamed(table, ((form, 2) for form in derived)))
    raise_to(table.word, unnamed(table, ordinary_words()))
    carriers = lower_words(re.sub(r"\{\w+\}", " ", text) for text in carrier_texts(without))
    raise_to(table.word, ((word, 2 if count > 1 else 1) for word, count in carriers.items()))
    if lener:
        tokens = (line.split()[0] for line in (lener / "train.conll").open(encoding="utf-8") if line.strip())
        raise_to(table.word, ordinary(table, lower_words(tokens), ORDINARY_LENER))
    if skills:
        raise_to(table.word, ordinary(table, skill_words(skills), ORDINARY_REPOSITORIES))


def unnamed(table: Table, words: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Those of the words, each with its class, that are no names which lists know well."""
    for word, value in words:
        if table.first[word] < DERIVED_FIRST and table.last[word] < DERIVED_LAST:
            yield word, value


def add_kin(table: Table) -> None:
    """Words of like meaning and their forms; what two groups hold belongs to the one that lists it, or to the first."""
    derived: dict[str, int] = {}
    for number, line in enumerate(handwritten("kin"), start=1):
        for lang, words in zip(("pt", "en", "es"), line.split(" / "), strict=True):
            for word in words.split():
                table.kin.setdefault(plain(word), number)
                for form in forms(word, lang):
                    derived.setdefault(plain(form), number)
    for form, number in derived.items():
        # A form that nobody has seen, or that is a name, would only cost room.
        if table.word[form]:
            table.kin.setdefault(form, number)


def ordinary(table: Table, counts: Counter[str], least: int) -> Iterator[tuple[str, int]]:
    """Classes by counts; a common name that now and then stands in small letters is still a name."""
    for word, count in counts.items():
        if table.first[word] < 5 or count >= 4 * least:
            yield word, 2 if count >= least else 1


def skill_words(path: Path) -> Counter[str]:
    """In how many repositories each word stands in small letters."""
    seen: dict[str, set[str]] = {}
    for line in path.open(encoding="utf-8"):
        row = json.loads(line)
        for word in lower_words([row["text"]]):
            seen.setdefault(word, set()).add(row["repo"])
    return Counter({word: len(repositories) for word, repositories in seen.items() if len(repositories) > 1})


def carrier_texts(without: Sequence[str] = ()) -> Iterator[str]:
    for path in sorted((HERE / "carriers").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if path.stem not in without:
                yield json.loads(line)["text"]


def places() -> Iterator[str]:
    """Cities of Latin America, Spain and Portugal from the area codes of phonenumbers, and ours."""
    for prefix, names in GEOCODE_DATA.items():
        foreign = not prefix.startswith(PLACE_CODES) or prefix.startswith("1")
        for text in names.values():
            for name in re.split(r"/|\(", re.sub(r"( - [A-Z]{2}|, .*)$", "", text)):
                # Half of the surnames of America are towns there: those of one word say nothing.
                if name.strip() and not (foreign and not (prefix.startswith("1") and " " in name.strip())):
                    yield name.strip(" )")
    yield from handwritten("places")


def add_phrases(found: set[str], names: Iterable[str]) -> set[str]:
    """Add names as places or brands; the words with which those of several words start."""
    opening = set()
    for name in names:
        words = folded_words(name)
        if words and len(" ".join(words)) > 1 and len(words) <= PHRASE_WORDS_MAX:
            found.add(" ".join(words))
            opening |= {words[0]} if len(words) > 1 else set()
    return opening


def group_weights(table: Table) -> array[int]:
    """For each group of three letters, how much more often names hold it than words do."""
    names: Counter[int] = Counter()
    words: Counter[int] = Counter()
    for term in sorted(set(table.first) | set(table.last)):
        weight = max(table.first[term], table.last[term]) if not table.word[term] else 0
        names.update(dict.fromkeys(groups(term), weight))
    for term in sorted(table.word):
        weight = 1 + table.word[term] if not table.first[term] else 1
        words.update(dict.fromkeys(groups(term), 4 * weight))
    all_names, all_words = sum(names.values()), sum(words.values())
    return array("b", (weight_of(names[g], all_names, words[g], all_words) for g in range(LETTERS**3)))


def weight_of(named: int, all_named: int, worded: int, all_worded: int) -> int:
    smooth = 8
    ratio = math.log((named + smooth) / (all_named + smooth)) - math.log(
        (worded + smooth) / (all_worded + smooth)
    )
    return max(-127, min(127, round(GROUP_WEIGHT * ratio)))


def groups(term: str) -> Iterator[int]:
    ranks = [0, *("abcdefghijklmnopqrstuvwxyz".find(letter) + 1 for letter in term), 0]
    for left, middle, right in zip(ranks, ranks[1:], ranks[2:], strict=False):
        yield (left * LETTERS + middle) * LETTERS + right


def written(table: Table, opening: set[str]) -> bytes:
    terms = (
        set(table.first)
        | set(table.last)
        | set(table.word)
        | set(table.kin)
        | table.place
        | table.brand
        | opening
    )
    rows: dict[int, Entry] = {}
    for term in sorted(terms):
        entry = table.entry(term, opening)
        # Two terms with one checksum: the common one stays.
        if sum(entry[:3]) >= sum(rows.get(key(term), entry)[:3]):
            rows[key(term)] = entry
    keys = sorted(rows)
    values = [rows[place].packed() for place in keys]
    kins = bytes(rows[place].kin for place in keys)
    body = array("I", keys).tobytes() + array("H", values).tobytes() + kins
    return HEADER.pack(MAGIC, len(keys)) + body + group_weights(table).tobytes()


def build(lists: Path, lener: Path | None, skills: Path | None, without: Sequence[str] = ()) -> bytes:
    table = Table()
    add_names(table, lists)
    add_words(table, lener, skills, without)
    add_kin(table)
    opening = add_phrases(table.place, places())
    opening |= add_phrases(table.brand, [line for name in BRAND_LISTS for line in handwritten(name)])
    return written(table, opening)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--lener", type=Path)
    parser.add_argument("--skills", type=Path)
    parser.add_argument(
        "--without", nargs="*", default=[], help="hands that are kept out, to measure on them"
    )
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    raw = build(options.lists, options.lener, options.skills, options.without)
    options.out.write_bytes(raw)
    print(f"{options.out.name}: {len(raw)} bytes, {HEADER.unpack_from(raw)[1]} entries")


if __name__ == "__main__":
    main()
