"""`GET /healthz`: the process serves. It says nothing about anybody and asks nobody."""

from __future__ import annotations

from pydantic import BaseModel

from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel


class Health(BaseModel):
    """That the process serves."""

    status: str


def healthz(_kernel: Kernel, _call: Call) -> Answer:
    return Answer({"status": "ok"})


ROUTES = (
    Route(
        "GET",
        "/healthz",
        healthz,
        "Whether the process serves",
        "meta",
        receipt=None,
        exempt="It holds no data.",
        answer=Health,
        public=True,
    ),
)
