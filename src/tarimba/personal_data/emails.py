"""E-mail addresses: written, spelled out (`arroba`, `dot`), with blanks, brackets or an international domain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tarimba.personal_data.scan import Hit, Scan

_LOCAL_MAX: Final = 64
_WINDOW: Final = 80
_AT: Final = re.compile(r"@|\barroba\b|(?<=[(\[{<])\s?(?:at|a|en)\s?(?=[)\]}>])|\bat\b")
_LABEL: Final = r"[^\W_](?:[\w-]{0,62})"
_WRITTEN: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL}){{1,6}}")
_DOT_WORD: Final = r"\b(?:ponto|dot|punto|point)\b"
_DOT: Final = rf"\s{{0,2}}[(\[{{<]?\s?(?:[.,]|{_DOT_WORD})\s?[)\]}}>]?\s{{0,2}}"
_LOOSE: Final = re.compile(rf"({_LABEL})((?:{_DOT}{_LABEL}){{1,4}})")
_PART: Final = re.compile(rf"(?:[.,]|{_DOT_WORD})[)\]}}>\s]*({_LABEL})")
_SPOKEN_TAIL: Final = re.compile(
    r"(?:\s?[(\[{<]?\s?(?:ponto|dot|punto|point|underline|underscore|traco|hifen|guion|mais|plus)\s?[)\]}>]?\s?)$"
)
# Where people have private addresses: these are read even without their ending, and even inside a URL.
_FREE: Final = re.compile(
    r"(?:gmail|googlemail|hotmail|outlook|yahoo|icloud|protonmail|proton|uol|bol|terra|ig|live|msn|aol|gmx|yandex)\b"
)
_ENDINGS: Final = frozenset(
    "com net org edu gov mil int info biz io co ai app dev me tv cc us uk br pt es ar mx cl pe uy py bo ve ec cr do gt "
    "hn ni pa sv cu pr fr de it nl be ch at eu ie se no fi dk pl cz ru cn jp kr in au nz ca za ao mz cv tech online "
    "site store shop cloud email mail xyz adv eng med pro name club blog digital academy agency".split()
)
# Words that end a sentence about a host: "it is at docs dot acme dot com".
_NO_NAMES: Final = frozenset(
    {"look", "is", "available", "be", "or", "are", "us", "up", "in", "out", "hosted"}
)
_MASKED: Final = re.compile(r"[^\W_]\*{1,20}$")
_IMAGE_SCALE: Final = re.compile(r"\d(?:\.\d)?x\.")
_OPENING: Final = ' \n\t([{<"'
_CLOSING: Final = " \n\t)]}>"
_REMOTE: Final = re.compile(r"\b(?:ssh|scp|sftp|rsync|mosh|psql|sshfs)\b[^\n]{0,40}$")
_REMOTE_PATH: Final = re.compile(r":(?:\d{1,5}\b|[\w.~-]*/)")
_IDENTITY: Final = re.compile(
    r"\b([a-z]+[._][a-z0-9]+)\b[^\n]{0,40}\b(?:provedor|dominio|servidor|provider|domain|proveedor)\b[^\n]{0,12}\b"
    r"(?=gmail|hotmail|outlook|yahoo|icloud|uol|bol|terra)\w+"
)


def find_emails(scan: Scan) -> Iterator[Hit]:
    """Addresses of any domain, role mailboxes and documentation domains too."""
    for at in _AT.finditer(scan.low):
        written = _written(scan, at) if at[0] == "@" else None
        if written is None:
            yield from _loose(scan, at)
        elif not written.login:
            yield Hit("email", written.start, written.end)
    if "@" not in scan.low and _FREE.search(scan.low):
        for told in _IDENTITY.finditer(scan.low):
            yield Hit("email", told.start(), told.end())


class _Address(NamedTuple):
    start: int
    end: int
    login: bool
    """It names a user and a machine of a connection, not a mailbox."""


def _local_start(low: str, end: int) -> int:
    """Where the local part that ends at `end` starts; `end` if there is none."""
    start = end
    while start > max(0, end - _LOCAL_MAX) and (low[start - 1].isalnum() or low[start - 1] in "._+-'"):
        start -= 1
    while start < end and not low[start].isalnum():
        start += 1
    return start


def _written(scan: Scan, at: re.Match[str]) -> _Address | None:
    low = scan.low
    start = _local_start(low, at.start())
    if start == at.start() or low[start - 1 : start] in {"%", "$"} or _masked(low, start):
        return None
    free = _FREE.match(low, at.end())
    domain = _WRITTEN.match(low, at.end())
    if domain and _ends_well(domain[0]):
        return _Address(start, domain.end(), not free and _is_login(low, start, domain))
    return _Address(start, free.end(), login=False) if free else None


def _ends_well(domain: str) -> bool:
    last = domain.rsplit(".", 1)[1]
    known = last in _ENDINGS or last.startswith("xn--") or (len(last) >= 2 and last.isalpha())
    return known and not _IMAGE_SCALE.match(domain)


def _masked(low: str, start: int) -> bool:
    """`m***a@...` shows too little to identify anybody; `**maria@...` is emphasis."""
    return low[start - 1 : start] == "*" and _MASKED.search(low, max(0, start - 21), start) is not None


def _is_login(low: str, start: int, domain: re.Match[str]) -> bool:
    """User and host of a connection: `postgres://app:secret@db.host.com`, `git@host.com:team/repo`."""
    line = low[max(0, start - _WINDOW) : start]
    token = re.split(r"[\s\"'<>]", line)[-1]
    _, scheme, user = token.rpartition("://")
    if scheme and (":" in user or not user):
        return True
    return bool(_REMOTE_PATH.match(low, domain.end()) or _REMOTE.search(line))


def _loose(scan: Scan, at: re.Match[str]) -> Iterator[Hit]:
    low = scan.low
    before = low[max(0, at.start() - 4) : at.start()]
    end = at.start() - len(before) + len(before.rstrip(_OPENING))
    after = low[at.end() : at.end() + 8]
    begin = at.end() + len(after) - len(after.lstrip(_CLOSING))
    domain, free = _LOOSE.match(low, begin), _FREE.match(low, begin)
    start = _local_start(low, end) if domain or free else end
    if start == end:
        return
    stop = _domain_end(domain) if domain else 0
    if domain and stop and _plausible(low, at, start, end, low[domain.start(2) : stop], domain.start()):
        yield Hit("email", _spoken_start(low, start), stop)
    elif free and at[0].strip() == "arroba":
        yield Hit("email", start, free.end())


def _domain_end(domain: re.Match[str]) -> int:
    """Where the last label that is a known ending ends; 0 if there is none. A sentence may go on behind it."""
    ends = [part.end() for part in _PART.finditer(domain[2]) if part[1] in _ENDINGS]
    return domain.start(2) + ends[-1] if ends and not domain[1].isdigit() else 0


def _plausible(low: str, at: re.Match[str], start: int, end: int, dots: str, begin: int) -> bool:
    """Whether words around an at-sign are an address: for a bare "at" that takes a spoken dot."""
    if at[0] == "at" and not low[at.end() : begin].strip():
        return re.search(_DOT_WORD, dots) is not None and low[start:end] not in _NO_NAMES
    if at[0] == "@" and at.start() > end and at.end() == begin:
        # "follow @shop.com" is a handle; "maria.souza @gmail.com" an address.
        return not low[start:end].isalpha() or _FREE.match(low, at.end()) is not None
    return True


def _spoken_start(low: str, start: int) -> int:
    """The start of `john dot smith`, given that of `smith`."""
    for _ in range(3):
        said = _SPOKEN_TAIL.search(low, max(0, start - 16), start)
        if said is None:
            return start
        before = _local_start(low, said.start())
        if before == said.start():
            return start
        start = before
    return start
