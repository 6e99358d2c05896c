"""Forms of the words in our lists by the regular rules of each language: a form that nobody uses does no harm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_PT: Final = {
    "ar": "o a as amos am ei ou aste aram ava avam ará arão aria ariam e es emos em ado ada ados adas ando asse assem "
    "armos arem ação ações adora ador adores amento amentos ável áveis",
    "er": "o e es emos em i eu eram ia iam erá erão eria eriam a am amos ido ida idos idas endo esse essem ermos erem "
    "edor edora edores imento imentos ível íveis",
    "ir": "o e es imos em i iu iram ia iam irá irão iria iriam a am amos ido ida idos idas indo isse issem irmos irem "
    "idor idora ição ições",
}
_ES: Final = {
    "ar": "o a as amos an é ó aste aron aba aban ará arán aría arían e es emos en ado ada ados adas ando ara aran "
    "arse arlo arla ación aciones ador adora adores amiento amientos able ables ándose",
    "er": "o e es emos en í ió ieron ía ían erá erán ería erían a an amos ido ida idos idas iendo iera ieran erse erlo "
    "erla edor edora edores imiento ible",
    "ir": "o e es imos en í ió ieron ía ían irá irán iría irían a an amos ido ida idos idas iendo iera ieran irse irlo "
    "irla ición iciones idor idora",
}
_VERBS: Final = {"pt": _PT, "es": _ES}
_PLURALS: Final = {
    "pt": (("ão", "ões"), ("al", "ais"), ("el", "eis"), ("ol", "ois"), ("il", "is"), ("m", "ns"), ("r", "res"),
           ("z", "zes"), ("s", "s"), ("", "s")),
    "es": (("z", "ces"), ("ión", "iones"), ("ón", "ones"), ("s", "s"), ("r", "res"), ("l", "les"), ("n", "nes"),
           ("d", "des"), ("", "s")),
}  # fmt: skip


def forms(word: str, lang: str) -> Iterator[str]:
    """The forms of a word in small letters: of a verb if it ends like one, else the plural and the other gender."""
    if lang == "en":
        yield from _english(word)
        return
    stem, ending = word[:-2], word[-2:]
    if ending in _VERBS[lang] and len(stem) > 1:
        for form in _VERBS[lang][ending].split():
            yield stem + form
            # abrir: abro; pagar: pague; tocar: toque; começar: comece
            if form[0] in "eé" and ending == "ar" and stem[-1] in "gcç":
                yield stem[:-1] + {"g": "gu", "c": "qu", "ç": "c"}[stem[-1]] + form
    yield from _plural(word, lang)
    if word.endswith("o"):
        yield word[:-1] + "a"
        yield word[:-1] + "as"
        yield word[:-1] + "amente"


def _plural(word: str, lang: str) -> Iterator[str]:
    for ending, plural in _PLURALS[lang]:
        if word.endswith(ending):
            yield word[: len(word) - len(ending)] + plural
            return


def _english(word: str) -> Iterator[str]:
    stem = word.removesuffix("e")
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        stem = word[:-1] + "i"
    sibilant = word.endswith(("s", "x", "z", "ch", "sh"))
    yield (stem + "es") if sibilant or stem.endswith("i") else word + "s"
    yield stem + "ed"
    yield (word if word.endswith("y") else word.removesuffix("e")) + "ing"
    yield stem + "er"
    yield word + "ly"
    # stop: stopped, stopping
    if len(word) > 2 and word[-1] in "bdglmnprt" and word[-2] in "aeiou" and word[-3] not in "aeiou":
        yield from (word + word[-1] + ending for ending in ("ed", "ing", "er"))
