"""Train the models of names of persons and write them into the package.

`python -m training.train --lists DIR [--lener DIR] [--skills FILE]` after `python -m training.build_gazetteer` with the
same options. Without the two corpora they are trained on the carriers alone and find less.
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import pycrfsuite  # type: ignore[import-untyped]

from tarimba.personal_data.gazetteer import NOTHING, Gazetteer
from tarimba.personal_data.name_features import features_of
from tarimba.personal_data.name_judges import FILES
from tarimba.personal_data.name_tokens import Words, words_of
from tarimba.personal_data.name_words import CUES, PARTICLES
from training.build_gazetteer import HERE, TARGET, folded_words, handwritten
from training.compose import OTHER, PERSON, SLOT, Carrier, Sample, carriers, samples
from training.corpora import lener, skills
from training.fillers import Fillers

MODELS: Final = tuple(TARGET.with_name(name) for name in FILES)
SEED: Final = 20261130
TIMES: Final = 11
"""How often each carrier is filled."""
SKILLS_TIMES: Final = 3
"""How often each paragraph of a skill file is read, other words being unknown each time."""
LENER_LEAST: Final = 12
HIDDEN: Final = "\x00"
OPTIONS: Final = {"c1": 0.7, "c2": 1.0, "max_iterations": 80, "feature.minfreq": 9}


@dataclass(frozen=True, slots=True)
class Regime:
    """How much a model is kept from learning its lists and its carriers by heart, each a share from 0 to 1."""

    forget: float
    """In so many texts the lists know nothing of the persons: the model must then go by letters and neighbours."""
    strange: float
    """So many of the other words are unknown too, as in a text of a trade that no list covers."""
    blind: float
    """So many words show their kin and not themselves: the model must then go by what they mean."""


REGIMES: Final = (Regime(0.3, 0.06, 0.2), Regime(0.4, 0.08, 0.3))
"""One for each model: together they know strangers better than each alone."""


@dataclass(frozen=True, slots=True)
class Forgetful:
    """A gazetteer that knows nothing of some words."""

    known: Gazetteer
    forgotten: frozenset[str]

    def words(self, text: str) -> Words:
        words = words_of(text, self.known)
        pairs = zip(words.low, words.entries, strict=True)
        return replace(words, entries=[NOTHING if low in self.forgotten else entry for low, entry in pairs])


def vocabulary(texts: Iterable[Carrier], corpus: Sequence[Sample], known: Gazetteer) -> frozenset[str]:
    """The spellings that features may hold: words of the carriers, cues, and frequent ordinary words."""
    counts: Counter[str] = Counter()
    for carrier in texts:
        counts.update(folded_words(SLOT.sub(" ", carrier.text)))
    ours = {word for word, count in counts.items() if count > 1}
    outside: Counter[str] = Counter()
    for sample in corpus:
        inside = [range(start, end) for start, end, _ in sample.spans]
        outside.update(
            folded_words(match[0])[0]
            for match in re.finditer(r"[^\W\d_]+", sample.text)
            if not any(match.start() in span for span in inside)
        )
    frequent = {
        word for word, count in outside.items() if count >= LENER_LEAST and known.entry(word).word >= 2
    }
    listed = {
        word
        for name in ("pt", "en", "es")
        for line in handwritten(f"words_{name}")
        for word in folded_words(line)
    }
    return frozenset(ours | frequent | listed | set(CUES) | PARTICLES)


def rows(
    sample: Sample, known: Gazetteer, spelled: frozenset[str], regime: Regime, dice: random.Random
) -> tuple[list[list[str]], list[str]]:
    """Features and labels of one text."""
    inside = [sample.text[start:end] for start, end, label in sample.spans if label == PERSON]
    persons = {word for name in inside for word in folded_words(name)}
    others = {word for start, end, label in sample.spans if label != PERSON
              for word in folded_words(sample.text[start:end])}  # fmt: skip
    forgotten = persons if dice.random() < regime.forget else set()
    forgotten = forgotten | (others - persons if dice.random() < regime.forget else set())
    strange = {
        word for word in folded_words(sample.text) if word not in persons and dice.random() < regime.strange
    }
    unknown = frozenset(forgotten | strange) - PARTICLES
    words = Forgetful(known, unknown).words(sample.text)
    spelled -= unknown
    blind = {low for low in words.low if dice.random() < regime.blind}
    shown = [
        low if (low in spelled and low not in blind) or not low[0].isalpha() else HIDDEN for low in words.low
    ]
    features = [[item for item in row if HIDDEN not in item] for row in features_of(words, known, shown)]
    return features, list(labels(words, sample))


def labels(words: Words, sample: Sample) -> Iterator[str]:
    kinds = {}
    for start, end, label in sample.spans:
        kinds.update(dict.fromkeys(range(start, end), label))
    for start in words.starts:
        yield kinds.get(start, OTHER)


def train(
    all_samples: Iterable[Sample],
    known: Gazetteer,
    spelled: frozenset[str],
    target: Path,
    regime: Regime,
    seed: int,
) -> None:
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params(OPTIONS)
    dice = random.Random(seed)
    for sample in all_samples:
        features, tags = rows(sample, known, spelled, regime, dice)
        if tags:
            trainer.append(features, tags)
    trainer.train(str(target))


def train_all(options: argparse.Namespace) -> None:
    """One process for each model: they have nothing to do with each other."""
    with ProcessPoolExecutor(max_workers=min(len(MODELS), os.cpu_count() or 1)) as pool:
        for line in pool.map(partial(train_one, options), range(len(MODELS))):
            print(line)


def train_one(options: argparse.Namespace, number: int) -> str:
    """Train one of the models. Returns what it was trained on and its size."""
    known = Gazetteer.read(options.gazetteer.read_bytes())
    hands = [p for p in sorted((HERE / "carriers").glob("*.jsonl")) if p.stem not in options.without]
    ours = carriers(hands)
    corpus = [
        *(lener(options.lener) if options.lener else ()),
        *(SKILLS_TIMES * list(skills(options.skills, known)) if options.skills else ()),
    ]
    seed = SEED + number
    composed = [*samples(ours, Fillers(options.lists, random.Random(seed)), options.times), *corpus]
    target = options.out / MODELS[number].name
    train(composed, known, vocabulary(ours, corpus, known), target, REGIMES[number], seed)
    texts = f"{len(ours)} carriers of {len(hands)} hands, {len(composed)} texts"
    return f"{target.name}: {target.stat().st_size} bytes from {texts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--lener", type=Path)
    parser.add_argument("--skills", type=Path)
    parser.add_argument(
        "--without", nargs="*", default=[], help="hands that are kept out, to measure on them"
    )
    parser.add_argument("--gazetteer", type=Path, default=TARGET)
    parser.add_argument("--out", type=Path, default=TARGET.parent, help="the directory of the models")
    parser.add_argument("--times", type=int, default=TIMES)
    train_all(parser.parse_args())


if __name__ == "__main__":
    main()
