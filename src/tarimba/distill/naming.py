"""What a note names, and whether that was used in the work it is drawn from. Pure.

A procedure nobody carried out is not one: a model that adds a command of its own, or takes one from what a customer
demanded, would teach every agent to run it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tarimba.conversations.model import Turn
from tarimba.distill.guards import fold
from tarimba.distill.model import TEXT_MAX, Offer

CUSTOMER: Final = "customer"

_SPAN: Final = re.compile(r"`{1,3}([^`]{1,500})`{1,3}")
# Words alone: what has the form of a name is looked at, whatever stands around it.
_PLACEHOLDER: Final = re.compile(r"\{[^\W\d_]+(?: [^\W\d_]+){0,3}\}|\[[^\W\d_]+\]")
_OPEN: Final = r"[\[{<(\"'`]*"
_ARTICLE: Final = r"(?:(?:the|an?|your|o|a|os|as|um|uma|el|la|los|las|una?|su) )?"
# What is told to be run is a command, and what stands beside the word a tool, however plain it looks.
_RUN: Final = re.compile(
    rf"\b(?:runs?|executes?|invokes?|rod[ae]r?|execut[ae]r?|ejecut[ae]r?|invoc[ae]r?) {_OPEN}{_ARTICLE}{_OPEN}"
    r"(?P<name>[\w./-]+)"
    rf"|\b(?:ferramentas?|herramientas?|comandos?|scripts?) {_OPEN}(?P<after>[\w./-]+)"
    r"|(?P<before>[\w./-]+)[\]})>\"'`]* (?:tools?|commands?|scripts?)\b",
    re.IGNORECASE,
)
_PLAIN: Final = frozenset(
    """
    a again all and any as at before both by command comando de del do each every few first for from if in it its
    no not of on once one only or other que right same se script that the them then these this those to tool until
    what when with which an o os e em na no nos para por com sem que esse essa este esta isso isto mais uma um cada
    todo toda todos todas depois antes novamente el la los las en con sin y ese esa eso esto otra otro otras otros
    new next last more two three your our my their so novo nova de da das dos ao
    """.split()
)
# Outside a code span: what has the form of a name that a program gave.
_NAME: Final = re.compile(
    r"https?://[^\s`)>\]]+|(?<![\w/.@-])(?:"
    r"\w+(?:_\w+)+"  # close_period
    r"|[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+"  # ledger.close
    r"|[a-z][a-z0-9]*[A-Z]\w*"  # closePeriod
    r"|\w+(?=\((?!e?s\)|[ao]s?\)))"  # close( but not item(s)
    r"|--[a-z][\w-]+"  # --force
    r"|/[A-Za-z][\w-]*(?:/[\w.{}-]+)*"  # /v1/ledger
    r"|\w+(?:::|->|=>)\w+"
    r"|\$ ?[a-z][\w-]+"
    r"|(?<=\w )-[a-z]{1,3}(?=\s|$)"  # -rf
    # An address is for the detectors.
    r")(?![\w.-]*@)"
)
_ABBREVIATIONS: Final = frozenset({"e.g", "i.e", "p.ex", "a.m", "p.m"})
_TITLED: Final = re.compile(r"(?<=[a-zà-ÿ0-9,;)] )[A-ZÀ-Þ][a-zà-ÿ]{2,}\w*")
_CALENDAR: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december segunda terca quarta quinta sexta sabado domingo".split()
)
_PIECE: Final = re.compile(r"[\w./:$@#-]*\w")


def evidence_of(turns: Iterable[Turn], *, with_customers: bool = False) -> str:
    """What was done and said in the work, as `occurs` looks through it.

    What a customer said is no evidence of what was done, so it is left out unless `with_customers`.
    """
    kept = [turn for turn in turns if with_customers or turn.role != CUSTOMER or turn.operation]
    return "\n".join(fold(one[:TEXT_MAX]) for turn in kept for one in _texts(turn) if one)


def unknown_names(offer: Offer, turns: Sequence[Turn]) -> bool:
    """Whether the offer names a tool, an operation or a command that the evidence does not hold."""
    done = evidence_of(turns)
    said = evidence_of(turns, with_customers=True)
    text = f"{offer.title}\n{offer.body}"
    return any(not _occurs(name, done) for name in _named(text)) or any(
        not _occurs(fold(word), said) for word in _TITLED.findall(offer.body) if fold(word) not in _CALENDAR
    )


def _named(text: str) -> set[str]:
    plain = _PLACEHOLDER.sub(" ", text)
    inside = [piece for span in _SPAN.findall(plain) for piece in _PIECE.findall(span)]
    outside = _NAME.findall(_SPAN.sub(" ", plain))
    told = [one for match in _RUN.finditer(plain) for one in match.groupdict().values() if one]
    run = [one for one in told if fold(one).rstrip(".:-") not in _PLAIN]
    named = {fold(one).lstrip("$ ").rstrip(".:-") for one in (*inside, *outside, *run)}
    return {one for one in named if one and one not in _ABBREVIATIONS and re.search(r"[^\W\d_]", one)}


def _occurs(name: str, evidence: str) -> bool:
    """Whether the evidence holds the name as a whole: `close` is in `ledger.close`, not in `close_all`."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", evidence) is not None


def _texts(turn: Turn) -> tuple[str | None, ...]:
    objects = " ".join(kind for kind, _ in turn.objects)
    own = (turn.operation, turn.purpose, objects)
    return own if turn.role == CUSTOMER and turn.operation else (*own, turn.text, turn.result)
