"""The words of notes and queries, folded so that accents, case and inflection do not decide what is found.

Portuguese, English and Spanish mix in one company and often in one note, and a query has no language. So a
word has several forms, what each language's stemmer makes of it, and two words match when they share a form.
The databases only compare the opaque integers made here, so both find the same notes.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final

from snowballstemmer.english_stemmer import EnglishStemmer
from snowballstemmer.portuguese_stemmer import PortugueseStemmer
from snowballstemmer.spanish_stemmer import SpanishStemmer

# Stored beside the terms of every version: a change of any rule here must raise it, which rebuilds them.
VERSION: Final = "1"
MAX_QUERY_WORDS: Final = 64
MAX_NOTE_TERMS: Final = 2000

_TITLE, _TAGS, _BODY, _BODY_MOST = 6, 4, 1, 3
_WORD: Final = re.compile(r"[^\W_]+(?:[-._]+[^\W_]+)*")
_JOINTS: Final = re.compile(r"[-._]+")
_POSSESSIVE: Final = re.compile(r"['’ʼ]s\b")
_PLAIN: Final = re.compile(r"[a-z]{3,40}")
# Letters with a stroke or ligatures do not decompose.
_STROKES: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})

# The stemmers know these endings only with their accents, and nobody types accents into a search box; so all
# accents go first, and come back where an ending leaves no doubt. Plurals become singular before that.
_PORTUGUESE: Final = tuple(
    (re.compile(ending), becomes)
    for ending, becomes in (
        (r"(?:[ao]es|aos)$", "ao"),
        (r"(?<=[aeiou])ns$", "m"),
        (r"(?<=[aeou])is$", "l"),
        (r"(?<=[^aeiou]i)s$", "l"),
        (r"(?<=[a-z]{3})[ai]mentos?$", "ar"),
        (r"(?<=[a-z]{3})amente$", "o"),
        (r"cao$", "ção"),
        (r"ao$", "ão"),
        (r"(?<=[ae])ncias?$", "ncia"),
        (r"encia$", "ência"),
        (r"ancia$", "ância"),
        (r"avel$", "ável"),
        (r"ivel$", "ível"),
    )
)
_SPANISH: Final = tuple(
    (re.compile(ending), becomes)
    for ending, becomes in (
        (r"ces$", "z"),
        (r"(?<=[a-z]{3})amente$", "o"),
        (r"(?<=[cs])ion$", "ión"),
        (r"logia$", "logía"),
    )
)

# Words that say how a sentence is built and not what it is about. Folded, for all three languages at once.
_STOP_WORDS: Final = """
ao aos as com como da das de dela dele deles depois do dos em entre era essa esse esta este eu foi
foram ha isso isto ja lhe mais mas me mesmo meu minha muito na nao nas nem no nos num numa os ou
para pela pelas pelo pelos por qual quando que quem sao se sem ser seu seus so sua suas tambem te
tem tinha um uma voce
a an and are at be been but by can did does for from had has have he her him his how i if in into is
it its my of on or our she should so than that the their them then there these they this to was we
were what when where which who why will with would you your not
al algo ante aqui con cual cuando del desde donde el ella ellos en es esa ese eso esos esta estan
esto estos fue ha han hasta hay la las le les lo los mas mi muy ni pero porque pues quien si sin
sobre son su sus tambien tu un unas una unos y ya yo
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())


