"""Python's types for the schemas of the API: words for signatures, and a `TypedDict` for each named object."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from keyword import iskeyword
from typing import Any, Final

Schema = Mapping[str, Any]
_SIMPLE: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_REF: Final = "#/components/schemas/"


class Shapes:
    """The named objects of a document, each under a name that no other has."""

    def __init__(self, document: Schema) -> None:
        self._schemas: Mapping[str, Schema] = document["components"]["schemas"]
        shorts = Counter(name.rpartition("__")[2] for name in self._schemas)
        self._names = {name: _named(name, shorts) for name in self._schemas}

    def resolved(self, schema: Schema) -> Schema:
        return self._schemas[schema["$ref"].removeprefix(_REF)] if "$ref" in schema else schema

    def words(self, schema: Schema, *, given: bool = False) -> str:
        """The annotation for a schema; with `given` for what a caller passes, where any sequence will do."""
        if "$ref" in schema:
            key = schema["$ref"].removeprefix(_REF)
            return self._names[key] if "properties" in self._schemas[key] else self.words(self._schemas[key])
        if "const" in schema or "enum" in schema:
            return f"Literal[{', '.join(map(repr, schema.get('enum', [schema.get('const')])))}]"
        for choices in ("anyOf", "oneOf"):
            if choices in schema:
                return " | ".join(
                    dict.fromkeys(self.words(choice, given=given) for choice in schema[choices])
                )
        return self._plain(schema, given=given)

    def _plain(self, schema: Schema, *, given: bool) -> str:
        match schema.get("type"):
            case "array":
                kind = "Sequence" if given else "list"
                return f"{kind}[{self.words(schema.get('items', {}), given=given)}]"
            case "object":
                inner = schema.get("additionalProperties")
                held = self.words(inner, given=given) if isinstance(inner, Mapping) else "Any"
                return f"{'Mapping' if given else 'dict'}[str, {held}]"
            case "string" if schema.get("format") == "binary":
                return "bytes"
            case str(kind):
                return _SIMPLE[kind]
            case _:
                return "Any"

    def used_by(self, schema: Any) -> Iterator[str]:
        """The keys of every named object in a schema, the ones inside of others too, each behind what it holds."""
        seen: set[str] = set()
        yield from self._used(schema, seen)

    def _used(self, schema: Any, seen: set[str]) -> Iterator[str]:
        if isinstance(schema, list):
            for one in schema:
                yield from self._used(one, seen)
        if not isinstance(schema, Mapping):
            return
        named = schema.get("$ref")
        if isinstance(named, str):
            key = named.removeprefix(_REF)
            if key not in seen:
                seen.add(key)
                yield from self._used(self._schemas[key], seen)
                if "properties" in self._schemas[key]:
                    yield key
            return
        for one in schema.values():
            yield from self._used(one, seen)

    def name(self, key: str) -> str:
        return self._names[key]

    def declared(self, key: str) -> str:
        """The `TypedDict` of a named object."""
        schema = self._schemas[key]
        required = schema.get("required", ())
        members = {
            name: words if name in required else f"NotRequired[{words}]"
            for name, words in ((name, self.words(one)) for name, one in schema["properties"].items())
        }
        if any(iskeyword(name) or not name.isidentifier() for name in members):
            held = ", ".join(f'"{name}": "{words}"' for name, words in members.items())
            return f'{self._names[key]} = TypedDict("{self._names[key]}", {{{held}}})'
        lines = [f"    {name}: {words}" for name, words in members.items()] or ["    pass"]
        return "\n".join([f"class {self._names[key]}(TypedDict):", *lines])


def _named(key: str, shorts: Mapping[str, int]) -> str:
    """The last word of a key; where several end so, with the slice and the module before it."""
    short = key.rpartition("__")[2]
    if shorts[short] == 1:
        return re.sub(r"\W", "", short)
    _, one, *modules, _ = key.split("__")
    return "".join(word.title() for part in (one, *modules) for word in part.split("_")) + short
