"""A model for programs that give the tools of MCP names of their own: it calls the search by the name it has."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.recipes.adapters import forms
from tests.recipes.adapters.endpoint import Endpoint

_NAME = re.compile(rf'"name": "([A-Za-z0-9_.-]*?{forms.SEARCH})"')


class NamingModel(Endpoint):
    """Reads every request as if the tool had its own name, and answers with the program's."""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
        flat, group = _flat(body)
        written = json.dumps(flat)
        found = _NAME.search(written)
        name = found[1] if found else forms.SEARCH
        kind, said = super().answer(path, json.loads(written.replace(f'"{name}"', f'"{forms.SEARCH}"')))
        called = f'"name": "{name}"' + (f', "namespace": "{group}"' if group else "")
        return kind, said.replace(f'"name": "{forms.SEARCH}"'.encode(), called.encode())


def offered(body: dict[str, Any]) -> set[str]:
    """The names of the tools that a request offers, without what a program puts before them."""
    named = re.findall(r'"name": "([A-Za-z0-9_.-]+)"', json.dumps(_flat(body)[0].get("tools") or ()))
    return {re.sub(r"^(mcp_+)?tarimba[_.-]+", "", name) for name in named}


def _flat(body: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The request with the tools of namespaces among the others, and the namespace that has ours."""
    tools = body.get("tools") or []
    groups = [one for one in tools if one.get("type") == "namespace" and forms.SEARCH in json.dumps(one)]
    inner = [one for group in groups for one in group["tools"]]
    plain = [one for one in tools if one not in groups]
    return {**body, "tools": [*plain, *inner]}, groups[0]["name"] if groups else None