class Words:
    """Forms, terms and weights. One instance serves all threads and remembers what it stemmed."""

    version = VERSION

    def __init__(self, remembered: int = 20_000) -> None:
        self._local = threading.local()
        self._forms = lru_cache(maxsize=remembered)(self._inflected)

    def terms(self, text: str) -> list[str]:
        """The distinct forms of the words of the text, in order; stop words only when it has no others."""
        return list(dict.fromkeys(form for group in self._groups(text) for form in group))

    def forms(self, word: str) -> tuple[str, ...]:
        """The forms of one word in lower case without accents: two words match when they share one."""
        return self._forms(word)

    def query_terms(self, query: str) -> tuple[tuple[int, ...], ...]:
        """For each word of the query the ids of its forms: a note has the word when it has any of them.

        A compound (`post_credit`, `pre-edit`) is a word of its own before its parts. At most 64 words.
        """
        groups = dict.fromkeys(self._groups(query, MAX_QUERY_WORDS))
        return tuple(tuple(term_id(form) for form in group) for group in groups)

    def counting(self, query: str) -> Callable[[str], int] | None:
        """How many words of the query a text has, for many texts; None for a query without words.

        Each different word is looked up once, however many texts have it, and no term is hashed.
        """
        groups = list(dict.fromkeys(self._groups(query, MAX_QUERY_WORDS)))
        wanted: dict[str, int] = {}
        for place, forms in enumerate(groups):
            for form in forms:
                wanted[form] = wanted.get(form, 0) | 1 << place
        whole = (1 << len(groups)) - 1
        seen: dict[str, int] = {}

        def has(word: str) -> int:
            """The words of the query that this one is, as bits."""
            found = 0
            for form in self._forms(word):
                found |= wanted.get(form, 0)
            seen[word] = found
            return found

        def count(text: str) -> int:
            found = 0
            for word in _words(text):
                known = seen.get(word)
                found |= has(word) if known is None else known
                if found == whole:
                    break
            return found.bit_count()

        return count if groups else None

    def weighted(self, title: str, body: str, tags: Sequence[str]) -> dict[int, int]:
        """What is stored to find a note: term id -> weight 1..13, and each tag's exact term.

        The title counts more than the tags, and these more than the body, where a word counts up to three
        times. Past 2,000 terms (some 1,200 different words) what comes last in the body is not indexed.
        """
        weights = {tag_term(tag): 1 for tag in tags}
        for text, worth, most in (
            (title, _TITLE, _TITLE),
            (" ".join(tags), _TAGS, _TAGS),
            (body, _BODY, _BODY_MOST),
        ):
            for form, weight in self._weigh(text, worth, most).items():
                term = term_id(form)
                if term in weights or len(weights) < MAX_NOTE_TERMS:
                    weights[term] = weights.get(term, 0) + weight
        return weights

    def _weigh(self, text: str, worth: int, most: int) -> dict[str, int]:
        weights: dict[str, int] = {}
        for word in _words(text):
            for form in self._forms(word):
                weights[form] = min(weights.get(form, 0) + worth, most)
        return weights

    def _groups(self, text: str, most: int | None = None) -> list[tuple[str, ...]]:
        words = list(dict.fromkeys(_words(text)))
        telling = [word for word in words if not is_stop(word)]
        return [self._forms(word) for word in (telling or words)[:most]]

    def _inflected(self, word: str) -> tuple[str, ...]:
        plain = without_marks(word)
        if is_stop(word) or _PLAIN.fullmatch(plain) is None:
            return (_JOINTS.sub("_", plain),)
        portuguese, english, spanish = self._stemmers()
        singular, accion = _rewrite(plain, _PORTUGUESE), _rewrite(plain, _SPANISH)
        pairs = [(portuguese, singular), (spanish, accion), (english, plain)]
        if plain.endswith("eis"):
            pairs.append((portuguese, f"{plain[:-3]}il"))
        # Endings of verbs (`enviaría`) are lost with their accents; who writes them finds more.
        if plain != word:
            pairs += [(portuguese, word), (spanish, word)]
        return tuple(dict.fromkeys(_stem(stemmer, written) for stemmer, written in pairs))

    def _stemmers(self) -> tuple[Any, Any, Any]:
        """This thread's stemmers: they keep the word they work on in themselves.

        Named one by one, because the package's own factory takes another implementation where it finds one.
        """
        if not hasattr(self._local, "stemmers"):
            self._local.stemmers = (PortugueseStemmer(), EnglishStemmer(), SpanishStemmer())
        stemmers: tuple[Any, Any, Any] = self._local.stemmers
        return stemmers


def term_id(term: str) -> int:
    """The signed 64-bit integer that stands for a term in both databases."""
    return int.from_bytes(
        blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True
    )


def tag_term(tag: str) -> int:
    """The id that finds exactly this tag; no word has it, because no word holds a space."""
    return term_id(f"tag {tag}")


def rarity(total: int, having: int) -> int:
    """How much a word tells, 1..20, when `having` of `total` notes have it: twice log2 of the ratio, rounded.

    Integers only, so that no machine's floating point decides an order.
    """
    ratio = (max(total, 1) ** 2) // (max(having, 1) ** 2)
    return min(max(ratio.bit_length(), 1), 20)


def _words(text: str) -> Iterator[str]:
    """The words in lower case, marks kept where they are part of a letter; a compound, then its parts."""
    for found in _WORD.finditer(_POSSESSIVE.sub("", _lowered(text))):
        word = found[0]
        parts = _JOINTS.split(word)
        yield word
        if len(parts) > 1:
            yield from parts
            # `e-mail` is `email` to half of those who write it.
            if "-" in word:
                yield "".join(parts)


def _lowered(text: str) -> str:
    if text.isascii():
        return text.lower()
    table = {ord(char): _lowered_letter(char) for char in set(text) if not char.isascii()}
    return unicodedata.normalize("NFC", text).translate(table).lower()


def _lowered_letter(char: str) -> str:
    return "" if unicodedata.category(char)[0] == "M" else unicodedata.normalize("NFKC", char).casefold()


def without_marks(word: str) -> str:
    """The word with no accents, strokes or ligatures."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word.translate(_STROKES))
    return "".join(part for part in parts if unicodedata.category(part)[0] != "M")


def is_stop(word: str) -> bool:
    """Whether the word says how a sentence is built, or is a single letter."""
    plain = without_marks(word)
    return plain in STOP_WORDS or (len(plain) == 1 and plain.isascii() and plain.isalpha())


def _rewrite(word: str, endings: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for ending, becomes in endings:
        word = ending.sub(becomes, word)
    return word


def _stem(stemmer: Any, word: str) -> str:
    """The stem without accents, or the word itself where less than three letters would stand for too much."""
    stem = without_marks(stemmer.stemWord(word))
    return stem if len(stem) > 2 else without_marks(word)
