"""`GET /healthz`: the process serves. `GET /readyz`: it has what its work needs. Both say nothing about anybody."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from tarimba.http.ready import Readiness, Ready
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

_HOLDS_NOTHING: Final = "It holds no data."


class Health(BaseModel):
    """That the process serves."""

    status: str


def healthz(_kernel: Kernel, _call: Call) -> Answer:
    return Answer({"status": "ok"})


def _health(method: str) -> Route:
    return Route(
        "HEAD" if method == "HEAD" else "GET",
        "/healthz",
        healthz,
        "Whether the process serves",
        "meta",
        receipt=None,
        exempt=_HOLDS_NOTHING,
        answer=Health,
        public=True,
    )


def _readiness(method: str) -> Route:
    return Route(
        "HEAD" if method == "HEAD" else "GET",
        "/readyz",
        None,
        "Whether the process has what its work needs",
        "meta",
        receipt=None,
        exempt=_HOLDS_NOTHING,
        answer=Readiness,
        statuses=(200, 503),
        public=True,
        endpoint=Ready,
    )


ROUTES = tuple(make(method) for make in (_health, _readiness) for method in ("GET", "HEAD"))
