"""Whether a page holds anything that no template of ours wrote: it is read as a browser reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.contract.console.writing import marks

_SOURCE: Final = "\n".join(
    entry.read_text(encoding="utf-8")
    for entry in files("tarimba.console").joinpath("templates").iterdir()
    if entry.name.endswith(".html")
)
# What our templates use, by their source: an element or an attribute of any other name is somebody else's.
# `time` is written by `rendering`; the names of some attributes come from the calls of macros.
_TAGS: Final = {one.lower() for one in re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", _SOURCE)} | {"time"}
_ATTRIBUTES: Final = {one.lower() for one in re.findall(r"[\s{}]([a-zA-Z][a-zA-Z0-9-]*)=\"", _SOURCE)} | {
    "autocapitalize", "checked", "data-checked", "data-keeps", "data-list", "data-sends", "datetime", "defer",
    "disabled", "download", "formnovalidate", "hidden", "inputmode", "maxlength", "multiple", "open", "pattern",
    "placeholder", "readonly", "required", "reversed", "selected", "spellcheck",
}  # fmt: skip
_ADDRESSES: Final = {"href", "src", "action", "formaction", "data-to", "hx-get", "hx-post"}
_OURS: Final = re.compile(r"/console(?:[/?#]|$)|#[\w-]*$")
# Attributes in which the words of people have a place.
_WORDS: Final = {
    "value",
    "aria-label",
    "title",
    "placeholder",
    "data-graph",
    "data-confirm",
    "content",
    "label",
}
_STATIC: Final = "/console/static/"


@dataclass
class Judged:
    """What was found on pages: what is foreign, with where, and by its mark each text that is there whole."""

    payloads: tuple[str, ...]
    faults: list[str] = field(default_factory=list)
    shown: set[tuple[str, int]] = field(default_factory=set)

    def judge(self, where: str, page: str) -> None:
        root = LexborHTMLParser(page).root
        assert root is not None
        for node in root.traverse(include_text=True):
            for text, is_known in _texts(node):
                if not is_known:
                    self.faults.append(
                        f"{where}: a text of somebody in an attribute of <{node.tag}>: {text[:120]}"
                    )
                self._look(text)
            self.faults += [f"{where}: {one}" for one in _faults(node)]

    def _look(self, text: str) -> None:
        plain = " ".join(text.split())
        for name, number in marks(text):
            whole = f"{' '.join(self.payloads[number].split())} zq{name}z{number}z"
            if whole in plain or name.endswith(("_path", "email")):
                self.shown.add((name, number))

    def missing(self, names: Iterable[str]) -> dict[str, set[int]]:
        """The numbers of the payloads that no page showed, by field."""
        whole = set(range(len(self.payloads)))
        return {name: whole - {number for field, number in self.shown if field == name} for name in names}


def _texts(node: LexborNode) -> Iterator[tuple[str, bool]]:
    """The texts of a node, and whether it is a place for the words of people."""
    if node.tag == "-text":
        yield node.text_content or "", True
        return
    for name, value in _attributes(node):
        if any(marks(value)):
            yield value, name in _WORDS or name in _ADDRESSES
        if name == "data-graph":
            yield "\n".join(str(one) for one in json.loads(value)["names"]), True


def _faults(node: LexborNode) -> Iterator[str]:
    if str(node.tag).startswith(("-", "!")):
        return
    if node.tag not in _TAGS:
        yield f"an element <{node.tag}>"
    for name, value in _attributes(node):
        if name not in _ATTRIBUTES or name.startswith("on") or name in {"style", "srcdoc"}:
            yield f"an attribute {name} of <{node.tag}>"
        if name in _ADDRESSES and not _is_ours(str(node.tag), name, value):
            yield f"an address in {name} of <{node.tag}>: {value[:120]}"
    if node.tag == "script" and (node.text() or not node.attributes.get("src")):
        yield "a script of the page's own"
    if node.tag == "meta" and "http-equiv" in node.attributes:
        yield "a meta element that stands for a header"


def _is_ours(tag: str, name: str, value: str) -> bool:
    if tag in {"script", "link"}:
        return value.startswith(_STATIC)
    if tag == "img":
        return value.startswith("data:image/")
    return _OURS.match(value) is not None


def _attributes(node: LexborNode) -> Iterator[tuple[str, str]]:
    for name, value in node.attributes.items():
        yield name.lower(), value or ""
