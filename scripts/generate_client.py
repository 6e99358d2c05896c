"""Writes src/tarimba/client/api from the declared routes, or with `--check` tells whether it equals them (1 if not)."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import Any, Final

from client_names import GROUPS
from client_shapes import Schema, Shapes

from tarimba.app import all_routes
from tarimba.http.openapi import document
from tarimba.http.route import Route

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "src" / "tarimba" / "client" / "api"
NOTICE: Final = "# Made by scripts/generate_client.py from the routes: change them, or it."
# By hand.
OWN: Final = {"__init__.py", "calls.py"}
# Its words are the API's, some of which are Python's too.
_QUIET: Final = "# ruff: noqa: A002"
_PACKAGE: Final = "tarimba.client.api"
_IMPORTS: Final = {
    "collections.abc": ("AsyncIterator", "Awaitable", "Callable", "Iterator", "Mapping", "Sequence"),
    "typing": ("Any", "Literal", "NotRequired", "TypedDict", "TYPE_CHECKING"),
    f"{_PACKAGE}.calls": ("ACall", "Call", "UNSET", "Unset", "aevery", "every", "placed", "request"),
}


@dataclass(frozen=True)
class Parameter:
    """An argument of a call: `wire` is its name in the API, `place` where it goes."""

    wire: str
    words: str
    place: str
    required: bool

    @property
    def name(self) -> str:
        return f"{self.wire}_" if iskeyword(self.wire) else self.wire

    @property
    def declared(self) -> str:
        if self.required:
            return f"{self.name}: {self.words}"
        if self.place == "query":
            return f"{self.name}: {_or_none(self.words)} = None"
        return f"{self.name}: {self.words} | Unset = UNSET"


@dataclass(frozen=True)
class Written:
    """One call as it is written."""

    name: str
    route: Route
    shapes: Shapes
    operation: Schema

    @property
    def parameters(self) -> list[Parameter]:
        found = [
            Parameter(one["name"], self.shapes.words(one["schema"], given=True), one["in"], one["required"])
            for one in self.operation["parameters"]
            if one["in"] != "header"
        ]
        named = {one.wire for one in found}
        body = self.shapes.resolved(self._body)
        required = () if self.route.body_optional else body.get("required", ())
        found += [
            Parameter(name, self.shapes.words(schema, given=True), "body", name in required)
            for name, schema in body.get("properties", {}).items()
            if name not in named
        ]
        return sorted(found, key=lambda one: one.place != "path")

    @property
    def _body(self) -> Schema:
        if self.route.streams or "requestBody" not in self.operation:
            return {}
        (media,) = self.operation["requestBody"]["content"].values()
        schema: Schema = media["schema"]
        return schema

    @property
    def answer_schema(self) -> Schema:
        success = self.operation["responses"][str(self.route.statuses[0])]
        schema: Schema = success["content"][self.route.media]["schema"]
        return schema

    @property
    def answer(self) -> str:
        words = (
            "bytes"
            if self.route.media != "application/json"
            else self.shapes.words(self.answer_schema, given=True)
        )
        return f"{words} | bytes" if self.route.also else words

    @property
    def entries(self) -> tuple[str, str] | None:
        """The list that a page of this call holds and what is in it; None when it has no pages."""
        answer = self.shapes.resolved(self.answer_schema)
        lists = [
            (name, schema)
            for name, schema in answer.get("properties", {}).items()
            if schema.get("type") == "array"
        ]
        paged = "next_cursor" in answer.get("properties", {})
        if (
            not paged
            or len(lists) != 1
            or self.route.also
            or "cursor" not in {p.wire for p in self.parameters}
        ):
            return None
        name, schema = lists[0]
        return name, self.shapes.words(schema["items"])

    def lines(self, *, awaited: bool) -> Iterator[str]:
        wait, define = ("await ", "async def") if awaited else ("", "def")
        yield f"    {define} {self.name}({self._signature()}) -> {self.answer}:"
        yield f'        """{self._doc()}"""'
        yield f"        answer: {self.answer} = {wait}self._call(request({self._request()}))"
        yield "        return answer"
        yield ""
        if self.entries is not None:
            yield from self._each(awaited=awaited)

    def _each(self, *, awaited: bool) -> Iterator[str]:
        assert self.entries is not None
        entries, words = self.entries
        passed = [one for one in self.parameters if one.wire != "cursor"]
        kind, helper = ("AsyncIterator", "aevery") if awaited else ("Iterator", "every")
        name = "each" if self.name == "list" else f"each_{self.name}"
        given = ", ".join([*(_passed(one) for one in passed), "cursor=cursor"])
        yield f"    def {name}({self._signature(without='cursor')}) -> {kind}[{words}]:"
        yield f'        """Every entry of `{self.name}`, page by page."""'
        if next(one for one in self.parameters if one.wire == "cursor").place == "query":
            yield f'        return {helper}(lambda cursor: self.{self.name}({given}), "{entries}")'
        else:
            given = given.replace("cursor=cursor", "cursor=cursor or UNSET")
            yield f'        return {helper}(lambda cursor: self.{self.name}({given}), "{entries}")'
        yield ""

    def _signature(self, without: str = "") -> str:
        placed = [one.declared for one in self.parameters if one.place == "path"]
        named = [one for one in self.parameters if one.place != "path" and one.wire != without]
        named.sort(key=lambda one: not one.required)
        words = [one.declared for one in named]
        if self.route.streams:
            words.insert(0, "content: bytes")
        if self.route.matches:
            words.append("if_match: str | None = None")
        if self.route.idempotent and not without:
            words.append("idempotency_key: str | None = None")
        return ", ".join(["self", *placed, *(["*", *words] if words else [])])

    def _request(self) -> str:
        words = [f'"{self.route.method}"', self._path()]
        for place in ("query", "body"):
            held = [one for one in self.parameters if one.place == place]
            if held:
                name = "form" if place == "body" and self.route.form else place
                words.append(f"{name}={{{_pairs(held)}}}")
        if self.route.streams:
            words.append("content=content")
            words += [f'media="{self.route.takes}"'] if self.route.takes else []
        if self.route.idempotent:
            words.append("once=idempotency_key")
        if self.route.matches:
            words.append("if_match=if_match")
        return ", ".join(words)

    def _path(self) -> str:
        whole = set(re.findall(r"\{(\w+):path\}", self.route.path))

        def part(found: re.Match[str]) -> str:
            return f"{{placed({found[1]}{', whole=True' if found[1] in whole else ''})}}"

        path = re.sub(r"\{(\w+)\}", part, self.route.described)
        return f'{"f" if "{" in path else ""}"{path}"'

    def _doc(self) -> str:
        receipt = f"; receipt `{self.route.receipt}`" if self.route.receipt else ""
        return f"{self.route.summary}.\n\n        `{self.route.method} {self.route.described}`{receipt}.\n        "


def files() -> Mapping[str, str]:
    """The text of each generated module, by its name."""
    routes = {f"{route.method} {route.described}": route for route in all_routes() if route.method != "HEAD"}
    named = {route for group in GROUPS.values() for route in group.values()}
    if missing := sorted(routes.keys() ^ named):
        sys.exit(f"scripts/client_names.py must name every route, and none besides: {', '.join(missing)}")
    described = document(all_routes())
    shapes = Shapes(described)
    homes: dict[str, str] = {}
    made: dict[str, str] = {}
    for group, calls in GROUPS.items():
        written = [
            Written(name, routes[key], shapes, _operation(described, routes[key]))
            for name, key in calls.items()
        ]
        keys = [key for one in written for key in _needed(one)]
        own = [key for key in dict.fromkeys(keys) if homes.setdefault(key, group) == group]
        if own:
            made[f"{group}_shapes.py"] = _module(
                "What these calls take and give, as JSON has it.",
                "\n\n\n".join(shapes.declared(key) for key in own),
                _shape_imports(shapes, own, homes, group),
            )
        names = _shape_imports(shapes, [], homes, "", keys)
        for awaited in (False, True):
            prefix = "async_" if awaited else ""
            made[f"{prefix}{group}.py"] = _module(
                f"Calls of `client.api.{group}`{', awaited' if awaited else ''}.",
                _class(group, written, awaited=awaited),
                names,
            )
    return made | {"root.py": _root(awaited=False), "async_root.py": _root(awaited=True)}


def _needed(call: Written) -> list[str]:
    return list(call.shapes.used_by([call.answer_schema, call.shapes.resolved(call._body)]))  # noqa: SLF001


def _operation(described: Schema, route: Route) -> Schema:
    operation: Schema = described["paths"][route.described][route.method.lower()]
    return operation


def _shape_imports(
    shapes: Shapes, own: Iterable[str], homes: Mapping[str, str], group: str, keys: Iterable[str] = ()
) -> Mapping[str, str]:
    """The name of each shape that may be used, and the group that it lives in."""
    wanted = keys or homes
    return {shapes.name(key): homes[key] for key in wanted if key not in set(own) and homes[key] != group}


def _class(group: str, written: list[Written], *, awaited: bool) -> str:
    name = ("Async" if awaited else "") + _camel(group)
    call = "ACall" if awaited else "Call"
    lines = [
        f"class {name}:",
        f'    """See `docs/reference/http-api.md`. Raises a TarimbaError; `{group}` of `client.api`."""',
        "",
        f"    def __init__(self, call: {call}) -> None:",
        "        self._call = call",
        "",
    ]
    return "\n".join([*lines, *(line for one in written for line in one.lines(awaited=awaited))])


def _root(*, awaited: bool) -> str:
    prefix, call = ("Async", "ACall") if awaited else ("", "Call")
    lines = [f"class {prefix}Api:", '    """A group of calls for each part of the API."""', ""]
    lines += [f"    def __init__(self, call: {call}) -> None:", "        self._call = call", ""]
    imports = []
    for group in GROUPS:
        kind, module = prefix + _camel(group), f"{_PACKAGE}.{prefix.lower()}{'_' if prefix else ''}{group}"
        imports.append(f"    from {module} import {kind}")
        lines += [
            "    @property",
            f"    def {group}(self) -> {kind}:",
            f"        from {module} import {kind}",
            "",
        ]
        lines += [f"        return {kind}(self._call)", ""]
    head = ["from typing import TYPE_CHECKING", f"from {_PACKAGE}.calls import {call}", "if TYPE_CHECKING:"]
    text = "\n".join([f'"""The groups of `client.api`{", awaited" if awaited else ""}."""', NOTICE, ""])
    return text + "\n".join(["from __future__ import annotations", *head, *imports, "", *lines])


def _module(doc: str, body: str, shapes: Mapping[str, str]) -> str:
    imports = [
        f"from {module} import {', '.join(used)}"
        for module, names in _IMPORTS.items()
        if (used := [name for name in names if _uses(body, name)])
    ]
    homes: dict[str, list[str]] = {}
    for name, group in shapes.items():
        if _uses(body, name):
            homes.setdefault(group, []).append(name)
    typed = [
        f"    from {_PACKAGE}.{group}_shapes import {', '.join(names)}" for group, names in homes.items()
    ]
    if typed:
        imports += ["from typing import TYPE_CHECKING", "if TYPE_CHECKING:", *typed]
    head = [f'"""{doc}"""', NOTICE, _QUIET, "", "from __future__ import annotations", *imports]
    return "\n".join([*head, "", "", body])


def _uses(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def _camel(group: str) -> str:
    return "".join(word.title() for word in group.split("_"))


def _or_none(words: str) -> str:
    return words if "None" in words.split(" | ") else f"{words} | None"


def _pairs(held: Iterable[Parameter]) -> str:
    return ", ".join(f'"{one.wire}": {one.name}' for one in held)


def _passed(one: Parameter) -> str:
    return one.name if one.place == "path" else f"{one.name}={one.name}"


def _formatted(name: str, text: str) -> str:
    """As the repository's own rules format it."""
    ruff = [sys.executable, "-m", "ruff"]
    place = ["--stdin-filename", str(FOLDER / name), "-"]
    for step in (
        ["check", "--quiet", "--fix-only", "--select", "I,F401,UP,RUF036,RUF100,A002"],
        ["format", "--quiet"],
    ):
        done = subprocess.run(
            [*ruff, *step, *place], input=text, capture_output=True, text=True, cwd=ROOT, check=True
        )
        text = done.stdout
    return text


def main() -> Any:
    made = {name: _formatted(name, text) for name, text in files().items()}
    found = {
        path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py") if path.name not in OWN
    }
    if "--check" in sys.argv:
        differing = sorted(name for name in made.keys() | found.keys() if made.get(name) != found.get(name))
        sys.exit(f"Run scripts/generate_client.py: {', '.join(differing)}" if differing else 0)
    for name in found.keys() - made.keys():
        (FOLDER / name).unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
