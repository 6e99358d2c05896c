"""From a template and its values to bytes: all is escaped, and an unknown name is an error, not an empty place."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from tarimba.clock import rfc3339
from tarimba.console import done
from tarimba.console.differences import words_between
from tarimba.console.navigation import groups
from tarimba.console.page import Guest, Html, Visit
from tarimba.console.sentences import Said, Sentences
from tarimba.console.words import Texts
from tarimba.identity.rules import may

PREFIX: Final = "/console"
_REMARKS: Final = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
MEDIA: Final[Mapping[str, str]] = MappingProxyType(
    {
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
        "png": "image/png",
    }
)


class Statics:
    """The files that pages load, under names that change with their bytes: kept by browsers for ever.

    `files` has the bytes and the media type of each by its name, `packed` the bytes again in gzip.
    """

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, str]] = {}
        self.packed: dict[str, bytes] = {}
        self._names: dict[str, str] = {}
        for entry in files("tarimba.console").joinpath("static").iterdir():
            suffix = entry.name.rpartition(".")[2]
            if suffix in MEDIA:
                # What comments of our stylesheet say is for who changes it, and need not travel.
                data = _REMARKS.sub(b"", entry.read_bytes()) if suffix == "css" else entry.read_bytes()
                mark = hashlib.sha256(data).hexdigest()[:12]
                self.files[f"{mark}/{entry.name}"] = (data, MEDIA[suffix])
                # Without the time of day, so that equal files are equal bytes.
                self.packed[f"{mark}/{entry.name}"] = gzip.compress(data, 9, mtime=0)
                self._names[entry.name] = f"{PREFIX}/static/{mark}/{entry.name}"

    def address(self, name: str) -> str:
        return self._names[name]


class Renderer:
    """Templates of the Console, ready to be filled."""

    def __init__(self, texts: Texts) -> None:
        self.statics = Statics()
        self._sentences = Sentences(texts)
        self._environment = Environment(
            loader=PackageLoader("tarimba.console", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(
            static=self.statics.address, url=url, csrf=_csrf, time=_time, words_between=words_between
        )

        self._environment.globals["sentence"] = self._sentence

    @pass_context
    def _sentence(self, context: Context, detail: str) -> Said:
        """What a use case says, in the visitor's language, with the language that it is in."""
        return self._sentences.say(context["t"], detail)

    def render(self, shown: Html, visit: Visit | Guest) -> bytes:
        template = self._environment.get_template(shown.template)
        return template.render(_surroundings(visit) | dict(shown.values)).encode()


def url(path: str, /, **query: Any) -> str:
    """A path of the Console with a query; empty values are left out."""
    said = urlencode([(name, str(value)) for name, value in query.items() if value not in ("", None)])
    return f"{PREFIX}{path}?{said}" if said else f"{PREFIX}{path}"


def _surroundings(visit: Visit | Guest) -> dict[str, Any]:
    session = visit.session
    return {
        "t": visit.speech,
        "visit": visit,
        "me": None if session is None else session.person,
        "space_name": "" if session is None else session.space_name,
        "may": lambda act: session is not None and may(session.principal, act),
        "groups": () if session is None else groups(session.principal),
        "done": done.said(visit),
    }


@pass_context
def _csrf(context: Context) -> Markup:
    return Markup('<input type="hidden" name="form_token" value="{}">').format(context["visit"].form_token)


@pass_context
def _time(context: Context, at_us: int | None) -> Markup:
    if at_us is None:
        return escape("—")
    said = context["t"].moment(at_us)
    return Markup('<time datetime="{}">{}</time>').format(rfc3339(at_us), said)
