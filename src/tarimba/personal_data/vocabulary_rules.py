"""What may stand in the vocabulary of a space, and which findings it cancels. Pure.

An entry cancels names found by lists or a model that lie fully inside it, a role mailbox that one address. What
rules found, and what the space knows of its customers, no entry touches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tarimba.errors import Refusal, invalid
from tarimba.personal_data.fold import fold, folded, plain
from tarimba.personal_data.model import Finding
from tarimba.personal_data.reading import readings
from tarimba.personal_data.structured import Structured
from tarimba.text import GateError, clean

TERM_MAX: Final = 128
ENTRIES_MAX: Final = 5000
MAILBOX: Final = "role_mailbox"
REASONS: Final = ("system_name", "company", "common_word", "branch", "product", MAILBOX)

_WORD: Final = re.compile(r"\w+")
_ENDS: Final = re.compile(r"^[\W_]+|[\W_]+$")
_ADDRESS: Final = re.compile(r"[a-z0-9][a-z0-9._+-]{0,63}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{2,63}")
_LOCAL_WORD: Final = re.compile(r"[a-z]+")
_PRIVATE: Final = re.compile(
    r"@(?:gmail|googlemail|hotmail|outlook|yahoo|icloud|protonmail|proton|uol|bol|terra|ig|live|msn|aol|gmx|yandex)\."
)
IsFirstName = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Term:
    """A term that may stand in the vocabulary. `folded` is what texts are compared with."""

    text: str
    folded: str
    reason: str
    confirmed: bool = False


def checked_term(
    text: str, reason: str, *, confirmed: bool, is_first_name: IsFirstName, where: str = ""
) -> Term:
    """The term as it is stored. Raises 422 naming field and rule.

    `confirmed` is a person's word that a common first name alone is none here.
    """
    if reason not in REASONS:
        raise invalid(f"{where}reason", f"must be one of {', '.join(REASONS)}")
    try:
        cleaned = clean(text, field=f"{where}term", max_length=TERM_MAX, one_line=True)
    except GateError as error:
        raise Refusal("invalid_input", error.sentence) from None
    term = Term(cleaned, fold_term(cleaned), reason, confirmed)
    if not term.folded:
        raise invalid(f"{where}term", "must hold a letter or a digit")
    if reason == MAILBOX:
        _refuse_person(term, is_first_name, where)
    elif not confirmed and is_single(term.folded) and is_first_name(term.folded):
        sentence = (
            "must be true for a term that is a common first name: a person vouches that it is none here"
        )
        raise invalid(f"{where}confirmed", sentence)
    refuse_kinds(_kinds(term), where)
    return term


def refuse_kinds(kinds: Iterable[str], where: str = "") -> None:
    """Raises 422 for a term in which personal data was found."""
    named = ", ".join(sorted(kinds))
    if named:
        raise invalid(f"{where}term", f"must hold no personal data (found: {named})")


def fold_term(text: str) -> str:
    """Plain letters, single blanks, no signs around."""
    return _ENDS.sub("", " ".join(plain(folded(text)).split()))


def is_single(term: str) -> bool:
    return len(_WORD.findall(term)) == 1


def _kinds(term: Term) -> set[str]:
    """What rules find in a term, but for the one address that a role mailbox is."""
    found = {finding.kind for finding in Structured().find(readings(term.text))}
    return found - {"email"} if term.reason == MAILBOX else found


def _refuse_person(term: Term, is_first_name: IsFirstName, where: str) -> None:
    field = f"{where}term"
    if not _ADDRESS.fullmatch(term.folded):
        raise invalid(field, "must be one e-mail address and nothing else")
    local = term.folded.partition("@")[0]
    if _PRIVATE.search(term.folded) or any(map(is_first_name, _LOCAL_WORD.findall(local))):
        raise invalid(field, "must be the address of a role, not of a person")


class Vouched:
    """The vocabulary while one note is checked; `load` (folded term and reason) is called when it is first needed."""

    def __init__(self, load: Callable[[], Iterable[tuple[str, str]]]) -> None:
        self._load = load
        self._entries: _Entries | None = None
        self._stretches: dict[str, list[tuple[int, int]]] = {}

    def pardons(self, text: str, finding: Finding) -> bool:
        """Whether an entry covers the whole finding in this text."""
        if finding.kind == "email":
            return fold_term(text[finding.start : finding.end]) in self._known().mailboxes
        if finding.kind != "name":
            return False
        start, end = _inner(text, finding)
        return any(left <= start and end <= right for left, right in self._covered(text))

    def _known(self) -> _Entries:
        if self._entries is None:
            self._entries = _Entries(self._load())
        return self._entries

    def _covered(self, text: str) -> list[tuple[int, int]]:
        known = self._stretches.get(text)
        if known is None:
            known = self._stretches[text] = list(self._known().stretches(text))
        return known


class _Entries:
    """Entries by their words: a text is looked through once, however many there are."""

    __slots__ = ("_phrases", "_sizes", "mailboxes")

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        mailboxes: set[str] = set()
        phrases: set[str] = set()
        sizes: dict[str, set[int]] = {}
        for term, reason in entries:
            if reason == MAILBOX:
                mailboxes.add(term)
            else:
                words = _WORD.findall(term)
                phrases.add(term)
                sizes.setdefault(words[0], set()).add(len(words))
        self.mailboxes = frozenset(mailboxes)
        self._phrases = phrases
        self._sizes = sizes

    def stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans of the original text that an entry covers."""
        view = fold(text)
        low = plain(view.text)
        words = list(_WORD.finditer(low))
        for at, word in enumerate(words):
            for size in self._sizes.get(word[0], ()):
                last = words[min(at + size, len(words)) - 1]
                # A stretch far longer than any term is not worth its folding.
                is_near = last.end() - word.start() <= 2 * TERM_MAX
                if is_near and " ".join(low[word.start() : last.end()].split()) in self._phrases:
                    yield view.span(word.start(), last.end())


def _inner(text: str, finding: Finding) -> tuple[int, int]:
    """The finding without signs at its ends."""
    start, end = finding.start, finding.end
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return start, end
