"""Decoded views: what escapes, markup and encoded tokens say once somebody reads them."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from tarimba.personal_data.fold import folded
from tarimba.personal_data.views import Edit, View

_ESCAPE: Final = re.compile(
    r"(?P<percent>(?:%[0-9A-Fa-f]{2})+)"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?)"
    r"|\\(?:u\{?|U000|x)(?P<code>[0-9A-Fa-f]{2,5})\}?"
    r"|(?P<quoted>=40(?=[A-Za-z]))"
)
# Tags, emphasis and code marks: what a reader of the rendered text never sees. A tag longer than 200 characters is
# read as text, and so is one with an address in it: the bound keeps an unclosed one from costing more than its
# own length.
_MARKUP: Final = re.compile(r"<[^<>@]{0,200}>|[*~`]{1,3}|__")
_SPACED: Final = re.compile(r"(?<!\S)\S([ \-_*|.])\S(?:\1\S){4,}(?![^\W_])")
_SINGLES: Final = re.compile(r"(?<![^\W_])\d(?:[\W_]{1,3}\d(?![^\W_])){6,}")
_NOT_DIGIT: Final = re.compile(r"\D+")
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX: Final = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2}){7,})")
_HEX_BYTES: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{2}(?:[ :,]{1,2}(?:0x)?[0-9a-fA-F]{2}){6,}(?![0-9A-Za-z])"
)
# Digits, an address, or words that may be a name.
_WORTH_READING: Final = re.compile(r"\d[\W_]?\d|@|[^\W\d_]{2} [^\W\d_]{2}")
# Between two decoded tokens stands a break that no rule reads across.
_BREAK: Final = ".\n\n\n\n.\n"


def unescaped(view: View) -> View:
    """HTML entities, percent-encoding and Unicode escapes read, and once more for what was escaped twice."""
    once = view.rewrite(_unescapes(view.text))
    return once if once is view else once.rewrite(_unescapes(once.text))


def _unescapes(text: str) -> Iterator[Edit]:
    if not ("%" in text or "&" in text or "\\" in text or "=40" in text):
        return
    for match in _ESCAPE.finditer(text):
        new = _read_escape(match)
        if new != match[0]:
            yield match.start(), match.end(), new


def _read_escape(match: re.Match[str]) -> str:
    if match["percent"]:
        return folded(unquote(match[0]))
    if match["entity"]:
        return folded(html.unescape(match[0]))
    if match["quoted"]:
        return "@"
    code = int(match["code"], 16)
    # A lone surrogate is half of a character: nothing to read.
    return match[0] if 0xD800 <= code <= 0xDFFF else folded(chr(code))


def unmarked(view: View) -> View:
    """The view without HTML tags and Markdown emphasis."""
    return view.rewrite((m.start(), m.end(), "") for m in _MARKUP.finditer(view.text))


def joined(view: View) -> View:
    """Letters and digits that stand one by one (`m a r i a`, `1.1.9.8.7`) put together again."""
    closed = view.rewrite(_spaced(view.text))
    return closed.rewrite(_singles(closed.text))


def _spaced(text: str) -> Iterator[Edit]:
    for match in _SPACED.finditer(text):
        for at in range(match.start() + 1, match.end() - 1, 2):
            yield at, at + 1, ""


def _singles(text: str) -> Iterator[Edit]:
    for match in _SINGLES.finditer(text):
        for gap in _NOT_DIGIT.finditer(text, match.start(), match.end()):
            yield gap.start(), gap.end(), ""


def hidden(view: View) -> View:
    """The texts that base64 and hexadecimal tokens decode to, one after another; an empty view if there are none.

    Every character stands for its whole token. A token is read only if all of it decodes to readable text.
    """
    tokens = sorted((m.start(), m.end(), text) for m, text in _decoded(view.text))
    if not tokens:
        return View("", (), ())
    befores = [0, *(end for _, end, _ in tokens)]
    afters = [*(start for start, _, _ in tokens), len(view.text)]
    gaps = [(a, b, _BREAK) for a, b in zip(befores, afters, strict=True) if a < b]
    return view.rewrite(sorted(gaps + tokens))


def _decoded(text: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _TOKEN.finditer(text):
        found = _from_hex(match[0]) or _from_base64(match[0])
        if found:
            yield match, folded(found)
    for match in _HEX_BYTES.finditer(text):
        found = _from_hex(re.sub(r"0x|[ :,]", "", match[0]))
        if found:
            yield match, folded(found)


def _from_hex(token: str) -> str:
    match = _HEX.fullmatch(token)
    return _readable(bytes.fromhex(match[1])) if match else ""


def _from_base64(token: str) -> str:
    # Words and numbers are no base64: real tokens of this length mix cases.
    if token.islower() or token.isupper() or token.isdigit():
        return ""
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _readable(base64.b64decode(body + "=" * (-len(body) % 4), validate=True))
    except (binascii.Error, ValueError):
        return ""


def _readable(raw: bytes) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return ""
    printable = text.replace("\n", " ").replace("\t", " ").replace("\r", " ").isprintable()
    return text if printable and _WORTH_READING.search(text) else ""
