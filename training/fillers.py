"""What fills the slots of carriers: names of persons in every form, and what looks like one and is none."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from tarimba.personal_data.fold import plain
from training.build_gazetteer import blocks, handwritten, places
from training.wordings import (
    BRANCHES,
    COMPANIES,
    COMPANY_THINGS,
    DRUG_PARTS,
    EPONYMS,
    FACILITIES,
    FACILITY_NAMES,
    NAMED,
    PRODUCTS,
    ROLES,
    STREET_NAMES,
    STREETS,
    TEAMS,
)  # fmt: skip

FLATTEN: Final = 0.6
"""Census counts to this power: the most common name would else be every tenth."""
TAIL: Final = 0.2
RARE: Final = 0.05
"""So many names are ones that nobody bears, put together from two."""
BUILT: Final = 0.06
"""And so many are put together in the manner of a people."""
GOODS: Final = 0.1
"""So many namesakes are goods, and twice as many products, that do bear such a name."""
_NAMED: Final = re.compile(r"<(?:first|last|figure|person)>")
_PARTICLES: Final = frozenset("de da do dos del la d e y and & von van der".split())
_NOUNS: Final = frozenset("Lei Ley Fallo Alerta Plano Plan Doctrina Código".split())
ENDINGS: Final = {
    "pt": ("inho", "inha", "ão", "ona", "zinho", "zão", "eco"),
    "es": ("ito", "ita", "illo", "ín", "ote", "azo", "uchi"),
    "en": ("ie", "y", "o", "sy", "bo", "ster"),
}
ACCENTS: Final = {
    "Jose": "José", "Joao": "João", "Antonio": "Antônio", "Luis": "Luís", "Marcia": "Márcia", "Patricia": "Patrícia",
    "Leticia": "Letícia", "Vitoria": "Vitória", "Julia": "Júlia", "Lucia": "Lúcia", "Debora": "Débora",
    "Sergio": "Sérgio", "Claudia": "Cláudia", "Fabio": "Fábio", "Vinicius": "Vinícius", "Sebastiao": "Sebastião",
    "Conceicao": "Conceição", "Monica": "Mônica", "Andre": "André", "Helio": "Hélio", "Sonia": "Sônia",
    "Veronica": "Verônica", "Cesar": "César", "Angela": "Ângela", "Fatima": "Fátima", "Ines": "Inês",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Weighted:
    """Names with how often each is drawn."""

    names: Sequence[str]
    sums: Sequence[float]

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, float]]) -> Weighted:
        return cls([name for name, _ in pairs], list(accumulate(weight**FLATTEN for _, weight in pairs)))

    def draw(self, dice: random.Random) -> str:
        """A common name mostly, any name now and then."""
        if dice.random() < TAIL:
            return dice.choice(self.names)
        return dice.choices(self.names, cum_weights=self.sums)[0]


def _census(path: Path, column: str, least: float) -> Weighted:
    with path.open(encoding="utf-8") as file:
        rows = [(row["name"].title(), float(row[column])) for row in csv.DictReader(file)]
    return Weighted.of([(ACCENTS.get(name, name), weight) for name, weight in rows if weight >= least])


def _is_name(name: str) -> bool:
    """Whether a line is a name alone, without the noun of one language: `Benjamini-Hochberg`, no `teste de Thomas`."""
    words = name.split()
    if "'s" in name or words[0] in _NOUNS:
        return False
    return all(word[0].isupper() or word in _PARTICLES for word in words)


class Fillers:
    """Draws the fillers of a language. The same seed draws the same ones."""

    def __init__(self, lists: Path, dice: random.Random) -> None:
        self.dice = dice
        given, family = blocks("given_names"), blocks("surnames")
        brazilian = (lists / "br_surnames_handwritten.txt").read_text(encoding="utf-8").split()
        self.given = {
            "pt": _census(lists / "ibge_first_names.csv", "bearers_2010", 60),
            "en": _census(lists / "us_census_1990_first_names.csv", "percent", 0.001),
        }
        self.surnames = {"en": _census(lists / "us_census_1990_surnames.csv", "percent", 0.001)}
        self.pet = {
            "pt": given["Portuguese pet names"],
            "en": given["English"],
            "es": given["Spanish pet names"],
        }
        self.own_given = {"pt": given["Portuguese"], "en": given["English"], "es": given["Spanish"]}
        self.own_family = {"pt": [*brazilian * 3, *family["Portuguese"]], "es": family["Spanish"]}
        self.foreign = (given["From everywhere"], family["From everywhere"])
        doubles = blocks("double_names")
        self.doubles = {"pt": doubles["Portuguese"], "en": doubles["English"], "es": doubles["Spanish"]}
        self.nicknames = doubles["Pet names and nicknames"]
        parts = blocks("name_parts")
        manners = sorted({heading.rpartition(", ")[0] for heading in parts if ", " in heading})
        self.parts = [(parts[f"{manner}, starts"], parts[f"{manner}, ends"]) for manner in manners]
        self.cities = sorted({name for name in places() if len(name) > 2})
        self.figures = list(handwritten("figures"))
        self.brands = list(handwritten("companies"))
        self.systems = list(handwritten("systems"))
        self.methods = [name for name in handwritten("methods") if _is_name(name)]
        self.goods = list(handwritten("goods"))
        self.named_goods = [name for name in self.goods if _is_name(name)]
        known = {plain(name) for name in (*self.given["pt"].names[:9000], *self.given["en"].names[:1500])}
        self.human_systems = [name for name in self.systems if plain(name.split()[0]) in known]
        self.machine_systems = [name for name in self.systems if name not in self.human_systems]
        # Half of the figures start with a title or a saint's: alone these are no name.
        starts = {
            name.split()[0] for name in self.figures if " " not in name or plain(name.split()[0]) in known
        }
        self.figure_starts = sorted(starts)
        self.one_word_goods = [name for name in self.named_goods if " " not in name]
        self.long_goods = [name for name in self.named_goods if " " in name]

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    # persons

    def built(self) -> str:
        """A name that no list holds, such as a stranger's."""
        starts, ends = self.dice.choice(self.parts)
        return self.dice.choice(starts) + self.dice.choice(ends)

    def first(self, lang: str) -> str:
        if self.chance(BUILT / 2):
            return self.built()
        if self.chance(RARE):
            return self._rare(self._first(lang), self._first(lang), lang)
        return self._first(lang)

    def _rare(self, one: str, other: str, lang: str) -> str:
        """A name that no list holds: the halves of two, or one made small or great as friends do."""
        if self.chance(0.3) and lang in ENDINGS and len(one) > 3:
            return one[:-1].rstrip("aeiou") + self.dice.choice(ENDINGS[lang])
        return one[: (len(one) + 1) // 2] + other[len(other) // 2 :].lower()

    def _first(self, lang: str) -> str:
        draw = self.dice.random()
        if draw < 0.07:
            return self.dice.choice(self.pet[lang])
        if draw < 0.13:
            return self.dice.choice(self.foreign[0])
        if draw < 0.17:
            return self.double(lang)
        if lang == "es":
            return self.dice.choice(self.own_given["es"]) if draw < 0.7 else self.given["pt"].draw(self.dice)
        if draw < 0.24:
            return self.dice.choice(self.own_given[lang])
        return self.given[lang].draw(self.dice)

    def double(self, lang: str) -> str:
        """A first name that is also a word, a town, a flower."""
        return self.dice.choice(self.doubles[lang])

    def nickname(self, lang: str) -> str:
        """A pet name, or a first name cut short as friends do: Gui, Fer, Pri."""
        draw = self.dice.random()
        if draw < 0.35:
            return self.dice.choice(self.pet[lang])
        if draw < 0.6:
            return self.dice.choice(self.nicknames)
        name = self.given[lang if lang in self.given else "pt"].draw(self.dice)
        return name[: self.dice.choice((2, 3, 3, 4))]

    def last(self, lang: str) -> str:
        if self.chance(BUILT):
            return self.built()
        if self.chance(RARE):
            return self._rare(self._last(lang), self._last(lang), "")
        return self._last(lang)

    def _last(self, lang: str) -> str:
        if self.chance(0.08):
            return self.dice.choice(self.foreign[1])
        if lang == "en" or self.chance(0.1):
            return self.surnames["en"].draw(self.dice)
        return self.dice.choice(self.own_family[lang])

    def full(self, lang: str) -> str:
        if self.chance(0.05):
            return f"{self.dice.choice(self.foreign[0])} {self.dice.choice(self.foreign[1])}"
        given = [self.first(lang)]
        if self.chance(0.25):
            given.append(self.first(lang))
        family = [
            self.last(lang) for _ in range(self.dice.choice((1, 1, 2) if lang != "en" else (1, 1, 1, 1, 2)))
        ]
        return self._arranged(lang, given, family)

    def _arranged(self, lang: str, given: list[str], family: list[str]) -> str:
        draw = self.dice.random()
        if draw < 0.03:
            return f"{' '.join(family)}, {' '.join(given)}"
        if draw < 0.07:
            given = [given[0], *(f"{name[0]}." for name in given[1:] or [self.first(lang)])]
        elif draw < 0.1:
            given = [f"{name[0]}." for name in given]
        elif draw < 0.12 and lang == "en":
            family = ["-".join([*family, self.last(lang)])]
        if lang != "en" and self.chance(0.3):
            particle = ("de", "da", "dos", "do", "de") if lang == "pt" else ("de", "de la", "del")
            family[-1] = f"{self.dice.choice(particle)} {family[-1]}"
        if lang == "pt" and self.chance(0.06):
            family.append(self.dice.choice(("Filho", "Neto", "Júnior", "Jr.", "Sobrinho")))
        return " ".join([*given, *family])

    def typo(self, name: str) -> str:
        """The name with two letters swapped, one doubled or one lost: it should still be seen as a name."""
        place = self.dice.randrange(1, max(2, len(name) - 1))
        kind = self.dice.randrange(3)
        if kind == 0:
            return name[:place] + name[place : place + 2][::-1] + name[place + 2 :]
        return (
            name[:place] + name[place] * (2 if kind == 1 else 0) + name[place + 1 :]
            if place < len(name)
            else name
        )

    # what looks like a person and is none

    def bare(self, lang: str) -> str:
        """One word like a first name: of a host, a ward, a storm, an assistant."""
        draw = self.dice.random()
        if draw < 0.12:
            return self.dice.choice(self.figure_starts)
        if draw < 0.12 + GOODS:
            return self.dice.choice(self.one_word_goods)
        return self.double(lang) if draw < 0.3 + GOODS else self.first(lang)

    def bare_full(self, lang: str) -> str:
        """Several words like a person's full name: of a street, a station, a brand."""
        draw = self.dice.random()
        if draw < 0.3:
            return self.dice.choice(self.figures)
        if draw < 0.45:
            return self.pattern(STREET_NAMES[lang], lang)
        if draw < 0.45 + GOODS:
            return self.dice.choice(self.long_goods)
        return f"{self.first(lang)} {self.last(lang)}" if draw < 0.7 else self.full(lang)

    def drug(self) -> str:
        """A word that ends like a medicine's."""
        starts, ends = DRUG_PARTS
        return self.dice.choice(starts) + self.dice.choice(ends)

    def pattern(self, choices: Sequence[str], lang: str) -> str:
        """One of the patterns with its own slots filled."""
        return re.sub(r"<(\w+)>", lambda match: self._part(match[1], lang), self.dice.choice(choices))

    def _part(self, name: str, lang: str) -> str:
        named = {"first": self.first, "last": self.last, "person": self._person}.get(name)
        if named:
            return named(lang)
        listed = {"figure": self.figures, "city": self.cities}.get(name)
        if listed:
            return self.dice.choice(listed)
        if name == "n":
            return str(self.dice.randrange(1, 400))
        source = {"thing": COMPANY_THINGS, "street": STREET_NAMES, "named": FACILITY_NAMES}[name]
        return self.pattern(source[lang], lang)

    def _person(self, lang: str) -> str:
        return self.full(lang) if self.chance(0.5) else f"{self.first(lang)} {self.last(lang)}"

    def company(self, lang: str) -> str:
        return self.dice.choice(self.brands) if self.chance(0.4) else self.pattern(COMPANIES[lang], lang)

    def branch(self, lang: str) -> str:
        return self.dice.choice(self.cities) if self.chance(0.4) else self.pattern(BRANCHES[lang], lang)

    def street(self, lang: str) -> str:
        return self.pattern(STREETS[lang], lang)

    def facility(self, lang: str) -> str:
        return self.pattern(FACILITIES[lang], lang)

    def system(self, human: bool) -> str:
        return self.dice.choice(self.human_systems if human and self.chance(0.6) else self.machine_systems)

    def product(self, lang: str) -> str:
        return self.dice.choice(self.goods) if self.chance(2 * GOODS) else self.pattern(PRODUCTS[lang], lang)

    def eponym(self, lang: str) -> str:
        """Half of them with a name that people do give to a method, a law or a sign."""
        if self.chance(0.5):
            return self.pattern(EPONYMS[lang], lang)
        choices = [choice for choice in EPONYMS[lang] if _NAMED.search(choice)]
        return _NAMED.sub(lambda _: self.dice.choice(self.methods), self.dice.choice(choices))

    def named(self, lang: str) -> str:
        return self.pattern(NAMED[lang], lang)

    def role(self, lang: str) -> str:
        return self.dice.choice(ROLES[lang])

    def team(self, lang: str) -> str:
        return self.dice.choice(TEAMS[lang])
