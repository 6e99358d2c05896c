"""The text that one key holds: quoted, folded, literal or plain, judged by rules and constructed from nothing. Pure."""

from __future__ import annotations

import re
from typing import Final

from tarimba.skills.flow import Scanner, scanned
from tarimba.skills.frontmatter import Entry, values_of
from tarimba.skills.report import Report

_BLOCK: Final = re.compile(r"[|>](?:[+-][1-9]?|[1-9][+-]?)?(?:[ \t]+#.*)?")
_ANCHOR: Final = re.compile(r"&[A-Za-z0-9_-]+(?=\s|$)|\*[A-Za-z0-9_-]+(?=\s*$|\s+#)")
_ANCHOR_BELOW: Final = re.compile(r"(?:-[ \t]+)*(?:[^\s:&*\"'][^:\"']{0,200}:[ \t]+)?(?=[&*])")
_ANCHOR_IN_FLOW: Final = re.compile(
    r"[\[{,:][ \t]*(?:&[A-Za-z0-9_-]+(?=[ \t\[{])|\*[A-Za-z0-9_-]+(?=[ \t]*[,\]}]))"
)
_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.?)*(?:\"|$)|'[^']*(?:'|$)")
_SIGNS: Final = frozenset("@%*&!`|>,[]{}\"'")
_HASH: Final = re.compile(r"(?:^|[ \t])#")
_COLON: Final = re.compile(r":(?=\s|$)")
_NULL: Final = frozenset({"~", "null", "Null", "NULL"})
_KEY_OF_A_MAP: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*:(?:\s|$)")
_ESCAPE: Final = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\n|.|$)")
_ESCAPES: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", "\n": "",
}  # fmt: skip
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

TYPED: Final = re.compile(
    r"(?:true|false|yes|no|on|off|y|n|null|~|[-+]?\.inf|\.nan|=|<<)"
    r"|[-+]?(?:[0-9][0-9_,]*|0[xob][0-9a-f_]+)?(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t \t].*)?",
    re.IGNORECASE,
)
"""What YAML 1.1 or 1.2 reads as something that is no text."""


class NotTextError(Exception):
    """A key holds no text but a list or a map (`kind`), `null`, an anchor or an alias (`anchor`)."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


def has_anchor(entry: Entry) -> bool:
    """Whether a key that is not read uses an anchor or an alias. Text blocks and quotes are looked over."""
    if _BLOCK.fullmatch(entry.value):
        return False
    if _ANCHOR.match(entry.value) or _in_flow(entry.value):
        return True
    return any(_below(line.strip(" \t")) for line in entry.more)


def scalar(entry: Entry, report: Report) -> str:
    """The text of a key, white space as it came, "" where nothing is written. Raises NotTextError."""
    if _BLOCK.fullmatch(entry.value):
        return "\n".join(line.strip(" \t") for line in entry.more)
    lines = [line for line in values_of(entry) if line]
    if not lines:
        return ""
    if not entry.value and _is_collection(lines):
        raise NotTextError("kind")
    if _ANCHOR.match(lines[0]):
        raise NotTextError("anchor")
    first = lines[0][0]
    if first not in "\"'[{" or not _ends_well(scanned(lines)):
        return _plain(lines, entry, report)
    if first in "[{":
        raise NotTextError("kind")
    return _unquoted("\n".join(lines), first, entry, report)


def _is_collection(lines: list[str]) -> bool:
    """Whether lines below a bare key are a list or a map: each one an item, or each one a pair."""
    if (lines[0] + " ").startswith("- "):
        return True
    return all(_KEY_OF_A_MAP.match(line) for line in lines)


def _ends_well(scanner: Scanner) -> bool:
    return scanner.is_closed and not scanner.is_bad


def _unquoted(text: str, quote: str, entry: Entry, report: Report) -> str:
    inside = text[1 : _closing(text, quote)]
    if quote == "'":
        return inside.replace("''", "'")
    is_wrong = False

    def meant(found: re.Match[str]) -> str:
        nonlocal is_wrong
        code = found[1]
        if code in _ESCAPES:
            return _ESCAPES[code]
        if len(code) > 1 and int(code[1:], 16) <= 0x10FFFF:
            return chr(int(code[1:], 16))
        is_wrong = True
        return found[0]

    plain = _ESCAPE.sub(meant, inside)
    if _SURROGATE.search(plain):
        # JSON writes one character as two halves.
        whole = plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        is_wrong, plain = is_wrong or "\ufffd" in whole, whole
    if is_wrong:
        report.tell(entry.line, "escape")
    return plain


def _closing(text: str, quote: str) -> int:
    at = 1
    while text[at] != quote or (quote == "'" and text[at + 1 : at + 2] == "'"):
        at += 2 if text[at] in {"\\", quote} and (text[at] == quote or quote == '"') else 1
    return at


def _plain(lines: list[str], entry: Entry, report: Report) -> str:
    text = "\n".join(lines)
    if text in _NULL:
        raise NotTextError("null")
    if text[0] in "\"'":
        report.tell(entry.line, "quote")
        return text
    if text[0] in _SIGNS or (lines[0][:2] + " ")[:2] in {"- ", "? ", ": "}:
        report.tell(entry.line, "yaml-sign")
    if (found := _HASH.search(text)) is not None and entry.key == "name":
        report.tell(entry.line, "comment")
        text = text[: found.start()]
    elif found is not None:
        report.tell(entry.line, "hash")
    if _COLON.search(text):
        report.tell(entry.line, "colon")
    elif text and TYPED.fullmatch(text):
        report.tell(entry.line, "typed")
    return text


def _below(line: str) -> bool:
    found = _ANCHOR_BELOW.match(line)
    return (found is not None and _ANCHOR.match(line, found.end()) is not None) or _in_flow(line)


def _in_flow(line: str) -> bool:
    if "[" not in line and "{" not in line:
        return False
    return _ANCHOR_IN_FLOW.search(_QUOTED.sub('""', line)) is not None
