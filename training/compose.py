"""Compose training texts: carriers with their slots filled, alone or in company, in many manners of writing."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tarimba.personal_data.name_words import SYSTEMS
from training.fillers import Fillers

SLOT: Final = re.compile(r"\{([A-Z]+)\}")
PERSON, COMPANY, PLACE, OTHER = "P", "G", "L", "O"
PERSONS: Final = ("FULL", "FIRST", "LAST", "FIRSTLAST", "INITIAL", "UPPER", "LOWER", "LOWFIRST", "LOWLAST", "UPFIRST",
                  "UPLAST", "ODD", "NICK")  # fmt: skip
NAMESAKES: Final = ("BARE", "BARELAST", "BAREFULL", "BARELOW", "BAREUP")
"""Named like a person, with nothing but the sentence to tell it from one."""
LABELS: Final = {
    **dict.fromkeys(PERSONS, PERSON),
    **dict.fromkeys(("ORG", "HOSPITAL", "SYSTEM", "PRODUCT", "NAMED", "EPONYM", "DRUG", *NAMESAKES), COMPANY),
    **dict.fromkeys(("BRANCH", "STREET", "CITY"), PLACE),
}
COMPANY_SHARE: Final = 0.4
"""So many texts get a neighbour, and so many of those another one."""
SPARED: Final = 0.1
"""So often a carrier without a person is left out: notes hold more persons than namesakes of them."""
REPEATS: Final = {"AGAIN": 0, "SAME": -1}
"""What the first labelled slot of the carrier holds, or the last one before."""
TYPOS: Final = 0.04
PLAIN: Final = str.maketrans(
    "áàâãäéêèëíîìïóôõòöúûùüçñÁÀÂÃÄÉÊÈËÍÎÌÏÓÔÕÒÖÚÛÙÜÇÑ", "aaaaaeeeeiiiiooooouuuucnAAAAAEEEEIIIIOOOOOUUUUCN"
)
SEAMS: Final = (" ", " ", " ", "\n", "\n- ", "\n\n", " - ", "; ")


@dataclass(frozen=True, slots=True)
class Carrier:
    lang: str
    text: str

    @property
    def personal(self) -> bool:
        return any(LABELS.get(slot) == PERSON for slot in SLOT.findall(self.text))


@dataclass(frozen=True, slots=True)
class Sample:
    """A text and, for some of its stretches, what they are."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


