"""The description of the API, made from the routes' declarations and from nothing else.

Source: OpenAPI 3.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

import tarimba
from tarimba.errors import CODES
from tarimba.http.body import INTEGER_MAX
from tarimba.http.problems import MEDIA_TYPE
from tarimba.http.route import Route

Schema = dict[str, Any]
Key = tuple[int, str]

_REF: Final = "#/components/schemas/{model}"
_PARAMETER: Final = re.compile(r"\{(\w+)(?::\w+)?\}")
_CHANGING: Final = frozenset({"POST", "PATCH", "PUT", "DELETE"})

_PROBLEM: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "RFC 9457. `detail` names fields and rules, never a value that was sent.",
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "enum": sorted(CODES)},
        "request_id": {"type": "string", "format": "uuid"},
        "detail": {"type": "string"},
    },
    "required": ["type", "title", "status", "code", "request_id", "detail"],
    "additionalProperties": True,
}
_RECEIPT_HEADER: Final[Mapping[str, Any]] = {
    "Tarimba-Receipt": {
        "description": "The receipt of this access: `<id>; seq=<place in the log>; leaf=<hash>`.",
        "schema": {"type": "string"},
    }
}
_ONCE_HEADER: Final[Mapping[str, Any]] = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same key with the same request within 24 hours does nothing new.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}

_SCHEMES: Final[Mapping[str, Any]] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "workspace": {"type": "http", "scheme": "bearer", "description": "The token of a workspace."},
}


def document(routes: Sequence[Route]) -> Schema:
    """The OpenAPI document of the routes, as a JSON value."""
    schemas, components = _schemas(routes)
    paths: Schema = {}
    for at, route in enumerate(routes):
        path = _PARAMETER.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(at, route, schemas, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tarimba", "version": tarimba.__version__},
        "paths": paths,
        "components": {
            "schemas": {**components, "Problem": dict(_PROBLEM)},
            "securitySchemes": dict(_SCHEMES),
        },
    }


def _schemas(routes: Sequence[Route]) -> tuple[Mapping[tuple[Key, JsonSchemaMode], Schema], Schema]:
    """The schema of everything that the routes declare, and the named models inside, made in one go."""
    wanted: list[tuple[Key, JsonSchemaMode, TypeAdapter[Any]]] = []
    for at, route in enumerate(routes):
        if route.body is not None:
            wanted.append(((at, "body"), "validation", TypeAdapter(route.body)))
        if route.query is not None:
            wanted.append(((at, "query"), "validation", TypeAdapter(route.query)))
        if route.answer is not None:
            wanted.append(((at, "answer"), "serialization", TypeAdapter(route.answer)))
    if not wanted:
        return {}, {}
    made, rest = TypeAdapter.json_schemas(wanted, ref_template=_REF)
    components = rest.get("$defs", {})
    for schema in (*made.values(), components):
        _bound_integers(schema)
    return made, components


def _bound_integers(schema: Any) -> None:
    """The reader takes no whole number that other readers would round: every schema says so."""
    if isinstance(schema, list):
        for child in schema:
            _bound_integers(child)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "integer" and not schema.keys() & {"const", "enum"}:
        if not schema.keys() & {"minimum", "exclusiveMinimum"}:
            schema["minimum"] = -INTEGER_MAX
        if not schema.keys() & {"maximum", "exclusiveMaximum"}:
            schema["maximum"] = INTEGER_MAX
    for child in schema.values():
        _bound_integers(child)


def _operation(
    at: int, route: Route, schemas: Mapping[tuple[Key, JsonSchemaMode], Schema], components: Schema
) -> Schema:
    operation: Schema = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": [
            *_path_parameters(route),
            *_query_parameters(schemas.get(((at, "query"), "validation"), {}), components),
            *([dict(_ONCE_HEADER)] if route.idempotent else []),
        ],
        "responses": _responses(route, schemas.get(((at, "answer"), "serialization"), {})),
        "security": [] if route.public else [{_scheme(route): []}],
    }
    if route.streams:
        operation["requestBody"] = _request_body({"type": "object"}, required=True)
        if route.takes:
            operation["requestBody"]["content"][route.takes] = {"schema": {"type": "string"}}
    elif route.body is not None:
        body = schemas[(at, "body"), "validation"]
        operation["requestBody"] = _request_body(body, required=not route.body_optional, form=route.form)
    return operation


def _scheme(route: Route) -> str:
    return "bearer" if route.identify is None else "workspace"


def _operation_id(route: Route) -> str:
    path = _PARAMETER.sub(r"by_\1", route.path)
    return "_".join([route.method.lower(), *re.findall(r"\w+", path)])


def _request_body(schema: Schema, *, required: bool, form: bool = False) -> Schema:
    kind = "multipart/form-data" if form else "application/json"
    return {"required": required, "content": {kind: {"schema": schema}}}


def _path_parameters(route: Route) -> Iterable[Schema]:
    for name in _PARAMETER.findall(route.path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


def _query_parameters(schema: Schema, components: Schema) -> Iterable[Schema]:
    named = schema.get("$ref", "").removeprefix(_REF.format(model=""))
    declared = components.get(named, schema)
    required = declared.get("required", ())
    for name, member in declared.get("properties", {}).items():
        yield {"name": name, "in": "query", "required": name in required, "schema": _without_null(member)}


def _without_null(member: Schema) -> Schema:
    """A query can't say null: leaving the parameter out is how."""
    choices = [choice for choice in member.get("anyOf", ()) if choice.get("type") != "null"]
    if len(choices) != 1:
        return member
    kept = {key: value for key, value in member.items() if key not in ("anyOf", "default")}
    return {**kept, **choices[0]}


def _responses(route: Route, answer: Schema) -> Schema:
    headers = {} if route.receipt is None else {"headers": dict(_RECEIPT_HEADER)}
    responses: Schema = {}
    for status in route.statuses:
        responses[str(status)] = {"description": HTTPStatus(status).phrase, **headers}
        if status not in (204, 304):
            also = {route.also: {"schema": {"type": "string", "format": "binary"}}} if route.also else {}
            responses[str(status)]["content"] = {route.media: {"schema": answer}, **also}
    problem = {MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}}
    for status in _refusals(route):
        responses[str(status)] = {"description": HTTPStatus(status).phrase, "content": problem}
    if route.identify is not None:
        # Without a word, so without content.
        responses["401"] = {"description": HTTPStatus.UNAUTHORIZED.phrase}
    responses["default"] = {"description": "Any other refusal", "content": problem}
    return responses


def _refusals(route: Route) -> list[int]:
    statuses = {422, 500, 503}
    if not route.public:
        statuses |= {401, 403}
    if "{" in route.path:
        statuses.add(404)
    if route.body is not None or route.streams:
        statuses |= {400, 413, 415}
    if route.method in _CHANGING:
        statuses |= {409, 429}
    return sorted(statuses - set(route.statuses))
