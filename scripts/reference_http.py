"""The page of the HTTP API, from the OpenAPI document of the routes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tarimba.http.route import Route

Schema = Mapping[str, Any]

_TITLES = {
    "meta": "The server",
    "block": "The block",
    "notes": "Notes",
    "proposals": "Proposals",
    "skill drafts": "Drafts of skills",
    "conversations": "Conversations and tasks",
    "erasure": "Export, import, erase",
    "self": "About the caller",
    "administration": "Administration",
    "personal data": "Words and customers",
    "skills": "Skills",
    "workspaces": "Workspaces",
    "memory files": "Memory files, and what the agent shows",
    "secrets": "Secrets",
    "receipts": "Receipts",
    "jobs": "Jobs",
    "webhooks": "Webhooks and notifications",
    "customer context": "Context and history of customers",
    "memory graph": "The memory graph",
}
_LIMITS = (
    ("minimum", "from {}"),
    ("maximum", "to {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("maxItems", "at most {} entries"),
    ("pattern", "`{}`"),
)
_FORM = "multipart/form-data"
_JSON = "application/json"
_ANY_INTEGER = 2**53 - 1


def page(routes: Sequence[Route], document: Schema) -> str:
    """Markdown. Raises `KeyError` for a tag without a title: somebody has to name it."""
    parts: list[str] = []
    for tag in dict.fromkeys(route.tag for route in routes):
        parts.append(f"## {_TITLES[tag]}")
        parts += [_section(route, document) for route in routes if route.tag == tag]
    return "\n\n".join(parts)


def _section(route: Route, document: Schema) -> str:
    operation = document["paths"][route.described][route.method.lower()]
    lines = [f"### `{route.method} {route.described}`", "", f"{route.summary}.", ""]
    lines += [f"- {fact}" for fact in _facts(route)]
    query = [one for one in operation["parameters"] if one["in"] == "query"]
    if query:
        lines += ["", "Query:", "", *_table(_parameters(query), document)]
    if "requestBody" in operation:
        body = operation["requestBody"]["content"][_FORM if route.form else _JSON]["schema"]
        lines += ["", "Body:", "", *_members(body, document)]
    answer = operation["responses"][str(route.statuses[0])]["content"][route.media]["schema"]
    lines += ["", "Answer:", "", *_members(answer, document)]
    return "\n".join(lines)


def _facts(route: Route) -> Iterator[str]:
    yield f"Success: {', '.join(map(str, route.statuses))}."
    yield f"Receipt: `{route.receipt}`." if route.receipt else f"No receipt: {route.exempt.rstrip('.')}."
    if route.public:
        yield "Needs no key."
    if route.identify is not None:
        yield "Needs the token of a workspace, and answers 401 with nothing else to any other."
    if route.idempotent:
        yield "Takes an `Idempotency-Key`."
    if route.form:
        yield f"The body is a form (`{_FORM}`)."
    if route.matches:
        yield "Takes an `If-Match` with the hash of what stands there."
    if route.media != _JSON:
        yield f"The answer is `{route.media}`."
    if route.also:
        yield f"The answer may be `{route.also}`."
    if route.streams:
        yield "The body is read as a stream, up to `TARIMBA_IMPORT_MAX` bytes."


def _parameters(query: Sequence[Schema]) -> Iterator[tuple[str, bool, Schema]]:
    for one in query:
        yield one["name"], one["required"], one["schema"]


def _members(schema: Schema, document: Schema) -> list[str]:
    found = _resolved(schema, document)
    if "properties" not in found:
        return [f"{_type(found, document)}."]
    wanted = found.get("required", ())
    rows = ((name, name in wanted, member) for name, member in found["properties"].items())
    return _table(rows, document)


def _table(rows: Iterator[tuple[str, bool, Schema]], document: Schema) -> list[str]:
    lines = ["| field | type | rule |", "| --- | --- | --- |"]
    for name, is_required, schema in rows:
        rules = ["required"] if is_required else []
        rules += [*_rules(schema), schema.get("description", "").rstrip(".")]
        lines.append(f"| `{name}` | {_type(schema, document)} | {_cell('; '.join(filter(None, rules)))} |")
    return lines


def _type(schema: Schema, document: Schema) -> str:
    if "$ref" in schema:
        return _named(schema, document)
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " or ".join(_type(choice, document) for choice in schema["anyOf"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"array of {_type(schema.get('items', {}), document)}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'], document)}"
    return {"string": _string(schema), "null": "null"}.get(kind, kind)


def _string(schema: Schema) -> str:
    return {"date-time": "moment", "binary": "bytes"}.get(schema.get("format", ""), "string")


def _named(schema: Schema, document: Schema) -> str:
    """An object in another: its members' names, which is what a caller needs to know of it."""
    members = _resolved(schema, document).get("properties", {})
    return "object {" + ", ".join(f"`{name}`" for name in members) + "}"


def _resolved(schema: Schema, document: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    found: Schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _rules(schema: Schema) -> Iterator[str]:
    for choice in [schema, *schema.get("anyOf", ())]:
        for name, words in _LIMITS:
            if name in choice and abs(_number(choice[name])) != _ANY_INTEGER:
                yield words.format(choice[name])
    if schema.get("default") not in (None, []):
        yield f"default {schema['default']}"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