def carriers(paths: Sequence[Path]) -> list[Carrier]:
    lines = (line for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    return [Carrier(row["lang"], row["text"]) for row in map(json.loads, lines)]


def samples(all_carriers: Sequence[Carrier], fillers: Fillers, times: int) -> Iterator[Sample]:
    """Every carrier filled so many times, many next to others of its language without a person."""
    companions = {
        lang: [c for c in all_carriers if c.lang == lang and not c.personal] for lang in ("pt", "en", "es")
    }
    for _ in range(times):
        for carrier in all_carriers:
            if not carrier.personal and fillers.chance(SPARED):
                continue
            made = filled(carrier, fillers)
            while fillers.chance(COMPANY_SHARE):
                other = filled(fillers.dice.choice(companions[carrier.lang]), fillers)
                made = joined(made, other, fillers.dice)
            yield written(made, fillers)


def filled(carrier: Carrier, fillers: Fillers) -> Sample:
    pieces: list[str] = []
    spans: list[tuple[int, int, str]] = []
    named: list[tuple[str, str]] = []
    at = size = 0
    for match in SLOT.finditer(carrier.text):
        before = carrier.text[at : match.start()]
        slot = match[1]
        if slot in REPEATS:
            slot, text = named[REPEATS[slot]]
        else:
            text = filler(slot, carrier, before, fillers)
        size += len(before)
        if slot in LABELS:
            spans.append((size, size + len(text), LABELS[slot]))
            named.append((slot, text))
        pieces += (before, text)
        size += len(text)
        at = match.end()
    return Sample("".join([*pieces, carrier.text[at:]]), tuple(spans))


def filler(slot: str, carrier: Carrier, before: str, fillers: Fillers) -> str:
    lang = carrier.lang
    if LABELS.get(slot) == PERSON:
        name = person(slot, lang, fillers)
        return fillers.typo(name) if fillers.chance(TYPOS) else name
    if slot in NAMESAKES:
        return namesake(slot, lang, fillers)
    if slot == "DRUG":
        return fillers.drug()
    if slot == "SYSTEM":
        # A system with the name of a person is one only where the text says so.
        return fillers.system(human=any(word in SYSTEMS for word in before.lower().split()[-2:]))
    named = {
        "ORG": fillers.company, "HOSPITAL": fillers.facility, "PRODUCT": fillers.product, "BRANCH": fillers.branch,
        "STREET": fillers.street, "ROLE": fillers.role, "TEAM": fillers.team,
        "EPONYM": fillers.eponym, "NAMED": fillers.named,
    }.get(slot)  # fmt: skip
    if named:
        return named(lang)
    return fillers.dice.choice(fillers.cities) if slot == "CITY" else value(slot, fillers.dice)


def person(slot: str, lang: str, fillers: Fillers) -> str:
    if slot == "FIRSTLAST":
        return f"{fillers.first(lang)} {fillers.last(lang)}"
    if slot == "INITIAL":
        return f"{fillers.first(lang)[0]}."
    if slot in {"FULL", "UPPER", "LOWER"}:
        return cased(fillers.full(lang), slot)
    draw = {"ODD": fillers.double, "NICK": fillers.nickname}.get(slot)
    draw = draw or (fillers.last if slot.endswith("LAST") else fillers.first)
    return cased(draw(lang), slot)


def namesake(slot: str, lang: str, fillers: Fillers) -> str:
    draw = {"BARELAST": fillers.last, "BAREFULL": fillers.bare_full}.get(slot, fillers.bare)
    return cased(draw(lang), slot)


def cased(name: str, slot: str) -> str:
    if "UP" in slot:
        return name.upper()
    return name.lower().translate(PLAIN) if "LOW" in slot else name


def value(slot: str, dice: random.Random) -> str:
    if slot == "NUM":
        return str(dice.randrange(1, 10 ** dice.randrange(1, 6)))
    if slot == "DATE":
        day, month = dice.randrange(1, 29), dice.randrange(1, 13)
        return dice.choice((f"{day:02}/{month:02}/2026", f"2026-{month:02}-{day:02}", f"{day:02}/{month:02}"))
    if slot == "MONEY":
        return f"{dice.choice(('R$ ', '$', 'US$ ', '€'))}{dice.randrange(5, 9000)},{dice.randrange(100):02}"
    words = dice.sample(
        ("sync", "order", "retry", "fetch", "credit", "batch", "nota", "pix", "user", "status"), 2
    )
    number = dice.randrange(10, 9999)
    one, other = words
    forms = (f"{one}_{other}", f"{one.upper()}-{number}", f"ERR_{other.upper()}", f"{number}X", f"#{number}")
    return dice.choice((*forms, f"{one}{other.title()}", f"{other}-{one}-{number}"))


def joined(one: Sample, other: Sample, dice: random.Random) -> Sample:
    if dice.random() < 0.12:
        return _next(_next(one, " (", Sample("", ())), "", _next(other, ")", Sample("", ())))
    first, second = (one, other) if dice.random() < 0.5 else (other, one)
    return _next(first, dice.choice(SEAMS), second)


def _next(first: Sample, seam: str, second: Sample) -> Sample:
    shift = len(first.text) + len(seam)
    moved = tuple((start + shift, end + shift, label) for start, end, label in second.spans)
    return Sample(first.text + seam + second.text, first.spans + moved)


def written(sample: Sample, fillers: Fillers) -> Sample:
    """The text as hurried, loud or careful people write; offsets stay."""
    draw = fillers.dice.random()
    text = sample.text
    if draw < 0.09:
        text = _same_length(text, text.lower())
    elif draw < 0.16:
        text = _same_length(text, text.upper())
    elif draw < 0.24:
        text = text.translate(PLAIN)
    elif draw < 0.32:
        text = _same_length(text, text.lower()).translate(PLAIN)
    elif draw < 0.4:
        text = _proud(sample, fillers.dice)
    return Sample(text, sample.spans)


def _same_length(text: str, other: str) -> str:
    return other if len(other) == len(text) else text


def _proud(sample: Sample, dice: random.Random) -> str:
    """Some words outside names with a capital, as in headings or where a writer finds them important."""
    every = dice.random() < 0.3 and not any(label == PERSON for _, _, label in sample.spans)
    share = 1.0 if every else 0.15

    def raised(match: re.Match[str]) -> str:
        inside = any(start <= match.start() < end for start, end, _ in sample.spans)
        return match[0] if inside or dice.random() >= share else match[0][0].upper() + match[0][1:]

    return re.sub(r"\b[a-zà-ü]{4,}\b", raised, sample.text)
